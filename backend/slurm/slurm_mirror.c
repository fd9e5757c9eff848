#include "backend/slurm/slurm_mirror.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/slurm/array/slurm_places.h"
#include "backend/slurm/live/slurm_detail.h"
#include "backend/slurm/live/slurm_lists.h"
#include "backend/slurm/slurm_cluster.h"
#include "backend/slurm/slurm_job.h"
#include "backend/slurm/slurm_table.h"
#include "backend/slurm/slurm_window.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/model/window.h"

struct known_row { /* of a job or a node, as it was printed last */
    uint64_t hash;
    uint64_t answer; /* the number of that answer */
};

struct known_detail {    /* what was asked about one running job */
    struct wall t_start; /* of the run to which it belongs */
    bool has_devices;
    struct job *job; /* only its alloc and steps */
};

struct slurm_mirror {
    struct model m;
    struct idmap details; /* id -> struct known_detail */
    struct idmap jobs;    /* id -> struct known_row */
    struct idmap nodes;   /* hash of the name -> struct known_row */
    uint64_t n_answers;
    uint64_t whole; /* the number of the last answer about jobs that was not of a few ids */
    struct slurm_splits splits;
    bool has_records; /* arrays that wait were in it */
    bool has_memory, gathers_nothing;
    struct priority_spec weights;
    bool has_all; /* the last answer about jobs had those of all users */
    uint64_t partitions_hash, windows_hash;
    char *release;
    void (*tell)(void *ctx, const struct event *ev);
    void *ctx;
};

static void tell_no_one(void *ctx, const struct event *ev)
{
    (void)ctx;
    (void)ev;
}

struct slurm_mirror *slurm_mirror_new(void (*tell)(void *ctx, const struct event *ev), void *ctx)
{
    struct slurm_mirror *s = xcalloc(1, sizeof *s);
    model_init(&s->m);
    s->m.spec.name = xstrdup("slurm");
    s->m.spec.engine = xstrdup("slurm");
    s->m.uuid = xstrdup("slurm");
    s->m.epoch = 1;
    s->tell = tell ? tell : tell_no_one;
    s->ctx = ctx;
    return s;
}

static void known_rows_free(struct idmap *map)
{
    idmap_for_each (map, slot)
        free(slot->value);
    idmap_fini(map);
}

static void known_detail_free(struct known_detail *d)
{
    if (!d)
        return;
    job_free(d->job);
    free(d);
}

void slurm_mirror_free(struct slurm_mirror *s)
{
    if (!s)
        return;
    idmap_for_each (&s->details, slot)
        known_detail_free(slot->value);
    idmap_fini(&s->details);
    known_rows_free(&s->jobs);
    known_rows_free(&s->nodes);
    slurm_splits_fini(&s->splits);
    model_fini(&s->m);
    free(s->release);
    free(s);
}

const struct model *slurm_mirror_model(const struct slurm_mirror *s)
{
    return &s->m;
}

const char *slurm_mirror_release(const struct slurm_mirror *s)
{
    return s->release;
}

bool slurm_mirror_has_memory(const struct slurm_mirror *s)
{
    return s->has_memory;
}

bool slurm_mirror_gathers(const struct slurm_mirror *s)
{
    return !s->gathers_nothing;
}

/* All rows of one answer have one number. */
static int mirror_fold(struct slurm_mirror *s, enum event_kind kind, uint32_t job, const void *body)
{
    struct event ev = {
        .seq = s->m.seq, .t = s->m.now, .kind = kind, .job = job, .body = (void *)(uintptr_t)body};
    int r = model_apply(&s->m, &ev);
    if (r == 0)
        s->tell(s->ctx, &ev);
    return r;
}

static void mirror_next_answer(struct slurm_mirror *s, struct wall now)
{
    s->n_answers++;
    s->m.seq++;
    s->m.now = now;
}

/* Notes that the row is in the present answer. Returns whether its text is another one than before. */
static bool mirror_note(struct slurm_mirror *s, struct idmap *map, uint64_t id, uint64_t hash)
{
    struct known_row *k = idmap_get(map, id);
    if (!k) {
        k = xcalloc(1, sizeof *k);
        idmap_set(map, id, k);
    } else if (k->hash == hash) {
        k->answer = s->n_answers;
        return false;
    }
    *k = (struct known_row){.hash = hash, .answer = s->n_answers};
    return true;
}

