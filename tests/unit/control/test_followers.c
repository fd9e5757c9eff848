/* test_followers.c - a session that follows has the controller's state when its snapshot has come, whatever
 * changed while it was sent. The connection, the clock and the policy are played here. */
#include "backend/control/clients/followers.h"

#include <errno.h>

#include "backend/control/clients/job_rows.h"
#include "backend/control/clients/query_queue.h"
#include "backend/control/clients/row_feed.h"
#include "backend/control/clients/sessions.h"
#include "backend/control/emit.h"
#include "backend/control/prio_cache.h"
#include "backend/sched/explain/explain.h"
#include "src/base/xalloc.h"
#include "src/proto/codec.h"
#include "tests/lib/check.h"
#include "tests/lib/lab.h"

#define TAG  7
#define ROWS 128 /* of a frame: a slice ends with each, as the time is always up */
#define JOBS (3u * ROWS)
#define MANY 20000u /* changes: too many to note each of them */

static struct lab lab; /* makes jobs */
static struct control *c;
static struct session s;
static struct model shown; /* what the session makes of it */
static bool is_shown;      /* the snapshot is complete: until then events are applied to an older state */
static enum reason reason_now;
static struct cluster_totals totals; /* as the session was told last */
static unsigned n_totals, n_rows;    /* messages */

/* --- the session's side --- */

static void take(enum msg_kind kind, const void *p, size_t n)
{
    struct frame f = {.type = (uint16_t)kind, .tag = TAG, .body = p, .size = n};
    struct errtext err = {""};
    void *body = NULL;
    assert_int_equal(msg_decode(&f, &body, &err), 0);
    if (kind == MSG_SPEC) {
        model_take_spec(&shown, body);
    } else if (kind == MSG_JOBS) {
        struct msg_jobs *m = body;
        for (size_t i = 0; i < m->rows.n; i++) {
            struct job *j = xcalloc(1, sizeof *j);
            *j = m->rows.v[i];
            m->rows.v[i] = (struct job){0};
            model_take_job(&shown, j);
        }
        m->rows.n = 0;
    } else if (kind == MSG_SNAPSHOT) {
        shown.seq = ((struct msg_snapshot *)body)->seq;
        is_shown = true;
    } else if (kind == MSG_REASONS) {
        const struct msg_reasons *m = body;
        assert_true(is_shown);
        for (size_t i = 0; i < m->rows.n; i++)
            model_get_job(&shown, m->rows.v[i].job)->reason = (uint8_t)m->rows.v[i].reason;
    } else if (kind == MSG_TOTALS) {
        totals = *(struct cluster_totals *)body;
        n_totals++;
    } else if (kind == MSG_EVENT) {
        struct event ev;
        assert_true(is_shown);
        assert_int_equal(event_from_msg(body, &ev, &err), 0);
        assert_true(event_is_row(ev.kind) ? ev.seq >= shown.seq : ev.seq > shown.seq);
        n_rows += event_is_row(ev.kind);
        int r = model_apply(&shown, &ev);
        assert_true(r == 0 || (r == -ENOENT && ev.kind == EV_JOB_GONE)); /* see src/client/mirror.c */
        event_fini(&ev);
    }
    msg_free(kind, body);
}

void session_send_encoded(struct session *to, enum msg_kind kind, uint64_t tag, const void *p, size_t n)
{
    assert_ptr_equal(to, &s);
    assert_int_equal(tag, TAG);
    take(kind, p, n);
}

void session_send(struct session *to, enum msg_kind kind, uint64_t tag, const void *body)
{
    struct str bytes = STR_INIT;
    codec_encode(msg_rec(kind), body, &bytes);
    session_send_encoded(to, kind, tag, bytes.s, bytes.len);
    str_fini(&bytes);
}

void session_refuse(struct session *to, uint64_t tag, enum refusal refusal, uint32_t job, struct cause *why)
{
    (void)to, (void)tag, (void)refusal, (void)job;
    fail_msg("refused: cause %u", why->code);
}

bool conn_send(struct conn *conn, uint64_t gate, enum msg_kind type, uint64_t tag, const void *body)
{
    (void)conn, (void)gate;
    session_send(&s, type, tag, body);
    return true;
}

