/* node_info.c - what there is to say about a node. */
#include "ui/info/node_info.h"

#include <stdio.h>
#include <stdlib.h>

#include "src/lang/lang.h"
#include "src/model/nodestate.h"
#include "src/text/jobtext.h"
#include "src/text/nodetext.h"
#include "src/values/units.h"
#include "ui/info/job_info.h"
#include "ui/info/job_share.h"
#include "ui/info/node_mark.h"
#include "ui/info/node_story.h"
#include "ui/info/window_text.h"
#include "ui/term/signs.h"
#include "ui/text/view_text.h"
#include "ui/widget/bar.h"
#include "ui/widget/graph.h"

#define LABEL      9
#define SPARK      16
#define BAR        14
#define JOBS_MAX   20
#define EVENTS_MAX 4
#define GPU_LINES  16
#define SPARK_GPU  8

static const struct gpu_util *gpu_of(const struct msg_util *u, unsigned index)
{
    for (size_t i = 0; u && i < u->gpus.n; i++)
        if (u->gpus.v[i].index == index)
            return &u->gpus.v[i];
    return NULL;
}

void nodeinfo_gpus(struct rich *r, const struct ui *ui, const struct node *n)
{
    const struct msg_util *u = ui_util(ui, n->spec.name);
    bool out = ui_node_is_out(ui, n);
    for (unsigned i = 0; i < n->gpus && i < CPUSET_MAX; i++) {
        const struct gpu_util *g = gpu_of(u, i);
        bool held = cpuset_has(&n->gpus_used, i);
        if (cpuset_has(&node_rare(n)->gpus_lost, i)) /* whichever job has it */
            rich_add(r, ROLE_ERROR, "X");
        else if (held && g && g->busy_pct < GPU_IDLE_PERCENT)
            rich_add(r, ROLE_BAR_IDLE, glyph_text(GLYPH_GPU_IDLE));
        else if (held)
            rich_add(r, ROLE_BAR_USED, glyph_text(GLYPH_GPU_BUSY));
        else if ((g && g->foreign) || node_gpu_is_out(n, i))
            rich_add(r, ROLE_WARM, "!");
        else if (out)
            rich_add(r, ROLE_BAR_OUT, bar_sign(ROLE_BAR_OUT));
        else
            rich_add(r, ROLE_BAR_FREE, glyph_text(GLYPH_FREE));
    }
}

static void since(struct rich *r, const struct ui *ui, struct wall t)
{
    char b[UNITS_TEXT_SIZE];
    if (wall_is_set(t))
        rich_addf(r, ROLE_DIM, tr("%sfor %s"), r->text.len ? " " : "",
                  duration_format_words(wall_elapsed_s(t, ui_now(ui)), b));
}

/* The reason first: it is what one looks for, and what must not be cut. */
static void drain_note(struct rich *r, const struct ui *ui, const struct node *n, bool with_word)
{
    bool reason = !str_is_empty(n->drain_reason);
    const char *word = n->n_jobs ? tr("draining") : tr("drained");
    if (reason)
        rich_addf(r, ROLE_NORMAL, "%s  ", n->drain_reason);
    if (with_word)
        rich_add(r, reason ? ROLE_DIM : ROLE_WARN, word);
    if (!str_is_empty(n->drain_user))
        rich_addf(r, ROLE_DIM, tr("%sby %s"), with_word ? " " : "", n->drain_user);
    since(r, ui, n->t_drain);
}

/* --- GPUs --- */

static bool holds_gpu(const struct alloc *a, const char *node, unsigned gpu)
{
    return str_eq(a->node, node) && cpuset_has(&a->gpus, gpu);
}

/* The job that has the GPU allocated, and since when; NULL: the GPU is free. */
static const struct job *node_info_holder_of(const struct ui *ui, const struct node *n, unsigned gpu,
                                             struct wall *ret_since)
{
    const char *node = n->spec.name;
    if (!cpuset_has(&n->gpus_used, gpu))
        return NULL;
    list_for_each (j, &ui_model(ui)->active, struct job, in_queue) {
        *ret_since = j->t_start;
        for (size_t i = 0; i < j->alloc.n && j->holding; i++)
            if (holds_gpu(&j->alloc.v[i], node, gpu))
                return j;
        for (size_t i = 0; i < j->steps.n && !j->alloc.n; i++)
            for (size_t k = 0; k < j->steps.v[i].tasks.n; k++) {
                const struct task *t = &j->steps.v[i].tasks.v[k];
                if (!task_is_live(t) || !holds_gpu(&t->alloc, node, gpu))
                    continue;
                *ret_since = wall_is_set(t->t_start) ? t->t_start : j->t_start;
                return j;
            }
    }
    return NULL;
}

