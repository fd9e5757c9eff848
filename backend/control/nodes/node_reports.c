#include "backend/control/nodes/node_reports.h"

#include <errno.h>
#include <stdlib.h>

#include "backend/control/clients/output_relay.h"
#include "backend/control/emit.h"
#include "backend/control/nodes/attempt_state.h"
#include "backend/control/nodes/held_jobs_answer.h"
#include "backend/control/nodes/lost_nodes.h"
#include "backend/control/nodes/node_avoid.h"
#include "backend/control/nodes/node_clients.h"
#include "backend/control/nodes/pmi_fences.h"
#include "backend/control/nodes/report_limits.h"
#include "backend/control/nodes/stuck_nodes.h"
#include "backend/control/nodes/unknown_tasks.h"
#include "backend/control/nodes/util_watch.h"
#include "src/model/fold/nodeevents.h"
#include "src/os/log.h"
#include "src/text/nodetext.h"

#define REPORT_MS        1000 /* between two reports that count */
#define SECOND_REPORT_MS 2000

/* The task of a launch that this node has reported. NULL, and no job: this state has not launched it there.
 * After a loss of events that is also a launch whose name has been given again, to another node. */
static struct task *node_reports_find_task(struct node_peer *peer, const struct launch_key *k,
                                           struct job **ret_job, struct step **ret_step)
{
    const char *node = nodeconn_node(peer->conn);
    struct job *j = model_get_job(&peer->ctl->model, k->job);
    if (j && k->nonce && j->nonce && k->nonce != j->nonce)
        j = NULL; /* another job had that id */
    struct step *s = j ? job_find_step(j, k->step) : NULL;
    struct task *t = s ? step_find_attempt(s, k->task, k->attempt) : NULL;
    if (t && !str_eq(t->alloc.node, node)) {
        if (!peer->warned)
            log_warn("node=%s reports job=%u step=%d task=%u, which is on node %s", node, k->job, k->step,
                     k->task, t->alloc.node ? t->alloc.node : "-");
        peer->warned = true;
        j = NULL;
        s = NULL;
        t = NULL;
    }
    *ret_job = j;
    *ret_step = s;
    return t;
}

/* An administrator must look: the node's other figures may be wrong too. */
static void node_reports_drain_odd(struct control *c, const char *node, const struct str *odd)
{
    const struct node *n = model_get_node(&c->model, node);
    if (!odd->len || !n || n->drain || n->gone)
        return;
    log_warn("node=%s %s: drained", node, odd->s);
    struct ev_drain body = {.node = xstrdup(node),
                            .drain = true,
                            .reason = xasprintf("%s: no node has that", odd->s),
                            .user = xstrdup("stokerd")};
    ctl_emit(c, EV_DRAIN, 0, &body);
}

/* "GPU 3: lost (0000:3b:00.0)", "GPU 2 works again": what is new of the GPUs that do not work. */
static char *node_reports_gpu_news(const struct node *n, const struct msg_agent *m)
{
    struct str s = STR_INIT;
    for (unsigned i = 0; i < CPUSET_MAX; i++) {
        bool lost = cpuset_has(&m->gpus_lost, i);
        if (lost == cpuset_has(&node_rare(n)->gpus_lost, i))
            continue;
        const char *why = lost ? gpu_note_of(&m->gpu_notes, i) : NULL;
        str_append(&s, s.len ? ", " : "");
        str_appendf(&s, lost ? "GPU %u: %s" : "GPU %u works again", i, why ? why : "lost");
    }
    return s.len ? str_take(&s) : NULL;
}

static void node_reports_take_facts(struct control *c, struct node_peer *peer, const struct msg_agent *m)
{
    struct ev_node body = {.node = xstrdup(nodeconn_node(peer->conn)),
                           .state = NODE_UP,
                           .boot_id = xstrdup(m->boot_id ? m->boot_id : "?"),
                           .arch = xstrdup(m->arch),
                           .os = xstrdup(m->os),
                           .version = xstrdup(m->release),
                           .cpus = m->cpus,
                           .gpus = m->gpus,
                           .mem_mib = m->mem_mib,
                           .gpu_type = xstrdup(m->gpu_type),
                           .notes = strv_copy(&m->notes),
                           .t_boot = m->t_boot,
                           .t_agent = m->t_agent,
                           .gpus_out = m->gpus_out,
                           .gpus_lost = m->gpus_lost,
                           .gpu_notes = strv_copy(&m->gpu_notes),
                           .tmp_mib = m->tmp_mib};
    const struct node *n = model_get_node(&c->model, body.node);
    if (n->spec.private_tmp_mib && !m->private_tmp)
        strv_push(&body.notes,
                  "private_tmp: the agent cannot give jobs a /tmp of their own: it is not root, or of an "
                  "earlier release");
    bool rebooted = n->boot_id && !str_eq(n->boot_id, body.boot_id);
    body.news_text = node_reports_gpu_news(n, m);
    body.news = rebooted                ? NEWS_REBOOTED
                : nodeevents_is_away(n) ? NEWS_BACK
                : body.news_text        ? NEWS_GPUS
                                        : NEWS_NONE;
    ctl_emit(c, EV_NODE, 0, &body);
}

