/* job_info.c - what there is to say about a job. */
#include "ui/info/job_info.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/jobenv/filename.h"
#include "src/lang/lang.h"
#include "src/model/fold/jobevents.h"
#include "src/model/jobeffective.h"
#include "src/model/stepstate.h"
#include "src/text/eventtext.h"
#include "src/text/jobtext.h"
#include "src/text/steptext.h"
#include "src/values/units.h"
#include "ui/text/view_text.h"

#define LABEL      10
#define ALLOCS_MAX 8

void jobinfo_section(struct lines *l, const char *title)
{
    if (l->n)
        lines_add(l);
    lines_addf(l, ROLE_TITLE, "%s", title);
}

/* --- summary --- */

static void add_times(struct rich *r, const struct ui *ui, const struct job *j)
{
    if (j->state == JOB_PENDING) {
        char b[UNITS_TEXT_SIZE];
        uint32_t uid;
        const char *user;
        struct wall since = j->hold ? job_held_since(j, &uid, &user) : j->t_submit;
        rich_addf(r, ROLE_NORMAL, tr(" for %s"),
                  duration_format_words(wall_elapsed_s(since, ui_now(ui)), b));
        if (j->hold) {
            str_append(&r->text, tr(" by "));
            jobtext_who(&r->text, j, uid, user);
        }
        jobtext_restarts(&r->text, j);
        rich_role(r, ROLE_NORMAL);
        return;
    }
    if (job_state_is_final((enum job_state)j->state) && !wall_is_set(j->t_start)) {
        rich_add(r, ROLE_NORMAL, tr(" before it started"));
        return;
    }
    str_append(&r->text, job_state_is_final((enum job_state)j->state) ? tr(" after ") : " ");
    jobtext_elapsed(&r->text, j, ui_now(ui));
    rich_role(r, ROLE_NORMAL);
    uint32_t limit = job_limit_s(j, ui_model(ui));
    if (limit != DURATION_UNLIMITED && limit != DURATION_NOT_SET) {
        str_append(&r->text, tr(" of "));
        jobtext_limit(&r->text, j, ui_model(ui));
    }
    struct wall end = job_end_time(j, ui_model(ui));
    if (j->state == JOB_RUNNING && wall_is_set(end) && wall_elapsed_s(ui_now(ui), end) > 0) {
        str_append(&r->text, ", ");
        jobtext_left(&r->text, j, ui_model(ui), ui_now(ui));
        str_append(&r->text, tr(" left"));
    }
    rich_role(r, ROLE_DIM);
}

static int alloc_by_node(const void *pa, const void *pb)
{
    const struct alloc *const *a = pa, *const *b = pb;
    return strverscmp((*a)->node ? (*a)->node : "", (*b)->node ? (*b)->node : "");
}

static bool node_is_silent(const struct ui *ui, const char *name)
{
    const struct node *n = model_get_node(ui_model(ui), name);
    return n && (n->state == NODE_SUSPECT || n->state == NODE_LOST || n->state == NODE_DOWN);
}

void jobinfo_allocs(struct lines *l, const struct ui *ui, const struct job *j, int label)
{
    const struct alloc **sorted = xcalloc(j->alloc.n + 1, sizeof *sorted);
    for (size_t i = 0; i < j->alloc.n; i++)
        sorted[i] = &j->alloc.v[i];
    qsort(sorted, j->alloc.n, sizeof *sorted, alloc_by_node);
    for (size_t i = 0; i < j->alloc.n && i < ALLOCS_MAX; i++) {
        const struct alloc *a = sorted[i];
        struct rich *r = lines_pair(l, i ? "" : tr("on"), label);
        rich_add(r, ROLE_STRONG, a->node);
        rich_add(r, ROLE_NORMAL, "  ");
        count_text(&r->text, cpuset_count(&a->cpus), "%llu CPU", "%llu CPUs");
        if (a->mem_mib) {
            str_append_char(&r->text, ' ');
            mem_text(&r->text, a->mem_mib);
        }
        if (!cpuset_is_empty(&a->gpus)) {
            char *gpus = cpuset_format(&a->gpus);
            str_appendf(&r->text, tr(" GPU %s"), gpus);
            free(gpus);
        }
        rich_role(r, ROLE_NORMAL);
        if (node_is_silent(ui, a->node))
            rich_add(r, ROLE_WARN, tr("  does not answer"));
    }
    free(sorted);
    if (j->alloc.n > ALLOCS_MAX)
        rich_addf(lines_pair(l, "", label), ROLE_DIM, tr("and %zu more nodes"), j->alloc.n - ALLOCS_MAX);
}