/* The ids that the present answer does not have; the caller frees them. They are known no longer. */
static uint64_t *mirror_take_missing(struct slurm_mirror *s, struct idmap *map, size_t *ret_n)
{
    VEC(uint64_t) missing = VEC_INIT;
    idmap_for_each (map, slot)
        if (((struct known_row *)slot->value)->answer != s->n_answers)
            vec_push(&missing, slot->id);
    vec_for_each (&missing, i)
        free(idmap_remove(map, missing.v[i]));
    *ret_n = missing.n;
    return missing.v;
}

/* --- jobs --- */

/* --- details --- */

static bool mirror_is_of_this_run(const struct known_detail *d, const struct job *j)
{
    return d && j->holding && d->t_start.ms == j->t_start.ms && d->job->alloc.n == j->alloc.n;
}

/* Adds to a job what is known about this run beyond its row. */
static void mirror_add_detail(struct slurm_mirror *s, struct job *j)
{
    const struct known_detail *d = idmap_get(&s->details, j->id);
    if (!mirror_is_of_this_run(d, j)) {
        known_detail_free(idmap_remove(&s->details, j->id));
        return;
    }
    rec_list_free(&alloc_rec, &j->alloc);
    for (size_t i = 0; i < d->job->alloc.n; i++)
        rec_copy(&alloc_rec, rec_list_push(&j->alloc), &d->job->alloc.v[i]);
    if (!d->job->steps.n)
        return;
    rec_list_free(&step_rec, &j->steps);
    for (size_t i = 0; i < d->job->steps.n; i++)
        rec_copy(&step_rec, rec_list_push(&j->steps), &d->job->steps.v[i]);
}

bool slurm_mirror_has_devices(const struct slurm_mirror *s, uint32_t id)
{
    const struct known_detail *d = idmap_get(&s->details, id);
    const struct job *j = model_get_job(&s->m, id);
    return j && mirror_is_of_this_run(d, j) && d->has_devices;
}

static struct job *mirror_copy_job(const struct job *j)
{
    struct job *copy = xcalloc(1, sizeof *copy);
    rec_copy(&job_rec, copy, j);
    list_init(&copy->in_all);
    list_init(&copy->in_queue);
    return copy;
}

int slurm_mirror_take_detail(struct slurm_mirror *s, uint32_t id, const struct slurm_span *steps,
                             const char *word, const struct slurm_span *devices, struct errtext *err)
{
    const struct job *known = model_get_job(&s->m, id);
    if (!known || !known->holding)
        return 0;
    struct job *j = mirror_copy_job(known);
    slurm_detail_read_devices(j, devices);
    int r = slurm_detail_read_steps(j, steps, word, err);
    if (r < 0) {
        job_free(j);
        return r;
    }
    struct known_detail *d = idmap_get(&s->details, id), *new = xcalloc(1, sizeof *new);
    *new = (struct known_detail){.t_start = j->t_start, .job = j};
    new->has_devices = devices->n || (mirror_is_of_this_run(d, known) && d->has_devices);
    known_detail_free(d);
    idmap_set(&s->details, id, new);
    s->m.seq++;
    return mirror_fold(s, EV_JOB_ROW, id, j) == 0;
}

/* What jobs have of memory is theirs; also as long as it is not known what Slurm hands out. */
static bool mirror_tells_memory(const struct slurm_mirror *s)
{
    return s->has_memory || !s->release;
}

/* A row that no model takes is left out: nothing is shown rather than something wrong. */
static bool mirror_take_job(struct slurm_mirror *s, const struct slurm_row *row,
                            const struct slurm_array *array)
{
    struct job *j = slurm_job_read(row, array, mirror_tells_memory(s));
    if (j)
        mirror_add_detail(s, j);
    bool taken = j && mirror_fold(s, EV_JOB_ROW, j->id, j) == 0;
    if (taken && j->id >= s->m.next_job)
        s->m.next_job = j->id + 1;
    job_free(j);
    return taken;
}

static bool mirror_drop_missing_jobs(struct slurm_mirror *s)
{
    size_t n;
    uint64_t *ids = mirror_take_missing(s, &s->jobs, &n);
    struct ev_none none = {0};
    for (size_t i = 0; i < n; i++) {
        known_detail_free(idmap_remove(&s->details, ids[i]));
        if (model_get_job(&s->m, (uint32_t)ids[i]))
            mirror_fold(s, EV_JOB_GONE, (uint32_t)ids[i], &none);
    }
    free(ids);
    return n;
}

