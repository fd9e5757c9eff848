#include "backend/slurm/slurm_job.h"

#include <stdlib.h>
#include <string.h>

#include "backend/slurm/slurm_intent.h"
#include "src/base/idmap.h"
#include "src/base/xalloc.h"
#include "src/model/array.h"
#include "src/values/hostlist.h"
#include "src/values/units.h"

#define COLUMN(row, name) (&(row)->columns[SLURM_COLUMN_##name])

uint32_t slurm_job_id(const struct slurm_row *row)
{
    uint32_t id = slurm_u32(COLUMN(row, ID), 0);
    return id == UINT32_MAX ? 0 : id;
}

uint32_t slurm_job_array(const struct slurm_row *row, bool *ret_single)
{
    const struct slurm_span *index = COLUMN(row, INDEX);
    *ret_single = slurm_u32(index, ARRAY_NONE) != ARRAY_NONE;
    if (!index->n || slurm_span_is(index, "N/A"))
        return 0;
    return slurm_u32(COLUMN(row, ARRAY), 0);
}

/* --- states --- */

/* Those that the model does not have, as the nearest one. */
static enum job_state nearest_state(const char *text)
{
    static const struct {
        const char *slurm;
        enum job_state state;
    } nearest[] = {
        {"CONFIGURING", JOB_RUNNING},     {"RESIZING", JOB_RUNNING},  {"SIGNALING", JOB_RUNNING},
        {"STAGE_OUT", JOB_COMPLETING},    {"STOPPED", JOB_SUSPENDED}, {"BOOT_FAIL", JOB_NODE_FAIL},
        {"LAUNCH_FAILED", JOB_NODE_FAIL}, {"REVOKED", JOB_CANCELLED}, {"RECONFIG_FAIL", JOB_NODE_FAIL},
    };
    for (size_t i = 0; i < sizeof nearest / sizeof *nearest; i++)
        if (str_eq(text, nearest[i].slurm))
            return nearest[i].state;
    return JOB_PENDING; /* REQUEUED, SPECIAL_EXIT and what no release has yet: it is in the queue */
}

enum job_state slurm_job_state(const struct slurm_span *s)
{
    enum job_state state = JOB_PENDING;
    char *text = slurm_text(s);
    if (text && !job_state_parse(text, &state))
        state = nearest_state(text);
    free(text);
    return state;
}

static uint8_t slurm_reason_of(const char *text)
{
    for (uint8_t r = REASON_NONE; r < REASON_N; r++)
        if (str_eq(text, reason_slurm(r)))
            return r;
    return REASON_N;
}

/* The record of an array may have those of all its elements, "Priority,JobHeldUser,None": the first one
 * that is neither a hold of an element nor none; else the first one. */
static char *reason_of_all(char *text)
{
    struct strv words = {0};
    char *one = NULL;
    if (!text || !strchr(text, ',') || strchr(text, ' ')) /* "ReqNodeNotAvail, UnavailableNodes:n1" */
        return text;
    words = strv_split(text, ",");
    for (size_t i = 0; i < words.n && !one; i++) {
        uint8_t r = slurm_reason_of(words.v[i]);
        if (r != REASON_NONE && r != REASON_HELD_USER && r != REASON_HELD_ADMIN)
            one = xstrdup(words.v[i]);
    }
    one = one ? one : xstrdup(words.n ? words.v[0] : text);
    strv_fini(&words);
    free(text);
    return one;
}

/* Slurm's own word is kept where the model has none like it. */
static void read_reason(struct job *j, const struct slurm_span *s)
{
    char *text = reason_of_all(slurm_text(s));
    uint8_t r = text ? slurm_reason_of(text) : REASON_NONE;
    j->reason = r == REASON_N ? REASON_NONE : r;
    if (r == REASON_N)
        job_rare_mut(j)->reason_detail = text;
    else
        free(text);
    if (j->state == JOB_PENDING && (j->reason == REASON_HELD_USER || j->reason == REASON_HELD_ADMIN))
        j->hold = j->reason == REASON_HELD_USER ? HOLD_USER : HOLD_ADMIN;
}

/* --- amounts --- */

