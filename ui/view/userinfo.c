/* userinfo.c - what there is to say about a user or an account. */
#include "ui/view/userinfo.h"

#include <math.h>
#include <stdlib.h>

#include "src/base/units.h"
#include "src/model/jobtext.h"
#include "ui/view/jobinfo.h"
#include "ui/view/words.h"

#define LABEL    10
#define JOBS_MAX 10

const char *userinfo_account(const struct job *j)
{
    const char *account = j->req.account ? j->req.account : j->group;
    return str_is_empty(account) ? "none" : account;
}

/* --- jobs --- */

struct held { /* what is held now, for the limits */
    uint64_t gpus, cpus, mem_mib, nodes, running, submitted;
    uint64_t wanted; /* GPUs of what waits */
};

struct sized {
    const struct job *job;
    struct job_amounts holds;
};

struct jobs {
    struct sized running[JOBS_MAX]; /* the biggest, that first */
    const struct job *waiting[JOBS_MAX];
    size_t n_running, n_waiting; /* of all */
    struct held held;
};

static void count(struct held *h, const struct job *j, const struct job_amounts *a)
{
    h->running++;
    h->submitted++;
    if (job_is_between(j))
        return;
    h->gpus += a->gpus;
    h->cpus += a->cpus;
    h->mem_mib += a->mem_mib;
    h->nodes += j->kind == JOB_KIND_STEPS ? job_nodes(j) : a->nodes;
}

static void count_waiting(struct held *h, uint32_t n, uint64_t gpus)
{
    h->submitted += n;
    h->wanted += gpus;
}

static bool is_bigger(const struct sized *a, const struct sized *b)
{
    return a->holds.gpus != b->holds.gpus   ? a->holds.gpus > b->holds.gpus
           : a->holds.cpus != b->holds.cpus ? a->holds.cpus > b->holds.cpus
                                            : a->job->id < b->job->id;
}

/* To its place among the biggest, where it is one of them. */
static void take_running(struct jobs *g, const struct sized *it)
{
    size_t i = g->n_running < JOBS_MAX ? g->n_running : JOBS_MAX;
    g->n_running++;
    for (; i > 0 && is_bigger(it, &g->running[i - 1]); i--)
        if (i < JOBS_MAX)
            g->running[i] = g->running[i - 1];
    if (i < JOBS_MAX)
        g->running[i] = *it;
}

/* One look at the queue: what is of the account, and all that is of the user, whose limits know no
 * accounts. */
static void gather(struct jobs *g, struct held *all, const struct model *m, const char *account,
                   const char *user)
{
    list_for_each (r, &m->active, struct job, in_queue) {
        bool here = str_eq(userinfo_account(r), account);
        if (user ? !str_eq(r->user, user) : !here)
            continue;
        const struct sized it = {.job = r, .holds = job_amounts(r)};
        count(all, r, &it.holds);
        if (here) {
            take_running(g, &it);
            count(&g->held, r, &it.holds);
        }
    }
    list_for_each (p, &m->pending, struct job, in_queue) {
        bool here = str_eq(userinfo_account(p), account);
        if (user ? !str_eq(p->user, user) : !here)
            continue;
        uint32_t n = job_pending_elements(p);
        uint64_t gpus = (uint64_t)n * job_gpus(p);
        count_waiting(all, n, gpus);
        if (!here)
            continue;
        if (g->n_waiting < JOBS_MAX)
            g->waiting[g->n_waiting] = p;
        g->n_waiting++;
        count_waiting(&g->held, n, gpus);
    }
}

static void job_line(struct rich *r, const struct ui *ui, const struct job *j, bool whose)
{
    r->hang = 2;
    rich_addf(r, job_role(j), "%c", job_state_glyph((enum job_state)j->state));
    str_append_char(&r->text, ' ');
    jobtext_id(&r->text, j, BITSTR_LEN_DEFAULT);
    rich_addf(r, ROLE_NORMAL, "  %s%s%s  ", whose && j->user ? j->user : "", whose && j->user ? "/" : "",
              j->req.name ? j->req.name : "");
    if (j->state == JOB_PENDING) {
        job_where(r, j, ui_now(ui));
        return;
    }
    if (job_is_between(j))
        rich_add(r, ROLE_DIM, "between its tasks  ");
    else if (job_gpus(j))
        rich_addf(r, ROLE_NORMAL, "%u GPU%s  ", job_gpus(j), job_gpus(j) == 1 ? "" : "s");
    else
        rich_addf(r, ROLE_NORMAL, "%u CPU%s  ", job_cpus(j), job_cpus(j) == 1 ? "" : "s");
    char b[UNITS_TEXT_SIZE];
    rich_add(r, ROLE_DIM, duration_format_words(job_run_s(j, ui_now(ui)), b));
}

static void more_line(struct lines *l, size_t n)
{
    if (n > JOBS_MAX)
        lines_addf(l, ROLE_DIM, "and %zu more", n - JOBS_MAX);
}

static void job_lines(struct lines *l, const struct ui *ui, const struct jobs *g, bool whose)
{
    if (g->n_running)
        jobinfo_section(l, "Running, the biggest first");
    for (size_t i = 0; i < g->n_running && i < JOBS_MAX; i++)
        job_line(lines_add(l), ui, g->running[i].job, whose);
    more_line(l, g->n_running);
    if (g->n_waiting)
        jobinfo_section(l, "Waiting");
    for (size_t i = 0; i < g->n_waiting && i < JOBS_MAX; i++)
        job_line(lines_add(l), ui, g->waiting[i], whose);
    more_line(l, g->n_waiting);
}

