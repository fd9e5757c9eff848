/* ui_fixture.h - the demo cluster on the screens: what the tests of the screens begin with. */
#ifndef STOKER_TESTS_SCREEN_UI_FIXTURE_H
#define STOKER_TESTS_SCREEN_UI_FIXTURE_H

#include "src/base/xalloc.h"
#include "tests/lib/demo_cluster.h"
#include "tests/lib/uilab.h"

struct ui_fixture {
    struct uilab u;
    struct demo_cluster s;
};

static inline int ui_fixture_up(void **state)
{
    static struct ui_fixture g;
    uilab_init(&g.u);
    demo_cluster_build(&g.u.lab, &g.s);
    uilab_connect(&g.u);
    uilab_draw(&g.u, 24, 80);
    *state = &g;
    return 0;
}

static inline int ui_fixture_down(void **state)
{
    uilab_fini(&((struct ui_fixture *)*state)->u);
    return 0;
}

/* --- what the controller tells --- */

/* A measurement of a node; idle_s: of the GPUs that do nothing. */
static inline void feed_util(struct uilab *u, const char *node, const uint32_t *busy, size_t n,
                             uint32_t foreign, uint32_t idle_s)
{
    struct msg_util m = {.node = xstrdup(node),
                         .t = u->lab.now,
                         .cpu_permille = 430,
                         .mem_used_mib = 131072,
                         .mem_mib = 524288};
    for (uint32_t i = 0; i < n; i++)
        *rec_list_push(&m.gpus) = (struct gpu_util){.index = i,
                                                    .busy_pct = busy[i],
                                                    .mem_used_mib = busy[i] ? 41000 : 0,
                                                    .mem_mib = 81920,
                                                    .foreign = i == 5 ? foreign : 0,
                                                    .idle_s = busy[i] < GPU_IDLE_PERCENT ? idle_s : 0};
    uilab_feed(u, MSG_UTIL, 0, &m);
    rec_fini(&msg_util_rec, &m);
}

/* finetune-7b waits for three jobs. */
static inline void feed_this_cause(struct ui_fixture *g, const struct cause *cause)
{
    struct msg_waits rows = {0};
    struct job_wait *row = rec_list_push(&rows.rows);
    row->job = g->s.big;
    rec_copy(&cause_rec, &row->cause, cause);
    uilab_feed(&g->u, MSG_WAIT_CAUSES, uilab_sent(&g->u, MSG_WAITS)->tag, &rows);
    rec_fini(&msg_waits_rec, &rows);
}

static inline void feed_cause(struct ui_fixture *g)
{
    struct cause cause = {.cls = WHY_BEHIND, .code = CAUSE_AHEAD, .n = 3, .part = xstrdup("gpu")};
    feed_this_cause(g, &cause);
    rec_fini(&cause_rec, &cause);
}

/* The same of a node and of one task on it: percent of its CPUs, MiB. */
struct task_feed {
    const char *node;
    uint32_t job;
    int32_t step;
    uint32_t task, attempt;
    uint32_t cpu_percent, cpus;
    uint64_t mem_mib;
    uint32_t gpus[8]; /* how busy */
    size_t n_gpus;
};

static inline void feed_task_util(struct uilab *u, const struct task_feed *t, size_t n, uint32_t age_ms)
{
    struct msg_util m = {.node = xstrdup(t->node),
                         .t = u->lab.now,
                         .mem_mib = 524288,
                         .mem_used_mib = 9000,
                         .age_ms = age_ms};
    for (size_t i = 0; i < n; i++) {
        *rec_list_push(&m.tasks) = (struct task_util){
            .key = {.job = t[i].job, .step = t[i].step, .task = t[i].task, .attempt = t[i].attempt},
            .cpu_permille = t[i].cpu_percent * t[i].cpus * 10,
            .rss_kib = t[i].mem_mib * 1024,
            .procs = 3};
        for (uint32_t k = 0; k < t[i].n_gpus && i == 0; k++)
            *rec_list_push(&m.gpus) = (struct gpu_util){
                .index = k, .busy_pct = t[i].gpus[k], .mem_used_mib = 71000, .mem_mib = 81920};
    }
    uilab_feed(u, MSG_UTIL, 0, &m);
    rec_fini(&msg_util_rec, &m);
}

