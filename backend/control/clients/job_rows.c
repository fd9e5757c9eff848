#include "backend/control/clients/job_rows.h"

#include <stdlib.h>

#include "backend/control/clients/privacy.h"
#include "backend/control/clients/query_queue.h"
#include "backend/control/prio_cache.h"
#include "backend/sched/explain/explain.h"
#include "src/model/cluster_totals.h"
#include "src/model/members.h"
#include "src/model/task_parts.h"
#include "src/proto/codec.h"

/* Of a frame: small, so that the client decodes one piece while the next is made, and that no frame but one
 * of a single row is longer than a client accepts. */
#define ROWS_MAX 128

#define BYTES_MAX       (256u << 10)
#define LOOKS_MAX       200000u /* comparisons of a slice: of jobs with what is wanted */
#define NAMED_MAX       16      /* jobs by name that are found without a walk */
#define NAMED_PARTS_MAX 10000   /* steps and tasks that they have */

/* Members that every reader needs. */
#define MEMBERS_ALWAYS (JOB_HAS(id) | JOB_HAS(kind) | JOB_HAS(state))

/* What a client that asks once is told: a preempted job runs until its grace time is over. A client that
 * follows folds events and gets the state itself. */
static uint32_t rows_state_told(const struct msg_get *g, const struct job *j)
{
    return !g->follow && job_is_in_grace(j) ? JOB_RUNNING : j->state;
}

static bool rows_has_state(const struct msg_get *g, const struct job *j)
{
    return !g->states || (g->states & 1u << rows_state_told(g, j));
}

static bool rows_is_target(const struct msg_get *g, const struct job *j)
{
    if (!g->jobs.n)
        return true;
    for (size_t i = 0; i < g->jobs.n; i++) {
        const struct job_target *t = &g->jobs.v[i];
        bool same = t->job == j->id || t->job == j->array_job;
        if (t->array_index == ARRAY_NONE ? same
                                         : t->job == j->array_job && j->array_index == t->array_index)
            return true;
        if (same && t->array_index != ARRAY_NONE && job_is_array_record(j))
            return true; /* the element may still be in it: the client looks */
    }
    return false;
}

static bool rows_is_wanted(const struct session *s, const struct job *j)
{
    const struct msg_get *g = &s->get;
    /* In lists a hidden job is not there, as in Slurm; a picture of all jobs has its place in it. */
    if (privacy_hides_job(s, j) && (!g->follow || g->jobs.n || g->users.n))
        return false;
    return (!g->own || j->uid == s->uid) && rows_has_state(g, j) &&
           (!g->users.n || strv_has(&g->users, j->user)) && rows_is_target(g, j);
}

/* As the last forecast says, else the requested begin time. */
static struct wall rows_expected_start(const struct control *c, const struct job *j)
{
    struct forecast f = forecast_of(planner_forecaster(c->planner), j->id);
    if (f.kind == FORECAST_SLOT || f.kind == FORECAST_PLANNED)
        return f.start;
    return req_detail(&j->req)->begin.ms > loop_wall(c->loop).ms ? req_detail(&j->req)->begin
                                                                 : (struct wall){0};
}

/* The row with its derived reason, priority and start: a shallow copy, encoded at once, that may stand in
 * *box in part. A follower is not told of new forecasts, so it gets none. */
static struct job rows_make(struct control *c, const struct job *j, const struct job *shown,
                            const struct msg_get *g, struct job_rare *box)
{
    struct job row = *shown;
    bool follows = g->follow;
    row.state = (uint8_t)rows_state_told(g, j);
    if (!job_state_is_final(j->state))
        row.priority = prio_of_best(prio_cache_get(c), j);
    if (j->state == JOB_PENDING)
        row.reason = (uint8_t)planner_reason_of(c->planner, j);
    if (j->state == JOB_PENDING && !follows) {
        *box = *job_rare(shown);
        box->t_expected = rows_expected_start(c, j);
        row.rare = box;
    }
    return row;
}

/* The rows of one message, encoded as they come: the body of MSG_JOBS, whose count is filled in last. */
struct row_message {
    struct str body;
    size_t n;
};

