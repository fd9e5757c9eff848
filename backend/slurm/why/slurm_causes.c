#include "backend/slurm/why/slurm_causes.h"

#include <stdlib.h>
#include <string.h>

#include "backend/sched/limits/limits.h"
#include "backend/slurm/why/slurm_limits.h"
#include "backend/slurm/why/slurm_refused.h"
#include "src/answers/slurm_reason.h"
#include "src/base/xalloc.h"
#include "src/values/units.h"

#define DOWN_TEXT "Nodes required for job are DOWN" /* a sentence in place of a word */

/* --- the queue of a partition, as Slurm orders it: by priority, then by id --- */

struct slurm_queue_place {
    uint32_t rank, of; /* rank 0: not known */
    uint32_t n_ahead, gpus_ahead, cpus_ahead;
    const struct job *first; /* of those ahead */
};

static bool slurm_causes_goes_before(const struct job *a, const struct job *b)
{
    return a->priority != b->priority ? a->priority > b->priority : a->id < b->id;
}

/* Jobs that could start but for room: the ones a job in the queue is behind. */
static bool slurm_causes_queues(const struct job *j)
{
    return j->hold == HOLD_NONE && (j->reason == REASON_PRIORITY || j->reason == REASON_RESOURCES);
}

static bool slurm_causes_is_in(const struct job *j, const char *partition)
{
    struct strv names = strv_split(j->partition ? j->partition : "", ",");
    bool in = strv_has(&names, partition);
    strv_fini(&names);
    return in;
}

static struct slurm_queue_place slurm_causes_place(const struct model *m, const struct job *j,
                                                   const char *partition)
{
    struct slurm_queue_place p = {0};
    list_for_each (other, &m->pending, struct job, in_queue) {
        if (!slurm_causes_queues(other) || !slurm_causes_is_in(other, partition))
            continue;
        uint32_t n = job_pending_elements(other);
        struct job_amounts a = job_amounts(other);
        p.of += n;
        if (other == j || !slurm_causes_goes_before(other, j))
            continue;
        p.n_ahead += n;
        p.gpus_ahead += n * a.gpus;
        p.cpus_ahead += n * a.cpus;
        if (!p.first || slurm_causes_goes_before(other, p.first))
            p.first = other;
    }
    p.rank = p.of ? p.n_ahead + 1 : 0;
    return p;
}

static void slurm_causes_ahead(const struct model *m, const struct job *j, const char *partition,
                               struct cause *ret)
{
    struct slurm_queue_place p = slurm_causes_place(m, j, partition);
    if (!p.n_ahead)
        return;
    *ret = (struct cause){.code = CAUSE_AHEAD,
                          .cls = WHY_BEHIND,
                          .n = p.n_ahead,
                          .gpus = p.gpus_ahead,
                          .cpus = p.gpus_ahead ? 0 : p.cpus_ahead,
                          .part = xstrdup(partition),
                          .id = job_format_id(p.first, 0)};
}

/* --- Slurm's word --- */

char *slurm_reason_word(const struct job *j, char **ret_rest)
{
    const char *detail = job_rare(j)->reason_detail;
    const char *text = detail ? detail : reason_slurm((enum reason)j->reason);
    const char *comma = strchr(text, ',');
    *ret_rest = NULL;
    if (strncmp(text, DOWN_TEXT, strlen(DOWN_TEXT)) == 0)
        return xstrdup("ReqNodeNotAvail");
    if (!comma)
        return xstrdup(text);
    *ret_rest = xstrdup(comma + 1 + strspn(comma + 1, " "));
    return xstrndup(text, (size_t)(comma - text));
}