/* Both nodes of the job that trains on two (struct demo_cluster, multi), as a wave. */
static inline void feed_training(struct uilab *u, uint32_t job, uint32_t i)
{
    const struct job *j = model_get_job(&u->lab.m, job);
    for (uint32_t k = 0; k < 2; k++) {
        const struct step *s = job_find_step(j, 0);
        uint32_t busy = i < 6 ? 3 : 97 - (i * (k + 3)) % 19 - (i / 9 % 3) * 8;
        struct task_feed t[] = {{.node = k ? "gpu02" : "gpu01",
                                 .job = job,
                                 .step = 0,
                                 .task = k,
                                 .attempt = s->tasks.v[k].attempt,
                                 .cpu_percent = 30 + (i * 7 + k * 13) % 29,
                                 .cpus = 12,
                                 .mem_mib = 61000 + 90 * i,
                                 .gpus = {busy, busy - busy / 9},
                                 .n_gpus = 2},
                                {.job = job,
                                 .step = STEP_BATCH,
                                 .attempt = j->steps.v[0].tasks.v[0].attempt,
                                 .cpu_percent = 0,
                                 .cpus = 24,
                                 .mem_mib = 40}};
        feed_task_util(u, t, k ? 1 : 2, 0);
    }
}

/* Answers the last question about an output with text. */
static inline void answer_output(struct uilab *u, const char *text)
{
    const struct uilab_sent *s = uilab_sent(u, MSG_OUTPUT_READ);
    assert_non_null(s);
    const struct msg_output_read *m = s->body;
    struct msg_output_data d = {.offset = m->offset, .size = strlen(text)};
    if (m->offset < d.size)
        d.data = (struct blob){.p = (uint8_t *)(uintptr_t)text + m->offset, .n = d.size - m->offset};
    uilab_feed(u, MSG_OUTPUT_DATA, s->tag, &d);
}

static const char training[] = "epoch 11/40  loss 0.982  lr 2.9e-04\n"
                               "epoch 12/40  loss 0.961  lr 2.9e-04\n"
                               "checkpoint saved to /scratch/alice/pretrain/ckpt-12.pt\n"
                               "epoch 13/40  loss 0.944  lr 2.8e-04\n"
                               "epoch 14/40   61% 1840/3000  loss 0.931\n";

static inline void watch_training(struct ui_fixture *g, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        feed_training(&g->u, g->s.multi, i);
        uilab_wait(&g->u, 3000);
    }
    feed_training(&g->u, g->s.multi, n);
}

static inline void plan_row(struct msg_plan *p, enum plan_kind kind, uint32_t job, const char *name,
                            const char *nodes, int64_t from_min, int64_t to_min, struct wall now)
{
    struct plan_row *r = rec_list_push(&p->rows);
    *r = (struct plan_row){.kind = kind,
                           .job = job,
                           .name = xstrdup(name),
                           .user = job ? xstrdup("bo") : NULL,
                           .nodes = nodes ? xstrdup(nodes) : NULL,
                           .count = 1};
    if (to_min > from_min) {
        r->start.ms = now.ms + from_min * 60000;
        r->end.ms = now.ms + to_min * 60000;
    }
}

/* Times in minutes from now. */
static inline void push_window(struct uilab *u, const char *name, const char *node, int64_t from_min,
                               int64_t to_min, bool remove)
{
    struct ev_window body = {.window = {.id = 1,
                                        .name = xstrdup(name),
                                        .start = {.ms = u->lab.now.ms + from_min * 60000},
                                        .end = {.ms = u->lab.now.ms + to_min * 60000},
                                        .reason = xstrdup("driver update"),
                                        .user = xstrdup("root"),
                                        .t_made = u->lab.now},
                             .remove = remove};
    strv_push(&body.window.nodes, node);
    uilab_push(u, EV_WINDOW, 0, &body);
    rec_fini(&ev_window_rec, &body);
}

/* The answer to who has asked for a script. */
static inline void answer_script(struct uilab *u, const char *text)
{
    const struct uilab_sent *s = uilab_sent(u, MSG_SCRIPT);
    assert_non_null(s);
    struct msg_script m = {.script = {.n = strlen(text), .p = xmemdup(text, strlen(text))}};
    strv_push(&m.argv, "fold 3");
    uilab_feed(u, MSG_SCRIPT_TEXT, s->tag, &m);
    rec_fini(&msg_script_rec, &m);
}

/* The answer to a trial: it would start on those nodes now; nodes NULL: after in_min minutes, somewhere in
 * the partition. */