static void job_info_pair(struct lines *l, const char *label, const char *value)
{
    if (!str_is_empty(value))
        rich_add(lines_pair(l, label, LABEL), ROLE_NORMAL, value);
}

void jobinfo_summary(struct lines *l, struct ui *ui, const struct job *j)
{
    struct rich *r = lines_add(l);
    jobtext_id(&r->text, j, BITSTR_LEN_DEFAULT);
    rich_role(r, ROLE_TITLE);
    rich_addf(r, ROLE_STRONG, "  %s", jobtext_name(j));
    r = lines_add(l);
    job_words(r, j);
    add_times(r, ui, j);
    if (j->state == JOB_PENDING) {
        job_wait_words(lines_pair(l, tr("why"), LABEL), ui, j);
    }
    jobinfo_place(l, ui, j);
}

void jobinfo_place(struct lines *l, const struct ui *ui, const struct job *j)
{
    const struct step *step;
    const struct task *culprit = job_never_ran(j) ? job_first_failed(j, &step) : NULL;
    if (culprit) {
        struct str why = STR_INIT;
        tasktext_message(&why, culprit);
        job_info_pair(l, tr("why"), why.s);
        str_fini(&why);
    }
    jobinfo_allocs(l, ui, j, LABEL);
    /* A step job asks for each of its tasks by itself. */
    bool holds = j->kind == JOB_KIND_STEPS && job_live_tasks(j);
    struct rich *r = lines_pair(l, holds ? tr("allocated") : tr("requested"), LABEL);
    job_asked(&r->text, j);
    limit_words(&r->text, j, ui_model(ui));
    rich_role(r, ROLE_NORMAL);
    r = lines_pair(l, tr("user"), LABEL);
    rich_add(r, ROLE_NORMAL, jobtext_user(j));
    if (j->req.account)
        rich_addf(r, ROLE_DIM, " (%s)", j->req.account);
    const char *partition = job_partition_text(j);
    if (!str_is_empty(partition)) {
        rich_add(r, ROLE_DIM, tr(" in "));
        rich_add(r, ROLE_NORMAL, partition);
    }
    if (req_detail(&j->req)->qos)
        rich_addf(r, ROLE_DIM, tr(", qos %s"), req_detail(&j->req)->qos);
}

/* --- request --- */

static void pair_path(struct lines *l, const char *label, char *take_path)
{
    job_info_pair(l, label, take_path);
    free(take_path);
}

static void array_line(struct lines *l, const struct job *j)
{
    if (!j->array_job)
        return;
    struct rich *r = lines_pair(l, tr("array"), LABEL);
    rich_addf(r, ROLE_NORMAL, tr("%u of %u elements, %u to %u"),
              j->array_index == ARRAY_NONE ? job_pending_elements(j) : 1, job_origin(j)->array_count,
              job_origin(j)->array_min, job_origin(j)->array_max);
    if (j->req.array_throttle)
        rich_addf(r, ROLE_NORMAL, tr(", %u at once"), j->req.array_throttle);
}