/* The job that has the GPU allocated, or NULL. */
static const struct job *gpu_holder(const struct ui *ui, const struct node *n, unsigned gpu)
{
    struct wall since;
    return node_info_holder_of(ui, n, gpu, &since);
}

int64_t nodeinfo_gpu_idle_s(const struct ui *ui, const struct node *n, unsigned gpu)
{
    const struct gpu_util *g = gpu_of(ui_util(ui, n->spec.name), gpu);
    struct wall since = {0};
    if (!g || !g->idle_s || !node_info_holder_of(ui, n, gpu, &since))
        return 0;
    int64_t held = wall_elapsed_s(since, ui_now(ui)); /* it may have been idle before it was given */
    return held < g->idle_s ? held : g->idle_s;
}

/* A device that is held and does nothing for long: which, since when, whose. */
static void idle_note(struct rich *r, const struct ui *ui, const struct node *n)
{
    const struct msg_util *u = ui_util(ui, n->spec.name);
    char b[UNITS_TEXT_SIZE];
    for (unsigned i = 0; i < n->gpus && i < CPUSET_MAX; i++) {
        const struct gpu_util *g = gpu_of(u, i);
        if (!g || g->idle_s < ui_gpu_idle_flag_s(ui)) /* before the holder is looked for among all jobs */
            continue;
        int64_t s = nodeinfo_gpu_idle_s(ui, n, i);
        const struct job *j = s >= ui_gpu_idle_flag_s(ui) ? gpu_holder(ui, n, i) : NULL;
        if (!j)
            continue;
        rich_addf(r, ROLE_WARN, tr("%s's GPU %u idle for %s"), jobtext_user(j), i,
                  duration_format_words(s, b));
        return;
    }
}

bool nodeinfo_is_bystander(const struct node *n)
{
    return str_eq(n->spec.role, "login") && n->state == NODE_UNKNOWN;
}

void nodeinfo_sign(struct table_field *f, const struct ui *ui, const struct node *n)
{
    struct node_mark m = node_mark_of(ui, n);
    rich_add(&f->text, m.role, m.sign);
    f->has_num = true;
    f->num = m.rank;
}

/* What the machine itself is said to have: behind the reason of an administrator, which is shorter and says
 * more. */
static void bad_note(struct rich *r, const struct ui *ui, const struct node *n, const struct node_mark *m,
                     bool with_word)
{
    rich_add(r, ROLE_NORMAL, r->text.len && n->drain ? ", " : "");
    size_t begin = r->text.len;
    if (with_word)
        rich_add(r, n->state == NODE_LOST || n->state == NODE_DOWN ? ROLE_ERROR : ROLE_WARN, m->word);
    if (n->trouble) /* before the time: it must not be cut */
        rich_addf(r, ROLE_NORMAL, r->text.len > begin ? ": %s " : "%s ", n->trouble);
    since(r, ui, n->t_state);
}

/* A device was removed below the jobs that have it: "4/3" alone looks like a miscount. */
static void excess_note(struct rich *r, const struct node *n, bool first)
{
    unsigned gpus = cpuset_count(&n->gpus_used), cpus = cpuset_count(&n->cpus_used);
    if (gpus <= n->gpus && cpus <= n->cpus)
        return;
    rich_add(r, ROLE_NORMAL, first ? "" : "  ");
    if (gpus > n->gpus)
        rich_addf(r, ROLE_ERROR, tr("jobs hold more GPUs than the node has (%u/%u)"), gpus, n->gpus);
    else
        rich_addf(r, ROLE_ERROR, tr("jobs hold more CPUs than the node has (%u/%u)"), cpus, n->cpus);
}

/* with_word: with the word of the state, which stands beside it else. */
static void node_info_note(struct rich *r, const struct ui *ui, const struct node *n, bool with_word)
{
    size_t begin = r->text.len; /* the line may have begun with something else */
    const struct window *w = ui_window_of_node(ui, n);
    struct node_mark m = node_mark_of(ui, n);
    if (n->drain)
        drain_note(r, ui, n, with_word || m.bad);
    if (m.bad)
        bad_note(r, ui, n, &m, with_word || n->drain);
    if (n->gone && with_word)
        rich_add(r, ROLE_WARN,
                 r->text.len > begin ? tr(", no longer configured") : tr("no longer configured"));
    if (w) {
        rich_add(r, ROLE_NORMAL, r->text.len > begin ? ", " : "");
        window_words(r, ui, w);
    }
    excess_note(r, n, r->text.len == begin);
    if (n->gpu_notes.n)
        rich_addf(r, ROLE_ERROR, "%s%s", r->text.len > begin ? "  " : "", n->gpu_notes.v[0]);
    if (r->text.len == begin)
        idle_note(r, ui, n);
    if (r->text.len == begin && str_eq(n->spec.role, "login"))
        rich_add(r, ROLE_DIM, tr("login node, runs no jobs"));
    if (n->note)
        rich_addf(r, ROLE_DIM, "%s%s", r->text.len > begin ? "  " : "", n->note);
}