static struct slurm_amounts read_amounts(const struct slurm_row *row)
{
    const struct slurm_span *tres = COLUMN(row, TRES);
    struct slurm_span mem = slurm_tres(tres, "mem"), gpus = slurm_tres(tres, "gres/gpu");
    struct slurm_span nodes = *COLUMN(row, NODES);
    const char *dash = nodes.n ? memchr(nodes.p, '-', nodes.n) : NULL; /* "2-4": at least */
    nodes.n = dash ? (size_t)(dash - nodes.p) : nodes.n;
    struct slurm_amounts a = {.nodes = slurm_u32(&nodes, 1),
                              .cpus = slurm_u32(COLUMN(row, CPUS), 0),
                              .mem_mib = slurm_mem_mib(&mem, MEM_NOT_GIVEN)};
    a.nodes = a.nodes ? a.nodes : 1;
    uint64_t by_node = (uint64_t)slurm_gpus(COLUMN(row, GRES), NULL) * a.nodes;
    a.gpus = slurm_u32(&gpus, by_node > UINT32_MAX ? UINT32_MAX : (uint32_t)by_node);
    return a;
}

/* Part i of n equal ones, the first of which take what is left over. */
static uint32_t slurm_job_part(uint32_t all, size_t i, size_t n)
{
    return (uint32_t)(all / n + (i < all % n));
}

static struct cpuset count_set(uint32_t n)
{
    struct cpuset s = {{0}};
    cpuset_add_range(&s, 0, n < CPUSET_MAX ? n : CPUSET_MAX);
    return s;
}

void slurm_job_spread(struct job *j, const struct strv *nodes, const struct slurm_amounts *a)
{
    for (size_t i = 0; i < nodes->n; i++) {
        struct alloc *part = rec_list_push(&j->alloc);
        *part = (struct alloc){.node = xstrdup(nodes->v[i]),
                               .cpus = count_set(slurm_job_part(a->cpus, i, nodes->n)),
                               .gpus = count_set(slurm_job_part(a->gpus, i, nodes->n)),
                               .mem_mib = a->mem_mib == MEM_NOT_GIVEN ? 0 : a->mem_mib / nodes->n};
    }
}

static void read_allocation(struct job *j, const struct slurm_row *row, const struct slurm_amounts *a)
{
    char *list = slurm_text(COLUMN(row, NODE_LIST));
    struct strv names = {0};
    if (list && hostlist_expand(list, &names, NULL) < 0)
        names = (struct strv){0};
    slurm_job_spread(j, &names, a);
    j->holding = j->alloc.n && !job_state_is_final((enum job_state)j->state);
    strv_fini(&names);
    free(list);
}

/* --- the request --- */

/* "afterok:10_*(unfulfilled)" in the grammar of --dependency: "afterok:10". NULL: none. */
static char *read_dependency(const struct slurm_span *s)
{
    char *text = slurm_text(s);
    size_t to = 0;
    bool inside = false;
    for (size_t i = 0; text && text[i]; i++) {
        inside = text[i] == '(' || (inside && text[i - 1] != ')');
        bool all = text[i] == '_' && text[i + 1] == '*';
        if (!inside && !all && text[i] != '*')
            text[to++] = text[i];
    }
    if (text)
        text[to] = '\0';
    return text;
}

static void read_request(struct job *j, const struct slurm_row *row, const struct slurm_amounts *a)
{
    struct job_req *r = &j->req;
    const struct slurm_span *name = COLUMN(row, NAME);
    uint32_t tasks = slurm_u32(COLUMN(row, TASKS), 0);
    /* A name may be any text, "None" too. */
    r->name = slurm_text_any(name);
    r->account = slurm_text(COLUMN(row, ACCOUNT));
    req_detail_mut(r)->qos = slurm_text(COLUMN(row, QOS));
    r->partition = slurm_text(COLUMN(row, PARTITION));
    r->workdir = slurm_text(COLUMN(row, WORKDIR));
    req_detail_mut(r)->features = slurm_text(COLUMN(row, FEATURES));
    req_detail_mut(r)->licenses = slurm_text(COLUMN(row, LICENSES));
    r->dependency = read_dependency(COLUMN(row, DEPENDENCY));
    req_detail_mut(r)->gres = slurm_text(COLUMN(row, GRES));
    r->nodes_min = r->nodes_max = a->nodes;
    r->ntasks = tasks && a->cpus % tasks == 0 ? tasks : a->cpus;
    r->cpus_per_task = r->ntasks ? a->cpus / r->ntasks : NOT_GIVEN;
    r->gpus = a->gpus ? a->gpus : NOT_GIVEN;
    r->mem_node_mib = a->mem_mib == MEM_NOT_GIVEN ? MEM_NOT_GIVEN : a->mem_mib / a->nodes;
    r->time_limit_s = slurm_duration(COLUMN(row, TIME_LIMIT));
    req_detail_mut(r)->nice = (int32_t)slurm_u32(COLUMN(row, NICE), 0);
    char *comment = slurm_text(COLUMN(row, COMMENT)), *reservation = slurm_text(COLUMN(row, RESERVATION));
    if (comment && str_starts(comment, SLURM_INTENT_MARK)) { /* of a submission of ours, not its user's */
        free(comment);
        comment = NULL;
    }
    if (comment)
        req_rare_mut(r)->comment = comment;
    if (reservation)
        req_rare_mut(r)->reservation = reservation;
}