bool session_push(struct session *to, enum msg_kind kind, const struct str *body)
{
    session_send_encoded(to, kind, TAG, body->s, body->len);
    return true;
}

bool conn_has_room(const struct conn *conn)
{
    (void)conn;
    return true;
}

size_t conn_queued(const struct conn *conn)
{
    (void)conn;
    return 0;
}

void conn_hurry(struct conn *conn)
{
    (void)conn;
}

static unsigned drains_asked;

void conn_ask_drain(struct conn *conn)
{
    (void)conn;
    drains_asked++;
}

/* --- in the place of the clock, the store, the line of those that ask and the policy --- */

struct mono mono_read(void)
{
    return (struct mono){NS_PER_S};
}

struct wall wall_read(void)
{
    return lab.now;
}

static struct mono loop_time;

struct mono loop_now(const struct loop *l)
{
    (void)l;
    return loop_time;
}

static int timer_ms; /* as it was set last; -1: not set */

void loop_timer_set(struct loop *l, struct loop_timer *t, int64_t ms)
{
    (void)l, (void)t;
    timer_ms = (int)ms;
}

void loop_timer_cancel(struct loop *l, struct loop_timer *t)
{
    (void)l, (void)t;
    timer_ms = -1;
}

void loop_watch(struct loop *l, struct loop_fd *w, unsigned want)
{
    (void)l, (void)w, (void)want;
}

void loop_unwatch(struct loop *l, struct loop_fd *w)
{
    (void)l, (void)w;
}

struct wall loop_wall(const struct loop *l)
{
    (void)l;
    return lab.now;
}

uint64_t ctl_ticket(const struct control *of)
{
    (void)of;
    return 0;
}

static struct list all_sessions;

struct list *sessions(struct control *of)
{
    (void)of;
    return &all_sessions;
}

void query_queue_begin(struct session *of)
{
    (void)of;
}

void query_queue_end(struct session *of)
{
    (void)of;
}

void query_queue_note(struct session *of, const void *body, size_t n)
{
    (void)of, (void)body, (void)n;
}

const struct prio_ctx *prio_cache_get(struct control *of)
{
    (void)of;
    return NULL;
}

uint32_t prio_of_best(const struct prio_ctx *ctx, const struct job *j)
{
    (void)ctx, (void)j;
    return 1;
}

enum reason planner_reason_of(const struct planner *p, const struct job *j)
{
    (void)p, (void)j;
    return reason_now;
}

struct forecaster *planner_forecaster(struct planner *p)
{
    (void)p;
    return NULL;
}

struct forecast forecast_of(const struct forecaster *p, uint32_t job)
{
    (void)p, (void)job;
    return (struct forecast){0};
}

/* --- */

/* An event as the controller emits it. */
static void happen(enum event_kind kind, uint32_t job, void *body)
{
    struct event ev = {.seq = c->model.seq + 1, .t = lab.now, .kind = kind, .job = job, .body = body};
    struct str bytes = STR_INIT;
    codec_encode(event_body_rec(kind), body, &bytes);
    const struct job *j = job ? model_get_job(&c->model, job) : NULL;
    struct emission e = {
        .ev = &ev, .bytes = bytes.s, .n = bytes.len, .job = j, .array = j ? j->array_job : 0};
    followers_module.before(c, &e);
    row_feed_module.before(c, &e);
    assert_int_equal(model_apply(&c->model, &ev), 0);
    followers_module.after(c, &e);
    rec_fini(event_body_rec(kind), body);
    str_fini(&bytes);
}

static void submit_job(uint32_t id)
{
    struct job *j = lab_job(&lab, JOB_KIND_BATCH);
    j->id = id;
    happen(EV_SUBMIT, id, j);
    free(j);
}

static void cancel(uint32_t id)
{
    struct ev_kill body = {.step = STEP_ALL, .cause = KILL_CANCEL, .uid = 1000};
    happen(EV_KILL, id, &body);
}

static void retire(uint32_t id)
{
    struct ev_none none = {0};
    happen(EV_RETIRE, id, &none);
}