/* An agent that watches its GPUs reports changes by itself. */
static bool node_reports_has_gpu_news(const struct node *n, const struct msg_agent *m)
{
    bool same = n->gpu_notes.n == m->gpu_notes.n;
    for (size_t i = 0; i < n->gpu_notes.n && same; i++)
        same = str_eq(n->gpu_notes.v[i], m->gpu_notes.v[i]);
    return !same || !cpuset_eq(&node_rare(n)->gpus_out, &m->gpus_out) ||
           !cpuset_eq(&node_rare(n)->gpus_lost, &m->gpus_lost) ||
           (n->spec.gpus == UINT32_MAX && n->gpus != m->gpus) ||
           (!n->spec.gpu_type && !str_eq(n->gpu_type, m->gpu_type));
}

static void node_reports_emit_running(struct control *c, const struct launch_status *st)
{
    struct ev_running body = {.step = st->key.step,
                              .task = st->key.task,
                              .attempt = st->key.attempt,
                              .pid = st->pid,
                              .t = report_limit_start(c, &st->key, st->t_start)};
    ctl_emit(c, EV_RUNNING, st->key.job, &body);
}

/* No job of this state has had that id: the state has lost it, or is an older copy. The id is not given to
 * another job, which the node would take for that one. */
static void node_reports_skip_ids(struct control *c, struct node_peer *peer, uint32_t job)
{
    uint32_t next = c->model.next_job;
    if (job < next || job >= UINT32_MAX / 2 || !node_budget_ids(&peer->budget, job - next + 1))
        return;
    struct ev_epoch body = {.uuid = xstrdup(c->model.uuid),
                            .epoch = c->model.epoch,
                            .incarnation = c->model.incarnation,
                            .next_job = job + 1};
    if (ctl_emit(c, EV_EPOCH, 0, &body) == 0)
        log_warn("node=%s has a job %u that this state does not know: next id %u, not %u",
                 nodeconn_node(peer->conn), job, job + 1, next);
}

/* The highest id that it may have from this cluster. */
static uint32_t node_reports_last_job(const struct control *c, const struct msg_agent *m)
{
    uint32_t last = 0;
    for (size_t i = 0; i < m->launches.n; i++) {
        uint32_t job = m->launches.v[i].key.job;
        if (job > last && (job < c->model.next_job || job - c->model.next_job < NODE_BUDGET_IDS))
            last = job;
    }
    return last;
}

/* Reports of a node that has just reported are left: it is asked again once the budget allows it. */
static bool node_reports_may_change(struct node_peer *peer)
{
    int64_t every_ms =
        peer->ctl->settings.hooks.report_ms ? peer->ctl->settings.hooks.report_ms : REPORT_MS;
    if (node_budget_report(&peer->budget, loop_now(peer->ctl->loop), every_ms))
        return true;
    if (!peer->asks_again) /* set once more it would never fire while the node goes on */
        loop_timer_set(peer->ctl->loop, &peer->again, every_ms);
    peer->asks_again = true;
    return false;
}

/* One launch that the agent holds. */
static void node_reports_adopt(struct control *c, struct node_peer *peer, const struct launch_status *st,
                               struct ev_unknown *unknown)
{
    struct job *j;
    struct step *s;
    const struct task *t = node_reports_find_task(peer, &st->key, &j, &s);
    if (!j || st->key.attempt > j->launches) { /* this state has never launched that attempt */
        unknown_tasks_add(c, unknown, st);
        return;
    }
    if (!t || t->state == TASK_DONE) {
        struct launch_kill k = {
            .key = st->key, .cause = KILL_JOB_ENDED, .grace_s = c->model.spec.kill_wait_s};
        if (st->state != LAUNCH_ENDED)
            nodeconn_send(peer->conn, ctl_ticket(c), MSG_KILL, 0, &k);
        return;
    }
    struct attempt_state *f = attempt_state_get(c, j, s, t);
    f->sent = true;
    f->absent_once = false;
    if (st->state == LAUNCH_RUNNING && t->state == TASK_LAUNCHING)
        node_reports_emit_running(c, st);
    stuck_nodes_note(c, nodeconn_node(peer->conn), st, f);
    ctl_touch(c, j->id);
}