/* A script that had no file of its own lay in one of ours for a moment: its name alone says something. */
static char *read_command(const struct slurm_row *row)
{
    char *text = slurm_text(COLUMN(row, COMMAND));
    const char *ours = text ? strstr(text, SLURM_INTENT_DIR) : NULL, *name = ours;
    size_t path = ours ? (size_t)(ours - text) + strcspn(ours, " ") : 0;
    for (size_t i = 0; ours && i < path; i++)
        name = text[i] == '/' ? text + i + 1 : name;
    char *copy = ours ? xstrdup(name) : NULL;
    if (!ours)
        return text;
    free(text);
    return copy;
}

/* Without a name of its user's, squeue tells that of a single job for an element too: slurm-ID.out, while
 * Slurm writes to slurm-ARRAY_INDEX.out, which is also the default here. */
static char *slurm_output_text(const struct job *j, const struct slurm_span *told)
{
    char *text = slurm_text(told), *file = xasprintf("/slurm-%u.out", j->id);
    if (text && j->array_index != ARRAY_NONE && str_ends(text, file)) {
        free(text);
        text = NULL;
    }
    free(file);
    return text;
}

/* What squeue tells of an array's record is not the name of a file: each element has its own. */
static void read_outputs(struct job *j, const struct slurm_row *row)
{
    if (job_is_array_record(j))
        return;
    j->req.std_out = slurm_output_text(j, COLUMN(row, STDOUT));
    req_detail_mut(&j->req)->std_err = slurm_output_text(j, COLUMN(row, STDERR));
}

/* The waiting elements of an array's record; the caller frees *ret with array_spec_fini. */
static bool read_waiting(const struct slurm_row *row, struct array_spec *ret)
{
    char *text = slurm_text(COLUMN(row, INDEX));
    bool there = text && array_parse(text, ARRAY_SIZE_MAX, ret, NULL) == 0;
    free(text);
    return there;
}

static void slurm_array_widen(struct slurm_array *a, uint32_t count, uint32_t min, uint32_t max,
                              uint32_t step)
{
    a->min = a->count && a->min < min ? a->min : min;
    a->max = a->count && a->max > max ? a->max : max;
    a->step = a->count && a->step != step ? 1 : step;
    a->count += count;
}

void slurm_array_fini(struct slurm_array *a)
{
    vec_fini(&a->singles);
    vec_fini(&a->waiting);
    vec_fini(&a->apart);
}

bool slurm_array_waits(const struct slurm_array *a, uint32_t index)
{
    vec_for_each (&a->waiting, i) {
        const struct index_range *r = &a->waiting.v[i];
        if (index >= r->first && index <= r->last && (index - r->first) % r->step == 0)
            return true;
    }
    return false;
}

void slurm_array_set_apart(struct slurm_array *a, uint32_t index)
{
    static const char kind[] = "apart";
    vec_push(&a->apart, index);
    a->hash += hash_bytes(&index, sizeof index) ^ hash_bytes(kind, sizeof kind);
}

static int index_compare(const void *pa, const void *pb)
{
    const uint32_t *a = pa, *b = pb;
    return (*a > *b) - (*a < *b);
}

static void push_range(struct job *record, uint32_t first, uint32_t last, uint32_t step)
{
    if (first <= last)
        *rec_list_push(&job_rare_mut(record)->array_pending) =
            (struct index_range){.first = first, .last = last, .step = step};
}

/* The range without these indices, which are ascending. */
static void push_range_without(struct job *record, struct index_range r, const uint32_t *indices, size_t n)
{
    for (size_t i = 0; i < n && indices[i] <= r.last; i++) {
        if (indices[i] < r.first || (indices[i] - r.first) % r.step)
            continue;
        if (indices[i] > r.first)
            push_range(record, r.first, indices[i] - r.step, r.step);
        r.first = indices[i] + r.step;
    }
    push_range(record, r.first, r.last, r.step);
}