void jobinfo_request(struct lines *l, const struct ui *ui, const struct job *j)
{
    (void)ui;
    job_info_pair(l, tr("command"), job_origin(j)->command);
    job_info_pair(l, tr("directory"), j->req.workdir);
    if (j->kind == JOB_KIND_BATCH) {
        char *out = job_stdout_pattern(j), *err = job_stderr_pattern(j);
        job_info_pair(l, tr("output"), out);
        pair_path(l, tr("errors"), str_eq(out, err) ? (free(err), NULL) : err);
        free(out);
    }
    array_line(l, j);
    job_info_pair(l, tr("depends on"), j->req.dependency);
    job_info_pair(l, tr("features"), req_detail(&j->req)->features);
    job_info_pair(l, tr("nodes"), req_rare(&j->req)->nodelist);
    job_info_pair(l, tr("not on"), req_rare(&j->req)->exclude);
    job_info_pair(l, tr("gres"), req_detail(&j->req)->gres);
    job_info_pair(l, tr("comment"), req_rare(&j->req)->comment);
    job_info_pair(l, trc("a host", "from"), job_origin(j)->submit_host);
    if (j->priority)
        rich_addf(lines_pair(l, tr("priority"), LABEL), ROLE_NORMAL, "%u", j->priority);
    if (j->restarts)
        rich_addf(lines_pair(l, tr("restarts"), LABEL), ROLE_NORMAL, "%u", j->restarts);
}

/* --- steps --- */

static void step_line(struct rich *r, const struct job *j, const struct step *s)
{
    char id[16];
    rich_addf(r, ROLE_STRONG, "%-6s", step_format_id(s->id, id));
    if (s->id >= 0 && s->name)
        rich_addf(r, ROLE_NORMAL, "%s  ", s->name);
    if (s->n_tasks <= 1 && s->tasks.n == 1)
        task_in_job_words(r, j, s, &s->tasks.v[0], false);
    else
        step_words(r, j, s);
}

void jobinfo_steps(struct lines *l, const struct ui *ui, const struct job *j, size_t max)
{
    (void)ui;
    /* The newest are those that matter. */
    size_t from = j->steps.n > max ? j->steps.n - max : 0;
    if (from)
        lines_addf(l, ROLE_DIM, tr("%zu steps before"), from);
    for (size_t i = from; i < j->steps.n; i++)
        step_line(lines_add(l), j, &j->steps.v[i]);
}

/* --- story --- */

struct story {
    struct job_moments m;
};