static void configure(const char *name)
{
    struct cluster_spec spec = {.name = xstrdup(name)};
    happen(EV_CONFIG, 0, &spec);
}

static void push_reason(uint32_t id, enum reason r)
{
    struct msg_reasons rows = {0};
    *(struct job_reason *)rec_list_push(&rows.rows) = (struct job_reason){.job = id, .reason = r};
    reason_now = r;
    followers_push_reasons(c, &rows);
    rec_fini(&msg_reasons_rec, &rows);
}

/* The first third of the rows has been sent. */
static void begin(bool follow)
{
    struct msg_get get = {.what = GET_SPEC | GET_JOBS, .follow = follow};
    req_get(&s, TAG, &get);
    rows_send_spec(&s);
    assert_int_equal(rows_slice(&s, (struct mono){0}), SLICE_MORE);
    assert_int_equal(s.cursor, ROWS);
}

static void finish(void)
{
    while (rows_slice(&s, (struct mono){0}) == SLICE_MORE)
        ;
    assert_true(is_shown);
    assert_int_equal(s.late.rows.n + s.late.reasons.n + s.late.retired.n, 0);
}

/* The session knows the jobs that the controller knows, in the same states and with their reasons. */
static void check_same(void)
{
    uint32_t n = 0;
    list_for_each (j, &c->model.all, struct job, in_all) {
        const struct job *seen = model_get_job(&shown, j->id);
        n++;
        if (!seen)
            fail_msg("job %u is not shown", j->id);
        assert_int_equal(seen->state, j->state);
        if (j->state == JOB_PENDING)
            assert_int_equal(seen->reason, reason_now);
    }
    assert_int_equal(shown.n_pending + shown.n_active + shown.n_ended, n);
    assert_int_equal(shown.seq, c->model.seq);
    assert_string_equal(shown.spec.name, c->model.spec.name);
}

static const struct module_ops *const modules[] = {&followers_module, &row_feed_module, NULL};

static int set_up(void **state)
{
    (void)state;
    lab_init(&lab);
    c = xcalloc(1, sizeof *c);
    c->wiring.modules = modules;
    row_feed_module.start(c);
    n_rows = n_totals = 0;
    timer_ms = -1;
    loop_time = (struct mono){NS_PER_S};
    model_init(&c->model);
    model_init(&shown);
    list_init(&all_sessions);
    s = (struct session){.ctl = c};
    list_init(&s.link);
    list_append(&all_sessions, &s.link);
    is_shown = false;
    drains_asked = 0;
    reason_now = REASON_PRIORITY;
    configure("first");
    for (uint32_t i = 1; i <= JOBS; i++)
        submit_job(i);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    list_unlink(&s.link);
    vec_fini(&s.late.rows);
    vec_fini(&s.late.reasons);
    vec_fini(&s.late.retired);
    rec_fini(&msg_get_rec, &s.get);
    row_feed_module.stop(c);
    model_fini(&shown);
    model_fini(&c->model);
    free(c);
    lab_fini(&lab);
    return 0;
}

/* A session that follows an array alone hears that one of its elements has left the state. */
static void test_an_element_that_retires(void **state)
{
    (void)state;
    begin(true);
    finish();
    model_get_job(&c->model, 2)->array_job = 1;
    s.follow = FOLLOW_JOB;
    s.follow_job = 1;
    shown.seq = c->model.seq;
    cancel(2);
    assert_int_equal(model_get_job(&shown, 2)->state, JOB_CANCELLED);
    retire(2);
    assert_null(model_get_job(&shown, 2));
    cancel(3); /* of no concern to it */
    assert_int_equal(model_get_job(&shown, 3)->state, JOB_PENDING);
}

static void test_nothing_changes(void **state)
{
    (void)state;
    begin(true);
    finish();
    check_same();
}

static void test_reasons_that_change(void **state)
{
    (void)state;
    begin(true);
    reason_now = REASON_RESOURCES; /* of those whose rows come later */
    for (uint32_t i = 1; i <= JOBS; i++)
        push_reason(i, REASON_RESOURCES);
    finish();
    check_same();
    push_reason(1, REASON_RESOURCES); /* and then as they come */
    check_same();
}