static enum why_class slurm_causes_class(const char *word)
{
    static const struct {
        const char *word;
        enum why_class cls;
    } classes[] = {
        {"Priority", WHY_BEHIND},
        {"Dependency", WHY_DEP_WAIT},
        {"DependencyNeverSatisfied", WHY_DEP_DEAD},
        {"BeginTime", WHY_NOT_YET},
        {"JobHeldUser", WHY_HELD},
        {"JobHeldAdmin", WHY_HELD},
        {"JobHoldMaxRequeue", WHY_HELD},
        {"JobArrayTaskLimit", WHY_ARRAY_THROTTLE},
        {"PartitionDown", WHY_PARTITION_DOWN},
        {"PartitionInactive", WHY_PARTITION_DOWN},
        {"PartitionTimeLimit", WHY_NOT_ALLOWED},
        {"PartitionNodeLimit", WHY_NOT_ALLOWED},
        {"PartitionConfig", WHY_NOT_ALLOWED},
        {"AccountNotAllowed", WHY_NOT_ALLOWED},
        {"QOSNotAllowed", WHY_NOT_ALLOWED},
        {"InvalidAccount", WHY_NOT_ALLOWED},
        {"InvalidQOS", WHY_NOT_ALLOWED},
        {"BadConstraints", WHY_NO_FIT},
        {"ReqNodeNotAvail", WHY_NODE_OUT},
        {"Reservation", WHY_WINDOW},
        {"ReservationDeleted", WHY_NOT_ALLOWED},
    };
    struct slurm_limit l;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (str_eq(word, classes[i].word))
            return classes[i].cls;
    if (!slurm_limit_parse(word, &l))
        return WHY_BUSY;
    bool alone = l.bound == SLURM_EACH_JOB || l.bound == SLURM_EACH_NODE || l.least;
    return alone ? WHY_NOT_ALLOWED : l.bound == SLURM_EACH_USER ? WHY_USER_LIMIT : WHY_GROUP_LIMIT;
}

/* alone: nothing else is known of it. */
static void slurm_causes_say(const struct job *j, bool alone, struct cause *ret)
{
    char *rest, *word = slurm_reason_word(j, &rest);
    *ret = (struct cause){.code = CAUSE_SLURM_REASON,
                          .cls = slurm_causes_class(word),
                          .n = alone,
                          .name = word,
                          .text = rest};
}

/* --- what the job's own row says --- */

static void slurm_causes_hold(const struct job *j, struct cause *ret)
{
    bool own = j->hold == HOLD_USER;
    *ret = (struct cause){.code = own ? CAUSE_HELD_BY_OWNER : CAUSE_HELD_BY_ADMIN, .cls = WHY_HELD};
    ret->user = own ? xstrdup(j->user ? j->user : "?") : NULL;
}

/* Slurm has the last word on whether it can still happen: of jobs of others no row need be known. */
static void slurm_causes_dependency(const struct model *m, const struct job *j, struct cause *ret)
{
    bool never = j->reason == REASON_DEPENDENCY_NEVER;
    dep_explain(m, j, m->now, ret);
    if (ret->code == CAUSE_DEPENDENCY || ret->code == CAUSE_DEPENDENCY_NEVER)
        ret->code = never ? CAUSE_DEPENDENCY_NEVER : CAUSE_DEPENDENCY;
    for (size_t i = 0; i < ret->parts.n; i++)
        ret->parts.v[i].dead = never && ret->parts.v[i].dead;
    ret->cls = never ? WHY_DEP_DEAD : WHY_DEP_WAIT;
    if (!ret->parts.n && ret->code != CAUSE_DEPENDENCY_UNREADABLE)
        cause_clear(ret);
}

static void slurm_causes_throttle(const struct model *m, const struct job *j, struct cause *ret)
{
    *ret = (struct cause){.code = CAUSE_THROTTLE, .cls = WHY_ARRAY_THROTTLE, .most = j->req.array_throttle};
    list_for_each (other, &m->active, struct job, in_queue)
        ret->n += other->array_job && other->array_job == j->array_job;
}

static const struct part_spec *slurm_causes_part(const struct model *m, const struct job *j, size_t i)
{
    struct strv names = strv_split(j->partition ? j->partition : "", ",");
    const struct part_spec *p = i < names.n ? model_get_part(m, names.v[i]) : NULL;
    strv_fini(&names);
    return p;
}

static void slurm_causes_partition_limit(const struct model *m, const struct job *j, struct cause *ret)
{
    const struct part_spec *p = slurm_causes_part(m, j, 0);
    bool time = j->reason == REASON_PART_TIME;
    uint64_t asked = time ? j->req.time_limit_s : j->req.nodes_min, most = 0;
    if (p)
        most = time ? p->max_time_s : p->max_nodes;
    if (!p || asked <= most)
        return;
    *ret = (struct cause){.code = time ? CAUSE_PARTITION_TIME : CAUSE_PARTITION_NODES,
                          .cls = WHY_NOT_ALLOWED,
                          .part = xstrdup(p->name),
                          .asked = asked,
                          .most = most};
}

static void slurm_causes_partition_state(const struct model *m, const struct job *j, struct cause *ret)
{
    const struct part_spec *p = slurm_causes_part(m, j, 0);
    if (!p)
        return;
    *ret = (struct cause){.code = j->reason == REASON_PART_DOWN ? CAUSE_PARTITION_DOWN
                                                                : CAUSE_PARTITION_INACTIVE,
                          .cls = WHY_PARTITION_DOWN,
                          .part = xstrdup(p->name)};
}

