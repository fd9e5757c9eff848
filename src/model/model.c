/* model.c - the state's storage: life, look-ups, snapshots. What changes it is in apply.c. */
#include "src/model/model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/siphash.h"
#include "src/base/strpool.h"
#include "src/base/xalloc.h"
#include "src/model/model_private.h"

void model_init(struct model *m)
{
    *m = (struct model){.next_job = 1};
    list_init(&m->all);
    list_init(&m->pending);
    list_init(&m->active);
    list_init(&m->ended);
}

static void node_free(struct node *n)
{
    rec_fini(&node_rec, n);
    free(n);
}

void model_fini(struct model *m)
{
    list_for_each (j, &m->all, struct job, in_all)
        model_drop_row(m, j);
    for (size_t i = 0; i < m->n_nodes; i++) {
        unintern_node(m, m->nodes[i]);
        node_free(m->nodes[i]);
    }
    strpool_unref(m->texts);
    free(m->nodes);
    free(m->uuid);
    model_take_windows(m, NULL, 0);
    rec_fini(&cluster_spec_rec, &m->spec);
    usage_fini(&m->usage);
    idmap_fini(&m->nodes_by_name);
    idmap_fini(&m->jobs);
    idmap_fini(&m->requests);
    idmap_fini(&m->elements);
    idmap_for_each (&m->arrays, slot)
        free(slot->value);
    idmap_fini(&m->arrays);
    *m = (struct model){0};
}

static uint64_t model_text_key(const char *s)
{
    return hash_text(s, strlen(s));
}

static uint64_t element_key(uint32_t array_id, uint32_t index)
{
    return (uint64_t)array_id << 32 | index;
}

struct job *model_get_job(const struct model *m, uint32_t id)
{
    return idmap_get(&m->jobs, id);
}

char *model_job_name(const struct model *m, uint32_t id)
{
    const struct job *j = model_get_job(m, id);
    if (j && j->array_job && j->array_index != ARRAY_NONE)
        return xasprintf("%u_%u", j->array_job, j->array_index);
    return xasprintf("%u", id);
}

static bool ranges_have(const struct job *j, uint32_t index)
{
    for (size_t i = 0; i < job_rare(j)->array_pending.n; i++) {
        const struct index_range *r = &job_rare(j)->array_pending.v[i];
        if (index >= r->first && index <= r->last && (index - r->first) % r->step == 0)
            return true;
    }
    return false;
}

struct job *model_get_element(const struct model *m, uint32_t array_id, uint32_t index)
{
    struct job *j = idmap_get(&m->elements, element_key(array_id, index));
    if (j)
        return j;
    j = model_get_job(m, array_id);
    return j && job_is_array_record(j) && ranges_have(j, index) ? j : NULL;
}

struct job *model_get_request(const struct model *m, const char *request_id)
{
    struct job *j = idmap_get(&m->requests, model_text_key(request_id));
    return j && str_eq(j->request_id, request_id) ? j : NULL;
}

const struct node_avoid *node_avoids(const struct node *n, uint32_t uid)
{
    for (size_t i = 0; i < n->avoids.n; i++)
        if (n->avoids.v[i].uid == uid || n->avoids.v[i].uid == AVOID_ALL_USERS)
            return &n->avoids.v[i];
    return NULL;
}

struct node *model_get_node(const struct model *m, const char *name)
{
    struct node *n = name ? idmap_get(&m->nodes_by_name, model_text_key(name)) : NULL;
    return n && str_eq(n->spec.name, name) ? n : NULL;
}

const struct part_spec *model_get_part(const struct model *m, const char *name)
{
    return spec_find_part(&m->spec, name);
}

const struct part_spec *model_default_part(const struct model *m)
{
    for (size_t i = 0; i < m->spec.parts.n; i++)
        if (m->spec.parts.v[i].is_default)
            return &m->spec.parts.v[i];
    return NULL;
}

const struct part_spec *model_job_part(const struct model *m, const struct job *j)
{
    return model_get_part(m, j->partition);
}

/* The names that a job has beside its id. */
static void model_index_names(struct model *m, struct job *j)
{
    if (j->request_id)
        idmap_set(&m->requests, model_text_key(j->request_id), j);
    if (j->array_job && j->array_index != ARRAY_NONE)
        idmap_set(&m->elements, element_key(j->array_job, j->array_index), j);
}

static void model_unindex_names(struct model *m, const struct job *j)
{
    if (j->request_id && idmap_get(&m->requests, model_text_key(j->request_id)) == j)
        idmap_remove(&m->requests, model_text_key(j->request_id));
    if (j->array_job && j->array_index != ARRAY_NONE &&
        idmap_get(&m->elements, element_key(j->array_job, j->array_index)) == j)
        idmap_remove(&m->elements, element_key(j->array_job, j->array_index));
}

