/* node_reports.c - what agents say becomes events; what they hold is compared with the state.
 *
 *      state \ report      running         ended           absent
 *      launching           adopt           (its end comes) launch again, same name
 *      running             -               (its end comes) new boot: node_reboot
 *                                                          same boot: after a second report, unknown
 *      being killed        kill again      (its end comes) as above; launching: it never was
 *      ended, other try    kill            acknowledge     -
 *      unknown job or try  leave alone, drain the node: this may be another history of the cluster
 *                          (unknown_tasks.c)
 *
 * An agent is heard about the tasks of its own node alone.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/control/private.h"
#include "src/base/log.h"

#define SECOND_REPORT_MS 2000
#define NOTES_MAX        64
#define NOTE_BYTES       256
#define PATH_BYTES       4096
#define MESSAGE_BYTES    1024
#define CLOCK_SLACK_MS   60000
#define IDS_SKIPPED_MAX  10000000u /* at a time: a node that lies must not use up all ids */

static struct task *find_task(struct control *c, const struct launch_key *k, struct job **ret_job,
                              struct step **ret_step)
{
    *ret_job = model_get_job(&c->model, k->job);
    if (*ret_job && k->nonce && (*ret_job)->nonce && k->nonce != (*ret_job)->nonce)
        *ret_job = NULL; /* another job had that id */
    *ret_step = *ret_job ? job_find_step(*ret_job, k->step) : NULL;
    struct task *t = *ret_step ? step_find_task(*ret_step, k->task) : NULL;
    return t && t->attempt == k->attempt ? t : NULL;
}

/* An agent that speaks of another node's task is not heard: no event, no answer. */
static bool is_foreign(struct node_link *link, const struct launch_key *k, const struct task *t)
{
    const char *node = nodeconn_node(link->conn);
    if (!t || str_eq(t->alloc.node, node))
        return false;
    if (!link->warned)
        log_warn("node=%s speaks of job=%u step=%d task=%u, which is not its own: not heard", node, k->job,
                 k->step, k->task);
    link->warned = true;
    return true;
}

/* --- what a node says of itself is not believed beyond reason --- */

static void clip(char *s, size_t max)
{
    if (s && strlen(s) > max)
        s[max] = '\0';
}

static void clip_notes(struct strv *notes)
{
    while (notes->n > NOTES_MAX)
        free(notes->v[--notes->n]);
    for (size_t i = 0; i < notes->n; i++)
        clip(notes->v[i], NOTE_BYTES);
}

/* Appends what was said where *v is beyond max, which it becomes. */
static void bound(uint64_t *v, uint64_t max, const char *what, struct str *odd)
{
    if (*v <= max)
        return;
    str_appendf(odd, "%s%llu %s", odd->len ? ", " : "it reports ", (unsigned long long)*v, what);
    *v = max;
}

/* Sums and sets are made with its figures, and its texts are kept and shown: what no node has is cut, and
 * why is appended to odd. */
static void set_figures_right(struct msg_agent *m, struct str *odd)
{
    uint64_t cpus = m->cpus, gpus = m->gpus;
    bound(&cpus, CPUSET_MAX, "CPUs", odd);
    bound(&gpus, CPUSET_MAX, "GPUs", odd);
    bound(&m->mem_mib, NODE_MEM_MAX_MIB, "MiB of memory", odd);
    bound(&m->tmp_mib, NODE_TMP_MAX_MIB, "MiB in /tmp", odd);
    m->cpus = (uint32_t)cpus;
    m->gpus = (uint32_t)gpus;
    char *texts[] = {m->boot_id, m->arch, m->os, m->release, m->gpu_type};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        clip(texts[i], NOTE_BYTES);
    clip(m->client_socket, PATH_BYTES);
    clip(m->bin_dir, PATH_BYTES);
    clip_notes(&m->notes);
    clip_notes(&m->gpu_notes);
}

/* An administrator looks: its other figures are not to be believed either. */
static void drain_odd(struct control *c, const char *node, const struct str *odd)
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

