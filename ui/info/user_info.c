/* user_info.c - what there is to say about a user or an account. */
#include "ui/info/user_info.h"

#include <math.h>
#include <stdlib.h>

#include "src/lang/lang.h"
#include "src/text/jobtext.h"
#include "src/values/units.h"
#include "ui/info/job_info.h"
#include "ui/text/view_text.h"

#define LABEL 10

/* --- jobs --- */

static void user_info_job_line(struct rich *r, struct ui *ui, const struct job *j, bool whose)
{
    r->hang = 2;
    rich_sign(r, job_role(j), job_glyph(j));
    str_append_char(&r->text, ' ');
    jobtext_id(&r->text, j, BITSTR_LEN_DEFAULT);
    rich_addf(r, ROLE_NORMAL, "  %s%s%s  ", whose ? jobtext_user(j) : "", whose && j->user ? "/" : "",
              jobtext_name(j));
    if (j->state == JOB_PENDING) {
        job_wait_words(r, ui, j);
        return;
    }
    if (job_is_between(j))
        rich_add(r, ROLE_DIM, tr("between tasks  "));
    else if (job_gpus(j))
        rich_addf(r, ROLE_NORMAL, trn("%u GPU  ", "%u GPUs  ", job_gpus(j)), job_gpus(j));
    else
        rich_addf(r, ROLE_NORMAL, trn("%u CPU  ", "%u CPUs  ", job_cpus(j)), job_cpus(j));
    char b[UNITS_TEXT_SIZE];
    rich_add(r, ROLE_DIM, duration_format_words(job_run_s(j, ui_now(ui)), b));
}

static void more_line(struct lines *l, size_t n)
{
    if (n > HOLDER_JOBS)
        lines_addf(l, ROLE_DIM, tr("and %zu more"), n - HOLDER_JOBS);
}

static void user_info_job_lines(struct lines *l, struct ui *ui, const struct holder *h)
{
    bool whose = !h->user;
    if (h->all.running)
        jobinfo_section(l, tr("Running, the biggest first"));
    for (size_t i = 0; i < h->all.running && i < HOLDER_JOBS; i++)
        user_info_job_line(lines_add(l), ui, h->biggest[i].job, whose);
    more_line(l, h->all.running);
    if (h->n_waiting)
        jobinfo_section(l, tr("Waiting"));
    for (size_t i = 0; i < h->n_waiting && i < HOLDER_JOBS; i++)
        user_info_job_line(lines_add(l), ui, h->waiting[i], whose);
    more_line(l, h->n_waiting);
}

/* --- share --- */

/* of: the account that the part is one of, of a user; NULL: of an account */
static void share_lines(struct lines *l, const struct share_row *s, const char *of)
{
    if (!s)
        return;
    jobinfo_section(l, tr("Share"));
    if (isfinite(s->norm_shares)) {
        struct rich *r = lines_pair(l, tr("entitled"), LABEL);
        rich_addf(r, ROLE_NORMAL, "%.0f%%", s->norm_shares * 100);
        if (of)
            rich_addf(r, ROLE_DIM, trc("part of an account", " of %s"), of);
    }
    if (isfinite(s->effective_usage)) {
        struct rich *r = lines_pair(l, tr("actual"), LABEL);
        rich_addf(r, ROLE_NORMAL, "%.0f%%", s->effective_usage * 100);
        if (isfinite(s->norm_shares) && s->norm_shares > 0)
            rich_add(r, s->effective_usage > s->norm_shares ? ROLE_WARM : ROLE_GOOD,
                     s->effective_usage > s->norm_shares ? tr("  more than its share")
                                                         : tr("  not more than its share"));
    }
    rich_addf(lines_pair(l, tr("GPU hours"), LABEL), ROLE_NORMAL, tr("%.1f (decaying)"), s->gpu_hours);
    if (s->preempted_gpu_hours >= 0.05)
        rich_addf(lines_pair(l, "", LABEL), ROLE_PREEMPTED, tr("%.1f of them in runs that were preempted"),
                  s->preempted_gpu_hours);
    if (of)
        rich_addf(lines_pair(l, tr("factor"), LABEL), ROLE_NORMAL,
                  tr("%.2f (1: highest priority, 0: lowest)"), s->fairshare);
}

/* --- limits --- */