static void test_more_reasons_than_are_noted(void **state)
{
    (void)state;
    begin(true);
    for (uint32_t i = 0; i < MANY; i++)
        push_reason(i % ROWS + 1, i % 2 ? REASON_RESOURCES : REASON_PRIORITY);
    assert_true(s.late.reasons.n < MANY);
    finish();
    check_same();
    assert_int_equal(drains_asked, 0);
}

/* One had ended before its row was sent, one ends while rows are sent, one has not been sent. */
static void test_jobs_that_retire(void **state)
{
    (void)state;
    cancel(1);
    begin(true);
    retire(1);
    cancel(2);
    submit_job(JOBS + 1);
    retire(2);
    cancel(JOBS);
    retire(JOBS);
    cancel(3);
    finish();
    assert_null(model_get_job(&shown, 1));
    assert_null(model_get_job(&shown, 2));
    assert_int_equal(model_get_job(&shown, 3)->state, JOB_CANCELLED);
    retire(3);
    submit_job(JOBS + 2);
    push_reason(JOBS + 2, reason_now);
    check_same();
}

static void test_a_configuration_that_changes(void **state)
{
    (void)state;
    begin(true);
    configure("second");
    finish();
    check_same();
}

/* A client that asks once gets rows, and no events. */
static void test_one_who_does_not_follow(void **state)
{
    (void)state;
    cancel(1);
    begin(false);
    retire(1);
    push_reason(2, REASON_RESOURCES);
    finish();
    assert_int_equal(s.follow, FOLLOW_NONE);
    assert_int_equal(shown.seq, c->model.seq);
}

/* It asks again: what was noted is void. */
static void test_more_changes_than_are_noted(void **state)
{
    (void)state;
    begin(true);
    for (uint32_t i = 0; i < MANY && s.follow == FOLLOW_STARTING; i++) {
        struct ev_hold hold = {.hold = i / 2 % 2 ? HOLD_NONE : HOLD_USER, .uid = 1000};
        happen(EV_HOLD, i % 2 + 1, &hold);
    }
    assert_int_equal(s.follow, FOLLOW_NONE);
    assert_int_equal(drains_asked, 1);
    assert_int_equal(s.late.rows.n, 0);
}

/* --- a session that follows its own jobs --- */

#define ME    1000
#define OTHER 2000

/* Every second job is another user's. */
static void begin_own(void)
{
    struct msg_get get = {.what = GET_SPEC | GET_JOBS, .follow = true, .own = true};
    for (uint32_t i = 2; i <= JOBS; i += 2)
        model_get_job(&c->model, i)->uid = OTHER;
    s.uid = ME;
    req_get(&s, TAG, &get);
    rows_send_spec(&s);
    assert_int_equal(rows_slice(&s, (struct mono){0}), SLICE_MORE);
}

static void finish_own(void)
{
    finish();
    assert_int_equal(s.follow, FOLLOW_OWN);
    assert_int_equal(n_totals, 1);
}

/* The session has its own jobs as they are, and no others. */
static void check_own(void)
{
    struct errtext err = {""};
    uint32_t n = 0;
    list_for_each (j, &c->model.all, struct job, in_all) {
        const struct job *seen = model_get_job(&shown, j->id);
        n += j->uid == ME;
        if (!seen != (j->uid != ME) || (seen && seen->state != j->state))
            fail_msg("job %u of %u is shown wrongly", j->id, j->uid);
    }
    assert_int_equal(shown.jobs.n, n);
    if (model_check(&shown, &err) < 0)
        fail_msg("%s", err.s);
}

static void test_own_jobs_alone(void **state)
{
    (void)state;
    begin_own();
    finish_own();
    check_own();
    assert_int_equal(totals.waiting, JOBS);
    cancel(1);
    assert_int_equal(model_get_job(&shown, 1)->state, JOB_PENDING); /* not before the iteration ends */
    row_feed_flush(c);
    assert_int_equal(n_rows, 1);
    cancel(2);
    retire(2);
    row_feed_flush(c);
    assert_int_equal(n_rows, 1); /* of no concern to it */
    retire(1);
    submit_job(JOBS + 1);
    row_feed_flush(c);
    assert_int_equal(n_rows, 3);
    check_own();
    row_feed_flush(c);
    assert_int_equal(n_rows, 3);
}