#define ROWS_INIT        \
    {                    \
        .body = STR_INIT \
    }
#define LIST_OF_N \
    "\x91\xdd\0\0\0\0" /* a record with one member, a list of as many as the last four bytes say */
#define LIST_AT 2

void rows_clear_late(struct session *s)
{
    vec_clear(&s->late.rows);
    vec_clear(&s->late.reasons);
    vec_clear(&s->late.retired);
    s->late.all_reasons = s->late.spec = false;
}

static void rows_send(struct session *s, struct row_message *r)
{
    if (!r->n)
        return;
    for (size_t i = 0; i < 4; i++)
        r->body.s[LIST_AT + i] = (char)(r->n >> (24 - 8 * i));
    session_send_encoded(s, MSG_JOBS, s->follow_tag, r->body.s, r->body.len);
    query_queue_note(s, r->body.s, r->body.len);
    str_clear(&r->body);
    r->n = 0;
}

bool rows_are_parts(const struct msg_get *g)
{
    return (g->job_members || g->req_members) && !g->follow;
}

bool rows_tell_starts(const struct msg_get *g)
{
    return !g->follow && (!rows_are_parts(g) || (g->job_members & JOB_HAS(t_expected)));
}

static struct codec_part rows_part(const struct msg_get *g)
{
    bool some = rows_are_parts(g);
    struct codec_part part = {.members = UINT64_MAX, .inner = &job_req_rec, .inner_members = UINT64_MAX};
    if (g->follow)
        part.members =
            ~JOB_HAS(request_id); /* of use to the submitter alone: 100,000 of them are 7 MB to a screen */
    if (some) {
        part.members = g->job_members | MEMBERS_ALWAYS | (g->req_members ? JOB_HAS(req) : 0);
        part.inner_members = g->req_members;
    }
    return part;
}

/* Those that may be live: tens of a step's ten thousand. */
static void rows_cut_tasks(struct step *s)
{
    size_t begin = step_live_begin(s), end = step_live_end(s);
    if (begin < end)
        begin = task_parts_begin(s, begin); /* a task is shown with all of its nodes */
    s->tasks.v = end > begin ? s->tasks.v + begin : NULL;
    s->tasks.n = end > begin ? end - begin : 0;
}

/* The steps of j that the client wants, as shallow copies. Caller frees. */
static struct step *rows_some_steps(const struct msg_get *g, const struct job *j, size_t *ret_n)
{
    bool cut = g->live_tasks && !job_state_is_final((enum job_state)j->state);
    size_t n_all = cut && j->kind != JOB_KIND_STEPS ? 0 : j->steps.n, n = 0;
    struct step *v = xcalloc(n_all + 1, sizeof *v);
    for (size_t i = 0; i < n_all; i++) {
        if (g->live_steps && j->steps.v[i].done)
            continue;
        v[n] = j->steps.v[i];
        if (cut)
            rows_cut_tasks(&v[n]);
        n++;
    }
    *ret_n = n;
    return v;
}

/* The rows of a client that does not want command lines are the same for all users. */
bool rows_have_commands(const struct msg_get *g)
{
    return !rows_are_parts(g) || (g->job_members & JOB_HAS(command));
}

static void rows_add_row(struct session *s, struct row_message *r, const struct job *j)
{
    struct codec_part part = rows_part(&s->get);
    struct job_rare box;
    struct private_row room;
    const struct job *shown = privacy_row(s, j, rows_have_commands(&s->get), &room);
    struct job row = rows_make(s->ctl, j, shown, &s->get, &box);
    struct step *some = NULL;
    if (s->get.live_steps || s->get.live_tasks)
        row.steps.v = some = rows_some_steps(&s->get, shown, &row.steps.n);
    if (!r->n)
        str_append_n(&r->body, LIST_OF_N, sizeof LIST_OF_N - 1);
    codec_encode_part(&job_rec, &row, &part, &r->body);
    free(some);
    privacy_end_row(&room);
    if (++r->n == ROWS_MAX || r->body.len >= BYTES_MAX)
        rows_send(s, r);
}