/* Returns whether the job is another one than before. */
static bool mirror_take_row(struct slurm_mirror *s, const struct row_place *place, const char *word,
                            const struct row_places *rows)
{
    struct slurm_span rest = place->text;
    struct slurm_row row;
    bool single;
    if (slurm_table_next(&rest, word, &row, NULL) <= 0)
        return false;
    const struct slurm_array *array = idmap_get(&rows->arrays, slurm_job_array(&row, &single));
    uint64_t hash = slurm_table_hash(&row) + mirror_tells_memory(s);
    if (array) /* each of its rows tells how large it is */
        hash += slurm_array_hash(array);
    return mirror_note(s, &s->jobs, place->id, hash) && mirror_take_job(s, &row, array);
}

/* --- elements without a row --- */

bool slurm_mirror_hides_elements(const struct slurm_mirror *s)
{
    return s->has_records && slurm_splits_hide(s->release);
}

const struct slurm_splits *slurm_mirror_splits(const struct slurm_mirror *s)
{
    return &s->splits;
}

/* Elements that an answer hides in the row of their array stay. In an answer about all jobs, one with a row
 * of its own is like any other, and one that its array does not wait for has left. */
static void mirror_note_splits(struct slurm_mirror *s, const struct row_places *rows, bool whole)
{
    VEC(uint64_t) over = VEC_INIT;
    idmap_for_each (&s->splits.by_id, slot) {
        const struct slurm_split *split = slot->value;
        struct slurm_array *a = idmap_get(&rows->arrays, split->array);
        struct known_row *k = idmap_get(&s->jobs, split->id);
        bool hidden = a && slurm_array_waits(a, split->index) && !slurm_places_has(rows, split->id);
        if (hidden && split->has_row && k) {
            slurm_array_set_apart(a, split->index);
            k->answer = s->n_answers;
        } else if (!hidden && whole) {
            vec_push(&over, slot->id);
        }
    }
    vec_for_each (&over, i)
        free(idmap_remove(&s->splits.by_id, over.v[i]));
    vec_fini(&over);
}

static void mirror_note_whole(struct slurm_mirror *s, const struct row_places *rows)
{
    s->whole = s->n_answers;
    s->has_records = false;
    idmap_for_each (&rows->arrays, slot)
        s->has_records |= ((const struct slurm_array *)slot->value)->waiting.n != 0;
}

int slurm_mirror_take_elements(struct slurm_mirror *s, const struct slurm_span *answer, const char *word,
                               struct errtext *err)
{
    VEC(uint64_t) shown = VEC_INIT;
    int r = slurm_splits_take(&s->splits, answer, word, err);
    if (r < 0)
        return r;
    idmap_for_each (&s->splits.by_id, slot) {
        const struct slurm_split *split = slot->value;
        const struct known_row *k = idmap_get(&s->jobs, slot->id);
        if (k && k->answer == s->whole && !split->has_row) /* its array has no record any more */
            vec_push(&shown, slot->id);
    }
    vec_for_each (&shown, i)
        free(idmap_remove(&s->splits.by_id, shown.v[i]));
    s->splits.n_wanted -= shown.n;
    vec_fini(&shown);
    return 0;
}

/* The elements that are shown by themselves leave the record of the array. */
static void mirror_cut_record(struct slurm_mirror *s, uint32_t array)
{
    VEC(uint32_t) indices = VEC_INIT;
    const struct job *known = model_get_job(&s->m, array);
    if (!known || !job_is_array_record(known))
        return;
    idmap_for_each (&s->splits.by_id, slot) {
        const struct slurm_split *split = slot->value;
        if (split->array == array && split->has_row)
            vec_push(&indices, split->index);
    }
    struct job *record = mirror_copy_job(known);
    slurm_job_set_apart(record, indices.v, indices.n);
    mirror_fold(s, EV_JOB_ROW, array, record);
    job_free(record);
    vec_fini(&indices);
}

/* What is known of the whole array, for a row that came by itself. */
static struct slurm_array mirror_array(const struct slurm_mirror *s, uint32_t array)
{
    struct slurm_array a = {0};
    const struct job *record = model_get_job(&s->m, array);
    if (record) {
        const struct job_origin *o = job_origin(record);
        a.count = o->array_count;
        a.min = o->array_min;
        a.max = o->array_max;
        a.step = o->array_step;
    }
    return a;
}