static inline void answer_trial(struct uilab *u, const char *nodes, const char *part, int64_t in_min)
{
    const struct uilab_sent *s = uilab_sent(u, MSG_SUBMIT);
    assert_non_null(s);
    assert_true(((const struct msg_submit *)s->body)->test_only);
    char iso[WALL_TEXT_SIZE];
    struct wall at = {.ms = u->lab.now.ms + in_min * 60000};
    struct msg_result r = {.count = nodes != NULL,
                           .text = xasprintf("to start at %s%s%s in partition %s", wall_format_iso(at, iso),
                                             nodes ? " on nodes " : " at the latest,", nodes ? nodes : "",
                                             part),
                           .cause = {.code = CAUSE_WOULD_START,
                                     .at = at,
                                     .cpus = 8,
                                     .nodes = nodes ? xstrdup(nodes) : NULL,
                                     .part = xstrdup(part)}};
    uilab_feed(u, MSG_RESULT, s->tag, &r);
    rec_fini(&msg_result_rec, &r);
}

/* The answer to the question that the timeline has asked. */
static inline void feed_plan(struct uilab *u, const struct demo_cluster *s)
{
    push_window(u, "maint", "gpu03", 200, 320, false);
    const struct uilab_sent *ask = uilab_sent(u, MSG_PLAN);
    assert_non_null(ask);
    struct wall now = u->lab.now;
    struct msg_plan p = {.now = now, .made = {.ms = now.ms - 40000}, .samples = 12};
    plan_row(&p, PLAN_RUNNING, s->train, "train-resnet", "gpu03", -72, 168, now);
    plan_row(&p, PLAN_RUNNING, s->multi, "pretrain", "gpu[01-02]", -72, 100, now);
    plan_row(&p, PLAN_RUNNING, s->steps, "crossval", "gpu[01-02]", -35, 60, now);
    plan_row(&p, PLAN_HELD, s->big, "finetune-7b", "gpu01", 100, 300, now);
    p.rows.v[p.rows.n - 1].gpus = 8;
    p.rows.v[p.rows.n - 1].n_nodes = 1;
    p.rows.v[3].reason = REASON_RESOURCES;
    p.rows.v[3].likely.ms = now.ms + 90 * 60000;
    p.rows.v[3].unlikely.ms = now.ms + 130 * 60000;
    plan_row(&p, PLAN_FORECAST, s->eval, "eval", "gpu02", 65, 125, now);
    plan_row(&p, PLAN_WINDOW, 0, "an old one", "gpu03", 180, 330, now); /* the mirror knows better */
    plan_row(&p, PLAN_UNKNOWN, s->held, "ablation", NULL, 0, 0, now);
    plan_row(&p, PLAN_BEYOND, s->chained, "report", NULL, 0, 0, now);
    uilab_feed(u, MSG_PLAN_DATA, ask->tag, &p);
    rec_fini(&msg_plan_rec, &p);
}

/* What stands on a screen of 80x24 now. */
#define must_show(u, part)                                                     \
    do {                                                                       \
        if (uilab_find(u, part) < 0)                                           \
            fail_msg("\"%s\" is not on the screen:\n%s", part, uilab_text(u)); \
    } while (0)
#define must_not_show(u, part)                                             \
    do {                                                                   \
        if (uilab_find(u, part) >= 0)                                      \
            fail_msg("\"%s\" is on the screen:\n%s", part, uilab_text(u)); \
    } while (0)

#define keys_show(u, keys, part)  \
    do {                          \
        uilab_keys(u, keys);      \
        uilab_draw(u, 24, 80);    \
        must_show(u, part);       \
    } while (0)

/* After those keys the last line, where commands are typed, has that part. */
static inline void keys_give_line(struct uilab *u, const char *keys, const char *part)
{
    uilab_keys(u, keys);
    uilab_draw(u, 24, 80);
    str_clear(&u->text);
    canvas_row_text(&u->canvas, 23, &u->text);
    if (!strstr(u->text.s, part))
        fail_msg("%s gives \"%s\"", keys, u->text.s);
}

/* The text of the row under the cursor. */
static inline const char *cursor_row(struct uilab *u)
{
    uilab_draw(u, 24, 80);
    for (int y = 0; y < 24; y++)
        if (canvas_at(&u->canvas, y, 0)->over == ROLE_CURSOR) {
            str_clear(&u->text);
            canvas_row_text(&u->canvas, y, &u->text);
            return u->text.s;
        }
    fail_msg("no row is under the cursor:\n%s", uilab_text(u));
    return NULL;
}

#define UI_FIXTURE_CASE(f) cmocka_unit_test_setup_teardown(f, ui_fixture_up, ui_fixture_down)

#endif