static void take_facts(struct control *c, struct node_link *link, const struct msg_agent *m)
{
    struct ev_node body = {.node = xstrdup(nodeconn_node(link->conn)),
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
    ctl_emit(c, EV_NODE, 0, &body);
}

/* An agent that looks at its cards tells of changes by itself. */
static bool has_gpu_news(const struct node *n, const struct msg_agent *m)
{
    bool same = n->gpu_notes.n == m->gpu_notes.n;
    for (size_t i = 0; i < n->gpu_notes.n && same; i++)
        same = str_eq(n->gpu_notes.v[i], m->gpu_notes.v[i]);
    return !same || !cpuset_eq(&n->gpus_out, &m->gpus_out) || !cpuset_eq(&n->gpus_lost, &m->gpus_lost) ||
           (n->spec.gpus == UINT32_MAX && n->gpus != m->gpus) ||
           (!n->spec.gpu_type && !str_eq(n->gpu_type, m->gpu_type));
}

/* A node's clock may be anything. It is believed where it tells a time between the job's start and now,
 * give or take a moment. */
static bool is_likely(struct control *c, uint32_t job, struct wall t)
{
    const struct job *j = model_get_job(&c->model, job);
    return j && t.ms >= j->t_start.ms - CLOCK_SLACK_MS && t.ms <= loop_wall(c->loop).ms + CLOCK_SLACK_MS;
}

/* Both times may have been, and a clock was set between them: the node's, or the one that the start was
 * noted by. */
static void set_length_right(const struct task *t, struct launch_end *m)
{
    struct wall start = wall_is_set(t->t_start) ? t->t_start : m->t_start;
    int64_t run = (int64_t)m->run_ms, off = m->t_end.ms - start.ms - run;
    if (run <= 0 || (off <= CLOCK_SLACK_MS && off >= -CLOCK_SLACK_MS))
        return;
    m->t_start = start;
    m->t_end = (struct wall){.ms = start.ms + run};
}

/* Where its clock is not to be believed the length of the run is: that is measured by another one. */
static void set_times_right(struct control *c, const struct task *t, struct launch_end *m)
{
    if (!wall_is_set(m->t_end))
        return;
    if (is_likely(c, m->key.job, m->t_end) && is_likely(c, m->key.job, m->t_start)) {
        set_length_right(t, m);
        return;
    }
    struct wall now = loop_wall(c->loop);
    int64_t run = m->run_ms < (uint64_t)now.ms ? (int64_t)m->run_ms : 0;
    m->t_start = is_likely(c, m->key.job, t->t_start) ? t->t_start : (struct wall){.ms = now.ms - run};
    m->t_end = (struct wall){.ms = m->t_start.ms + run};
    if (m->t_end.ms > now.ms)
        m->t_end = now;
}

static void emit_running(struct control *c, const struct launch_status *st)
{
    struct ev_running body = {.step = st->key.step,
                              .task = st->key.task,
                              .attempt = st->key.attempt,
                              .pid = st->pid,
                              .t = is_likely(c, st->key.job, st->t_start) ? st->t_start
                                                                          : loop_wall(c->loop)};
    ctl_emit(c, EV_RUNNING, st->key.job, &body);
}

/* No job of this history has had that id: the state has lost what gave it, or was put back from before. It
 * is not given again, to a job that would be taken for that one. */
static void skip_ids(struct control *c, struct node_link *link, uint32_t job)
{
    uint32_t next = c->model.next_job;
    if (job < next || job - next > IDS_SKIPPED_MAX || job >= UINT32_MAX / 2)
        return;
    struct ev_epoch body = {.uuid = xstrdup(c->model.uuid),
                            .epoch = c->model.epoch,
                            .incarnation = c->model.incarnation,
                            .next_job = job + 1};
    if (ctl_emit(c, EV_EPOCH, 0, &body) == 0)
        log_warn("node=%s knows a job %u, which is not known here: ids go on at %u, not at %u",
                 nodeconn_node(link->conn), job, job + 1, next);
}

/* One launch that the agent holds. */
static void adopt(struct control *c, struct node_link *link, const struct launch_status *st,
                  struct ev_unknown *unknown)
{
    struct job *j;
    struct step *s;
    const struct task *t = find_task(c, &st->key, &j, &s);
    if (is_foreign(link, &st->key, t))
        return;
    if (!j)
        skip_ids(c, link, st->key.job);
    if (!j || st->key.attempt > j->launches) { /* this history has never given out that try */
        ctl_add_unknown(c, unknown, st);
        return;
    }
    if (!t || t->state == TASK_DONE) {
        struct launch_kill k = {
            .key = st->key, .cause = KILL_JOB_ENDED, .grace_s = c->model.spec.kill_wait_s};
        if (st->state != LAUNCH_ENDED)
            nodeconn_send(link->conn, ctl_gate(c), MSG_KILL, 0, &k);
        return;
    }
    struct flight *f = ctl_flight(c, j, s, t);
    f->sent = true;
    f->absent_once = false;
    if (st->state == LAUNCH_RUNNING && t->state == TASK_LAUNCHING)
        emit_running(c, st);
    ctl_note_stuck(c, nodeconn_node(link->conn), st, f);
    ctl_touch(c, j->id);
}

static bool is_reported(const struct msg_agent *m, const struct launch_key *k)
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

/* Tasks of this node that ran and are not in its report: over, one way or the other. */
static bool find_absent(struct control *c, struct node_link *link, const struct msg_agent *m, bool new_boot)
{
    VEC(struct absence) over = VEC_INIT;
    bool ask_again = false;
    list_for_each (j, &c->model.active, struct job, in_queue) {
        ctl_touch(c, j->id);
        for (size_t i = 0; i < j->steps.n; i++)
            for (size_t k = 0; k < j->steps.v[i].tasks.n; k++) {
                const struct task *t = &j->steps.v[i].tasks.v[k];
                struct launch_key key = ctl_key(j, &j->steps.v[i], t);
                bool here = str_eq(t->alloc.node, nodeconn_node(link->conn));
                bool ran =
                    t->state == TASK_RUNNING || (t->state == TASK_LAUNCHING && new_boot && t->attempt);
                if (!here || !ran || is_reported(m, &key))
                    continue;
                struct flight *f = ctl_flight(c, j, &j->steps.v[i], t);
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
                              .t_end = loop_wall(c->loop),
                              .message =
                                  xstrdup(over.v[i].kind == END_NODE_REBOOT ? "its node rebooted"
                                                                            : "its node does not know it")};
        log_warn("job=%u step=%d task=%u %s", over.v[i].key.job, over.v[i].key.step, over.v[i].key.task,
                 body.message);
        ctl_emit(c, EV_END, over.v[i].key.job, &body);
        ctl_drop_flight(c, over.v[i].key.job, over.v[i].key.attempt);
    }
    vec_fini(&over);
    return ask_again;
}

void ctl_take_report(void *arg, struct nodeconn *conn, struct msg_agent *m)
{
    struct node_link *link = arg;
    struct control *c = link->ctl;
    const struct node *n = model_get_node(&c->model, nodeconn_node(conn));
    if (!n || c->read_only)
        return;
    struct str odd = STR_INIT;
    set_figures_right(m, &odd);
    bool new_boot = n->boot_id && m->boot_id && !str_eq(n->boot_id, m->boot_id);
    bool first = !link->reconciled;
    ctl_lost_found(link);
    if (first)
        ctl_forget_sent(c, nodeconn_node(conn));
    bool other_policy = link->t_policy.ms != m->t_policy.ms;
    if (other_policy || (first && n->t_agent.ms != m->t_agent.ms))
        ctl_avoid_over(c, nodeconn_node(conn));
    link->t_policy = m->t_policy;
    if (first || link->facts_due || n->state != NODE_UP || has_gpu_news(n, m)) {
        take_facts(c, link, m);
        drain_odd(c, nodeconn_node(conn), &odd);
    }
    str_fini(&odd);
    link->facts_due = false;
    link->reconciled = true;
    free(link->client_socket);
    free(link->bin_dir);
    link->client_socket = xstrdup(m->client_socket);
    link->bin_dir = xstrdup(m->bin_dir);
    struct ev_unknown unknown = {.node = xstrdup(nodeconn_node(conn))};
    for (size_t i = 0; i < m->launches.n; i++)
        adopt(c, link, &m->launches.v[i], &unknown);
    ctl_take_unknown(c, &unknown);
    if (new_boot)
        ctl_end_wide_jobs(c, nodeconn_node(conn));
    if (find_absent(c, link, m, new_boot))
        loop_timer_set(c->loop, &link->again, SECOND_REPORT_MS);
    ctl_stuck_over(c, nodeconn_node(conn));
    ctl_note_spool(c, nodeconn_node(conn), m->spool_full);
    if (first && nodeconn_may_log(conn))
        log_info("node=%s up cpus=%u gpus=%u mem_mib=%llu launches=%zu", nodeconn_node(conn), m->cpus,
                 m->gpus, (unsigned long long)m->mem_mib, m->launches.n);
    if (first)
        ctl_update_util_watch(c);
}

/* As the kernel gives them, one for each process; sums are made with them. */
static void set_codes_right(const struct task *t, struct launch_end *m)
{
    if (m->ranks.n > t->n_ranks)
        m->ranks.n = t->n_ranks;
    clip(m->sampled, NOTE_BYTES);
    clip(m->message, MESSAGE_BYTES);
    for (size_t i = 0; i < m->ranks.n; i++) {
        struct rank_end *e = &m->ranks.v[i];
        e->code = e->code < 0 || e->code > 255 ? 255 : e->code;
        e->signal = e->signal < 0 || e->signal > 64 ? 0 : e->signal;
        e->count = 0;
    }
}

/* A script that fails after its job's end was asked for did not choose to: a step that was ended under it,
 * or what it waited for, told it before its own supervisor was. It may not keep the job from coming back.
 */
static void set_kind_right(const struct job *j, struct launch_end *m)
{
    bool failed = m->end_kind == END_EXITED && m->ranks.n && m->ranks.v[0].code;
    if (m->key.step != STEP_BATCH || !failed || j->kill_cause == KILL_NONE ||
        m->t_end.ms < job_rare(j)->t_kill.ms)
        return;
    m->end_kind = j->kill_cause == KILL_TIMEOUT ? END_TIMEOUT : END_KILLED;
}

static void on_end(struct control *c, struct node_link *link, struct launch_end *m)
{
    struct job *j;
    struct step *s;
    const struct task *t = find_task(c, &m->key, &j, &s);
    struct launch_key key = m->key;
    if (is_foreign(link, &key, t))
        return;
    if (t && t->state == TASK_LAUNCHING && !t->killing && ctl_spare_job(c, nodeconn_node(link->conn), m)) {
        ctl_drop_flight(c, key.job, key.attempt);
    } else if (t && t->state != TASK_DONE) {
        set_times_right(c, t, m);
        set_codes_right(t, m);
        set_kind_right(j, m);
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
                              .waited_out = m->waited_out};
        body.ranks.v = m->ranks.v;
        body.ranks.n = m->ranks.n;
        m->ranks.v = NULL;
        m->ranks.n = 0;
        m->sampled = m->message = NULL;
        if (ctl_emit(c, EV_END, key.job, &body) < 0)
            return; /* read-only: it will be said again */
        ctl_drop_flight(c, key.job, key.attempt);
        ctl_stuck_over(c, nodeconn_node(link->conn));
        c->stats.ends++;
    }
    if (!t && !ctl_unknown_ended(c, nodeconn_node(link->conn), &key))
        return;
    nodeconn_send(link->conn, ctl_gate(c), MSG_END_ACK, 0, &key);
}