void nodeinfo_note(struct rich *r, const struct ui *ui, const struct node *n)
{
    node_info_note(r, ui, n, true);
}

void nodeinfo_why(struct rich *r, const struct ui *ui, const struct node *n)
{
    node_info_note(r, ui, n, false);
}

/* --- the long form --- */

void nodeinfo_mem(const struct node *n, char buf[static NODEINFO_MEM_SIZE])
{
    if (n->mem_mib >= 10240)
        snprintf(buf, NODEINFO_MEM_SIZE, "%llu/%lluG", (unsigned long long)(n->mem_used_mib + 512) / 1024,
                 (unsigned long long)(n->mem_mib + 512) / 1024);
    else
        snprintf(buf, NODEINFO_MEM_SIZE, "%.1f/%.1fG", (double)n->mem_used_mib / 1024,
                 (double)n->mem_mib / 1024);
}

/* What is held in a bar and in numbers; below it how busy that is, now and in the last minute. */
static void usage_line(struct lines *l, const char *label, uint64_t used, uint64_t all, int busy_permille,
                       bool out, const char *numbers)
{
    struct rich *r = lines_pair(l, label, LABEL);
    if (!all) {
        rich_add(r, ROLE_DIM, tr("not known"));
        return;
    }
    bar_load(r, used, busy_permille, all, out, BAR);
    rich_addf(r, ROLE_NORMAL, tr(" %s allocated"), numbers);
}

static void node_info_past_line(struct lines *l, const struct recent *past, struct mono now,
                                int busy_permille, const char *word)
{
    struct rich *r = lines_pair(l, "", LABEL);
    graph_add(r, past, now, SPARK, 1, 0, ROLE_BAR_USED);
    if (busy_permille >= 0)
        rich_addf(r, load_role(busy_permille / 10), " %d%% %s", busy_permille / 10, word);
}

static void node_info_usage(struct lines *l, const struct ui *ui, const struct node *n)
{
    const struct msg_util *u = ui_util(ui, n->spec.name);
    const struct util_past *past = ui_util_past(ui, n->spec.name);
    bool out = ui_node_is_out(ui, n);
    char cpus[40], mem[NODEINFO_MEM_SIZE];
    int busy = u ? (int)u->cpu_permille : -1;
    int used = u && u->mem_mib ? (int)(u->mem_used_mib * 1000 / u->mem_mib) : -1;
    snprintf(cpus, sizeof cpus, "%u/%u", cpuset_count(&n->cpus_used), n->cpus);
    nodeinfo_mem(n, mem);
    usage_line(l, tr("CPUs"), cpuset_count(&n->cpus_used), n->cpus, busy, out, cpus);
    if (past)
        node_info_past_line(l, &past->cpu, ui_mono(ui), busy, tr("busy"));
    usage_line(l, tr("memory"), n->mem_used_mib, n->mem_mib, used, out, mem);
    if (past)
        node_info_past_line(l, &past->mem, ui_mono(ui), used, tr("in use"));
    if (u)
        rich_addf(lines_pair(l, tr("load"), LABEL), ROLE_NORMAL, "%.2f", u->load1);
}

void nodeinfo_gpu_line(struct rich *r, const struct ui *ui, const struct node *n, unsigned gpu)
{
    const struct gpu_util *g = gpu_of(ui_util(ui, n->spec.name), gpu);
    const struct util_past *past = ui_util_past(ui, n->spec.name);
    const struct job *j = gpu_holder(ui, n, gpu);
    int64_t idle = nodeinfo_gpu_idle_s(ui, n, gpu);
    bool out = ui_node_is_out(ui, n);
    char a[UNITS_TEXT_SIZE];
    rich_addf(r, ROLE_NORMAL, "%-3u", gpu);
    if (g) {
        rich_addf(r, ROLE_NORMAL, "%3u%% ", g->busy_pct); /* a busy GPU needs no alarm */
        if (past && gpu < past->n_gpus)
            graph_add(r, &past->gpus[gpu], ui_mono(ui), SPARK_GPU, 1, 0, ROLE_BAR_USED);
        rich_addf(r, ROLE_NORMAL, " %.0f/%.0fG ", (double)g->mem_used_mib / 1024,
                  (double)g->mem_mib / 1024);
    }
    if (j)
        rich_addf(r, j->uid == ui_uid(ui) ? ROLE_STRONG : ROLE_NORMAL, " %s/%s", jobtext_user(j),
                  jobtext_name(j));
    else if (out)
        rich_add(r, ROLE_BAR_OUT, tr(" offline"));
    else if (!(g && g->foreign) && !node_gpu_is_out(n, gpu))
        rich_add(r, ROLE_DIM, tr(" free"));
    if (j && idle >= 60)
        rich_addf(r, idle >= ui_gpu_idle_flag_s(ui) ? ROLE_WARN : ROLE_DIM, tr("  idle for %s"),
                  duration_format_words(idle, a));
    if (node_gpu_note(n, gpu))
        rich_addf(r, ROLE_WARN, " %s", node_gpu_note(n, gpu));
    else if (g && g->foreign)
        rich_addf(r, ROLE_WARN, trn(" %u foreign process", " %u foreign processes", g->foreign),
                  g->foreign);
    r->hang = 9;
}

