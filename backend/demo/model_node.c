#include "backend/demo/model_node.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend/demo/model_task.h"
#include "backend/net/conn.h"
#include "src/base/xalloc.h"
#include "src/os/clock.h"
#include "src/os/unixsock.h"

#define OUT_MAX   (64u << 20)
#define BOOTED_MS (40 * INT64_C(86400000)) /* it has been up for so long */
#define READY_MIB 9000                     /* of memory that it needs itself */
#define SHELL_KIB 3900                     /* of the shell that runs the script */
/* What was measured before it is watched: curves of the screens begin with it. */
#define PAST_MS      360000u
#define PAST_STEP_MS 3000u

struct model_conn { /* of a controller */
    struct list link;
    struct model_node *node;
    struct conn *conn;
};

struct model_read { /* a question about output that waits for more */
    struct list link;
    struct model_node *node;
    uint64_t tag;
    struct msg_output_read m;
    int64_t until_ms;
    struct loop_timer timer;
};

struct model_node {
    struct model_node_config cfg;
    char *name, *path;
    struct loop_fd listener; /* fd -1: it is down */
    struct list conns, reads;
    struct model_conn *controller;
    char *cluster;
    uint64_t epoch, incarnation;
    struct model_tasks tasks;
    bool watched;
    struct loop_timer sample;
    struct wall t_boot;
};

static void model_node_say(struct model_node *n, enum msg_kind kind, uint64_t tag, const void *body)
{
    if (n->controller)
        conn_send(n->controller->conn, 0, kind, tag, body);
}

static void model_node_say_task(void *ctx, enum msg_kind kind, const void *body)
{
    model_node_say(ctx, kind, 0, body);
}

/* --- greetings --- */

static char *model_node_check_hello(struct model_node *n, const struct msg_hello *h)
{
    bool same = n->cluster && h->epoch == n->epoch;
    if (n->cluster && !str_eq(n->cluster, h->cluster))
        return xasprintf("this node belongs to cluster %s, not to %s", n->cluster, h->cluster);
    if (n->cluster && (h->epoch < n->epoch || (same && h->incarnation != n->incarnation)))
        return xasprintf("epoch %d is over: this node obeys %d", (int)h->epoch, (int)n->epoch);
    free(n->cluster);
    n->cluster = xstrdup(h->cluster);
    n->epoch = h->epoch;
    n->incarnation = h->incarnation;
    return NULL;
}

static void model_node_take_hello(struct model_conn *c, uint64_t tag, const struct msg_hello *h)
{
    struct model_node *n = c->node;
    struct msg_agent m = {.version = PROTO_VERSION,
                          .node = xstrdup(n->name),
                          .release = xstrdup(STOKER_VERSION),
                          .boot_id = xasprintf("boot-of-%s", n->name),
                          .arch = xstrdup("x86_64"),
                          .os = xstrdup("Debian GNU/Linux 13 (demo)"),
                          .cpus = n->cfg.cpus,
                          .gpus = n->cfg.gpus,
                          .mem_mib = n->cfg.mem_mib,
                          .t_boot = n->t_boot,
                          .t_agent = n->t_boot,
                          .t_policy = n->t_boot,
                          .tmp_mib = 400000};
    m.refused = model_node_check_hello(n, h);
    if (!m.refused) {
        n->controller = c;
        list_for_each (t, &n->tasks.all, struct model_task, link)
            *rec_list_push(&m.launches) = t->status;
    }
    conn_send(c->conn, 0, MSG_AGENT, tag, &m);
    rec_fini(&msg_agent_rec, &m);
    list_for_each (t, &n->tasks.all, struct model_task, link)
        if (t->end)
            model_node_say(n, MSG_TASK_END, 0, t->end);
}

/* --- what is measured --- */