static bool node_reports_is_reported(const struct msg_agent *m, const struct launch_key *k)
{
    for (size_t i = 0; i < m->launches.n; i++)
        if (launch_key_eq(&m->launches.v[i].key, k))
            return true;
    return false;
}

struct absence {
    struct launch_key key;
    enum end_kind kind;
};

/* Tasks of this node that ran and are not in its report are over. */
static bool node_reports_find_absent(struct control *c, struct node_peer *peer, const struct msg_agent *m,
                                     bool new_boot)
{
    VEC(struct absence) over = VEC_INIT;
    bool ask_again = false;
    list_for_each (j, &c->model.active, struct job, in_queue) {
        ctl_touch(c, j->id);
        for (size_t i = 0; i < j->steps.n; i++)
            for (size_t k = 0; k < j->steps.v[i].tasks.n; k++) {
                const struct task *t = &j->steps.v[i].tasks.v[k];
                struct launch_key key = launch_key_of(j, &j->steps.v[i], t);
                bool here = str_eq(t->alloc.node, nodeconn_node(peer->conn));
                bool ran =
                    t->state == TASK_RUNNING || (t->state == TASK_LAUNCHING && new_boot && t->attempt);
                if (!here || !ran || node_reports_is_reported(m, &key))
                    continue;
                struct attempt_state *f = attempt_state_get(c, j, &j->steps.v[i], t);
                if (new_boot && t->state == TASK_RUNNING)
                    vec_push(&over, (struct absence){key, END_NODE_REBOOT});
                else if (t->state == TASK_RUNNING && f->absent_once)
                    vec_push(&over, (struct absence){key, END_UNKNOWN});
                else if (t->state == TASK_RUNNING)
                    ask_again = f->absent_once = true;
            }
    }
    vec_for_each (&over, i) {
        struct ev_end body = {.step = over.v[i].key.step,
                              .task = over.v[i].key.task,
                              .attempt = over.v[i].key.attempt,
                              .end_kind = over.v[i].kind,
                              .t_end = loop_wall(c->loop)};
        bool rebooted = over.v[i].kind == END_NODE_REBOOT;
        causes_set(&body.why, rebooted ? CAUSE_TASK_NODE_REBOOTED : CAUSE_TASK_NODE_FORGOT);
        log_warn("job=%u step=%d task=%u %s", over.v[i].key.job, over.v[i].key.step, over.v[i].key.task,
                 rebooted ? "its node rebooted" : "its node does not know it");
        ctl_emit(c, EV_END, over.v[i].key.job, &body);
        attempt_state_drop(c, over.v[i].key.job, over.v[i].key.attempt);
    }
    vec_fini(&over);
    return ask_again;
}

static void node_reports_take(struct node_peer *peer, struct msg_agent *m)
{
    struct control *c = peer->ctl;
    struct nodeconn *conn = peer->conn;
    const struct node *n = model_get_node(&c->model, nodeconn_node(conn));
    if (!n || c->read_only)
        return;
    bool first = !peer->reconciled;
    if (!node_reports_may_change(peer) && !first && n->state == NODE_UP)
        return;
    struct str odd = STR_INIT;
    report_limit_figures(m, &odd);
    bool new_boot = n->boot_id && m->boot_id && !str_eq(n->boot_id, m->boot_id);
    lost_nodes_found(peer);
    if (first)
        attempt_state_forget_sent(c, nodeconn_node(conn));
    bool other_policy = peer->t_policy.ms != m->t_policy.ms;
    if (other_policy || (first && n->t_agent.ms != m->t_agent.ms))
        node_avoid_clear(c, nodeconn_node(conn));
    peer->t_policy = m->t_policy;
    if (first || peer->facts_due || n->state != NODE_UP || node_reports_has_gpu_news(n, m)) {
        node_reports_take_facts(c, peer, m);
        node_reports_drain_odd(c, nodeconn_node(conn), &odd);
    }
    str_fini(&odd);
    peer->facts_due = false;
    peer->reconciled = true;
    free(peer->client_socket);
    free(peer->bin_dir);
    peer->client_socket = xstrdup(m->client_socket);
    peer->bin_dir = xstrdup(m->bin_dir);
    node_reports_skip_ids(c, peer, node_reports_last_job(c, m));
    struct ev_unknown unknown = {.node = xstrdup(nodeconn_node(conn))};
    for (size_t i = 0; i < m->launches.n; i++)
        node_reports_adopt(c, peer, &m->launches.v[i], &unknown);
    unknown_tasks_take(c, &unknown);
    if (new_boot)
        lost_nodes_end_wide_jobs(c, nodeconn_node(conn));
    if (node_reports_find_absent(c, peer, m, new_boot))
        loop_timer_set(c->loop, &peer->again, SECOND_REPORT_MS);
    stuck_nodes_check_over(c, nodeconn_node(conn));
    stuck_nodes_note_disk(c, nodeconn_node(conn), m->spool_full);
    if (first && nodeconn_may_log(conn))
        log_info("node=%s up cpus=%u gpus=%u mem_mib=%llu launches=%zu", nodeconn_node(conn), m->cpus,
                 m->gpus, (unsigned long long)m->mem_mib, m->launches.n);
    if (first)
        util_watch_tell_nodes(c);
}