static void gpu_lines(struct lines *l, const struct ui *ui, const struct node *n)
{
    if (!n->gpus)
        return;
    struct rich *r = lines_pair(l, tr("GPUs"), LABEL);
    nodeinfo_gpus(r, ui, n);
    rich_addf(r, ROLE_NORMAL, tr("  %u of %u allocated%s%s"), cpuset_count(&n->gpus_used), n->gpus,
              n->gpu_type ? ", " : "", n->gpu_type ? n->gpu_type : "");
    for (unsigned i = 0; i < n->gpus && i < GPU_LINES; i++)
        nodeinfo_gpu_line(lines_add(l), ui, n, i);
    if (n->gpus > GPU_LINES)
        lines_addf(l, ROLE_DIM, tr("and %u more"), n->gpus - GPU_LINES);
}

static void node_info_job_lines(struct lines *l, const struct ui *ui, const struct node *n)
{
    size_t found = 0;
    struct job_share share;
    list_for_each (j, &ui_model(ui)->active, struct job, in_queue) {
        if (!jobshare_of(j, n->spec.name, &share) || ++found > JOBS_MAX)
            continue;
        if (found == 1)
            jobinfo_section(l, tr("Jobs here"));
        struct rich *r = lines_add(l);
        rich_sign(r, job_role(j), job_glyph(j));
        str_append_char(&r->text, ' ');
        jobtext_id(&r->text, j, BITSTR_LEN_DEFAULT);
        rich_addf(r, ROLE_NORMAL, "  %s  ", jobtext_name(j));
        rich_add(r, ROLE_DIM, jobtext_user(j));
        str_append(&r->text, "  ");
        jobtext_elapsed(&r->text, j, ui_now(ui));
        rich_role(r, ROLE_DIM);
    }
    if (found > JOBS_MAX)
        lines_addf(l, ROLE_DIM, tr("and %zu more"), found - JOBS_MAX);
}

static void node_info_pair(struct lines *l, const char *label, const char *value)
{
    if (!str_is_empty(value))
        rich_add(lines_pair(l, label, LABEL), ROLE_NORMAL, value);
}

void nodeinfo_machine(struct lines *l, const struct ui *ui, const struct node *n)
{
    jobinfo_section(l, tr("Machine"));
    node_info_pair(l, tr("address"), n->spec.address);
    char *features = strv_join(&n->spec.features, ", "), *notes = strv_join(&n->notes, ", ");
    node_info_pair(l, tr("features"), features);
    node_info_pair(l, tr("notes"), notes);
    free(features);
    free(notes);
    node_info_pair(l, tr("system"), n->os);
    node_info_pair(l, tr("agent"), n->version);
    struct str when = STR_INIT;
    when_text(&when, n->t_boot, ui_now(ui));
    node_info_pair(l, tr("booted"), wall_is_set(n->t_boot) ? when.s : NULL);
    str_fini(&when);
}

void nodeinfo_lines(struct lines *l, const struct ui *ui, const struct node *n)
{
    rich_addf(lines_add(l), ROLE_TITLE, "%s", n->spec.name);
    if (nodeinfo_is_bystander(n)) {
        nodeinfo_note(lines_add(l), ui, n);
        node_info_pair(l, tr("address"), n->spec.address);
        return;
    }
    nodestory_state(l, ui, n);
    lines_add(l);
    node_info_usage(l, ui, n);
    gpu_lines(l, ui, n);
    node_info_job_lines(l, ui, n);
    nodestory_events(l, ui, n, EVENTS_MAX);
    nodestory_windows(l, ui, n);
    nodeinfo_machine(l, ui, n);
}