static void model_node_sample_task(struct msg_util *u, const struct model_task *t)
{
    int64_t ran = model_task_ran_ms(t) - u->age_ms;
    if (ran < 0) /* it had not begun then */
        return;
    uint32_t cpus = cpuset_count(&t->status.cpus);
    uint32_t permille = t->paused ? 0 : demo_task_cpu_pct(&t->what, ran) * 10 * cpus;
    uint64_t rss_kib = SHELL_KIB + t->status.mem_mib * 1024 / 100 * t->what.mem_pct;
    *(struct task_util *)rec_list_push(&u->tasks) =
        (struct task_util){.key = t->status.key,
                           .cpu_permille = permille,
                           .rss_kib = rss_kib,
                           .procs = 1 + cpus,
                           .cpu_ms = (uint64_t)ran * cpus * t->what.cpu_pct / 100};
    u->cpu_permille += permille;
    u->mem_used_mib += rss_kib / 1024;
    for (uint32_t g = 0, nth = 0; g < u->gpus.n; g++) {
        struct gpu_util *gpu = &u->gpus.v[g];
        if (!cpuset_has(&t->status.gpus, g))
            continue;
        bool idle = t->what.leaves_gpu_idle && ++nth == cpuset_count(&t->status.gpus);
        uint32_t busy = idle || t->paused ? 0 : demo_task_gpu_pct(&t->what, g, ran);
        uint64_t mem = gpu->mem_mib * t->what.gpu_mem_pct / 100;
        gpu->busy_pct = busy > gpu->busy_pct ? busy : gpu->busy_pct;
        gpu->mem_used_mib = mem > gpu->mem_used_mib ? mem : gpu->mem_used_mib;
        gpu->idle_s = gpu->busy_pct < GPU_IDLE_PERCENT ? (uint32_t)(ran / 1000) : 0;
    }
}

static void model_node_send_sample(struct model_node *n, uint32_t age_ms)
{
    struct msg_util u = {.node = xstrdup(n->name),
                         .t = {.ms = wall_read().ms - age_ms},
                         .mem_mib = n->cfg.mem_mib,
                         .mem_used_mib = READY_MIB,
                         .age_ms = age_ms};
    for (uint32_t g = 0; g < n->cfg.gpus; g++)
        *(struct gpu_util *)rec_list_push(&u.gpus) =
            (struct gpu_util){.index = g, .mem_mib = DEMO_GPU_MIB, .mem_used_mib = 4};
    list_for_each (t, &n->tasks.all, struct model_task, link)
        if (t->status.state == LAUNCH_RUNNING)
            model_node_sample_task(&u, t);
    u.load1 = u.cpu_permille / 1000.0;
    u.cpu_permille = u.cpu_permille / n->cfg.cpus + 4;
    model_node_say(n, MSG_UTIL, 0, &u);
    rec_fini(&msg_util_rec, &u);
}

static void model_node_sample(void *ctx)
{
    struct model_node *n = ctx;
    model_node_send_sample(n, 0);
    if (n->watched)
        loop_timer_set(n->cfg.loop, &n->sample, n->cfg.sample_ms);
}

static void model_node_watch(struct model_node *n, bool on)
{
    n->watched = on;
    if (!on) {
        loop_timer_cancel(n->cfg.loop, &n->sample);
        return;
    }
    model_node_sample(n); /* at once, and with its past: the clock may stand still */
    for (uint32_t age_ms = PAST_STEP_MS; age_ms < PAST_MS; age_ms += PAST_STEP_MS)
        model_node_send_sample(n, age_ms);
}

/* --- output --- */

static void model_read_free(struct model_read *r)
{
    loop_timer_cancel(r->node->cfg.loop, &r->timer);
    list_unlink(&r->link);
    rec_fini(&msg_output_read_rec, &r->m);
    free(r);
}

/* Answers, unless there is nothing new and it may still be waited for. */
static void model_read_try(void *ctx)
{
    struct model_read *r = ctx;
    struct model_node *n = r->node;
    struct msg_output_data d;
    int64_t next_ms, left_ms = r->until_ms - mono_ms();
    model_tasks_read(&n->tasks, &r->m, &d, &next_ms);
    if (!d.data.n && !d.eof && !d.error && left_ms > 0) {
        bool soon = next_ms >= 0 && next_ms < left_ms;
        loop_timer_set(n->cfg.loop, &r->timer, soon ? next_ms : left_ms);
        return;
    }
    model_node_say(n, MSG_OUTPUT_DATA, r->tag, &d);
    free(d.data.p);
    model_read_free(r);
}

static void model_node_take_read(struct model_node *n, uint64_t tag, struct msg_output_read *m)
{
    struct model_read *r = xcalloc(1, sizeof *r);
    *r = (struct model_read){.node = n, .tag = tag, .m = *m, .until_ms = mono_ms() + m->wait_ms};
    *m = (struct msg_output_read){0};
    r->timer = (struct loop_timer){.fn = model_read_try, .ctx = r};
    list_init(&r->link);
    list_append(&n->reads, &r->link);
    model_read_try(r);
}