int slurm_mirror_take_element_rows(struct slurm_mirror *s, const struct slurm_span *answer,
                                   const char *word, struct wall now, struct errtext *err)
{
    struct row_places rows = {.v = VEC_INIT};
    struct idmap cut = {0}; /* arrays whose record changes */
    bool changed = false;
    int r = slurm_places_find(answer, word, &rows, err);
    if (r == 0) {
        mirror_next_answer(s, now);
        slurm_splits_asked(&s->splits);
        vec_for_each (&rows.v, i) {
            struct slurm_split *split = idmap_get(&s->splits.by_id, rows.v.v[i].id);
            struct slurm_span rest = rows.v.v[i].text;
            struct slurm_row row;
            if (!split || slurm_table_next(&rest, word, &row, NULL) <= 0)
                continue;
            struct slurm_array array = mirror_array(s, split->array);
            if (mirror_note(s, &s->jobs, split->id, slurm_table_hash(&row)))
                changed |= mirror_take_job(s, &row, &array);
            if (!split->has_row)
                idmap_set(&cut, split->array, split);
            split->has_row = true;
        }
        idmap_for_each (&cut, slot)
            mirror_cut_record(s, (uint32_t)slot->id);
    }
    idmap_fini(&cut);
    slurm_places_fini(&rows);
    return r < 0 ? r : changed;
}

void slurm_mirror_forget_elements(struct slurm_mirror *s)
{
    slurm_splits_asked(&s->splits);
}

int slurm_mirror_take_jobs(struct slurm_mirror *s, const struct slurm_span *answer, const char *word,
                           enum slurm_scope scope, struct wall now, struct errtext *err)
{
    struct row_places rows = {.v = VEC_INIT};
    bool changed = false;
    int r = slurm_places_find(answer, word, &rows, err);
    if (r == 0) {
        mirror_next_answer(s, now);
        if (scope != SLURM_SOME)
            mirror_note_whole(s, &rows);
        mirror_note_splits(s, &rows, scope != SLURM_SOME);
        vec_for_each (&rows.v, i)
            changed |= mirror_take_row(s, &rows.v.v[i], word, &rows);
        if (scope != SLURM_SOME) {
            changed |= mirror_drop_missing_jobs(s);
            s->has_all = scope == SLURM_ALL;
        }
    }
    slurm_places_fini(&rows);
    return r < 0 ? r : changed;
}

/* --- nodes --- */

/* Jobs on each node, by the hash of its name, where the jobs of all users are known. */
static void mirror_count_jobs(const struct slurm_mirror *s, struct idmap *ret)
{
    if (!s->has_all)
        return;
    list_for_each (j, &s->m.active, struct job, in_queue)
        for (size_t i = 0; i < j->alloc.n; i++) {
            uint64_t key = hash_bytes(j->alloc.v[i].node, strlen(j->alloc.v[i].node));
            idmap_set(ret, key, (void *)((uintptr_t)idmap_get(ret, key) + 1));
        }
}

static bool mirror_take_node(struct slurm_mirror *s, const struct slurm_span *line,
                             const struct idmap *jobs)
{
    struct slurm_span name;
    struct node n;
    if (!slurm_key(line, "NodeName", &name))
        return false;
    uint64_t key = hash_bytes(name.p, name.n), n_jobs = (uintptr_t)idmap_get(jobs, key);
    if (!mirror_note(s, &s->nodes, key, hash_bytes(line->p, line->n) + n_jobs))
        return false;
    bool taken = slurm_node_read(line, &n);
    if (taken) {
        n.n_jobs = n_jobs ? (uint32_t)n_jobs : n.n_jobs;
        taken = mirror_fold(s, EV_NODE_ROW, 0, &n) == 0;
    }
    rec_fini(&node_rec, &n);
    return taken;
}

static bool mirror_drop_missing_nodes(struct slurm_mirror *s)
{
    size_t n;
    uint64_t *keys = mirror_take_missing(s, &s->nodes, &n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = s->m.n_nodes; k-- > 0;) {
            const char *name = s->m.nodes[k]->spec.name;
            if (hash_bytes(name, strlen(name)) != keys[i])
                continue;
            struct node gone = {.spec = {.name = xstrdup(name)}, .gone = true};
            mirror_fold(s, EV_NODE_ROW, 0, &gone);
            rec_fini(&node_rec, &gone);
        }
    free(keys);
    return n;
}

/* Figures that change by themselves are not those of the model: they are left out of the comparison. */
static struct slurm_span cut_load(const struct slurm_span *line, struct str *scratch)
{
    static const char *const restless[] = {"CPULoad", "FreeMem", "LastBusyTime"};
    str_clear(scratch);
    str_append_n(scratch, line->p, line->n);
    for (size_t i = 0; i < sizeof restless / sizeof *restless; i++) {
        struct slurm_span whole = {scratch->s, scratch->len}, v;
        if (slurm_key(&whole, restless[i], &v))
            memset(scratch->s + (v.p - scratch->s), '-', v.n);
    }
    return (struct slurm_span){scratch->s, scratch->len};
}

