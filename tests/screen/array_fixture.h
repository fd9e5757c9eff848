/* array_fixture.h - an array in the middle of its work on the screens: elements that are done, that failed
 * in two ways, that run with an output, and that wait. */
#ifndef STOKER_TESTS_SCREEN_ARRAY_FIXTURE_H
#define STOKER_TESTS_SCREEN_ARRAY_FIXTURE_H

#include "src/base/xalloc.h"
#include "src/values/units.h"
#include "tests/lib/uilab.h"

#define ARRAY_SLOTS 8

struct array_fixture {
    struct uilab u;
    uint32_t array;
    size_t answered; /* of the messages that were sent */
};

static inline uint32_t array_fixture_ran_s(uint32_t i)
{
    return 362 + i * 137 % 338;
}

static inline bool array_fixture_fails(uint32_t i)
{
    return i == 11 || i == 12 || i == 29;
}

static inline void array_fixture_cluster(struct lab *l)
{
    l->now.ms = 1795441440000; /* 13:44 UTC */
    lab_node(l, "gpu01", 64, 524288, 8, "a100");
    lab_node(l, "gpu02", 64, 524288, 8, "a100");
    lab_part(l, "gpu", "gpu[01-02]");
    lab_configure(l);
}

static inline uint32_t array_fixture_submit(struct lab *l, uint32_t n, uint32_t throttle)
{
    struct job *j = lab_job(l, JOB_KIND_BATCH);
    free(j->req.name);
    free(j->req.workdir);
    j->req.name = xstrdup("sweep");
    j->req.partition = xstrdup("gpu");
    j->req.cpus_per_task = 4;
    j->req.gpus = 1;
    j->req.mem_node_mib = 32768;
    j->req.time_limit_s = 1200;
    j->req.workdir = xstrdup("/home/alice/sweep");
    job_origin_mut(j)->command = xstrdup("sweep.sh");
    job_origin_mut(j)->submit_host = xstrdup("login1");
    *rec_list_push(&job_rare_mut(j)->array_pending) =
        (struct index_range){.first = 0, .last = n - 1, .step = 1};
    job_origin_mut(j)->array_count = n;
    job_origin_mut(j)->array_max = n - 1;
    job_origin_mut(j)->array_step = 1;
    j->req.array_throttle = throttle;
    req_detail_mut(&j->req)->array_spec = xasprintf("0-%u%%%u", n - 1, throttle);
    return lab_submit(l, j);
}

/* Its element i, on the GPU of that slot. Returns its id. */
static inline uint32_t array_fixture_start(struct lab *l, uint32_t array, uint32_t i, uint32_t slot)
{
    uint32_t id = l->m.next_job;
    struct ev_start body = {
        .array_index = i, .new_id = id, .partition = xstrdup("gpu"), .time_limit_s = 1200};
    *rec_list_push(&body.alloc) =
        lab_alloc(slot % 2 ? "gpu02" : "gpu01", slot / 2 * 4, 4, slot / 2, 1, 32768);
    lab_must(l, EV_START, array, &body);
    lab_running(l, id, STEP_BATCH, 0);
    return id;
}

static inline void array_fixture_end(struct lab *l, uint32_t id, int32_t code)
{
    const struct task *t = lab_task(l, id, STEP_BATCH, 0);
    uint32_t index = lab_get(l, id)->array_index;
    struct ev_end end = {.step = STEP_BATCH,
                         .attempt = t->attempt,
                         .end_kind = END_EXITED,
                         .t_start = t->t_start,
                         .t_end = l->now,
                         .peak_rss_kib = (4000 + index * 37 % 900) * 1024,
                         .cpu_ms = (uint64_t)(l->now.ms - t->t_start.ms) * 4 / 3,
                         .sampled = xstrdup("cgroup")};
    rec_list_push(&end.ranks)->code = code;
    lab_must(l, EV_END, id, &end);
}

/* Eight at a time, until n_ended have ended; then 40 seconds later. */
static inline void array_fixture_run(struct lab *l, uint32_t array, uint32_t n_ended)
{
    uint32_t ids[ARRAY_SLOTS];
    int64_t ends[ARRAY_SLOTS];
    uint32_t next = 0;
    for (uint32_t s = 0; s < ARRAY_SLOTS; s++, next++) {
        ids[s] = array_fixture_start(l, array, next, s);
        ends[s] = l->now.ms + array_fixture_ran_s(next) * MS_PER_S;
    }
    for (uint32_t n = 0; n < n_ended; n++, next++) {
        uint32_t s = 0;
        for (uint32_t k = 1; k < ARRAY_SLOTS; k++)
            s = ends[k] < ends[s] ? k : s;
        uint32_t index = lab_get(l, ids[s])->array_index;
        l->now.ms = ends[s] > l->now.ms ? ends[s] : l->now.ms;
        array_fixture_end(l, ids[s], array_fixture_fails(index) ? 1 + (index == 29) : 0);
        ids[s] = array_fixture_start(l, array, next, s);
        ends[s] = l->now.ms + array_fixture_ran_s(next) * MS_PER_S;
    }
    l->now.ms += 40 * MS_PER_S;
}

/* What an element has printed. */
static inline char *array_fixture_output(const struct job *j)
{
    uint32_t i = j->array_index;
    if (i == 29)
        return xstrdup("loading data\nKeyError: 'label'\n");
    if (array_fixture_fails(i))
        return xasprintf(
            "Traceback (most recent call last):\n  File \"train.py\", line %u\nRuntimeError: CUDA "
            "out of memory. Tried to allocate %u.50 GiB\n\n",
            i + 30, i % 9);
    return xasprintf("loading data\nepoch  1/20  loss 0.998\r\033[1mepoch %2u/20  loss 0.%u\033[0m",
                     2 + i % 11, 988 - i * 71 % 600);
}

/* The nodes answer what the screens have asked for since the last time. */
static inline void array_fixture_answer(struct array_fixture *g)
{
    struct uilab *u = &g->u;
    for (; g->answered < u->sent.n; g->answered++) {
        const struct uilab_sent *s = &u->sent.v[g->answered];
        const struct msg_output_read *r = s->kind == MSG_OUTPUT_READ ? s->body : NULL;
        const struct job *j = r ? model_get_job(&u->lab.m, r->key.job) : NULL;
        if (!j || r->offset)
            continue;
        char *text = array_fixture_output(j);
        struct msg_output_data data = {.data = {.p = (uint8_t *)text, .n = strlen(text)},
                                       .size = strlen(text),
                                       .eof = job_state_is_final((enum job_state)j->state)};
        uilab_feed(u, MSG_OUTPUT_DATA, s->tag, &data);
        free(text);
    }
}

static inline int array_fixture_up(void **state)
{
    static struct array_fixture g;
    g = (struct array_fixture){.answered = 0};
    uilab_init(&g.u);
    array_fixture_cluster(&g.u.lab);
    g.array = array_fixture_submit(&g.u.lab, 100, ARRAY_SLOTS);
    array_fixture_run(&g.u.lab, g.array, 36);
    uilab_connect(&g.u);
    *state = &g;
    return 0;
}

/* The page of the array, with all outputs read. */
static inline void array_fixture_open(struct array_fixture *g, int rows, int cols)
{
    uilab_keys(&g->u, "<Enter>");
    for (int i = 0; i < 3; i++) {
        uilab_draw(&g->u, rows, cols);
        array_fixture_answer(g);
    }
    uilab_draw(&g->u, rows, cols);
}

static inline int array_fixture_down(void **state)
{
    uilab_fini(&((struct array_fixture *)*state)->u);
    return 0;
}

#endif