/* However much happens to a job in an iteration, one row tells it; of one that came and went only that it
 * has gone. */
static void test_rows_are_told_once(void **state)
{
    (void)state;
    struct ev_hold hold = {.hold = HOLD_USER, .uid = ME}, again = hold;
    begin_own();
    finish_own();
    happen(EV_HOLD, 3, &hold);
    happen(EV_HOLD, 5, &again);
    cancel(3);
    submit_job(JOBS + 1);
    cancel(JOBS + 1);
    retire(JOBS + 1);
    row_feed_flush(c);
    assert_int_equal(n_rows, 3); /* the third: that it has gone, whether it was known or not */
    assert_int_equal(model_get_job(&shown, 5)->hold, HOLD_USER);
    check_own();
}

static void test_no_answer_before_the_row(void **state)
{
    (void)state;
    begin_own();
    finish_own();
    submit_job(JOBS + 1);
    row_feed_module.answering(c, &s);
    assert_non_null(model_get_job(&shown, JOBS + 1));
}

static void test_own_jobs_that_change_while_rows_are_sent(void **state)
{
    (void)state;
    begin_own();
    cancel(1);
    cancel(2);
    retire(1);
    retire(2);
    cancel(3);
    submit_job(JOBS + 1);
    push_reason(5, REASON_RESOURCES);
    finish_own();
    assert_null(model_get_job(&shown, 1));
    assert_int_equal(model_get_job(&shown, 5)->reason, REASON_RESOURCES);
    row_feed_flush(c);
    check_own();
}

static void test_reasons_of_own_jobs(void **state)
{
    (void)state;
    begin_own();
    finish_own();
    push_reason(2, REASON_RESOURCES); /* which it does not know */
    push_reason(3, REASON_RESOURCES);
    assert_int_equal(model_get_job(&shown, 3)->reason, REASON_RESOURCES);
}

/* Its nodes and partitions are others: it asks again. */
static void test_a_configuration_that_changes_for_own_jobs(void **state)
{
    (void)state;
    begin_own();
    finish_own();
    configure("second");
    assert_int_equal(s.follow, FOLLOW_NONE);
    assert_int_equal(drains_asked, 1);
}

/* At once, then every 50 ms at most, and only where they are others. */
static void test_totals(void **state)
{
    (void)state;
    begin_own();
    finish_own();
    row_feed_flush(c); /* what all of its kind are told next */
    n_totals = 0;
    loop_time = mono_add_ms(loop_time, 1000);
    cancel(2);
    row_feed_flush(c);
    assert_int_equal(n_totals, 1);
    assert_int_equal(totals.waiting, JOBS - 1);
    cancel(4);
    row_feed_flush(c);
    assert_int_equal(n_totals, 1);
    assert_true(timer_ms > 0 && timer_ms <= 50);
    loop_time = mono_add_ms(loop_time, 50);
    row_feed_flush(c);
    assert_int_equal(n_totals, 2);
    assert_int_equal(totals.waiting, JOBS - 2);
    struct ev_hold hold = {.hold = HOLD_USER, .uid = ME};
    loop_time = mono_add_ms(loop_time, 50);
    happen(EV_HOLD, 6, &hold);
    row_feed_flush(c);
    assert_int_equal(n_totals, 2);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(test_nothing_changes),
        CASE(test_an_element_that_retires),
        CASE(test_reasons_that_change),
        CASE(test_more_reasons_than_are_noted),
        CASE(test_jobs_that_retire),
        CASE(test_a_configuration_that_changes),
        CASE(test_one_who_does_not_follow),
        CASE(test_more_changes_than_are_noted),
        CASE(test_own_jobs_alone),
        CASE(test_rows_are_told_once),
        CASE(test_no_answer_before_the_row),
        CASE(test_own_jobs_that_change_while_rows_are_sent),
        CASE(test_reasons_of_own_jobs),
        CASE(test_a_configuration_that_changes_for_own_jobs),
        CASE(test_totals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