static void slurm_causes_reservation(const struct model *m, const struct job *j, struct cause *ret)
{
    const struct window *w = model_get_window(m, req_rare(&j->req)->reservation);
    if (!w || w->start.ms <= m->now.ms)
        return;
    *ret = (struct cause){.code = CAUSE_RESERVATION_LATER,
                          .cls = WHY_WINDOW,
                          .name = xstrdup(w->name),
                          .at = w->start,
                          .clears = w->start};
}

/* CAUSE_NONE where the row does not say it. */
static void slurm_causes_of_row(const struct model *m, const struct job *j, struct cause *ret)
{
    *ret = (struct cause){0};
    if (j->hold != HOLD_NONE) {
        slurm_causes_hold(j, ret);
        return;
    }
    switch (j->reason) {
    case REASON_BEGIN_TIME:
        if (wall_is_set(req_detail(&j->req)->begin))
            *ret = (struct cause){.code = CAUSE_BEGIN_TIME,
                                  .cls = WHY_NOT_YET,
                                  .at = req_detail(&j->req)->begin,
                                  .clears = req_detail(&j->req)->begin};
        return;
    case REASON_DEPENDENCY:
    case REASON_DEPENDENCY_NEVER:
        if (j->req.dependency)
            slurm_causes_dependency(m, j, ret);
        return;
    case REASON_ARRAY_LIMIT: slurm_causes_throttle(m, j, ret); return;
    case REASON_PART_TIME:
    case REASON_PART_NODES: slurm_causes_partition_limit(m, j, ret); return;
    case REASON_PART_DOWN:
    case REASON_PART_INACTIVE: slurm_causes_partition_state(m, j, ret); return;
    case REASON_RESERVATION: slurm_causes_reservation(m, j, ret); return;
    default: return;
    }
}

/* --- nodes --- */

static bool slurm_causes_asks_nodes(const struct job *j)
{
    const char *detail = job_rare(j)->reason_detail;
    if (j->hold != HOLD_NONE)
        return false;
    if (detail)
        return strncmp(detail, DOWN_TEXT, strlen(DOWN_TEXT)) == 0 || str_starts(detail, "ReqNodeNotAvail");
    return j->reason == REASON_PRIORITY || j->reason == REASON_RESOURCES || j->reason == REASON_NONE ||
           j->reason == REASON_BAD_CONSTRAINTS || j->reason == REASON_NODE_NOT_AVAIL ||
           j->reason == REASON_MAINTENANCE;
}

static char *slurm_detail_text(const struct slurm_span *detail, const char *key)
{
    struct slurm_span v;
    return slurm_key(detail, key, &v) ? slurm_text(&v) : NULL;
}

/* Whole nodes are asked for: by Exclusive=NODE, or where a release does not print that by OverSubscribe=NO,
 * which 26.05 prints of all jobs. */
static bool slurm_causes_asks_whole(const struct slurm_span *line)
{
    struct slurm_span v;
    if (slurm_key(line, "Exclusive", &v))
        return slurm_span_is(&v, "NODE");
    return slurm_key(line, "OverSubscribe", &v) && slurm_span_is(&v, "NO");
}

/* Where Slurm does not hand out memory, the row does not tell --mem from none; this does: 0 is none. A node
 * must have that much all the same. */
static void slurm_causes_take_memory(struct job_req *r, const struct slurm_span *line)
{
    struct slurm_span v;
    bool by_cpu = slurm_key(line, "MinMemoryCPU", &v);
    uint64_t mib = by_cpu || slurm_key(line, "MinMemoryNode", &v) ? slurm_mem_mib(&v, 0) : 0;
    uint64_t cpus = (uint64_t)r->ntasks * r->cpus_per_task, nodes = r->nodes_min ? r->nodes_min : 1;
    if (mib && r->mem_node_mib == MEM_NOT_GIVEN)
        r->mem_node_mib = by_cpu ? mib * ((cpus + nodes - 1) / nodes) : mib;
}

/* A copy of the job whose request says what squeue does not print; the caller frees it. */
static struct job *slurm_causes_with_detail(const struct job *j, const struct slurm_span *detail)
{
    struct job *copy = xcalloc(1, sizeof *copy);
    struct slurm_span line = *detail;
    const char *end = line.n ? memchr(line.p, '\n', line.n) : NULL;
    rec_copy(&job_rec, copy, j);
    if (!line.n)
        return copy;
    line.n = end ? (size_t)(end - line.p) : line.n;
    char *only = slurm_detail_text(&line, "ReqNodeList"), *never = slurm_detail_text(&line, "ExcNodeList");
    req_detail_mut(&copy->req)->exclusive = slurm_causes_asks_whole(&line);
    slurm_causes_take_memory(&copy->req, &line);
    if (only)
        req_rare_mut(&copy->req)->nodelist = only;
    if (never)
        req_rare_mut(&copy->req)->exclude = never;
    return copy;
}