/* --- share --- */

static void share_lines(struct lines *l, const struct share_row *s, bool user)
{
    if (!s)
        return;
    jobinfo_section(l, "Share");
    if (isfinite(s->norm_shares))
        rich_addf(lines_pair(l, "due", LABEL), ROLE_NORMAL, "%.0f%%", s->norm_shares * 100);
    if (isfinite(s->effective_usage)) {
        struct rich *r = lines_pair(l, "had", LABEL);
        rich_addf(r, ROLE_NORMAL, "%.0f%%", s->effective_usage * 100);
        if (isfinite(s->norm_shares) && s->norm_shares > 0)
            rich_addf(r, s->effective_usage > s->norm_shares ? ROLE_WARM : ROLE_GOOD, "  %s than its share",
                      s->effective_usage > s->norm_shares ? "more" : "not more");
    }
    rich_addf(lines_pair(l, "GPU hours", LABEL), ROLE_NORMAL, "%.1f, fading with time", s->gpu_hours);
    if (user)
        rich_addf(lines_pair(l, "factor", LABEL), ROLE_NORMAL, "%.2f; 1 comes first, 0 last", s->fairshare);
}

/* --- limits --- */

static void limit_part(struct rich *r, const char *what, uint64_t used, uint64_t limit, bool known)
{
    if (limit == LIMIT_NONE)
        return;
    rich_add(r, ROLE_NORMAL, r->n_runs > 1 ? ", " : "");
    if (known)
        rich_addf(r, used >= limit ? ROLE_WARM : ROLE_NORMAL, "%llu of %llu %s", (unsigned long long)used,
                  (unsigned long long)limit, what);
    else
        rich_addf(r, ROLE_NORMAL, "%llu %s", (unsigned long long)limit, what);
}

/* known: what is held counts against just this limit. */
static void limit_line(struct lines *l, const char *label, const struct limit_set *s, const struct held *h,
                       bool known)
{
    struct rich *r = lines_pair(l, label, LABEL);
    size_t empty = r->text.len;
    limit_part(r, "GPUs", h->gpus, s->gpus, known);
    limit_part(r, "CPUs", h->cpus, s->cpus, known);
    limit_part(r, "GB", h->mem_mib / 1024, s->mem_mib == LIMIT_NONE ? LIMIT_NONE : s->mem_mib / 1024,
               known);
    limit_part(r, "nodes", h->nodes, s->nodes, known);
    limit_part(r, "running", h->running, s->running_jobs, known);
    limit_part(r, "in the queue", h->submitted, s->submitted_jobs, known);
    limit_part(r, "elements in an array", 0, s->array_size, false);
    limit_part(r, "GPU minutes", 0, s->gpu_minutes, false);
    if (r->text.len == empty)
        l->n--;
}

static void limit_lines(struct lines *l, const struct model *m, const char *account, const char *user,
                        const struct held *h)
{
    bool any = false;
    for (size_t i = 0; i < m->spec.limits.n; i++) {
        const struct limit_spec *s = &m->spec.limits.v[i];
        const char *name = s->scope == LIMIT_USER               ? user
                           : s->scope == LIMIT_ACCOUNT && !user ? account
                                                                : NULL;
        if (!name || (!str_eq(s->name, "*") && !str_eq(s->name, name)))
            continue;
        if (!any)
            jobinfo_section(l, "Limits");
        any = true;
        if (s->partition)
            lines_addf(l, ROLE_DIM, "in partition %s", s->partition);
        limit_line(l, "at most", &s->hard, h, !s->partition && !user == (s->scope == LIMIT_ACCOUNT));
        limit_line(l, "soft", &s->soft, h, !s->partition && !user == (s->scope == LIMIT_ACCOUNT));
    }
}

static void held_line(struct rich *r, const struct held *h)
{
    rich_addf(r, ROLE_NORMAL, "%llu", (unsigned long long)h->running);
    if (!h->running)
        return;
    str_append(&r->text, " on ");
    count_text(&r->text, h->cpus, "CPU", "CPUs");
    str_append(&r->text, ", ");
    count_text(&r->text, h->gpus, "GPU", "GPUs");
    str_append(&r->text, ", ");
    mem_text(&r->text, h->mem_mib);
    rich_role(r, ROLE_NORMAL);
}

void userinfo_lines(struct lines *l, const struct ui *ui, const char *account, const char *user,
                    const struct share_row *share)
{
    struct jobs g = {.n_running = 0};
    struct held all = {0};
    gather(&g, &all, ui_model(ui), account, user);
    struct rich *r = lines_add(l);
    rich_add(r, ROLE_TITLE, user ? user : account);
    rich_addf(r, ROLE_DIM, user ? "  of %s" : "  account", account);
    held_line(lines_pair(l, "running", LABEL), &g.held);
    r = lines_pair(l, "waiting", LABEL);
    rich_addf(r, ROLE_NORMAL, "%llu", (unsigned long long)(g.held.submitted - g.held.running));
    if (g.held.wanted) {
        str_append(&r->text, " for ");
        count_text(&r->text, g.held.wanted, "GPU", "GPUs");
        rich_role(r, ROLE_NORMAL);
    }
    share_lines(l, share, user != NULL);
    limit_lines(l, ui_model(ui), account, user, &all);
    job_lines(l, ui, &g, !user);
}
