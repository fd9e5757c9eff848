#include "backend/control/payload_cache.h"

#include <stdlib.h>
#include <string.h>

#include "backend/control/emit.h"
#include "backend/control/users/user_budget.h"
#include "src/base/idmap.h"
#include "src/base/list.h"
#include "src/proto/codec.h"

#define CACHE_BYTES       (32u << 20)
#define DECODED           2 /* a step's own, and the environment that all steps of its job have */
#define DECODED_BYTES_MAX (256u << 10)

struct payload {      /* in the cache */
    struct list link; /* oldest first */
    uint64_t key;
    size_t n;
    uint8_t data[];
};

struct payload_reader { /* waits for a payload that the store reads */
    struct list link;
    uint32_t job;
    int32_t step;
    payload_fn *fn;
    void *ctx;
};

struct payload_decoded { /* elements of an array, and tasks of a step, are launched from the same one */
    const struct payload *of; /* NULL: none */
    struct step_payload value;
};

struct payload_cache {
    struct payload_decoded decoded[DECODED];
    size_t last_decoded; /* used last */
    struct idmap map;
    struct list order;
    struct list readers;
    size_t bytes;
    struct stored_payloads *stored; /* what the request that is handled now brings */
};

static uint64_t payload_key(uint32_t job, int32_t step)
{
    return (uint64_t)job << 32 | (uint32_t)step;
}

struct payload_cache *payload_cache_new(void)
{
    struct payload_cache *p = xcalloc(1, sizeof *p);
    list_init(&p->order);
    list_init(&p->readers);
    return p;
}

static void payload_wipe_texts(struct strv *v)
{
    for (size_t i = 0; i < v->n; i++)
        explicit_bzero(v->v[i], strlen(v->v[i]));
}

/* Environments hold tokens. */
static void payload_decoded_drop(struct payload_decoded *d)
{
    if (!d->of)
        return;
    payload_wipe_texts(&d->value.env);
    payload_wipe_texts(&d->value.argv);
    if (d->value.script.n)
        explicit_bzero(d->value.script.p, d->value.script.n);
    rec_fini(&step_payload_rec, &d->value);
    d->of = NULL;
}

static void payload_drop(struct payload_cache *p, struct payload *e)
{
    for (size_t i = 0; i < DECODED; i++)
        if (p->decoded[i].of == e)
            payload_decoded_drop(&p->decoded[i]);
    idmap_remove(&p->map, e->key);
    list_unlink(&e->link);
    p->bytes -= e->n;
    explicit_bzero(e->data, e->n); /* environments hold tokens */
    free(e);
}

static void payload_cache_clear(struct payload_cache *p)
{
    list_for_each (e, &p->order, struct payload, link)
        payload_drop(p, e);
}

void payload_cache_free(struct payload_cache *p)
{
    payload_cache_clear(p);
    list_for_each (r, &p->readers, struct payload_reader, link) {
        list_unlink(&r->link);
        free(r);
    }
    idmap_fini(&p->map);
    free(p);
}

void payload_cache_put(struct payload_cache *p, uint32_t job, int32_t step, const void *data, size_t n)
{
    payload_cache_drop(p, job, step);
    if (n > CACHE_BYTES / 4)
        return;
    struct payload *e = xmalloc(sizeof *e + n);
    e->key = payload_key(job, step);
    e->n = n;
    memcpy(e->data, data, n);
    list_init(&e->link);
    list_append(&p->order, &e->link);
    idmap_set(&p->map, e->key, e);
    p->bytes += n;
    while (p->bytes > CACHE_BYTES)
        payload_drop(p, list_first(&p->order, struct payload, link));
}

const uint8_t *payload_cache_get(struct payload_cache *p, uint32_t job, int32_t step, size_t *ret_n)
{
    struct payload *e = idmap_get(&p->map, payload_key(job, step));
    if (!e)
        return NULL;
    *ret_n = e->n;
    return e->data;
}

const struct step_payload *payload_cache_decoded(struct payload_cache *p, uint32_t job, int32_t step)
{
    const struct payload *e = idmap_get(&p->map, payload_key(job, step));
    struct errtext err;
    if (!e || e->n > DECODED_BYTES_MAX)
        return NULL;
    for (size_t i = 0; i < DECODED; i++) {
        if (p->decoded[i].of != e)
            continue;
        p->last_decoded = i;
        return &p->decoded[i].value;
    }
    size_t at = (p->last_decoded + 1) % DECODED;
    struct payload_decoded *d = &p->decoded[at];
    payload_decoded_drop(d);
    if (codec_decode(&step_payload_rec, e->data, e->n, &d->value, &err) < 0)
        return NULL;
    d->of = e;
    p->last_decoded = at;
    return &d->value;
}

void payload_cache_drop(struct payload_cache *p, uint32_t job, int32_t step)
{
    struct payload *e = idmap_get(&p->map, payload_key(job, step));
    if (e)
        payload_drop(p, e);
}

