#include "backend/control/users/user_quota.h"

#include <stdlib.h>
#include <sys/resource.h>

#include "backend/control/emit.h"
#include "backend/control/users/user_cache.h"
#include "src/base/idmap.h"
#include "src/os/log.h"

#define USER_SESSIONS 256  /* of a user, administrators aside; at most a quarter of the descriptors */
#define KEPT_FILES    64   /* descriptors for everything but clients */
#define ADMIN_FILES   64   /* of those for clients, for administrators alone; at most an eighth of all */
#define QUOTAS_KEPT   1024 /* before idle ones are dropped */
#define TOLD_NS       (60 * NS_PER_S)
#define LINES_A_TIME  20u  /* in TOLD_NS */
#define USERS_TOLD    100u /* that cost most */

struct user_quotas {
    struct idmap map; /* uid + 1 -> struct user_quota */
    struct fair_pool pool;
    uint32_t n_sessions; /* of all users */
    struct mono told_room;
};

static struct user_quotas *user_quotas_of(const struct control *c)
{
    return c->state[MODULE_QUOTAS];
}

struct user_quota *user_quota_get(struct control *c, uint32_t uid)
{
    struct user_quota *p = idmap_get(&user_quotas_of(c)->map, (uint64_t)uid + 1);
    if (p)
        return p;
    p = xcalloc(1, sizeof *p);
    p->uid = uid;
    fair_queue_init(&p->queue, &user_quotas_of(c)->pool, 0);
    byte_budget_init(&p->conns, (size_t)c->model.spec.user_buffers_mib << 20);
    list_init(&p->queries);
    list_init(&p->query_link);
    list_init(&p->history_asks);
    idmap_set(&user_quotas_of(c)->map, (uint64_t)uid + 1, p);
    return p;
}

void user_quota_set_rate(struct control *c, struct user_quota *p)
{
    p->is_admin = user_is_admin(c->users, p->uid, &c->model.spec.admin_groups);
    p->queue.rate = p->is_admin ? 0 : c->model.spec.user_requests;
    p->conns.most = (size_t)c->model.spec.user_buffers_mib << 20;
}

static void user_quota_free(struct user_quota *p)
{
    fair_queue_fini(&p->queue);
    free(p);
}

static void user_quota_stop(struct control *c)
{
    idmap_for_each (&user_quotas_of(c)->map, slot)
        user_quota_free(slot->value);
    idmap_fini(&user_quotas_of(c)->map);
    free(user_quotas_of(c));
}

static void user_quota_drop_idle(struct control *c)
{
    VEC(uint64_t) idle = VEC_INIT;
    idmap_for_each (&user_quotas_of(c)->map, slot) {
        const struct user_quota *p = slot->value;
        if (!p->n_sessions && !p->n_jobs && !p->reads_history && !p->disk_bytes && !p->record_bytes)
            vec_push(&idle, slot->id);
    }
    vec_for_each (&idle, i)
        user_quota_free(idmap_remove(&user_quotas_of(c)->map, idle.v[i]));
    vec_fini(&idle);
}

static void user_quota_loaded(struct control *c)
{
    idmap_for_each (&user_quotas_of(c)->map, slot)
        ((struct user_quota *)slot->value)->n_jobs = 0;
    list_for_each (j, &c->model.all, struct job, in_all) {
        user_quota_get(c, j->uid)->n_jobs += !job_state_is_final(j->state);
        user_name(c->users, j->uid); /* asked for now, known when it is used */
    }
}

uint32_t user_quota_jobs_most(const struct control *c)
{
    const struct cluster_spec *spec = &c->model.spec;
    return spec->max_user_jobs ? spec->max_user_jobs : spec->max_jobs - spec->max_jobs / 10;
}

/* A line of the log for each refused connection would let a user fill the disk. */
static bool user_quota_is_news(struct mono *told, const struct control *c)
{
    struct mono now = loop_now(c->loop);
    if (told->ns && now.ns - told->ns < TOLD_NS)
        return false;
    *told = now;
    return true;
}

bool user_quota_may_log(struct control *c, struct user_quota *p)
{
    if (user_quota_is_news(&p->log_from, c))
        p->n_logged = 0;
    if (p->n_logged == LINES_A_TIME)
        log_warn("uid=%u further messages about this user are suppressed for a minute", p->uid);
    if (p->n_logged <= LINES_A_TIME)
        p->n_logged++;
    return p->n_logged <= LINES_A_TIME;
}

/* Clients must not use up the descriptors that the store and the nodes need, nor one user those of other
 * users. */