void slurm_job_set_apart(struct job *record, uint32_t *indices, size_t n)
{
    VEC(struct index_range) old = VEC_INIT;
    const struct job_rare *rare = job_rare(record);
    for (size_t i = 0; i < rare->array_pending.n; i++)
        vec_push(&old, rare->array_pending.v[i]);
    if (!n || !old.n) {
        vec_fini(&old);
        return;
    }
    qsort(indices, n, sizeof *indices, index_compare);
    rec_list_free(&index_range_rec, &job_rare_mut(record)->array_pending);
    vec_for_each (&old, i)
        push_range_without(record, old.v[i], indices, n);
    if (!job_rare(record)->array_pending.n) /* answers of two moments: the later one tells */
        vec_for_each (&old, i)
            push_range(record, old.v[i].first, old.v[i].last, old.v[i].step);
    vec_fini(&old);
}

uint64_t slurm_array_hash(const struct slurm_array *a)
{
    const uint32_t range[] = {a->count, a->min, a->max, a->step};
    return hash_bytes(range, sizeof range) + a->hash;
}

void slurm_array_add(struct slurm_array *a, const struct slurm_row *row)
{
    uint32_t index = slurm_u32(COLUMN(row, INDEX), ARRAY_NONE);
    struct array_spec spec = {0};
    if (index != ARRAY_NONE) {
        slurm_array_widen(a, 1, index, index, 1);
        vec_push(&a->singles, index);
        a->hash += hash_bytes(&index, sizeof index);
    } else if (read_waiting(row, &spec)) {
        slurm_array_widen(a, spec.count, spec.min, spec.max, spec.step);
        for (size_t i = 0; i < spec.ranges.n; i++)
            vec_push(&a->waiting, spec.ranges.v[i]);
        array_spec_fini(&spec);
    }
}

/* "0-3,7,10-20:5%2" */
static char *array_spec_text(const struct array_spec *spec)
{
    struct str s = STR_INIT;
    for (size_t i = 0; i < spec->ranges.n; i++) {
        const struct index_range *r = &spec->ranges.v[i];
        str_appendf(&s, "%s%u", i ? "," : "", r->first);
        if (r->last > r->first)
            str_appendf(&s, "-%u", r->last);
        if (r->last > r->first && r->step > 1)
            str_appendf(&s, ":%u", r->step);
    }
    if (spec->throttle)
        str_appendf(&s, "%%%u", spec->throttle);
    return str_take(&s);
}

/* Squeue prints the elements that wait; those that have begun belong to the array too. */
static char *slurm_array_text(const struct slurm_array *array, const struct slurm_span *waiting)
{
    struct str s = STR_INIT;
    struct array_spec spec = {0};
    if (array)
        vec_for_each (&array->singles, i)
            str_appendf(&s, "%u,", array->singles.v[i]);
    str_append_n(&s, waiting->p, waiting->n);
    char *text = str_take(&s), *sorted = NULL;
    if (array_parse(text, ARRAY_SIZE_MAX, &spec, NULL) == 0) {
        sorted = array_spec_text(&spec);
        array_spec_fini(&spec);
        free(text);
    }
    return sorted ? sorted : text;
}

static void read_record(struct job *j, const struct slurm_row *row, const struct slurm_array *array)
{
    struct array_spec spec = {0};
    if (j->state != JOB_PENDING || !read_waiting(row, &spec)) {
        j->array_job = 0;
        return;
    }
    for (size_t i = 0; i < spec.ranges.n; i++)
        *rec_list_push(&job_rare_mut(j)->array_pending) = spec.ranges.v[i];
    if (array)
        slurm_job_set_apart(j, array->apart.v, array->apart.n);
    j->req.array_throttle = spec.throttle;
    req_detail_mut(&j->req)->array_spec = slurm_array_text(array, COLUMN(row, INDEX));
    array_spec_fini(&spec);
}

static void read_array(struct job *j, const struct slurm_row *row, const struct slurm_array *array)
{
    bool single;
    j->array_index = ARRAY_NONE;
    j->array_job = slurm_job_array(row, &single);
    if (!j->array_job)
        return;
    if (array) {
        job_origin_mut(j)->array_count = array->count;
        job_origin_mut(j)->array_min = array->min;
        job_origin_mut(j)->array_max = array->max;
        job_origin_mut(j)->array_step = array->step;
    }
    if (single)
        j->array_index = slurm_u32(COLUMN(row, INDEX), ARRAY_NONE);
    else
        read_record(j, row, array);
}