/* "limit <= 1:20:00 starts now": what fits before the window begins. */
static void slurm_causes_advise_window(const struct model *m, const struct job *j,
                                       const struct slurm_refused *r, struct msg_why *w)
{
    int64_t ms = r->window->start.ms - m->now.ms;
    uint32_t minutes = ms > 0 ? (uint32_t)(ms / MS_PER_S / 60) : 0;
    if (!minutes || w->advice_key || r->by[SLURM_FITS] + r->by[SLURM_WINDOW] < r->demand.nodes ||
        slurm_causes_place(m, j, r->part->name).n_ahead)
        return;
    w->advice_key = xstrdup("TimeLimit");
    w->advice_value = xasprintf("%u:%02u:00", minutes / 60, minutes % 60);
    cause_set(&w->advice, CAUSE_TRY_OPTION)->name = xstrdup("--time=");
    w->advice.text = xstrdup(w->advice_value);
    w->advice.nodes = slurm_refused_names(r, r->by[SLURM_FITS] ? SLURM_FITS : SLURM_WINDOW);
}

/* The window that keeps the first of its nodes; CAUSE_NONE: none does. */
static void slurm_causes_window(const struct model *m, const struct slurm_refused *r, struct cause *ret)
{
    const struct window *win = r->window;
    if (!win)
        return;
    bool maintenance = win->kind == WINDOW_MAINTENANCE, now = win->start.ms <= m->now.ms;
    *ret = (struct cause){.code = maintenance ? (now ? CAUSE_WINDOW_NOW : CAUSE_WINDOW_AHEAD)
                                              : (now ? CAUSE_RESERVED_NOW : CAUSE_RESERVED_AHEAD),
                          .cls = WHY_WINDOW,
                          .n = r->by[SLURM_WINDOW],
                          .nodes = slurm_refused_names(r, SLURM_WINDOW),
                          .name = xstrdup(win->name),
                          .at = now ? win->end : win->start,
                          .clears = win->end};
}

static void slurm_causes_add_nodes(const struct model *m, const struct job *j, const struct part_spec *p,
                                   bool has_all, struct msg_why *w)
{
    struct slurm_refused r;
    struct cause c = {0}, window = {0};
    slurm_refused_count(m, j, p, &r);
    slurm_causes_window(m, &r, &window);
    if (window.code != CAUSE_NONE)
        *rec_list_push(&w->causes) = window;
    if (r.window && r.window->start.ms > m->now.ms)
        slurm_causes_advise_window(m, j, &r, w);
    slurm_refused_cause(&r, j, &c);
    c.next = c.code == CAUSE_NO_PLACE && w->rank == 1 && w->rank_of > 1;
    if (c.code == CAUSE_NO_PLACE && has_all) {
        struct wall at;
        const struct job *last = slurm_refused_room(m, &r, &at);
        if (last) {
            cause_add(&c, CAUSE_ROOM_AFTER)->id = job_format_id(last, 0);
            c.clears = at;
        }
    }
    if (c.code != CAUSE_NONE)
        *rec_list_push(&w->causes) = c;
    slurm_refused_fini(&r);
}

/* In each of its partitions: the jobs ahead, then the nodes. */
static void slurm_causes_add_places(const struct model *m, const struct job *j,
                                    const struct slurm_facts *facts, struct msg_why *w)
{
    struct job *full = slurm_causes_with_detail(j, &facts->detail);
    const struct part_spec *p;
    for (size_t i = 0; (p = slurm_causes_part(m, j, i)); i++) {
        struct cause ahead = {0};
        struct slurm_queue_place place = slurm_causes_place(m, j, p->name);
        if (facts->has_all && slurm_causes_queues(j)) {
            slurm_causes_ahead(m, j, p->name, &ahead);
            w->rank = w->rank ? w->rank : place.rank;
            w->rank_of = w->rank_of ? w->rank_of : place.of;
        }
        if (ahead.code != CAUSE_NONE)
            *rec_list_push(&w->causes) = ahead;
        slurm_causes_add_nodes(m, full, p, facts->has_all, w);
    }
    job_free(full);
}

/* --- the line of a list --- */