bool user_quota_admits(struct control *c, struct user_quota *p, bool admin, struct cause *why)
{
    struct rlimit files;
    uint64_t most = UINT32_MAX, kept = KEPT_FILES;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < most)
        most = files.rlim_cur;
    if (!admin)
        kept += most / 8 < ADMIN_FILES ? most / 8 : ADMIN_FILES;
    uint64_t share = most / 4 < USER_SESSIONS ? most / 4 : USER_SESSIONS;
    if (user_quotas_of(c)->n_sessions + kept >= most) {
        *why = (struct cause){.code = CAUSE_CONNECTIONS, .n = user_quotas_of(c)->n_sessions};
        if (user_quota_is_news(&user_quotas_of(c)->told_room, c))
            log_warn("clients=%u: connection refused, no descriptors left for more",
                     user_quotas_of(c)->n_sessions);
    } else if (!admin && p->n_sessions >= share) {
        *why = (struct cause){.code = CAUSE_CONNECTIONS_USER, .n = p->n_sessions};
        if (user_quota_is_news(&p->told_room, c))
            log_warn("uid=%u: connection refused, the user has %u", p->uid, p->n_sessions);
    }
    p->n_refused += why->code != CAUSE_NONE;
    return why->code == CAUSE_NONE;
}

void user_quota_clear_bytes(struct control *c)
{
    idmap_for_each (&user_quotas_of(c)->map, slot) {
        struct user_quota *p = slot->value;
        p->disk_bytes = p->record_bytes = 0;
    }
}

void user_quota_sweep(struct control *c, void (*also)(struct control *c, struct user_quota *q))
{
    idmap_for_each (&user_quotas_of(c)->map, slot) {
        struct user_quota *p = slot->value;
        also(c, p);
        if (p->queue.n_slowed == p->slowed_told || !user_quota_is_news(&p->told_slow, c))
            continue;
        p->slowed_told = p->queue.n_slowed;
        log_warn("uid=%u rate limited (user_requests=%u per second)", p->uid, p->queue.rate);
    }
    if (user_quotas_of(c)->map.n > QUOTAS_KEPT)
        user_quota_drop_idle(c);
}

static int user_quota_compare(const void *a, const void *b)
{
    const struct user_quota *const *x = a, *const *y = b;
    int64_t d = (*y)->queue.spent_ns - (*x)->queue.spent_ns;
    return d ? d < 0 ? -1 : 1 : (*x)->uid < (*y)->uid ? -1 : 1;
}

void user_quota_tell(struct control *c, struct msg_stats *m)
{
    VEC(const struct user_quota *) all = VEC_INIT;
    idmap_for_each (&user_quotas_of(c)->map, slot) {
        const struct user_quota *p = slot->value;
        m->slowed += p->queue.n_slowed;
        m->refused += p->n_refused;
        if (p->queue.n_messages || p->n_refused)
            vec_push(&all, p);
    }
    if (all.n)
        qsort(all.v, all.n, sizeof all.v[0], user_quota_compare);
    for (size_t i = 0; i < all.n && i < USERS_TOLD; i++) {
        const struct user_quota *p = all.v[i];
        struct user_stats *u = rec_list_push(&m->users);
        *u = (struct user_stats){.uid = p->uid,
                                 .name = xstrdup(user_name(c->users, p->uid)),
                                 .connections = p->n_sessions,
                                 .jobs = p->n_jobs,
                                 .requests = p->queue.n_messages,
                                 .us = (uint64_t)p->queue.spent_ns / 1000,
                                 .slowed = p->queue.n_slowed,
                                 .refused = p->n_refused,
                                 .buffers = p->conns.used,
                                 .waited = p->conns.n_waited,
                                 .records = p->record_bytes,
                                 .disk = p->disk_bytes};
    }
    vec_fini(&all);
}

void user_quota_join(struct control *c, struct user_quota *q)
{
    user_quotas_of(c)->n_sessions++;
    q->n_sessions++;
}

void user_quota_leave(struct control *c, struct user_quota *q)
{
    user_quotas_of(c)->n_sessions--;
    q->n_sessions--;
}

void user_quota_next_batch(struct control *c)
{
    fair_pool_next_batch(&user_quotas_of(c)->pool);
}

static void user_quota_start(struct control *c)
{
    struct user_quotas *q = c->state[MODULE_QUOTAS] = xcalloc(1, sizeof *q);
    fair_pool_init(&q->pool, c->loop);
}

static void user_quota_after(struct control *c, const struct emission *e)
{
    /* More, or modulo 2^32 fewer. */
    uint32_t n = c->model.n_pending + c->model.n_active - e->queued_before;
    if (n)
        user_quota_get(c, e->uid)->n_jobs += n;
}

const struct module_ops user_quota_module = {.start = user_quota_start,
                                             .stop = user_quota_stop,
                                             .loaded = user_quota_loaded,
                                             .after = user_quota_after};
