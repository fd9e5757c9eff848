/* job.c - the records of jobs, steps and tasks, and what can be read off them. */
#include "src/model/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/model/need.h"
#include "src/values/hostlist.h"
#include "src/values/units.h"

REC_DEFINE(index_range, INDEX_RANGE_FIELDS)
REC_DEFINE(job_req, JOB_REQ_FIELDS)
REC_DEFINE(task, TASK_FIELDS)
REC_DEFINE(step, STEP_FIELDS)
REC_DEFINE(past_run, PAST_RUN_FIELDS)
REC_DEFINE(job_event, JOB_EVENT_FIELDS)
REC_DEFINE(state_count, STATE_COUNT_FIELDS)
REC_DEFINE(job, JOB_FIELDS)

const struct job_req_rare job_req_nothing_rare;
const struct job_req_detail job_req_no_detail;
const struct job_rare job_nothing_rare;
const struct job_origin job_no_origin;

void job_req_init(struct job_req *r)
{
    *r = (struct job_req){
        .nodes_min = NOT_GIVEN,
        .nodes_max = NOT_GIVEN,
        .ntasks = NOT_GIVEN,
        .cpus_per_task = NOT_GIVEN,
        .mem_node_mib = MEM_NOT_GIVEN,
        .gpus = NOT_GIVEN,
        .gpus_per_node = NOT_GIVEN,
        .time_limit_s = DURATION_NOT_SET,
    };
    *req_detail_mut(r) = (struct job_req_detail){
        .ntasks_per_node = NOT_GIVEN,
        .mem_cpu_mib = MEM_NOT_GIVEN,
        .mem_gpu_mib = MEM_NOT_GIVEN,
        .gpus_per_task = NOT_GIVEN,
        .time_min_s = DURATION_NOT_SET,
    };
}

struct job *job_new(void)
{
    struct job *j = xcalloc(1, sizeof *j);
    job_req_init(&j->req);
    j->array_index = ARRAY_NONE;
    j->time_limit_s = DURATION_NOT_SET;
    list_init(&j->in_all);
    list_init(&j->in_queue);
    return j;
}

void job_free(struct job *j)
{
    if (!j)
        return;
    rec_fini(&job_rec, j);
    free(j);
}

struct step *job_find_step(const struct job *j, int32_t id)
{
    /* Steps are in the order of their ids, the batch step first: look from the end, where the live ones
     * are. */
    for (size_t i = j->steps.n; i-- > 0;)
        if (j->steps.v[i].id == id)
            return &j->steps.v[i];
    return NULL;
}

struct task *step_find_task(const struct step *s, uint32_t index)
{
    size_t each = s->n_tasks && s->tasks.n > s->n_tasks ? s->tasks.n / s->n_tasks : 1, at = each * index;
    if (at < s->tasks.n && s->tasks.v[at].index == index && !s->tasks.v[at].part)
        return &s->tasks.v[at];
    for (size_t i = 0; i < s->tasks.n; i++)
        if (s->tasks.v[i].index == index)
            return &s->tasks.v[i];
    return NULL;
}

struct task *step_find_attempt(const struct step *s, uint32_t index, uint32_t attempt)
{
    struct task *first = step_find_task(s, index);
    for (struct task *t = first; first && t < s->tasks.v + s->tasks.n && t->index == index; t++)
        if (t->attempt == attempt)
            return t;
    return NULL;
}

/* The next name of a list with commas. Returns what is behind it, NULL at the end. */
static const char *next_name(const char *list, size_t *ret_len)
{
    *ret_len = list ? strcspn(list, ",") : 0;
    return *ret_len ? list + *ret_len + (list[*ret_len] == ',') : NULL;
}

static bool is_name(const char *name, const char *s, size_t len)
{
    return name && strncmp(name, s, len) == 0 && !name[len];
}

/* Distribution 2: the rank of a node's local-th name in the list. */
static uint32_t listed_rank(const struct step *s, const struct task *t, uint32_t local)
{
    size_t len;
    const char *at = s->rank_nodes;
    uint32_t rank = 0;
    for (const char *next; (next = next_name(at, &len)); at = next, rank++)
        if (is_name(t->alloc.node, at, len) && local-- == 0)
            return rank;
    return t->rank_base + local; /* it has no node yet */
}

