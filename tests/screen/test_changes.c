/* test_changes.c - of many rows only those are looked at again that have changed: the picture is the one
 * that there would be if all were. SEED=N repeats a run. */
#include "src/base/xalloc.h"
#include "src/values/units.h"
#include "tests/screen/ui_fixture.h"

#define CPUS    256 /* one for each job that runs */
#define ARRAYS  4
#define SINGLE  60
#define CHANGES 60
#define ROWS    90 /* more than there are jobs */

struct play {
    struct uilab u;
    uint64_t dice;
    bool taken[CPUS];
};

static uint32_t dice(struct play *p, uint32_t n)
{
    return (uint32_t)(check_rand(&p->dice) % n);
}

static struct job *any_job(struct play *p)
{
    struct job *v[1000];
    size_t n = 0;
    list_for_each (j, &p->u.lab.m.all, struct job, in_all)
        if (n < N_OF(v))
            v[n++] = j;
    return n ? v[dice(p, (uint32_t)n)] : NULL;
}

static struct job *new_job(struct play *p)
{
    struct job *j = lab_job(&p->u.lab, JOB_KIND_BATCH);
    free(j->req.name);
    j->req.name = xasprintf("%s-%u", dice(p, 2) ? "train" : "Eval", dice(p, 30));
    j->req.partition = xstrdup("main");
    j->req.cpus_per_task = 1 + dice(p, 5);
    if (dice(p, 3) == 0) {
        free(j->user);
        j->user = xstrdup("bob");
        j->uid = 1001;
    }
    return j;
}

static void build(struct play *p)
{
    struct lab *l = &p->u.lab;
    lab_node(l, "n1", CPUS, 262144, 0, NULL);
    lab_part(l, "main", "n1");
    lab_configure(l);
    for (uint32_t i = 0; i < SINGLE; i++)
        lab_submit(l, new_job(p));
    for (uint32_t i = 0; i < ARRAYS; i++) {
        struct job *j = new_job(p);
        job_origin_mut(j)->array_count = 6;
        job_origin_mut(j)->array_max = 5;
        job_origin_mut(j)->array_step = 1;
        *rec_list_push(&job_rare_mut(j)->array_pending) =
            (struct index_range){.first = 0, .last = 5, .step = 1};
        j->array_index = ARRAY_NONE;
        lab_submit(l, j);
    }
}

static void start(struct play *p, const struct job *j)
{
    uint32_t cpu = 0;
    while (cpu < CPUS && p->taken[cpu])
        cpu++;
    if (cpu == CPUS || j->hold)
        return;
    struct ev_start body = {
        .array_index = ARRAY_NONE, .partition = xstrdup("main"), .time_limit_s = 3600 + 60 * dice(p, 10)};
    if (job_is_array_record(j)) {
        body.array_index = job_rare(j)->array_pending.v[0].first;
        body.new_id = job_pending_elements(j) > 1 ? p->u.lab.m.next_job : 0;
    }
    p->taken[cpu] = true;
    *rec_list_push(&body.alloc) = lab_alloc("n1", cpu, 1, 0, 0, 10);
    uilab_push(&p->u, EV_START, j->id, &body);
}

static void go_on(struct play *p, const struct job *j)
{
    const struct task *t = &j->steps.v[0].tasks.v[0];
    if (t->state == TASK_LAUNCHING) {
        struct ev_running body = {
            .step = STEP_BATCH, .attempt = t->attempt, .t = p->u.lab.now, .pid = 4242};
        uilab_push(&p->u, EV_RUNNING, j->id, &body);
        return;
    }
    struct ev_end body = {
        .step = STEP_BATCH, .attempt = t->attempt, .end_kind = END_EXITED, .t_end = p->u.lab.now};
    *rec_list_push(&body.ranks) = (struct rank_end){.code = dice(p, 2) ? 0 : 1};
    uilab_push(&p->u, EV_END, j->id, &body);
}

/* Of a job that runs or is suspended: the other of the two, or it is put back, preempted, lost or
 * cancelled. */
