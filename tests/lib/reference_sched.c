/* reference_sched.c - the policy as its text reads. */
#include "tests/lib/reference_sched.h"

#include "src/base/xalloc.h"
#include "src/model/need.h"
#include "src/values/units.h"

#define NEVER      INT64_MAX
#define ROUNDS_MAX 4 /* as the planner has it; what is left then comes with the next pass */

struct free {
    int64_t cpus, mem_mib, gpus;
};

static int64_t plus(int64_t t, int64_t len)
{
    return len > NEVER - t ? NEVER : t + len;
}

/* --- what is free --- */

/* Places of those whose turn has not come yet. */
static bool is_lifted(const struct ref_plan *p, const struct ref_use *u)
{
    bool lifts = p->lifts == LIFT_ALL || (p->lifts == LIFT_LOWER_TIERS && u->tier < p->tier);
    return lifts && u->hold && u->round != p->round;
}

static struct free free_at(const struct ref_plan *p, uint32_t node, int64_t t)
{
    const struct node *n = p->m->nodes[node];
    struct free f = {n->cpus, (int64_t)n->mem_mib, n->gpus};
    vec_for_each (&p->uses, i) {
        const struct ref_use *u = &p->uses.v[i];
        if (u->node != node || u->start > t || u->end <= t || is_lifted(p, u))
            continue;
        f.cpus -= u->cpus;
        f.mem_mib -= u->mem_mib;
        f.gpus -= u->gpus;
    }
    return f;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Throughout [t, t + len): it gets less only where something begins. */
static struct free free_for(const struct ref_plan *p, uint32_t node, int64_t t, int64_t len)
{
    struct free f = free_at(p, node, t);
    vec_for_each (&p->uses, i) {
        const struct ref_use *u = &p->uses.v[i];
        if (u->node != node || u->start <= t || u->start >= plus(t, len) || is_lifted(p, u))
            continue;
        struct free g = free_at(p, node, u->start);
        f = (struct free){least(f.cpus, g.cpus), least(f.mem_mib, g.mem_mib), least(f.gpus, g.gpus)};
    }
    return f;
}

/* --- where --- */

static bool lists(const char *text, const char *name)
{
    struct strv v = strv_split(text, ",");
    bool yes = strv_has(&v, name);
    strv_fini(&v);
    return yes;
}

static bool suits(const struct ref_plan *p, const struct job *j, uint32_t part, uint32_t node)
{
    const struct node *n = p->m->nodes[node];
    const struct part_spec *s = &p->m->spec.parts.v[part];
    if (!strv_has(&s->nodes, n->spec.name) || n->state != NODE_UP || n->drain)
        return false;
    if (req_rare(&j->req)->nodelist && !str_eq(req_rare(&j->req)->nodelist, n->spec.name))
        return false;
    if (req_rare(&j->req)->exclude && lists(req_rare(&j->req)->exclude, n->spec.name))
        return false;
    if (req_detail(&j->req)->features && !strv_has(&n->spec.features, req_detail(&j->req)->features))
        return false;
    return !req_detail(&j->req)->gpu_type || !n->gpus ||
           str_ieq(req_detail(&j->req)->gpu_type, n->gpu_type);
}

struct look {
    uint32_t node;
    struct free free;
    int64_t tasks;
};

static bool tighter(const struct ref_plan *p, const struct look *a, const struct look *b)
{
    uint32_t wa = p->m->nodes[a->node]->spec.weight, wb = p->m->nodes[b->node]->spec.weight;
    if (wa != wb)
        return wa < wb;
    if (a->free.gpus != b->free.gpus)
        return a->free.gpus < b->free.gpus;
    if (a->free.cpus != b->free.cpus)
        return a->free.cpus < b->free.cpus;
    return a->node < b->node;
}

static bool roomier(const struct ref_plan *p, const struct look *a, const struct look *b)
{
    uint32_t wa = p->m->nodes[a->node]->spec.weight, wb = p->m->nodes[b->node]->spec.weight;
    if (wa != wb)
        return wa < wb;
    return a->tasks != b->tasks ? a->tasks > b->tasks : a->node < b->node;
}

/* That gives fewer GPUs. */
static bool cheaper(const struct ref_plan *p, const struct look *a, const struct look *b)
{
    uint32_t ga = p->m->nodes[a->node]->gpus, gb = p->m->nodes[b->node]->gpus;
    if (ga != gb)
        return ga < gb;
    return a->tasks != b->tasks ? a->tasks > b->tasks : a->node < b->node;
}

static bool within(const struct ref_plan *p, const struct job *j, uint32_t asked);

/* limited: what nodes come with matters more than how well it fits. */
static bool place(const struct ref_plan *p, const struct job *j, uint32_t part, int64_t t, int64_t len,
                  bool limited, struct ref_entry *ret)
{
    struct job_need need;
    struct look v[64];
    uint32_t n = 0;
    job_need(&j->req, &need);
    for (uint32_t i = 0; i < p->m->n_nodes; i++) {
        const struct node *node = p->m->nodes[i];
        struct free f = free_for(p, i, t, len);
        bool idle = f.cpus == node->cpus && f.mem_mib == (int64_t)node->mem_mib && f.gpus == node->gpus;
        if (!suits(p, j, part, i) || f.cpus < need.cpus_per_task || f.gpus < need.gpus_per_node ||
            f.mem_mib < (int64_t)need.mem_per_node_mib || (need.whole_nodes && !idle) ||
            (limited && need.nodes == 1 && !within(p, j, need.whole_nodes ? node->gpus : need.gpus)))
            continue;
        v[n++] = (struct look){i, f, least(f.cpus / need.cpus_per_task, need.tasks)};
    }
    if (n < need.nodes || need.nodes > p->m->spec.parts.v[part].max_nodes)
        return false;
    *ret = (struct ref_entry){
        .job = j->id, .index = ARRAY_NONE, .start = t, .len_ms = len, .part = part, .n_nodes = need.nodes};
    for (uint32_t k = 0; k < need.nodes; k++) {
        uint32_t best = k;
        for (uint32_t i = k + 1; i < n; i++)
            if (need.nodes == 1 ? tighter(p, &v[i], &v[best])
                : limited       ? cheaper(p, &v[i], &v[best])
                                : roomier(p, &v[i], &v[best]))
                best = i;
        struct look swap = v[k];
        v[k] = v[best];
        v[best] = swap;
        ret->nodes[k] = v[k].node;
    }
    return true;
}

static uint32_t gpus_there(const struct ref_plan *p, const struct job *j, const struct ref_entry *e);

/* Where it is best; where that is more than a limit leaves, where it is least. */
static bool place_within(struct ref_plan *p, const struct job *j, uint32_t part, int64_t t, int64_t len,
                         struct ref_entry *ret)
{
    if (!place(p, j, part, t, len, false, ret))
        return false;
    if (within(p, j, gpus_there(p, j, ret)))
        return true;
    p->limited = true;
    return place(p, j, part, t, len, true, ret) && within(p, j, gpus_there(p, j, ret));
}

static void charge(struct ref_plan *p, const struct job *j, const struct ref_entry *e, bool hold)
{
    struct job_need need;
    job_need(&j->req, &need);
    for (uint32_t i = 0; i < e->n_nodes; i++) {
        const struct node *n = p->m->nodes[e->nodes[i]];
        struct ref_use u = {e->nodes[i],
                            need.cpus_per_task,
                            (int64_t)need.mem_per_node_mib,
                            need.gpus_per_node,
                            e->start,
                            plus(e->start, e->len_ms),
                            j->id,
                            hold,
                            e->round,
                            p->m->spec.parts.v[e->part].priority_tier,
                            i == 0};
        if (need.whole_nodes) {
            u.cpus = n->cpus;
            u.mem_mib = (int64_t)n->mem_mib;
            u.gpus = n->gpus;
        }
        vec_push(&p->uses, u);
    }
}

/* --- when --- */

static int64_t ms_of(uint32_t s)
{
    return s == DURATION_UNLIMITED ? NEVER : (int64_t)s * MS_PER_S;
}

/* With --time-min it may be as long as the partition allows. */
static bool is_cut(const struct job *j, const struct part_spec *s)
{
    return j->req.time_limit_s != DURATION_NOT_SET && j->req.time_limit_s > s->max_time_s &&
           req_detail(&j->req)->time_min_s < DURATION_NOT_SET &&
           req_detail(&j->req)->time_min_s <= s->max_time_s;
}

static int64_t limit_of(const struct job *j, const struct part_spec *s)
{
    uint32_t t = is_cut(j, s)                              ? s->max_time_s
                 : j->req.time_limit_s != DURATION_NOT_SET ? j->req.time_limit_s
                 : s->default_time_s != DURATION_NOT_SET   ? s->default_time_s
                                                           : s->max_time_s;
    return ms_of(t);
}

static int64_t least_of(const struct job *j, const struct part_spec *s)
{
    int64_t limit = limit_of(j, s);
    return req_detail(&j->req)->time_min_s >= DURATION_NOT_SET
               ? limit
               : least(limit, ms_of(req_detail(&j->req)->time_min_s));
}

static int64_t deadline_of(const struct job *j)
{
    return wall_is_set(req_rare(&j->req)->deadline) ? req_rare(&j->req)->deadline.ms : NEVER;
}

/* How long the nodes of e stay free for it. */
static int64_t room_of(const struct ref_plan *p, const struct job *j, const struct ref_entry *e)
{
    struct job_need need;
    int64_t room = NEVER;
    job_need(&j->req, &need);
    vec_for_each (&p->uses, i) {
        const struct ref_use *u = &p->uses.v[i];
        for (uint32_t k = 0; k < e->n_nodes; k++) {
            if (u->node != e->nodes[k] || u->start <= e->start || is_lifted(p, u))
                continue;
            struct free f = free_at(p, u->node, u->start);
            const struct node *n = p->m->nodes[u->node];
            bool all = need.whole_nodes &&
                       (f.cpus < n->cpus || f.gpus < n->gpus || f.mem_mib < (int64_t)n->mem_mib);
            if (all || f.cpus < need.cpus_per_task || f.gpus < need.gpus_per_node ||
                f.mem_mib < (int64_t)need.mem_per_node_mib)
                room = least(room, u->start - e->start);
        }
    }
    return room;
}

static bool start_in(struct ref_plan *p, const struct job *j, uint32_t part, struct ref_entry *ret)
{
    const struct part_spec *s = &p->m->spec.parts.v[part];
    int64_t len = limit_of(j, s), min = least_of(j, s), deadline = deadline_of(j);
    if (len == NEVER && deadline != NEVER)
        len = deadline - p->now;
    if (plus(p->now, len) <= deadline && place_within(p, j, part, p->now, len, ret))
        return true;
    if (min >= len || !place_within(p, j, part, p->now, min, ret))
        return false;
    ret->len_ms = least(least(len, room_of(p, j, ret)), deadline == NEVER ? NEVER : deadline - p->now);
    return ret->len_ms >= min;
}

static int by_number(const void *pa, const void *pb)
{
    const int64_t *a = pa, *b = pb;
    return *a < *b ? -1 : *a > *b;
}

/* Only when something begins or ends can it become possible. */
static bool earliest_in(struct ref_plan *p, const struct job *j, uint32_t part, struct ref_entry *ret)
{
    VEC(int64_t) times = VEC_INIT;
    int64_t len = limit_of(j, &p->m->spec.parts.v[part]), deadline = deadline_of(j);
    bool found = false;
    vec_push(&times, p->now);
    vec_for_each (&p->uses, i) {
        if (p->uses.v[i].start > p->now)
            vec_push(&times, p->uses.v[i].start);
        if (p->uses.v[i].end > p->now && p->uses.v[i].end != NEVER)
            vec_push(&times, p->uses.v[i].end);
    }
    qsort(times.v, times.n, sizeof *times.v, by_number);
    for (size_t i = 0; i < times.n && !found; i++)
        found = place_within(p, j, part, times.v[i], len, ret) && plus(times.v[i], len) <= deadline;
    vec_fini(&times);
    return found;
}

/* --- the queue --- */

static uint32_t part_at(const struct model *m, const char *name)
{
    for (uint32_t i = 0; i < m->spec.parts.n; i++)
        if (str_eq(m->spec.parts.v[i].name, name))
            return i;
    return UINT32_MAX;
}

/* Those of its partitions that take it, in its order. */
static uint32_t parts_of(const struct model *m, const struct job *j, uint32_t v[8])
{
    struct strv names = strv_split(j->req.partition, ",");
    uint32_t n = 0;
    if (!names.n && m->spec.parts.n)
        strv_push(&names, model_default_part(m)->name);
    for (size_t i = 0; i < names.n; i++) {
        uint32_t at = part_at(m, names.v[i]);
        struct job_need need;
        job_need(&j->req, &need);
        const struct part_spec *s = &m->spec.parts.v[at];
        uint32_t asked = j->req.time_limit_s;
        bool long_one = asked != DURATION_NOT_SET && asked > s->max_time_s && !is_cut(j, s);
        if ((s->state == PART_UP || s->state == PART_DRAIN) && !long_one && need.nodes <= s->max_nodes)
            v[n++] = at;
    }
    strv_fini(&names);
    return n;
}

static bool goes_first(const struct ref_turn *ta, const struct ref_turn *tb)
{
    const struct job *a = ta->j, *b = tb->j;
    uint32_t pa = req_detail(&a->req)->has_priority ? req_detail(&a->req)->priority : 0,
             pb = req_detail(&b->req)->has_priority ? req_detail(&b->req)->priority : 0;
    if (ta->tier != tb->tier)
        return ta->tier > tb->tier;
    if (pa != pb)
        return pa > pb;
    if (a->t_submit.ms != b->t_submit.ms)
        return a->t_submit.ms < b->t_submit.ms;
    uint32_t ia = a->array_job ? a->array_job : a->id, ib = b->array_job ? b->array_job : b->id;
    return ia != ib ? ia < ib : a->array_index < b->array_index;
}

static void add_turn(struct ref_order *o, const struct job *j, uint32_t tier)
{
    vec_for_each (&o->v, i)
        if (o->v.v[i].j == j && o->v.v[i].tier == tier)
            return;
    vec_push(&o->v, ((struct ref_turn){j, tier}));
    for (size_t i = o->v.n - 1; i && goes_first(&o->v.v[i], &o->v.v[i - 1]); i--) {
        struct ref_turn swap = o->v.v[i];
        o->v.v[i] = o->v.v[i - 1];
        o->v.v[i - 1] = swap;
    }
}

void ref_order_make(const struct model *m, struct ref_order *ret)
{
    *ret = (struct ref_order){VEC_INIT};
    list_for_each (j, &m->pending, struct job, in_queue) {
        uint32_t v[8], n = parts_of(m, j, v);
        for (uint32_t i = 0; i < n; i++)
            add_turn(ret, j, m->spec.parts.v[v[i]].priority_tier);
        if (!n) /* it has none, and waits */
            add_turn(ret, j, 0);
    }
}

static uint32_t started_of(const struct ref_plan *p, uint32_t job)
{
    uint32_t n = 0;
    vec_for_each (&p->starts, i)
        n += p->starts.v[i].job == job;
    return n;
}

static uint32_t running_of(const struct ref_plan *p, uint32_t array)
{
    uint32_t n = 0;
    list_for_each (j, &p->m->active, struct job, in_queue)
        n += j->array_job == array;
    vec_for_each (&p->starts, i)
        n += model_get_job(p->m, p->starts.v[i].job)->array_job == array;
    return n;
}

/* Whole nodes come with all of theirs. */
static uint32_t gpus_there(const struct ref_plan *p, const struct job *j, const struct ref_entry *e)
{
    struct job_need n;
    uint32_t all = 0;
    job_need(&j->req, &n);
    for (uint32_t i = 0; i < e->n_nodes; i++)
        all += p->m->nodes[e->nodes[i]]->gpus;
    return n.whole_nodes ? all : n.gpus;
}

enum beside { BESIDE_NOTHING, BESIDE_THOSE_BEFORE, BESIDE_ALL }; /* of what is held */

/* Limits of users (GPUs and running jobs) and licences at that time, with what runs then. asked: GPUs. */
static bool within_at(const struct ref_plan *p, const struct job *j, uint32_t asked, int64_t t,
                      enum beside beside)
{
    uint64_t gpus = asked, jobs = 1, licenses = req_detail(&j->req)->licenses != NULL;
    vec_for_each (&p->uses, i) {
        const struct ref_use *u = &p->uses.v[i];
        const struct job *o = u->job ? model_get_job(p->m, u->job) : NULL;
        bool there = !u->hold || (beside == BESIDE_ALL && !is_lifted(p, u)) ||
                     (beside == BESIDE_THOSE_BEFORE && u->round == p->round);
        if (!o || !there || u->start > t || u->end <= t)
            continue;
        gpus += str_eq(o->user, j->user) ? (uint64_t)u->gpus : 0;
        jobs += str_eq(o->user, j->user) && u->first;
        licenses += req_detail(&o->req)->licenses && u->first;
    }
    for (size_t i = 0; i < p->m->spec.limits.n; i++) {
        const struct limit_set *s = &p->m->spec.limits.v[i].hard;
        if ((gpus > s->gpus && asked) || jobs > s->running_jobs)
            return false;
    }
    return !req_detail(&j->req)->licenses || licenses <= p->m->spec.licenses.v[0].count;
}

static bool leaves(const struct ref_plan *p, const struct job *j, const struct ref_entry *e,
                   enum beside beside)
{
    uint32_t asked = gpus_there(p, j, e);
    bool yes = within_at(p, j, asked, e->start, beside);
    vec_for_each (&p->uses, i) {
        const struct ref_use *u = &p->uses.v[i];
        if (u->hold && u->start > e->start && u->start < plus(e->start, e->len_ms))
            yes = yes && within_at(p, j, asked, u->start, beside);
    }
    return yes;
}

static bool within(const struct ref_plan *p, const struct job *j, uint32_t asked)
{
    return within_at(p, j, asked, p->now, BESIDE_NOTHING);
}

/* Whole nodes are at least this many of the smallest there. */
static bool could_ever_be_on(const struct ref_plan *p, const struct job *j, uint32_t part, uint32_t node);

/* Whole nodes come with as many GPUs as the smallest that would do have together. */
static bool is_open(const struct ref_plan *p, const struct job *j, uint32_t part)
{
    struct job_need need;
    bool taken[64] = {false};
    uint32_t gpus = 0;
    job_need(&j->req, &need);
    for (uint32_t k = 0; k < need.nodes && need.whole_nodes; k++) {
        uint32_t best = UINT32_MAX;
        for (uint32_t i = 0; i < p->m->n_nodes; i++)
            if (!taken[i] && could_ever_be_on(p, j, part, i) &&
                (best == UINT32_MAX || p->m->nodes[i]->gpus < p->m->nodes[best]->gpus))
                best = i;
        if (best == UINT32_MAX)
            break;
        taken[best] = true;
        gpus += p->m->nodes[best]->gpus;
    }
    return within(p, j, gpus > need.gpus ? gpus : need.gpus);
}

static bool could_ever(const struct ref_plan *p, const struct job *j, uint32_t part);

/* Those of its partitions, of the tier whose turn it is, where it may have as much as it asks for; a
 * partition where it never fits does not help. */
static uint32_t open_parts(const struct ref_plan *p, const struct job *j, uint32_t v[8])
{
    uint32_t n = parts_of(p->m, j, v), ever = 0, kept = 0;
    for (uint32_t i = 0; i < n; i++)
        ever += could_ever(p, j, v[i]);
    for (uint32_t i = 0; i < n; i++) {
        bool mine = p->tier == REF_ALL_TIERS || p->m->spec.parts.v[v[i]].priority_tier == p->tier;
        if (mine && is_open(p, j, v[i]) && (!ever || could_ever(p, j, v[i])))
            v[kept++] = v[i];
    }
    return kept;
}

static bool is_kept_back(const struct ref_plan *p, const struct job *j)
{
    bool throttled =
        j->array_job && j->req.array_throttle && running_of(p, j->array_job) >= j->req.array_throttle;
    return j->hold != HOLD_NONE || req_detail(&j->req)->begin.ms > p->now || throttled;
}

bool ref_fits_now(struct ref_plan *p, const struct job *j, struct ref_entry *ret)
{
    uint32_t v[8], n = open_parts(p, j, v);
    p->limited = false;
    if (is_kept_back(p, j) || !n)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (!p->closed[v[i]] && start_in(p, j, v[i], ret) && leaves(p, j, ret, BESIDE_ALL))
            return true;
    return false;
}

static uint32_t depth_of(const struct model *m)
{
    return m->spec.backfill == BACKFILL_CONSERVATIVE ? m->spec.reservations
                                                     : m->spec.backfill == BACKFILL_EASY;
}

/* The partition where its place counts: that one, or the first of its own that has one left. */
static uint32_t counts_in(struct ref_plan *p, const struct job *j, uint32_t part)
{
    uint32_t v[8], n = open_parts(p, j, v), depth = depth_of(p->m);
    if (part != UINT32_MAX && p->held[part] < depth)
        return part;
    for (uint32_t i = 0; i < n; i++)
        if (!p->closed[v[i]] && p->held[v[i]] < depth)
            return v[i];
    return UINT32_MAX;
}

/* The earliest start in any of its partitions, before `before`. */
static bool find_earliest(struct ref_plan *p, const struct job *j, int64_t before, struct ref_entry *ret)
{
    uint32_t v[8], n = open_parts(p, j, v);
    bool found = false;
    for (uint32_t i = 0; i < n; i++) {
        struct ref_entry e;
        if (!earliest_in(p, j, v[i], &e) || e.start >= before || !leaves(p, j, &e, BESIDE_ALL))
            continue;
        *ret = e;
        before = e.start;
        found = true;
    }
    return found;
}

/* --- places held --- */

static void drop_uses(struct ref_plan *p, uint32_t job)
{
    size_t n = 0;
    vec_for_each (&p->uses, i)
        if (!p->uses.v[i].hold || p->uses.v[i].job != job)
            p->uses.v[n++] = p->uses.v[i];
    p->uses.n = n;
}

/* Takes out what is held for a job; false: nothing is. */
static bool take_out(struct ref_plan *p, uint32_t job, struct ref_entry *ret)
{
    vec_for_each (&p->holds, i) {
        if (p->holds.v[i].job != job)
            continue;
        *ret = p->holds.v[i];
        memmove(&p->holds.v[i], &p->holds.v[i + 1], (p->holds.n - i - 1) * sizeof *ret);
        p->holds.n--;
        drop_uses(p, job);
        return true;
    }
    return false;
}

static void put_back(struct ref_plan *p, const struct job *j, const struct ref_entry *e)
{
    vec_push(&p->holds, *e);
    charge(p, j, e, true);
}

static void put_in(struct ref_plan *p, const struct job *j, struct ref_entry *e, uint32_t counts)
{
    e->counts = counts_in(p, j, counts);
    e->round = p->round;
    put_back(p, j, e);
    p->held[e->counts]++;
}

static bool is_sound(const struct ref_plan *p, const struct ref_entry *e)
{
    for (uint32_t i = 0; i < e->n_nodes; i++) {
        struct free f = free_for(p, e->nodes[i], e->start, e->len_ms);
        if (f.cpus < 0 || f.mem_mib < 0 || f.gpus < 0)
            return false;
    }
    return true;
}

/* Those in the way of a place that was taken before them. */
static void push_aside(struct ref_plan *p)
{
    for (size_t i = 0; i < p->holds.n;) {
        struct ref_entry e = p->holds.v[i];
        if (is_sound(p, &e) || !take_out(p, e.job, &e))
            i++;
        else
            p->moves = true;
    }
}

/* Were it up and empty. */
static bool could_ever_be_on(const struct ref_plan *p, const struct job *j, uint32_t part, uint32_t node)
{
    struct job_need need;
    struct node up = *p->m->nodes[node], *was = p->m->nodes[node];
    job_need(&j->req, &need);
    up.state = NODE_UP;
    up.drain = false;
    p->m->nodes[node] = &up;
    bool yes = suits(p, j, part, node) && up.cpus >= need.cpus_per_task && up.gpus >= need.gpus_per_node &&
               up.mem_mib >= need.mem_per_node_mib;
    p->m->nodes[node] = was;
    return yes;
}

static bool could_ever(const struct ref_plan *p, const struct job *j, uint32_t part)
{
    struct job_need need;
    uint32_t n = 0;
    job_need(&j->req, &need);
    for (uint32_t i = 0; i < p->m->n_nodes; i++)
        n += could_ever_be_on(p, j, part, i);
    return n >= need.nodes;
}

static bool gate_is_closed(struct ref_plan *p, const struct job *j)
{
    uint32_t v[8];
    return is_kept_back(p, j) || !open_parts(p, j, v);
}

/* Where one without a place has one left to hold, those behind it delay no other job; those of a lower
 * tier never do. */
static bool try_start(struct ref_plan *p, const struct job *j, bool has_place, struct ref_entry *ret)
{
    bool fits = ref_fits_now(p, j, ret);
    if (!fits) {
        bool may = !has_place && counts_in(p, j, UINT32_MAX) != UINT32_MAX;
        p->lifts = may ? LIFT_ALL : LIFT_LOWER_TIERS;
        fits = ref_fits_now(p, j, ret);
        p->lifts = LIFT_NONE;
    }
    if (!fits)
        return false;
    vec_push(&p->starts, *ret);
    charge(p, j, ret, false);
    push_aside(p);
    return true;
}

static bool could_ever_run(struct ref_plan *p, const struct job *j)
{
    uint32_t v[8], n = parts_of(p->m, j, v);
    for (uint32_t i = 0; i < n; i++)
        if (could_ever(p, j, v[i]))
            return true;
    return false;
}

static void stay(struct ref_plan *p, const struct job *j, struct ref_entry *kept)
{
    if (p->held[kept->counts] >= depth_of(p->m) || kept->start <= p->now) {
        p->moves = true;
        return;
    }
    kept->round = p->round;
    put_back(p, j, kept);
    p->held[kept->counts]++;
}

/* What is kept is only ever moved earlier. */
static void reserve(struct ref_plan *p, const struct job *j, struct ref_entry *kept)
{
    struct ref_entry e;
    if (counts_in(p, j, UINT32_MAX) == UINT32_MAX)
        return;
    if (kept) {
        p->lifts = LIFT_LOWER_TIERS;
        bool earlier = find_earliest(p, j, kept->start, &e);
        p->lifts = LIFT_NONE;
        put_in(p, j, earlier ? &e : kept, kept->counts);
        p->moves = p->moves || earlier;
        push_aside(p);
        return;
    }
    p->lifts = LIFT_ALL;
    bool found = find_earliest(p, j, NEVER, &e);
    p->lifts = LIFT_NONE;
    if (found)
        put_in(p, j, &e, e.part);
    push_aside(p);
}

/* It has a place in a partition of another tier: an earlier one in a higher tier takes its stead, where
 * places are kept. */
static void reserve_instead(struct ref_plan *p, const struct job *j, const struct ref_entry *kept)
{
    struct ref_entry e;
    bool found = false;
    bool up = p->m->spec.parts.v[kept->part].priority_tier < p->tier;
    if (up && p->m->spec.backfill == BACKFILL_CONSERVATIVE && counts_in(p, j, UINT32_MAX) != UINT32_MAX) {
        p->lifts = LIFT_ALL;
        found = find_earliest(p, j, kept->start, &e);
        p->lifts = LIFT_NONE;
    }
    if (!found) {
        put_back(p, j, kept);
        return;
    }
    if (kept->round == p->round)
        p->held[kept->counts]--;
    put_in(p, j, &e, e.part);
    p->moves = true;
    push_aside(p);
}

/* One job, or the elements of an array one after the other until one has to wait. */
static void take_turn(struct ref_plan *p, const struct job *j)
{
    uint32_t left = job_pending_elements(j) - started_of(p, j->id), v[8];
    struct ref_entry e, kept;
    bool has_place = take_out(p, j->id, &kept);
    if (has_place && p->m->spec.parts.v[kept.part].priority_tier == p->tier &&
        !leaves(p, j, &kept, BESIDE_THOSE_BEFORE)) { /* jobs before it have taken what it needs */
        has_place = false;
        p->moves = true;
    }
    bool elsewhere = has_place && p->m->spec.parts.v[kept.part].priority_tier != p->tier;
    for (; left && try_start(p, j, has_place && !elsewhere, &e); left--) {
        p->moves = p->moves || has_place;
        if (elsewhere && kept.round == p->round)
            p->held[kept.counts]--;
        has_place = elsewhere = false;
    }
    if (!left)
        return;
    if (gate_is_closed(p, j) || !could_ever_run(p, j)) {
        if (elsewhere) /* what becomes of that is asked when all have had their turns */
            put_back(p, j, &kept);
        else if (has_place && !is_kept_back(p, j) && could_ever_run(p, j))
            stay(p, j, &kept);
        return;
    }
    if (elsewhere)
        reserve_instead(p, j, &kept);
    else
        reserve(p, j, has_place ? &kept : NULL);
    for (uint32_t i = 0, n = open_parts(p, j, v);
         i < n && p->m->spec.backfill == BACKFILL_OFF && !p->limited; i++)
        p->closed[v[i]] = true;
}

static void go_through(struct ref_plan *p, const struct ref_order *order)
{
    struct ref_entry e;
    p->round++;
    memset(p->held, 0, p->m->spec.parts.n * sizeof *p->held);
    memset(p->closed, 0, p->m->spec.parts.n * sizeof *p->closed);
    while (p->m->spec.backfill != BACKFILL_CONSERVATIVE && p->holds.n)
        take_out(p, p->holds.v[0].job, &e);
    vec_for_each (&order->v, i) {
        p->tier = order->v.v[i].tier;
        take_turn(p, order->v.v[i].j);
    }
    p->tier = REF_ALL_TIERS;
}

/* What has started behind a job may have brought it to a limit: its place is for others then. Returns
 * whether there was one. */
static bool give_up_closed(struct ref_plan *p)
{
    bool any = false;
    for (size_t i = 0; i < p->holds.n;) {
        struct ref_entry e = p->holds.v[i];
        const struct job *j = model_get_job(p->m, e.job);
        p->tier = p->m->spec.parts.v[e.part].priority_tier;
        take_out(p, e.job, &e);
        if (is_kept_back(p, j) || !leaves(p, j, &e, BESIDE_ALL)) {
            any = true;
            continue;
        }
        put_back(p, j, &e);
        struct ref_entry last = p->holds.v[p->holds.n - 1]; /* where it was */
        memmove(&p->holds.v[i + 1], &p->holds.v[i], (p->holds.n - i - 1) * sizeof last);
        p->holds.v[i++] = last;
    }
    p->tier = REF_ALL_TIERS;
    return any;
}

static void charge_running(struct ref_plan *p)
{
    list_for_each (j, &p->m->active, struct job, in_queue)
        for (size_t i = 0; i < j->alloc.n && j->holding; i++) {
            const struct alloc *a = &j->alloc.v[i];
            int64_t end =
                j->time_limit_s == DURATION_UNLIMITED ? NEVER : j->t_start.ms + ms_of(j->time_limit_s);
            struct ref_use u = {.cpus = cpuset_count(&a->cpus),
                                .mem_mib = (int64_t)a->mem_mib,
                                .gpus = cpuset_count(&a->gpus),
                                .start = p->now,
                                .end = end,
                                .job = j->id,
                                .first = i == 0};
            for (u.node = 0; !str_eq(p->m->nodes[u.node]->spec.name, a->node);)
                u.node++;
            vec_push(&p->uses, u);
        }
    for (size_t i = 0; i < p->m->windows.n; i++)
        for (uint32_t k = 0; k < p->m->n_nodes; k++) {
            const struct window *w = &p->m->windows.v[i];
            const struct node *n = p->m->nodes[k];
            if (strv_has(&w->nodes, n->spec.name))
                vec_push(&p->uses, (struct ref_use){k, n->cpus, (int64_t)n->mem_mib, n->gpus, w->start.ms,
                                                    w->end.ms, 0, false, 0, 0, false});
        }
}

void ref_plan_bare(struct ref_plan *p, const struct model *m, struct wall now)
{
    *p = (struct ref_plan){.m = m, .now = now.ms, .tier = REF_ALL_TIERS};
    p->held = xcalloc(m->spec.parts.n + 1, sizeof *p->held);
    p->closed = xcalloc(m->spec.parts.n + 1, sizeof *p->closed);
    charge_running(p);
}

void ref_plan_make(struct ref_plan *p, const struct model *m, struct wall now)
{
    struct ref_order order;
    ref_plan_bare(p, m, now);
    ref_order_make(m, &order);
    for (int i = 0; i < ROUNDS_MAX; i++) {
        p->moves = false;
        go_through(p, &order);
        if (!give_up_closed(p) && !p->moves)
            break;
    }
    vec_fini(&order.v);
}

void ref_plan_fini(struct ref_plan *p)
{
    vec_fini(&p->uses);
    vec_fini(&p->starts);
    vec_fini(&p->holds);
    free(p->held);
    free(p->closed);
}