void model_link_job(struct model *m, struct job *j)
{
    idmap_set(&m->jobs, j->id, j);
    model_index_names(m, j);
    /* Ids grow: a new job goes to the end. A snapshot may come in any order. */
    struct list *pos = &m->all;
    while (pos->prev != &m->all && container_of(pos->prev, struct job, in_all)->id > j->id)
        pos = pos->prev;
    list_insert_before(pos, &j->in_all);
    if (j->id >= m->next_job)
        m->next_job = j->id + 1;
    model_enqueue(m, j);
}

static bool model_is_pending(const struct job *j)
{
    return j->state == JOB_PENDING;
}

static uint32_t *queue_length(struct model *m, const struct job *j)
{
    return model_is_pending(j) ? &m->n_pending : job_state_is_final(j->state) ? &m->n_ended : &m->n_active;
}

/* Whether a pending job stands behind j: in the order of submission, which is that of the ids, but an
 * element stands with its array, by its index, and in front of the rest (whose index, ARRAY_NONE, is the
 * highest). */
static bool stands_behind(const struct job *a, const struct job *j)
{
    uint32_t a_order = a->array_job ? a->array_job : a->id, j_order = j->array_job ? j->array_job : j->id;
    return a_order != j_order ? a_order > j_order : a->array_index > j->array_index;
}

void model_enqueue(struct model *m, struct job *j)
{
    ++*queue_length(m, j);
    tally_add(m, j);
    if (!model_is_pending(j)) {
        list_append(job_state_is_final(j->state) ? &m->ended : &m->active, &j->in_queue);
        return;
    }
    struct list *pos = &m->pending;
    while (pos->prev != &m->pending && stands_behind(container_of(pos->prev, struct job, in_queue), j))
        pos = pos->prev;
    list_insert_before(pos, &j->in_queue);
}

void model_dequeue(struct model *m, struct job *j)
{
    --*queue_length(m, j);
    tally_remove(m, j);
    list_unlink(&j->in_queue);
}

void model_unlink_job(struct model *m, struct job *j)
{
    model_dequeue(m, j);
    list_unlink(&j->in_all);
    idmap_remove(&m->jobs, j->id);
    model_unindex_names(m, j);
}

/* Both stand at the same place of the same list. */
static bool model_queues_alike(struct model *m, const struct job *a, const struct job *b)
{
    return queue_length(m, a) == queue_length(m, b) && a->array_job == b->array_job &&
           a->array_index == b->array_index;
}

void model_replace_job(struct model *m, struct job *old, struct job *row)
{
    bool stays = model_queues_alike(m, old, row);
    model_unindex_names(m, old);
    if (stays)
        tally_remove(m, old);
    else
        model_dequeue(m, old);
    struct job was = *old;
    *old = *row;
    *row = was;
    old->in_all = was.in_all;
    old->in_queue = was.in_queue;
    list_init(&row->in_all);
    list_init(&row->in_queue);
    model_index_names(m, old);
    if (stays)
        tally_add(m, old);
    else
        model_enqueue(m, old);
}

struct node *model_add_node(struct model *m, const char *name)
{
    struct node *n = xcalloc(1, sizeof *n);
    n->spec.name = xstrdup(name);
    m->nodes = xreallocarray(m->nodes, m->n_nodes + 1, sizeof(struct node *));
    m->nodes[m->n_nodes++] = n;
    idmap_set(&m->nodes_by_name, model_text_key(name), n);
    return n;
}

void model_drop_node(struct model *m, size_t at)
{
    struct node *n = m->nodes[at];
    idmap_remove(&m->nodes_by_name, model_text_key(n->spec.name));
    memmove(&m->nodes[at], &m->nodes[at + 1], (m->n_nodes - at - 1) * sizeof(struct node *));
    m->n_nodes--;
    unintern_node(m, n);
    node_free(n);
}

void model_take_spec(struct model *m, struct cluster_spec *spec)
{
    rec_fini(&cluster_spec_rec, &m->spec);
    m->spec = *spec;
    *spec = (struct cluster_spec){0};
}

void model_take_node(struct model *m, struct node *node)
{
    struct node *n = model_get_node(m, node->spec.name);
    if (!n)
        n = model_add_node(m, node->spec.name);
    else
        unintern_node(m, n);
    rec_fini(&node_rec, n);
    *n = *node;
    *node = (struct node){0};
    intern_node(m, n);
}