/* --- times and ends --- */

static void read_times(struct job *j, const struct slurm_row *row)
{
    struct wall start = slurm_time(COLUMN(row, START)), end = slurm_time(COLUMN(row, END));
    j->t_submit = slurm_time(COLUMN(row, SUBMIT));
    j->t_eligible = slurm_time(COLUMN(row, ELIGIBLE));
    if (j->state == JOB_PENDING) {
        if (wall_is_set(start))
            job_rare_mut(j)->t_expected = start;
        if (j->reason == REASON_BEGIN_TIME)
            req_detail_mut(&j->req)->begin = wall_is_set(j->t_eligible) ? j->t_eligible : start;
        return;
    }
    j->t_start = start;
    j->time_limit_s = j->req.time_limit_s;
    if (job_state_is_final((enum job_state)j->state))
        j->t_end = j->t_settled = end;
}

/* The status of wait(2); later releases print "CODE:SIGNAL". */
static void read_end(struct job *j, const struct slurm_row *row)
{
    struct slurm_span first = *COLUMN(row, EXIT);
    const char *colon = first.n ? memchr(first.p, ':', first.n) : NULL;
    if (!job_state_is_final((enum job_state)j->state))
        return;
    if (colon) {
        struct slurm_span second = {colon + 1, first.n - (size_t)(colon + 1 - first.p)};
        first.n = (size_t)(colon - first.p);
        j->exit_code = (int32_t)(slurm_u32(&first, 0) & 0xff);
        j->exit_signal = (int32_t)(slurm_u32(&second, 0) & 0x7f);
        return;
    }
    uint32_t status = slurm_u32(&first, 0);
    j->exit_code = (int32_t)(status >> 8 & 0xff);
    j->exit_signal = (int32_t)(status & 0x7f);
}

/* Each batch job has the step of its script, on its first node. */
static void slurm_job_add_batch_step(struct job *j)
{
    bool ended = job_state_is_final((enum job_state)j->state);
    if (j->kind != JOB_KIND_BATCH || !j->alloc.n)
        return;
    struct step *s = rec_list_push(&j->steps);
    s->id = STEP_BATCH;
    s->name = xstrdup("batch");
    s->n_tasks = s->n_ranks = 1;
    s->t_start = j->t_start;
    s->t_end = j->t_end;
    s->done = ended;
    s->code = j->exit_code;
    s->signal = j->exit_signal;
    struct task *t = rec_list_push(&s->tasks);
    t->state = ended ? TASK_DONE : TASK_RUNNING;
    rec_copy(&alloc_rec, &t->alloc, &j->alloc.v[0]);
    t->n_ranks = 1;
    t->t_start = j->t_start;
    t->t_end = j->t_end;
    t->end_kind = !ended ? END_NONE : j->exit_signal ? END_SIGNALED : END_EXITED;
    t->code = j->exit_code;
    t->signal = j->exit_signal;
}

struct job *slurm_job_read(const struct slurm_row *row, const struct slurm_array *array, bool has_memory)
{
    uint32_t id = slurm_job_id(row), uid = slurm_u32(COLUMN(row, UID), UINT32_MAX);
    if (!id || uid == UINT32_MAX)
        return NULL;
    struct slurm_amounts a = read_amounts(row);
    a.mem_mib = has_memory ? a.mem_mib : MEM_NOT_GIVEN;
    struct job *j = job_new();
    j->id = id;
    j->uid = uid;
    j->kind = slurm_u32(COLUMN(row, BATCH), 1) ? JOB_KIND_BATCH : JOB_KIND_INTERACTIVE;
    j->state = (uint8_t)slurm_job_state(COLUMN(row, STATE));
    j->user = slurm_text(COLUMN(row, USER));
    job_origin_mut(j)->gid = slurm_u32(COLUMN(row, GID), 0);
    j->partition = slurm_text(COLUMN(row, PARTITION));
    job_origin_mut(j)->command = read_command(row);
    j->priority = slurm_u32(COLUMN(row, PRIORITY), 0);
    j->restarts = slurm_u32(COLUMN(row, RESTARTS), 0);
    read_reason(j, COLUMN(row, REASON));
    read_request(j, row, &a);
    read_array(j, row, array);
    read_outputs(j, row);
    read_times(j, row);
    read_end(j, row);
    if (j->state != JOB_PENDING)
        read_allocation(j, row, &a);
    slurm_job_add_batch_step(j);
    return j;
}