static void job_info_tell(struct story *st, struct wall t, enum moment_tone tone, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static void job_info_tell(struct story *st, struct wall t, enum moment_tone tone, const char *fmt, ...)
{
    if (!wall_is_set(t))
        return;
    struct str s = STR_INIT;
    va_list ap;
    va_start(ap, fmt);
    str_vappendf(&s, fmt, ap);
    va_end(ap);
    vec_push(&st->m.v, (struct job_moment){.t = t, .order = st->m.v.n, .text = str_take(&s), .tone = tone});
}

static int job_info_by_time(const void *pa, const void *pb)
{
    const struct job_moment *a = pa, *b = pb;
    return a->t.ms != b->t.ms ? (a->t.ms > b->t.ms) - (a->t.ms < b->t.ms)
                              : (a->order > b->order) - (a->order < b->order);
}

static void tell_steps(struct story *st, const struct job *j)
{
    for (size_t i = 0; i < j->steps.n; i++) {
        const struct step *s = &j->steps.v[i];
        char buf[16];
        const char *id = step_format_id(s->id, buf);
        if (s->id >= 0)
            job_info_tell(st, s->t_start, MOMENT_NORMAL, tr("step %s%s%s started"), id, s->name ? " " : "",
                          s->name ? s->name : "");
        for (size_t k = 0; k < s->tasks.n; k++) {
            const struct task *t = &s->tasks.v[k];
            struct rich words;
            rich_init(&words);
            task_story(&words, t);
            const char *node = t->alloc.node ? t->alloc.node : "?";
            if (task_has_failed(t) && s->id < 0)
                job_info_tell(st, t->t_end, MOMENT_ERROR, tr("%s on %s: %s"), id, node, words.text.s);
            else if (task_has_failed(t))
                job_info_tell(st, t->t_end, MOMENT_ERROR, tr("task %s.%u on %s: %s"), id, t->index, node,
                              words.text.s);
            rich_fini(&words);
        }
        if (s->done && s->id >= 0 && step_has_begun(s))
            job_info_tell(st, s->t_end, s->code || s->signal ? MOMENT_ERROR : MOMENT_NORMAL,
                          tr("step %s done%s"), id, s->code || s->signal ? tr(", failed") : "");
    }
}

static enum role role_of(enum moment_tone tone)
{
    static const enum role roles[] = {[MOMENT_NORMAL] = ROLE_NORMAL,
                                      [MOMENT_STRONG] = ROLE_STRONG,
                                      [MOMENT_WARN] = ROLE_WARN,
                                      [MOMENT_ERROR] = ROLE_ERROR};
    return roles[tone];
}

void jobinfo_story(struct lines *l, const struct ui *ui, const struct job *j)
{
    struct story st;
    jobevents_list(j, &st.m);
    for (size_t i = 0; i < st.m.v.n; i++)
        st.m.v.v[i].order = i; /* stays before what is added now */
    tell_steps(&st, j);
    qsort(st.m.v.v, st.m.v.n, sizeof *st.m.v.v, job_info_by_time);
    for (size_t i = 0; i < st.m.v.n; i++) {
        struct str when = STR_INIT;
        when_text(&when, st.m.v.v[i].t, ui_now(ui));
        rich_add(lines_pair(l, when.s, LABEL), role_of(st.m.v.v[i].tone), st.m.v.v[i].text);
        str_fini(&when);
    }
    job_moments_fini(&st.m);
}

struct cause_reader ui_cause_reader(const struct ui *ui, const struct job *j)
{
    return (struct cause_reader){.clock = when_about,
                                 .now = ui_now(ui),
                                 .user = j && j->uid == ui_uid(ui) ? j->user : NULL,
                                 .release = tr("U releases it")};
}

void job_cause_words(struct rich *r, const struct ui *ui, const struct job *j, const struct cause *c,
                     bool start_apart, bool terse)
{
    struct cause_reader reader = ui_cause_reader(ui, j);
    reader.start_apart = start_apart;
    reader.terse = terse;
    if (c)
        cause_brief(&r->text, c, &reader);
    else
        job_where(r, j, reader.now);
    rich_role(r, j->hold ? ROLE_HELD : ROLE_WAITING);
}

void job_wait_words(struct rich *r, struct ui *ui, const struct job *j)
{
    job_cause_words(r, ui, j, ui_wait(ui, j), false, false);
}

#define SILENT_LOOKED 64 /* nodes of a job: it is asked for each picture */

const char *job_first_silent(const struct ui *ui, const struct job *j)
{
    if (j->state != JOB_RUNNING && j->state != JOB_COMPLETING)
        return NULL;
    for (size_t i = 0; i < j->alloc.n && i < SILENT_LOOKED; i++) {
        if (node_is_silent(ui, j->alloc.v[i].node))
            return j->alloc.v[i].node;
    }
    return NULL;
}

void job_silent_node(struct rich *r, const struct ui *ui, const struct job *j, enum silent_place place)
{
    const char *node = job_first_silent(ui, j);
    if (!node)
        return;
    if (place == SILENT_BEHIND && j->alloc.n == 1)
        rich_add(r, ROLE_WARN, tr("  does not answer"));
    else if (place == SILENT_FIRST)
        rich_addf(r, ROLE_WARN, tr("%s does not answer"), node);
    else
        rich_addf(r, ROLE_WARN, tr("  %s does not answer"), node);
}