int slurm_mirror_take_nodes(struct slurm_mirror *s, const struct slurm_span *answer, struct wall now,
                            struct errtext *err)
{
    struct slurm_span rest = *answer, line;
    struct idmap jobs = {0};
    struct str scratch = STR_INIT;
    bool changed = false;
    if (answer->n && (answer->n < 9 || memcmp(answer->p, "NodeName=", 9) != 0))
        return err_set(err, -EBADMSG, "scontrol show node prints lines of another form");
    mirror_next_answer(s, now);
    mirror_count_jobs(s, &jobs);
    while (slurm_next_line(&rest, &line)) {
        struct slurm_span steady = cut_load(&line, &scratch);
        changed |= mirror_take_node(s, &steady, &jobs);
    }
    changed |= mirror_drop_missing_nodes(s);
    str_fini(&scratch);
    idmap_fini(&jobs);
    return changed;
}

/* --- the configuration --- */

int slurm_mirror_take_partitions(struct slurm_mirror *s, const struct slurm_span *answer,
                                 struct errtext *err)
{
    struct slurm_span rest = *answer, line;
    uint64_t hash = hash_bytes(answer->p, answer->n);
    if (answer->n && (answer->n < 14 || memcmp(answer->p, "PartitionName=", 14) != 0))
        return err_set(err, -EBADMSG, "scontrol show partition prints lines of another form");
    if (hash == s->partitions_hash)
        return 0;
    s->partitions_hash = hash;
    rec_list_free(&part_spec_rec, &s->m.spec.parts);
    while (slurm_next_line(&rest, &line)) {
        struct part_spec p;
        if (slurm_partition_read(&line, &p))
            *rec_list_push(&s->m.spec.parts) = p;
    }
    return 1;
}

int slurm_mirror_take_windows(struct slurm_mirror *s, const struct slurm_span *answer, struct errtext *err)
{
    static const char none[] = "No reservations in the system";
    uint64_t hash = hash_bytes(answer->p, answer->n);
    bool empty =
        !answer->n || (answer->n >= sizeof none - 1 && memcmp(answer->p, none, sizeof none - 1) == 0);
    if (!empty && (answer->n < 16 || memcmp(answer->p, "ReservationName=", 16) != 0))
        return err_set(err, -EBADMSG, "scontrol show reservation prints lines of another form");
    if (hash == s->windows_hash)
        return 0;
    s->windows_hash = hash;
    struct window *windows = NULL;
    size_t n = empty ? 0 : slurm_windows_read(answer, &windows);
    bool any = n || s->m.windows.n;
    model_take_windows(&s->m, windows, n);
    return any;
}

bool slurm_mirror_take_access(struct slurm_mirror *s, const struct slurm_span *answer, const char *user)
{
    return slurm_lists_read(answer, user, &s->m.spec);
}

/* Takes text; returns whether *at is another one now. */
static bool set_text(char **at, char *text)
{
    bool changed = text && !str_eq(*at, text);
    free(changed ? *at : text);
    if (changed)
        *at = text;
    return changed;
}

const struct priority_spec *slurm_mirror_weights(const struct slurm_mirror *s)
{
    return &s->weights;
}

int slurm_mirror_take_config(struct slurm_mirror *s, const struct slurm_span *answer, struct errtext *err)
{
    char *name = slurm_config_value(answer, "ClusterName");
    if (!name)
        return err_set(err, -EBADMSG, "scontrol show config names no cluster");
    char *uuid = xasprintf("slurm:%s", name), *age = slurm_config_value(answer, "MinJobAge");
    bool changed = set_text(&s->m.spec.name, name);
    set_text(&s->m.uuid, uuid);
    changed |= set_text(&s->release, slurm_config_value(answer, "SLURM_VERSION"));
    char *select = slurm_config_value(answer, "SelectTypeParameters");
    s->has_memory = select && strstr(select, "MEMORY");
    free(select);
    char *gather = slurm_config_value(answer, "JobAcctGatherType");
    s->gathers_nothing = gather && strstr(gather, "none");
    free(gather);
    slurm_config_weights(answer, &s->weights);
    s->m.spec.min_job_age_s = age ? (uint32_t)strtoul(age, NULL, 10) : 0;
    free(age);
    return changed;
}