uint32_t payload_owner(const struct job *j, int32_t step)
{
    bool own = step >= 0 && j->kind != JOB_KIND_STEPS; /* what srun brought belongs to this element alone */
    return j->array_job && !own ? j->array_job : j->id;
}

/* The readers are taken off the list first: each may ask again. */
static void payload_on_read(void *ctx, uint32_t job, int32_t step, const uint8_t *p, size_t n)
{
    struct control *c = ctx;
    struct list told;
    list_init(&told);
    if (p)
        payload_cache_put(c->payloads, job, step, p, n);
    list_for_each (r, &c->payloads->readers, struct payload_reader, link)
        if (r->job == job && r->step == step)
            list_move_to_end(&told, &r->link);
    while (!list_empty(&told)) {
        struct payload_reader *r = list_first(&told, struct payload_reader, link);
        list_unlink(&r->link);
        r->fn(r->ctx, job, step, p, n);
        free(r);
    }
}

void payload_read(struct control *c, uint32_t job, int32_t step, payload_fn *fn, void *ctx)
{
    bool asked = false;
    list_for_each (r, &c->payloads->readers, struct payload_reader, link) {
        if (r->job != job || r->step != step)
            continue;
        asked = true;
        if (r->fn == fn && r->ctx == ctx)
            return;
    }
    struct payload_reader *r = xcalloc(1, sizeof *r);
    *r = (struct payload_reader){.job = job, .step = step, .fn = fn, .ctx = ctx};
    list_init(&r->link);
    list_append(&c->payloads->readers, &r->link);
    if (!asked)
        store_get_payload(c->store, job, step, payload_on_read, c);
}

static void payload_add_stored(struct control *c, uint32_t job, int32_t step)
{
    struct stored_payloads *p = c->payloads->stored;
    bug_on(p->next == p->ends.n);
    size_t at = p->next ? p->ends.v[p->next - 1] : 0, n = p->ends.v[p->next] - at;
    p->next++;
    store_add_large(c->store, job, step, p->large, at, n);
    user_budget_add_payload(c, job, step, n);
    payload_cache_put(c->payloads, job, step, store_large_bytes(p->large) + at, n);
}

void payload_use_stored(struct control *c, struct stored_payloads *p)
{
    c->payloads->stored = p;
}

struct stored_payloads *payload_take_stored(struct control *c)
{
    struct stored_payloads *p = c->payloads->stored;
    c->payloads->stored = NULL;
    return p;
}

void payload_free_stored(struct stored_payloads *p)
{
    if (!p)
        return;
    store_end_large(p->ctl->store, p->large);
    vec_fini(&p->ends);
    free(p);
}

static size_t payload_texts_size(const struct strv *v)
{
    size_t n = 0;
    for (size_t i = 0; i < v->n; i++)
        n += strlen(v->v[i]) + 24; /* its pointer, and what the allocator adds */
    return n;
}

size_t payload_size(const struct step_payload *p)
{
    size_t n = p->script.n + payload_texts_size(&p->env) + payload_texts_size(&p->argv);
    for (size_t i = 0; i < p->ranks.n; i++)
        n += sizeof p->ranks.v[i] + payload_texts_size(&p->ranks.v[i].argv);
    return n;
}

void payload_add(struct control *c, uint32_t job, int32_t step, const struct step_payload *p)
{
    if (c->payloads->stored) {
        payload_add_stored(c, job, step);
        return;
    }
    struct str b = STR_INIT;
    codec_encode(&step_payload_rec, p, &b);
    store_add_payload(c->store, job, step, b.s, b.len);
    user_budget_add_payload(c, job, step, b.len);
    payload_cache_put(c->payloads, job, step, b.s, b.len);
    str_fini(&b);
}

static void payload_wipe(struct control *c, uint32_t job, int32_t step)
{
    payload_cache_drop(c->payloads, job, step);
    store_del_payload(c->store, job, step);
    user_budget_drop_payload(c, job, step);
}

/* What ended steps ran is deleted: environments hold tokens. A declared step's, and the script, stay with
 * their job: it may be requeued. A step that is not found went with its run. The end of a batch script
 * takes with it the steps that still waited. */
static void payload_after(struct control *c, const struct emission *e)
{
    const struct job *j = e->job;
    enum event_kind kind = e->ev->kind;
    if (!j || j->kind == JOB_KIND_STEPS || (kind != EV_END && kind != EV_KILL && kind != EV_COMPLETE))
        return;
    const struct step *one = e->step >= 0 ? job_find_step(j, e->step) : NULL;
    if (e->step >= 0 && (!one || one->done))
        payload_wipe(c, j->id, e->step);
    for (size_t i = 0; e->step < 0 && i < j->steps.n; i++)
        if (j->steps.v[i].id >= 0 && j->steps.v[i].done)
            payload_wipe(c, j->id, j->steps.v[i].id);
}

static void payload_reset(struct control *c)
{
    payload_cache_clear(c->payloads);
}

const struct module_ops payload_cache_module = {.after = payload_after, .reset = payload_reset};