static void limit_part(struct rich *r, const char *what, uint64_t used, uint64_t limit, bool known)
{
    if (limit == LIMIT_NONE)
        return;
    rich_add(r, ROLE_NORMAL, r->n_runs > 1 ? ", " : "");
    if (known)
        rich_addf(r, used >= limit ? ROLE_WARM : ROLE_NORMAL, tr("%llu of %llu %s"),
                  (unsigned long long)used, (unsigned long long)limit, what);
    else
        rich_addf(r, ROLE_NORMAL, "%llu %s", (unsigned long long)limit, what);
}

static void limit_memory(struct rich *r, uint64_t used_mib, uint64_t limit_mib, bool known)
{
    char used[UNITS_TEXT_SIZE], limit[UNITS_TEXT_SIZE];
    if (limit_mib == LIMIT_NONE)
        return;
    rich_add(r, ROLE_NORMAL, r->n_runs > 1 ? ", " : "");
    mem_format_words(limit_mib * 1024, limit);
    if (known)
        rich_addf(r, used_mib >= limit_mib ? ROLE_WARM : ROLE_NORMAL, tr("%s of %s of memory"),
                  mem_format_words(used_mib * 1024, used), limit);
    else
        rich_addf(r, ROLE_NORMAL, tr("%s of memory"), limit);
}

/* known: what is held counts against just this limit. */
static void limit_line(struct lines *l, const char *label, const struct limit_set *s,
                       const struct holder_amounts *h, bool known)
{
    struct rich *r = lines_pair(l, label, LABEL);
    size_t empty = r->text.len;
    limit_part(r, tr("GPUs"), h->gpus, s->gpus, known);
    limit_part(r, tr("CPUs"), h->cpus, s->cpus, known);
    limit_memory(r, h->mem_mib, s->mem_mib, known);
    limit_part(r, tr("nodes"), h->nodes, s->nodes, known);
    limit_part(r, tr("running"), h->running, s->running_jobs, known);
    limit_part(r, tr("in the queue"), h->running + h->waiting, s->submitted_jobs, known);
    limit_part(r, tr("elements in an array"), 0, s->array_size, false);
    limit_part(r, tr("GPU minutes"), 0, s->gpu_minutes, false);
    if (r->text.len == empty)
        l->n--;
}

static void user_info_limit_lines(struct lines *l, const struct model *m, const char *account,
                                  const char *user, const struct holder_amounts *h)
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
            jobinfo_section(l, tr("Limits"));
        any = true;
        if (s->partition)
            lines_addf(l, ROLE_DIM, tr("in partition %s"), s->partition);
        limit_line(l, tr("at most"), &s->hard, h, !s->partition && !user == (s->scope == LIMIT_ACCOUNT));
        limit_line(l, tr("soft"), &s->soft, h, !s->partition && !user == (s->scope == LIMIT_ACCOUNT));
    }
}

static void held_line(struct rich *r, const struct holder_amounts *h)
{
    rich_addf(r, ROLE_NORMAL, "%llu", (unsigned long long)h->running);
    if (!h->running)
        return;
    str_append(&r->text, tr(" on "));
    count_text(&r->text, h->cpus, "%llu CPU", "%llu CPUs");
    str_append(&r->text, ", ");
    count_text(&r->text, h->gpus, "%llu GPU", "%llu GPUs");
    str_append(&r->text, ", ");
    mem_text(&r->text, h->mem_mib);
    rich_role(r, ROLE_NORMAL);
}

void userinfo_lines(struct lines *l, struct ui *ui, const struct holders *all, const struct holder *h)
{
    struct holder_amounts counted = h->all; /* against limits */
    if (h->user)
        holders_of_user(all, h->user, &counted);
    struct rich *r = lines_add(l);
    rich_add(r, ROLE_TITLE, h->user ? h->user : h->account);
    rich_addf(r, ROLE_DIM, h->user ? trc("part of an account", "  of %s") : tr("  account"), h->account);
    held_line(lines_pair(l, trc("a label", "running"), LABEL), &h->all);
    r = lines_pair(l, trc("a label", "waiting"), LABEL);
    rich_addf(r, ROLE_NORMAL, "%llu", (unsigned long long)h->all.waiting);
    if (h->all.gpus_wanted) {
        str_append(&r->text, tr(" for "));
        count_text(&r->text, h->all.gpus_wanted, "%llu GPU", "%llu GPUs");
        rich_role(r, ROLE_NORMAL);
    }
    share_lines(l, h->share, h->user ? h->account : NULL);
    user_info_limit_lines(l, ui_model(ui), h->account, h->user, &counted);
    user_info_job_lines(l, ui, h);
}