/* False: the node must say it again. */
static bool node_reports_unknown_ended(struct control *c, struct node_peer *peer,
                                       const struct launch_key *k)
{
    const struct node *n = model_get_node(&c->model, nodeconn_node(peer->conn));
    if (n && node_rare(n)->n_unknown && !c->read_only && !node_reports_may_change(peer))
        return true; /* its next report has it no more */
    return unknown_tasks_note_ended(c, nodeconn_node(peer->conn), k);
}

static void node_reports_on_end(struct control *c, struct node_peer *peer, struct launch_end *m)
{
    struct job *j;
    struct step *s;
    const struct task *t = node_reports_find_task(peer, &m->key, &j, &s);
    struct launch_key key = m->key;
    if (t && t->state == TASK_LAUNCHING && !t->killing &&
        node_avoid_spare_job(c, nodeconn_node(peer->conn), m)) {
        attempt_state_drop(c, key.job, key.attempt);
    } else if (t && t->state != TASK_DONE) {
        report_limit_end(c, j, t, m);
        struct ev_end body = {.step = key.step,
                              .task = key.task,
                              .attempt = key.attempt,
                              .end_kind = m->end_kind,
                              .t_start = m->t_start,
                              .t_end = m->t_end,
                              .peak_rss_kib = m->peak_rss_kib,
                              .cpu_ms = m->cpu_ms,
                              .sampled = m->sampled,
                              .message = m->message,
                              .waited_out = m->waited_out,
                              .gpu_use = m->gpu_use};
        body.ranks.v = m->ranks.v;
        body.ranks.n = m->ranks.n;
        m->ranks.v = NULL;
        m->ranks.n = 0;
        m->sampled = m->message = NULL;
        if (ctl_emit(c, EV_END, key.job, &body) < 0)
            return; /* read-only: the node sends it again */
        attempt_state_drop(c, key.job, key.attempt);
        stuck_nodes_check_over(c, nodeconn_node(peer->conn));
        c->stats.ends++;
    }
    if (!t && !node_reports_unknown_ended(c, peer, &key))
        return;
    nodeconn_send(peer->conn, ctl_ticket(c), MSG_END_ACK, 0, &key);
}

static int node_reports_message(struct node_peer *peer, enum msg_kind kind, uint64_t tag, void *body)
{
    struct control *c = peer->ctl;
    struct nodeconn *conn = peer->conn;
    if (kind == MSG_TASK_RUNNING) {
        struct job *j;
        struct step *s;
        const struct launch_status *st = body;
        const struct task *t = node_reports_find_task(peer, &st->key, &j, &s);
        if (t && t->state != TASK_DONE) {
            if (t->state == TASK_LAUNCHING)
                node_reports_emit_running(c, st);
            stuck_nodes_note(c, nodeconn_node(conn), st, attempt_state_get(c, j, s, t));
        } else if (!t && node_reports_may_change(peer)) {
            unknown_tasks_note_running(c, nodeconn_node(conn), st);
        }
    } else if (kind == MSG_TASK_END) {
        node_reports_on_end(c, peer, body);
    } else if (kind == MSG_UTIL) {
        struct msg_util *u = body;
        free(u->node);
        u->node = xstrdup(nodeconn_node(conn)); /* not what the message says: a node reports itself alone */
        util_watch_push(c, u);
    } else if (kind == MSG_OUTPUT_DATA || kind == MSG_INPUT_ACK) {
        output_relay_answer(c, peer, tag, kind, body);
    } else if (kind == MSG_PMI_FENCE) {
        struct job *j;
        struct step *s;
        struct msg_pmi *m = body;
        const struct task *t = node_reports_find_task(peer, &m->key, &j, &s);
        if (t)
            pmi_fences_take(c, m);
    } else if (kind == MSG_TUNNEL_OPEN || kind == MSG_TUNNEL_DATA || kind == MSG_TUNNEL_TAKEN ||
               kind == MSG_TUNNEL_END) {
        return node_clients_take(c, peer, kind, body);
    } else if (kind == MSG_HELD_JOBS) {
        held_jobs_answer(c, conn, body);
    } else if (kind == MSG_PING) {
        nodeconn_send(conn, 0, MSG_PONG, tag, NULL);
    } else {
        return -EPROTO;
    }
    return 0;
}

const struct node_handlers node_report_handlers = {.report = node_reports_take,
                                                   .message = node_reports_message};
