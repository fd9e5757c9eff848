#include "backend/demo/demo_users.h"

#include <math.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "backend/demo/demo_client.h"
#include "backend/demo/demo_task.h"
#include "backend/demo/demo_work.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/os/clock.h"
#include "src/os/log.h"
#include "src/values/units.h"

#define MINUTE_MS     INT64_C(60000)
#define DRAIN_OFF_MIN 450 /* before the demo opens */
#define DRAIN_MIN     58
#define WINDOW_MIN    100
#define WINDOW_IN_MIN 120 /* behind it */
#define WINDOW_MINS   180

struct demo_question { /* a submission that is not answered yet */
    uint64_t tag;
    unsigned row;
};

struct demo_user {
    struct demo_users *all;
    struct demo_client *client;
    VEC(struct demo_question) asked;
};

struct demo_row { /* of demo_works */
    struct demo_users *all;
    unsigned row, n;
    struct loop_timer timer;
};

struct demo_users {
    struct demo_users_config cfg;
    struct demo_user user[DEMO_N_USERS];
    struct demo_client *admin;
    struct demo_row *rows;
    uint32_t *ids; /* of the last job of each row */
    struct loop_timer drain_off, drain, window;
};

/* --- submissions --- */

static void demo_user_on_answer(void *ctx, uint64_t tag, const struct msg_result *r)
{
    struct demo_user *u = ctx;
    vec_for_each (&u->asked, i) {
        if (u->asked.v[i].tag != tag)
            continue;
        unsigned row = u->asked.v[i].row;
        if (r->refusal == REFUSAL_NONE)
            u->all->ids[row] = r->job;
        else
            log_info("demo: %s is refused: %s", demo_works[row].name, r->text ? r->text : "");
        vec_remove(&u->asked, i);
        return;
    }
}

static void demo_row_submit(struct demo_row *r)
{
    struct demo_users *all = r->all;
    const struct demo_work *w = &demo_works[r->row];
    struct demo_user *u = &all->user[w->user];
    struct msg_submit m;
    struct errtext err = {""};
    if (demo_work_message(w, all->ids, wall_read(), &m, &err) < 0) {
        log_warn("demo: %s: %s", w->name, err.s);
        return;
    }
    uint64_t tag = demo_client_send(u->client, MSG_SUBMIT, &m);
    if (tag)
        vec_push(&u->asked, (struct demo_question){.tag = tag, .row = r->row});
    rec_fini(&msg_submit_rec, &m);
}

/* Times between two of a kind are exponential, and as long as the cluster is small. */
static int64_t demo_row_gap_ms(struct demo_row *r)
{
    static const double slower[] = {[DEMO_SMALL] = 3.5, [DEMO_LAB] = 1, [DEMO_CLUSTER] = 0.15};
    double x = (1 + demo_dice(r->all->cfg.seed + r->row * 977u, ++r->n, 1000000)) / 1000001.0;
    return (int64_t)(-log(x) * demo_works[r->row].gap_min * slower[r->all->cfg.size] * MINUTE_MS) + 1;
}

static void demo_row_on_timer(void *ctx)
{
    struct demo_row *r = ctx;
    demo_row_submit(r);
    if (demo_works[r->row].gap_min)
        loop_timer_set(r->all->cfg.loop, &r->timer, demo_row_gap_ms(r));
}

void demo_users_start_step(struct demo_users *u, const struct launch *l, const char *program)
{
    if (l->uid < DEMO_UID || l->uid >= DEMO_UID + DEMO_N_USERS)
        return;
    struct msg_step_create m = {
        .job = l->key.job,
        .request_id = xasprintf("step-of-%u-%u", l->key.job, l->key.attempt),
        .step = {.nodes = 2,
                 .n_tasks = 2,
                 .n_ranks = 2,
                 .cpus_per_rank = cpuset_count(&l->alloc.cpus),
                 .mem_mib = MEM_NOT_GIVEN,
                 .gpus = NOT_GIVEN,
                 .time_limit_s = DURATION_NOT_SET,
                 .name = xstrdup(program),
                 .command = xasprintf("%s --nnodes 2 %s.py", program, l->job_name)}};
    strv_push(&m.payload.argv, program);
    m.payload.workdir = xstrdup(l->workdir);
    demo_client_send(u->user[l->uid - DEMO_UID].client, MSG_STEP_CREATE, &m);
    rec_fini(&msg_step_create_rec, &m);
}