void rows_encode_pushed(const struct session *s, const struct job *j, struct str *out)
{
    struct control *c = s->ctl;
    const struct msg_get get = {.follow = true};
    struct codec_part part = rows_part(&get);
    struct job_rare box;
    struct private_row room;
    struct job row = rows_make(c, j, privacy_row(s, j, true, &room), &get, &box);
    struct str body = STR_INIT;
    codec_encode_part(&job_rec, &row, &part, &body);
    privacy_end_row(&room);
    struct msg_event m = {.seq = c->model.seq, .t = loop_wall(c->loop), .kind = EV_JOB_ROW, .job = j->id};
    m.body.p = (uint8_t *)body.s;
    m.body.n = body.len;
    codec_encode(&msg_event_rec, &m, out);
    str_fini(&body);
}

static void rows_send_nodes(struct session *s)
{
    struct control *c = s->ctl;
    uint32_t hidden = privacy_of(s);
    struct msg_nodes m;
    m.rows.n = hidden & PRIVATE_NODES ? 0 : c->model.n_nodes;
    m.rows.v = xcalloc(m.rows.n + 1, sizeof *m.rows.v);
    struct node_rare *rare = xcalloc(m.rows.n + 1, sizeof *rare);
    for (size_t i = 0; i < m.rows.n; i++)
        if (hidden & PRIVATE_JOBS)
            privacy_mask_node(c->model.nodes[i], &m.rows.v[i], &rare[i]);
        else
            m.rows.v[i] = *c->model.nodes[i];
    session_send(s, MSG_NODES, s->follow_tag, &m);
    free(m.rows.v);
    free(rare);
}

static bool rows_has_enough(const struct session *s)
{
    return conn_queued(s->conn) >= CONN_LOW * 4 || !conn_has_room(s->conn);
}

/* What changed since it was sent, as it is now. False: the client has enough to read for now. */
static bool rows_send_again(struct session *s, struct row_message *rows)
{
    while (s->late.rows.n && !rows_has_enough(s)) {
        const struct job *j = model_get_job(&s->ctl->model, s->late.rows.v[--s->late.rows.n]);
        if (j && rows_is_wanted(s, j))
            rows_add_row(s, rows, j);
    }
    rows_send(s, rows);
    return !s->late.rows.n;
}

bool rows_send_last(struct session *s, const struct job *j)
{
    struct row_message rows = ROWS_INIT;
    bool wanted = rows_is_wanted(s, j);
    if (wanted)
        rows_add_row(s, &rows, j);
    rows_send(s, &rows);
    str_fini(&rows.body);
    return wanted;
}

static void rows_add_reason(struct session *s, struct msg_reasons *m, const struct job *j)
{
    if (j && j->state == JOB_PENDING && rows_is_wanted(s, j))
        *(struct job_reason *)rec_list_push(&m->rows) =
            (struct job_reason){.job = j->id, .reason = planner_reason_of(s->ctl->planner, j)};
}

static void rows_send_late_reasons(struct session *s)
{
    struct control *c = s->ctl;
    struct msg_reasons m = {0};
    if (s->late.all_reasons)
        list_for_each (j, &c->model.all, struct job, in_all)
            rows_add_reason(s, &m, j);
    else
        vec_for_each (&s->late.reasons, i)
            rows_add_reason(s, &m, model_get_job(&c->model, s->late.reasons.v[i]));
    if (m.rows.n)
        session_send(s, MSG_REASONS, s->follow_tag, &m);
    rec_fini(&msg_reasons_rec, &m);
}

static void rows_send_late_retirements(struct session *s)
{
    struct ev_none none = {0};
    struct event ev = {.kind = EV_RETIRE, .t = loop_wall(s->ctl->loop), .body = &none};
    vec_for_each (&s->late.retired, i) {
        struct msg_event m;
        ev.seq = s->late.retired.v[i].seq;
        ev.job = s->late.retired.v[i].job;
        event_to_msg(&ev, &m);
        session_send(s, MSG_EVENT, s->follow_tag, &m);
        rec_fini(&msg_event_rec, &m);
    }
}