int ctl_take_node_msg(void *arg, struct nodeconn *conn, enum msg_kind kind, uint64_t tag, void *body)
{
    struct node_link *link = arg;
    struct control *c = link->ctl;
    if (kind == MSG_TASK_RUNNING) {
        struct job *j;
        struct step *s;
        const struct launch_status *st = body;
        const struct task *t = find_task(c, &st->key, &j, &s);
        if (t && !is_foreign(link, &st->key, t) && t->state != TASK_DONE) {
            if (t->state == TASK_LAUNCHING)
                emit_running(c, st);
            ctl_note_stuck(c, nodeconn_node(conn), st, ctl_flight(c, j, s, t));
        } else if (!t) {
            ctl_unknown_runs(c, nodeconn_node(conn), st);
        }
    } else if (kind == MSG_TASK_END) {
        on_end(c, link, body);
    } else if (kind == MSG_UTIL) {
        struct msg_util *u = body;
        free(u->node);
        u->node =
            xstrdup(nodeconn_node(conn)); /* not what the message says: it may speak of itself alone */
        ctl_push_util(c, u);
    } else if (kind == MSG_OUTPUT_DATA || kind == MSG_INPUT_ACK) {
        ctl_relay_answer(c, link, tag, kind, body);
    } else if (kind == MSG_PMI_FENCE) {
        struct job *j;
        struct step *s;
        struct msg_pmi *m = body;
        const struct task *t = find_task(c, &m->key, &j, &s);
        if (t && !is_foreign(link, &m->key, t))
            ctl_pmi_fence(c, m);
    } else if (kind == MSG_CALL || kind == MSG_CALL_DATA || kind == MSG_CALL_TAKEN ||
               kind == MSG_CALL_END) {
        return ctl_take_call(c, link, kind, body);
    } else if (kind == MSG_PING) {
        nodeconn_send(conn, 0, MSG_PONG, tag, NULL);
    } else {
        return -EPROTO;
    }
    return 0;
}