/* --- the administrator --- */

static void demo_admin_on_answer(void *ctx, uint64_t tag, const struct msg_result *r)
{
    (void)ctx;
    (void)tag;
    if (r->refusal != REFUSAL_NONE)
        log_info("demo: the administrator is refused: %s", r->text ? r->text : "");
}

static void demo_drain(struct demo_users *u, const char *node, const char *reason)
{
    struct msg_drain m = {.drain = true, .reason = xstrdup(reason)};
    strv_push(&m.nodes, node);
    demo_client_send(u->admin, MSG_DRAIN, &m);
    rec_fini(&msg_drain_rec, &m);
}

static void demo_on_drain_off(void *ctx)
{
    demo_drain(ctx, "gpu04", "fan 2 is loud, ticket 311");
}

static void demo_on_drain(void *ctx)
{
    demo_drain(ctx, "gpu03", "driver update");
}

static void demo_on_window(void *ctx)
{
    struct demo_users *u = ctx;
    struct msg_window_set m = {.window = {.name = xstrdup("kernel-update")}};
    m.window.start.ms = u->cfg.opens.ms + WINDOW_IN_MIN * MINUTE_MS;
    m.window.end.ms = m.window.start.ms + WINDOW_MINS * MINUTE_MS;
    strv_push(&m.window.nodes, "cpu05");
    strv_push(&m.window.nodes, "cpu06");
    demo_client_send(u->admin, MSG_WINDOW_SET, &m);
    rec_fini(&msg_window_set_rec, &m);
}

/* --- all of them --- */

static void demo_users_at(struct demo_users *u, struct loop_timer *t, loop_fn fn, void *ctx, int min_before)
{
    *t = (struct loop_timer){.fn = fn, .ctx = ctx};
    loop_timer_set(u->cfg.loop, t, u->cfg.opens.ms - min_before * MINUTE_MS - wall_read().ms);
}

static void demo_user_connect(struct demo_users *all, unsigned i)
{
    int pair[2];
    struct demo_user *u = &all->user[i];
    u->all = all;
    bug_on(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0);
    control_add_client(all->cfg.control, pair[0], DEMO_UID + i);
    u->client = demo_client_new(all->cfg.loop, pair[1], demo_user_on_answer, u);
}

struct demo_users *demo_users_new(const struct demo_users_config *cfg)
{
    struct demo_users *u = xcalloc(1, sizeof *u);
    u->cfg = *cfg;
    u->rows = xcalloc(demo_n_works, sizeof *u->rows);
    u->ids = xcalloc(demo_n_works, sizeof *u->ids);
    u->admin = demo_client_new(cfg->loop, cfg->admin_fd, demo_admin_on_answer, u);
    for (unsigned i = 0; i < DEMO_N_USERS; i++)
        demo_user_connect(u, i);
    for (unsigned i = 0; i < demo_n_works; i++) {
        struct demo_row *r = &u->rows[i];
        *r = (struct demo_row){.all = u, .row = i, .timer = {.fn = demo_row_on_timer, .ctx = r}};
        if (demo_works[i].at_min)
            demo_users_at(u, &r->timer, demo_row_on_timer, r, demo_works[i].at_min);
        else
            loop_timer_set(cfg->loop, &r->timer, demo_row_gap_ms(r));
    }
    demo_users_at(u, &u->drain_off, demo_on_drain_off, u, DRAIN_OFF_MIN);
    demo_users_at(u, &u->drain, demo_on_drain, u, DRAIN_MIN);
    demo_users_at(u, &u->window, demo_on_window, u, WINDOW_MIN);
    return u;
}

void demo_users_free(struct demo_users *u)
{
    if (!u)
        return;
    for (unsigned i = 0; i < demo_n_works; i++)
        loop_timer_cancel(u->cfg.loop, &u->rows[i].timer);
    struct loop_timer *timers[] = {&u->drain_off, &u->drain, &u->window};
    for (size_t i = 0; i < sizeof timers / sizeof *timers; i++)
        loop_timer_cancel(u->cfg.loop, timers[i]);
    for (unsigned i = 0; i < DEMO_N_USERS; i++) {
        demo_client_free(u->user[i].client);
        vec_fini(&u->user[i].asked);
    }
    demo_client_free(u->admin);
    free(u->rows);
    free(u->ids);
    free(u);
}