/* The other way round. */
static const struct task *find_listed(const struct step *s, uint32_t rank, uint32_t *ret_local)
{
    size_t len, other;
    const char *at = s->rank_nodes, *name = NULL;
    uint32_t n = 0, local = 0;
    for (const char *next; !name && (next = next_name(at, &len)); at = next)
        if (n++ == rank)
            name = at;
    for (const char *p = s->rank_nodes, *next; name && p < name && (next = next_name(p, &other)); p = next)
        local += other == len && strncmp(p, name, len) == 0;
    for (size_t i = 0; name && i < s->tasks.n; i++) {
        const struct task *t = &s->tasks.v[i];
        if (!is_name(t->alloc.node, name, len) || local >= t->n_ranks)
            continue;
        if (ret_local)
            *ret_local = local;
        return t;
    }
    return NULL;
}

const struct rank_end *task_rank_end(const struct task *t, uint32_t local)
{
    for (size_t i = 0; !t->ends_by_code && i < t->ranks.n; i++) {
        uint32_t n = rank_end_count(&t->ranks.v[i]);
        if (local < n)
            return &t->ranks.v[i];
        local -= n;
    }
    return NULL;
}

uint32_t step_rank(const struct step *s, const struct task *t, uint32_t local)
{
    if (!s->distribution || t->index >= s->tasks.n)
        return t->rank_base + local;
    if (s->distribution == 2)
        return listed_rank(s, t, local);
    uint32_t rank = 0;
    for (size_t i = 0; i < s->tasks.n; i++) {
        const struct task *o = &s->tasks.v[i];
        bool before = o->index < t->index;
        rank += o->n_ranks <= local ? o->n_ranks : local + before;
    }
    return rank;
}

const struct task *step_find_rank(const struct step *s, uint32_t rank, uint32_t *ret_local)
{
    if (s->distribution == 2)
        return find_listed(s, rank, ret_local);
    bool dealt = s->distribution != 0, any = true;
    uint32_t at = 0; /* the next rank, as they are dealt out */
    for (uint32_t round = 0; any && (dealt || round == 0); round++) {
        any = false;
        for (size_t i = 0; i < s->tasks.n; i++) {
            const struct task *t = &s->tasks.v[i];
            bool here = dealt ? t->n_ranks > round && at++ == rank
                              : rank >= t->rank_base && rank - t->rank_base < t->n_ranks;
            any = any || t->n_ranks > round;
            if (here && ret_local)
                *ret_local = dealt ? round : rank - t->rank_base;
            if (here)
                return t;
        }
    }
    return NULL;
}

bool job_is_array_record(const struct job *j)
{
    return j->array_job && j->array_index == ARRAY_NONE;
}

uint32_t job_pending_elements(const struct job *j)
{
    if (!job_is_array_record(j))
        return j->state == JOB_PENDING;
    uint32_t n = 0;
    for (size_t i = 0; i < job_rare(j)->array_pending.n; i++) {
        const struct index_range *r = &job_rare(j)->array_pending.v[i];
        n += (r->last - r->first) / r->step + 1;
    }
    return n;
}

bool job_is_in_grace(const struct job *j)
{
    return j->state == JOB_COMPLETING && j->kill_cause == KILL_PREEMPT && job_rare(j)->kill_grace_s;
}

bool job_succeeded(const struct job *j)
{
    return j->state == JOB_COMPLETED && !j->exit_code && !j->exit_signal;
}

uint32_t job_live_tasks(const struct job *j)
{
    uint32_t n = 0;
    for (size_t i = 0; i < j->steps.n; i++) {
        const struct step *s = &j->steps.v[i];
        if (s->done)
            continue;
        for (size_t k = step_live_begin(s); k < step_live_end(s); k++)
            n += s->tasks.v[k].state == TASK_LAUNCHING || s->tasks.v[k].state == TASK_RUNNING;
    }
    return n;
}

static void held_add(struct job_amounts *h, const struct alloc *a)
{
    h->cpus += cpuset_count(&a->cpus);
    h->gpus += cpuset_count(&a->gpus);
    h->mem_mib += a->mem_mib;
    h->nodes++;
}

static bool task_is_live(const struct task *t)
{
    return t->state == TASK_LAUNCHING || t->state == TASK_RUNNING;
}