/* --- orders --- */

static void model_node_take_launch(struct model_node *n, const struct launch *l)
{
    struct model_task *t = model_tasks_launch(&n->tasks, l);
    if (t && n->cfg.on_begin)
        n->cfg.on_begin(n->cfg.ctx, l, t->what.step);
}

static void model_node_take_order(struct model_node *n, const struct frame *f, void *body)
{
    switch ((int)f->type) {
    case MSG_LAUNCH: model_node_take_launch(n, body); break;
    case MSG_KILL: model_tasks_kill(&n->tasks, body); break;
    case MSG_END_ACK: model_tasks_forget(&n->tasks, body); break;
    case MSG_WATCH_UTIL: model_node_watch(n, ((struct msg_watch_util *)body)->on); break;
    case MSG_OUTPUT_READ: model_node_take_read(n, f->tag, body); break;
    case MSG_INPUT:
        model_node_say(n, MSG_INPUT_ACK, f->tag, &(struct msg_input_ack){.closed = true});
        break;
    default: break;
    }
}

static int model_conn_on_frame(void *ctx, struct conn *conn, const struct frame *f)
{
    struct model_conn *c = ctx;
    struct errtext err;
    void *body;
    int r = msg_decode(f, &body, &err);
    if (r < 0)
        return r;
    if (f->type == MSG_HELLO)
        model_node_take_hello(c, f->tag, body);
    else if (f->type == MSG_PING)
        conn_send(conn, 0, MSG_PONG, f->tag, NULL);
    else if (c->node->controller == c)
        model_node_take_order(c->node, f, body);
    msg_free(f->type, body);
    return 0;
}

static void model_conn_free(struct model_conn *c)
{
    struct model_node *n = c->node;
    if (n->controller == c) {
        n->controller = NULL;
        model_node_watch(n, false);
        list_for_each (r, &n->reads, struct model_read, link)
            model_read_free(r);
    }
    list_unlink(&c->link);
    free(c);
}

static void model_conn_on_close(void *ctx, struct conn *conn, const char *why)
{
    (void)conn;
    (void)why;
    model_conn_free(ctx);
}

static const struct conn_ops model_conn_ops = {.on_frame = model_conn_on_frame,
                                               .on_close = model_conn_on_close};

static void model_node_accept(void *ctx, unsigned ready)
{
    (void)ready;
    struct model_node *n = ctx;
    int fd = accept4(n->listener.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0)
        return;
    struct model_conn *c = xcalloc(1, sizeof *c);
    c->node = n;
    list_init(&c->link);
    list_append(&n->conns, &c->link);
    c->conn = conn_new(n->cfg.loop, fd, FRAME_MAX, OUT_MAX, 0, &model_conn_ops, c);
}

/* --- its life --- */

struct model_node *model_node_new(const struct model_node_config *cfg)
{
    struct model_node *n = xcalloc(1, sizeof *n);
    n->cfg = *cfg;
    n->name = xstrdup(cfg->name);
    n->path = xstrdup(cfg->path);
    n->t_boot = (struct wall){.ms = wall_read().ms - BOOTED_MS};
    list_init(&n->conns);
    list_init(&n->reads);
    model_tasks_init(&n->tasks, cfg->loop, cfg->seed, model_node_say_task, n);
    n->sample = (struct loop_timer){.fn = model_node_sample, .ctx = n};
    n->listener =
        (struct loop_fd){.fd = unixsock_listen(n->path, 0600, 4), .fn = model_node_accept, .ctx = n};
    if (n->listener.fd >= 0)
        loop_watch(cfg->loop, &n->listener, LOOP_READ);
    return n;
}

void model_node_go_down(struct model_node *n)
{
    list_for_each (c, &n->conns, struct model_conn, link) {
        conn_close(c->conn);
        model_conn_free(c);
    }
    if (n->listener.fd < 0)
        return;
    loop_unwatch(n->cfg.loop, &n->listener);
    close(n->listener.fd);
    unlink(n->path);
    n->listener.fd = -1;
}

void model_node_free(struct model_node *n)
{
    if (!n)
        return;
    model_node_go_down(n);
    model_tasks_fini(&n->tasks);
    free(n->cluster);
    free(n->name);
    free(n->path);
    free(n);
}