static void interfere(struct play *p, const struct job *j)
{
    static const enum kill_cause causes[] = {KILL_CANCEL, KILL_REQUEUE, KILL_PREEMPT, KILL_NODE_FAIL};
    uint32_t which = dice(p, N_OF(causes));
    struct ev_suspend suspend = {.on = j->state == JOB_RUNNING, .uid = 1000};
    struct ev_kill kill = {.step = STEP_ALL, .cause = causes[which], .uid = 1000, .grace_s = 30};
    kill.fate = causes[which] == KILL_CANCEL ? FATE_END : FATE_REQUEUE;
    if (dice(p, 2))
        uilab_push(&p->u, EV_SUSPEND, j->id, &suspend);
    else
        uilab_push(&p->u, EV_KILL, j->id, &kill);
}

static void rename_job(struct play *p, const struct job *j)
{
    struct ev_update body = {.time_limit_s = DURATION_NOT_SET};
    rec_copy(&job_req_rec, &body.req, &j->req);
    free(body.req.name);
    body.req.name = xasprintf("other-%u", dice(p, 30));
    uilab_push(&p->u, EV_UPDATE, j->id, &body);
}

static void change_something(struct play *p)
{
    struct job *j = any_job(p);
    struct ev_none none = {0};
    struct ev_hold hold = {.hold = j && j->hold ? HOLD_NONE : HOLD_USER, .uid = 1000};
    struct job_reason why = {.job = j ? j->id : 0, .reason = REASON_RESOURCES + dice(p, 3)};
    struct msg_reasons reasons = {.rows = {.v = &why, .n = 1}};
    if (!j || dice(p, 8) == 0) {
        struct job *more = new_job(p);
        more->id = p->u.lab.m.next_job;
        more->partition = xstrdup("main");
        uilab_push(&p->u, EV_SUBMIT, more->id, more);
        free(more);
    } else if (job_state_is_final((enum job_state)j->state)) {
        uilab_push(&p->u, EV_RETIRE, j->id, &none);
    } else if (j->state == JOB_SUSPENDED ||
               (j->state == JOB_RUNNING && !job_is_in_grace(j) && !dice(p, 3))) {
        interfere(p, j);
    } else if (j->state == JOB_RUNNING || j->state == JOB_COMPLETING) {
        go_on(p, j);
    } else if (dice(p, 2)) {
        start(p, j);
    } else if (dice(p, 3) == 0) {
        rename_job(p, j);
    } else if (dice(p, 2)) {
        uilab_push(&p->u, EV_HOLD, j->id, &hold);
    } else {
        uilab_feed(&p->u, MSG_REASONS, 0, &reasons);
    }
}

static const char *picture(struct play *p)
{
    uilab_draw(&p->u, ROWS, 200);
    return uilab_text(&p->u);
}

static void only_what_has_changed(void **unused)
{
    (void)unused;
    static const char *const filters[] = {"",        "train",    "!train", "state:run", "time:<lt>30s",
                                          "cpus:>2", "where:res"};
    static const char *const sorts[] = {"natural", "name", "cpus", "left", "time", "where", "state", "id"};
    uint64_t seed = check_seed();
    for (size_t i = 0; i < N_OF(filters) * N_OF(sorts); i++) {
        struct play p = {.dice = seed + i};
        char *keys = xasprintf("1:filter %s<Enter>:sort %s %s<Enter>", filters[i % N_OF(filters)],
                               sorts[i / N_OF(filters)], i % 2 ? "" : "down");
        uilab_init(&p.u);
        build(&p);
        uilab_connect(&p.u);
        uilab_keys(&p.u, keys);
        for (int k = 0; k < CHANGES; k++) {
            bool away = dice(&p, 3) == 0; /* the screen misses the changes, and is opened again */
            if (away)
                uilab_keys(&p.u, "2");
            for (uint32_t n = 1 + dice(&p, 3); n; n--)
                change_something(&p);
            if (away) {
                uilab_draw(&p.u, ROWS, 200);
                uilab_keys(&p.u, "1");
            }
            char *some = xstrdup(picture(&p));
            changes_everything(p.u.app);
            if (!str_eq(some, picture(&p)))
                fail_msg("%s, after %d changes:\n%s\nshould be\n%s", keys, k + 1, some, picture(&p));
            free(some);
        }
        free(keys);
        uilab_fini(&p.u);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_what_has_changed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