/* Of a step job while nothing of it runs: the largest of its declared tasks. */
static struct job_amounts step_job_wants(const struct job *j)
{
    struct job_amounts h = {.nodes = 1};
    for (size_t i = 0; i < j->steps.n; i++) {
        struct job_need n;
        step_task_need(&j->steps.v[i], &n);
        h.cpus = n.cpus > h.cpus ? n.cpus : h.cpus;
        h.gpus = n.gpus > h.gpus ? n.gpus : h.gpus;
        h.nodes = n.nodes > h.nodes ? n.nodes : h.nodes;
        uint64_t mem = n.mem_per_node_mib == MEM_NOT_GIVEN ? 0 : n.mem_per_node_mib * n.nodes;
        h.mem_mib = mem > h.mem_mib ? mem : h.mem_mib;
    }
    return h;
}

struct job_amounts job_amounts(const struct job *j)
{
    struct job_amounts h = {0};
    if (j->alloc.n) {
        for (size_t i = 0; i < j->alloc.n; i++)
            held_add(&h, &j->alloc.v[i]);
        return h;
    }
    if (j->kind == JOB_KIND_STEPS) {
        for (size_t i = 0; i < j->steps.n; i++)
            for (size_t k = step_live_begin(&j->steps.v[i]); k < step_live_end(&j->steps.v[i]); k++)
                if (task_is_live(&j->steps.v[i].tasks.v[k]))
                    held_add(&h, &j->steps.v[i].tasks.v[k].alloc);
        return h.nodes ? h : step_job_wants(j);
    }
    struct job_need n;
    job_need(&j->req, &n);
    bool mem_known = n.mem_per_node_mib != MEM_NOT_GIVEN;
    return (struct job_amounts){.cpus = n.cpus,
                                .gpus = n.gpus,
                                .nodes = n.nodes,
                                .mem_mib = mem_known ? n.mem_per_node_mib * n.nodes : 0};
}

const char *job_partition_text(const struct job *j)
{
    bool waits = !wall_is_set(j->t_start) && !str_is_empty(j->req.partition);
    return waits || !j->partition ? j->req.partition : j->partition;
}

struct strv job_partitions(const struct job *j)
{
    return strv_split(str_is_empty(j->req.partition) ? j->partition : j->req.partition, ",");
}

const struct alloc *job_alloc_on(const struct job *j, const char *node)
{
    for (size_t i = 0; i < j->alloc.n; i++)
        if (str_eq(j->alloc.v[i].node, node))
            return &j->alloc.v[i];
    return NULL;
}

uint32_t job_cpus(const struct job *j)
{
    if (!j->alloc.n && j->kind != JOB_KIND_STEPS) /* filters and sorts ask all that wait */
        return job_need_cpus(&j->req);
    return job_amounts(j).cpus;
}

uint32_t job_gpus(const struct job *j)
{
    const struct job_req *r = &j->req; /* most want none, and all that wait are asked at each change */
    if (!j->alloc.n && j->kind != JOB_KIND_STEPS && r->gpus == NOT_GIVEN && r->gpus_per_node == NOT_GIVEN &&
        req_detail(r)->gpus_per_task == NOT_GIVEN)
        return 0;
    return job_amounts(j).gpus;
}

uint32_t job_nodes(const struct job *j)
{
    if (j->kind != JOB_KIND_STEPS || j->state == JOB_PENDING)
        return job_amounts(j).nodes;
    struct strv seen = {0};
    for (size_t i = 0; i < j->steps.n; i++)
        for (size_t k = step_live_begin(&j->steps.v[i]); k < step_live_end(&j->steps.v[i]); k++) {
            const struct task *t = &j->steps.v[i].tasks.v[k];
            if (task_is_live(t) && !strv_has(&seen, t->alloc.node))
                strv_push(&seen, t->alloc.node);
        }
    uint32_t n = (uint32_t)seen.n;
    strv_fini(&seen);
    return n ? n : job_amounts(j).nodes; /* nothing of it runs: what it asked for */
}

uint64_t job_mem_mib(const struct job *j)
{
    return job_amounts(j).mem_mib;
}

uint32_t job_run_s(const struct job *j, struct wall now)
{
    if (!wall_is_set(j->t_start))
        return 0;
    struct wall to = wall_is_set(j->t_end)       ? j->t_end
                     : j->state == JOB_SUSPENDED ? job_rare(j)->t_suspend
                                                 : now;
    to.ms -= (int64_t)job_rare(j)->suspended_ms;
    return (uint32_t)wall_elapsed_s(j->t_start, to);
}