static void rows_finish(struct session *s)
{
    struct control *c = s->ctl;
    struct late *late = &s->late;
    if (late->spec && s->get.follow)
        rows_send_spec(s);
    if (s->get.what & GET_NODES)
        rows_send_nodes(s);
    if (s->get.what & GET_WINDOWS) {
        struct msg_windows w;
        w.rows.v = c->model.windows.v;
        w.rows.n = privacy_of(s) & PRIVATE_NODES ? 0 : c->model.windows.n;
        session_send(s, MSG_WINDOWS, s->follow_tag, &w);
    }
    if (s->get.own) {
        struct cluster_totals totals = model_totals(&c->model, loop_wall(c->loop));
        session_send(s, MSG_TOTALS, s->follow_tag, &totals);
    }
    /* Events up to that number are in the rows: those of jobs that have left are not, they follow. */
    uint64_t seq = late->retired.n ? late->retired.v[0].seq - 1 : c->model.seq;
    struct msg_snapshot m = {.seq = seq,
                             .epoch = c->model.epoch,
                             .next_job = c->model.next_job,
                             .now = loop_wall(c->loop),
                             .n_jobs = c->model.n_pending + c->model.n_active + c->model.n_ended,
                             .uuid = c->model.uuid,
                             .own = s->get.own};
    session_send(s, MSG_SNAPSHOT, s->follow_tag, &m);
    rows_send_late_retirements(s);
    rows_send_late_reasons(s);
    rows_clear_late(s);
    s->snapshotting = false;
    s->follow = !s->get.follow  ? FOLLOW_NONE
                : s->get.jobs.n ? FOLLOW_JOB
                : s->get.own    ? FOLLOW_OWN
                : privacy_of(s) ? FOLLOW_MASKED
                                : FOLLOW_ALL;
    if (s->get.follow)
        modules_call(c, session_follows, c, s);
}

/* The first job after the cursor; ids grow along the list, so the cursor's own place is found from its job
 * where it still exists. */
static struct list *rows_after_cursor(struct control *c, uint32_t cursor)
{
    struct job *j = cursor ? model_get_job(&c->model, cursor) : NULL;
    if (j)
        return j->in_all.next;
    struct list *at = c->model.all.next;
    while (at != &c->model.all && container_of(at, struct job, in_all)->id <= cursor)
        at = at->next;
    return at;
}

/* 100,000 jobs do not fit into any cache: while one is encoded, the next is fetched. */
static void rows_prefetch(struct list *at, const struct list *end)
{
    if (at == end)
        return;
    const char *j = (const char *)container_of(at, struct job, in_all);
    for (size_t i = 0; i < sizeof(struct job); i += 64)
        __builtin_prefetch(j + i);
}

enum slice rows_slice(struct session *s, struct mono until)
{
    struct control *c = s->ctl;
    struct row_message rows = ROWS_INIT;
    struct list *at = rows_after_cursor(c, s->cursor);
    /* The work of a loop iteration is bounded, however fast the client reads. */
    size_t looks = 0, looks_each = 1 + s->get.jobs.n + s->get.users.n;
    bool full = false, late = false;
    while (at != &c->model.all && looks < LOOKS_MAX && !late && !(full = rows_has_enough(s))) {
        const struct job *j = container_of(at, struct job, in_all);
        at = at->next;
        rows_prefetch(at, &c->model.all);
        s->cursor = j->id;
        looks += looks_each;
        if (!rows_is_wanted(s, j))
            continue;
        rows_add_row(s, &rows, j);
        if (!rows.n) {
            conn_hurry(s->conn);
            late = mono_read().ns >= until.ns;
        }
    }
    rows_send(s, &rows);
    bool last = at == &c->model.all && rows_send_again(s, &rows);
    full = full || (at == &c->model.all && !last);
    if (last)
        rows_finish(s);
    str_fini(&rows.body);
    return last ? SLICE_LAST : full ? SLICE_FULL : SLICE_MORE;
}