/* The nodes of its first partition alone. */
static void slurm_causes_first_nodes(const struct model *m, const struct job *j, const struct part_spec *p,
                                     bool has_all, struct cause *ret)
{
    struct slurm_refused r;
    slurm_refused_count(m, j, p, &r);
    if (r.by[SLURM_FITS] + r.by[SLURM_WINDOW] >= r.demand.nodes)
        slurm_causes_window(m, &r, ret);
    else
        slurm_refused_cause(&r, j, ret);
    slurm_refused_fini(&r);
    if (ret->code != CAUSE_NO_PLACE || !has_all)
        return;
    struct slurm_queue_place place = slurm_causes_place(m, j, p->name);
    ret->next = place.rank == 1 && place.of > 1;
}

void slurm_cause_first(const struct model *m, const struct job *j, bool has_all, struct cause *ret)
{
    const struct part_spec *p = slurm_causes_part(m, j, 0);
    *ret = (struct cause){0};
    if (j->state != JOB_PENDING)
        return;
    slurm_causes_of_row(m, j, ret);
    if (ret->code == CAUSE_NONE && j->reason == REASON_PRIORITY && has_all && p)
        slurm_causes_ahead(m, j, p->name, ret);
    else if (ret->code == CAUSE_NONE && slurm_causes_asks_nodes(j) && p)
        slurm_causes_first_nodes(m, j, p, has_all, ret);
    if (ret->code == CAUSE_NONE && j->reason != REASON_NONE)
        *ret = (struct cause){.code = CAUSE_WAITS_REASON, .state = j->reason};
    if (ret->code == CAUSE_NONE || ret->code == CAUSE_WAITS_REASON) {
        char *rest, *word = slurm_reason_word(j, &rest);
        if (ret->code == CAUSE_NONE)
            slurm_causes_say(j, false, ret);
        ret->cls = slurm_causes_class(word);
        free(word);
        free(rest);
    }
    ret->start = job_rare(j)->t_expected;
}

/* --- limits --- */

static void slurm_causes_add_limit(const struct job *j, const struct slurm_facts *facts, struct msg_why *w)
{
    struct cause c = {0};
    char *rest, *word = slurm_reason_word(j, &rest);
    bool found = j->reason == REASON_LICENSES ? slurm_licence_cause(&facts->licences, j, &c)
                                              : slurm_limit_cause(&facts->limits, j, word, &c);
    if (found)
        *rec_list_push(&w->causes) = c;
    else
        cause_clear(&c);
    free(word);
    free(rest);
}

/* --- the whole answer --- */

/* What Slurm names comes first: its turn is not what keeps it where nodes are what it waits for. */
static int slurm_causes_weight(const struct job *j, const struct cause *c)
{
    bool behind = c->cls == WHY_BEHIND;
    return j->reason == REASON_PRIORITY ? !behind : behind;
}

static void slurm_causes_sort(const struct job *j, struct msg_why *w)
{
    struct cause *v = w->causes.v;
    for (size_t i = 1; i < w->causes.n; i++)
        for (size_t k = i; k && slurm_causes_weight(j, &v[k]) < slurm_causes_weight(j, &v[k - 1]); k--) {
            struct cause c = v[k];
            v[k] = v[k - 1];
            v[k - 1] = c;
        }
}

void slurm_cause_why(const struct model *m, const struct job *j, const struct slurm_facts *facts,
                     struct msg_why *ret)
{
    struct cause own;
    *ret = (struct msg_why){.job = j->id,
                            .id = job_format_id(j, 0),
                            .uid = j->uid,
                            .user = j->user ? xstrdup(j->user) : NULL,
                            .state = j->state,
                            .reason = j->reason};
    if (j->state != JOB_PENDING)
        return;
    slurm_causes_of_row(m, j, &own);
    if (own.code != CAUSE_NONE)
        *rec_list_push(&ret->causes) = own;
    else if (slurm_causes_asks_nodes(j))
        slurm_causes_add_places(m, j, facts, ret);
    else
        slurm_causes_add_limit(j, facts, ret);
    slurm_causes_sort(j, ret);
    bool alone = !ret->causes.n;
    if (own.code == CAUSE_NONE)
        slurm_causes_say(j, alone, rec_list_push(&ret->causes));
    ret->start = job_rare(j)->t_expected;
    for (size_t i = 0; i < ret->causes.n; i++)
        if (ret->causes.v[i].code == CAUSE_AHEAD || ret->causes.v[i].code == CAUSE_NO_PLACE)
            ret->causes.v[i].start = ret->start;
}