char *job_format_id(const struct job *j, size_t max)
{
    if (!j->array_job)
        return xasprintf("%u", j->id);
    if (j->array_index != ARRAY_NONE)
        return xasprintf("%u_%u", j->array_job, j->array_index);
    struct str b = STR_INIT;
    for (size_t i = 0; i < job_rare(j)->array_pending.n; i++) {
        const struct index_range *r = &job_rare(j)->array_pending.v[i];
        const char *comma = i ? "," : "";
        if (r->first == r->last)
            str_appendf(&b, "%s%u", comma, r->first);
        else if (r->step == 1)
            str_appendf(&b, "%s%u-%u", comma, r->first, r->last);
        else /* Slurm lists what does not run without gaps: 1,3,5 */
            for (uint32_t k = r->first; k <= r->last && (!max || b.len <= max); k += r->step)
                str_appendf(&b, "%s%u", k == r->first ? comma : ",", k);
    }
    if (max && b.len > max) {
        str_truncate(&b, max);
        while (b.len && b.s[b.len - 1] != ',')
            str_truncate(&b, b.len - 1);
        str_append(&b, "...");
    }
    if (j->req.array_throttle)
        str_appendf(&b, "%%%u", j->req.array_throttle);
    char *id = xasprintf("%u_[%s]", j->array_job, b.s);
    str_fini(&b);
    return id;
}

const char *step_format_id(int32_t id, char buf[static 16])
{
    if (id == STEP_BATCH)
        return "batch";
    if (id == STEP_INTERACTIVE)
        return "interactive";
    snprintf(buf, 16, "%d", id);
    return buf;
}

const char *job_batch_host(const struct job *j)
{
    if (j->state == JOB_PENDING)
        return NULL;
    if (j->alloc.n)
        return j->alloc.v[0].node;
    for (size_t i = 0; i < j->steps.n; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n; k++)
            if (j->steps.v[i].tasks.v[k].alloc.node)
                return j->steps.v[i].tasks.v[k].alloc.node;
    return NULL;
}

/* Does this array record still stand for the element? */
static bool has_pending_element(const struct job *j, uint32_t index)
{
    for (size_t i = 0; i < job_rare(j)->array_pending.n; i++) {
        const struct index_range *r = &job_rare(j)->array_pending.v[i];
        if (index >= r->first && index <= r->last && (index - r->first) % (r->step ? r->step : 1) == 0)
            return true;
    }
    return false;
}

bool job_is_named(const struct job *j, uint32_t id, uint32_t array_index)
{
    if (array_index == ARRAY_NONE)
        return j->id == id || j->array_job == id;
    if (j->array_job != id)
        return false;
    return j->array_index == array_index ||
           (j->array_index == ARRAY_NONE && has_pending_element(j, array_index));
}

static int node_list_by_name(const void *pa, const void *pb)
{
    return strverscmp(*(char *const *)pa, *(char *const *)pb);
}

char *node_list_of(struct strv *names)
{
    if (!names->n)
        return NULL;
    qsort(names->v, names->n, sizeof *names->v, node_list_by_name);
    return hostlist_compress(names);
}

static void node_list_add_steps(const struct job *j, struct strv *names)
{
    bool ended = job_state_is_final((enum job_state)j->state);
    for (size_t i = 0; i < j->steps.n; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n; k++) {
            const struct task *t = &j->steps.v[i].tasks.v[k];
            bool live = t->state == TASK_LAUNCHING || t->state == TASK_RUNNING;
            if ((live || ended) && t->alloc.node && !strv_has(names, t->alloc.node))
                strv_push(names, t->alloc.node);
        }
}

char *job_node_list(const struct job *j)
{
    if (j->state == JOB_PENDING)
        return NULL;
    if (j->alloc.n == 1)
        return xstrdup(j->alloc.v[0].node);
    struct strv names = {0};
    for (size_t i = 0; i < j->alloc.n; i++)
        strv_push(&names, j->alloc.v[i].node);
    if (j->kind == JOB_KIND_STEPS)
        node_list_add_steps(j, &names);
    char *list = node_list_of(&names);
    strv_fini(&names);
    return list;
}