void rows_send_kept(struct session *s, const struct query_answer *a)
{
    size_t from = 0;
    for (size_t i = 0; i < a->ends.n; from = a->ends.v[i++])
        session_send_encoded(s, MSG_JOBS, s->follow_tag, a->bytes.s + from, a->ends.v[i] - from);
    rows_clear_late(s);
    rows_finish(s);
}

/* Elements of an array may be anywhere in the list. */
static bool rows_names_arrays(const struct session *s)
{
    for (size_t i = 0; i < s->get.jobs.n; i++) {
        const struct job *j = model_get_job(&s->ctl->model, s->get.jobs.v[i].job);
        if (j && j->array_job)
            return true;
    }
    return false;
}

/* Rows so large that they are sent as the client reads them, however few. */
static bool rows_names_much(const struct session *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->get.jobs.n; i++) {
        const struct job *j = model_get_job(&s->ctl->model, s->get.jobs.v[i].job);
        for (size_t k = 0; j && k < j->steps.n; k++)
            n += 1 + j->steps.v[k].tasks.n;
    }
    return n > NAMED_PARTS_MAX;
}

/* A few named jobs, the most frequent query: no walk over all jobs, and no waiting. */
static void rows_send_named(struct session *s)
{
    struct row_message rows = ROWS_INIT;
    for (size_t i = 0; (s->get.what & GET_JOBS) && i < s->get.jobs.n; i++) {
        const struct job *j = model_get_job(&s->ctl->model, s->get.jobs.v[i].job);
        if (j && rows_is_wanted(s, j))
            rows_add_row(s, &rows, j);
    }
    rows_send(s, &rows);
    rows_clear_late(s);
    rows_finish(s);
    str_fini(&rows.body);
}

static void rows_send_spec_without_nodes(struct session *s, const struct cluster_spec *spec)
{
    struct cluster_spec copy;
    if (!(s->get.what & GET_SPEC))
        return;
    rec_copy(&cluster_spec_rec, &copy, spec);
    rec_list_free(&node_spec_rec, &copy.nodes);
    for (size_t i = 0; i < copy.parts.n; i++) {
        strv_fini(&copy.parts.v[i].nodes);
        copy.parts.v[i].nodes = (struct strv){0};
    }
    session_send(s, MSG_SPEC, s->follow_tag, &copy);
    rec_fini(&cluster_spec_rec, &copy);
}

/* A client that shows no nodes does not need those of the configuration either: there may be thousands. */
void rows_send_spec(struct session *s)
{
    struct cluster_spec spec = s->ctl->model.spec;
    if (s->get.own && !(s->get.what & GET_NODES)) {
        spec.nodes.v = NULL;
        spec.nodes.n = 0;
    }
    if (privacy_of(s) & PRIVATE_NODES)
        rows_send_spec_without_nodes(s, &spec);
    else if (s->get.what & GET_SPEC)
        session_send(s, MSG_SPEC, s->follow_tag, &spec);
}

void req_get(struct session *s, uint64_t tag, void *body)
{
    struct msg_get *m = body;
    if (m->jobs.n > GET_NAMES_MAX || m->users.n > GET_NAMES_MAX) {
        session_refuse(s, tag, REFUSAL_TOO_BIG, 0,
                       &(struct cause){.code = CAUSE_ASKED_TOO_MANY, .most = GET_NAMES_MAX});
        return;
    }
    rec_fini(&msg_get_rec, &s->get);
    s->get = *m;
    *m = (struct msg_get){0};
    s->get.own = s->get.own && s->get.follow && !s->get.jobs.n;
    s->follow_tag = tag;
    s->follow = FOLLOW_STARTING;
    s->follow_job = s->get.jobs.n ? s->get.jobs.v[0].job : 0;
    s->cursor = 0;
    s->snapshotting = true;
    s->resync_told = false;
    rows_clear_late(s);
    query_queue_end(s);
    bool named =
        s->get.jobs.n && s->get.jobs.n <= NAMED_MAX && !rows_names_arrays(s) && !rows_names_much(s);
    if ((s->get.what & GET_JOBS) && !named) {
        query_queue_begin(s);
        return;
    }
    rows_send_spec(s);
    rows_send_named(s);
}
