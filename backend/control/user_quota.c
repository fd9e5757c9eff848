/* user_quota.c - what all connections and all jobs of one user have in common: how many there may be, their
 * part of each turn, and what has been done for them.
 *
 * A party is made when its user first comes, and kept: there are as many as the machine has users. Where
 * somebody makes users by the thousand, those with nothing here go.
 */
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "backend/control/private.h"
#include "src/base/log.h"

#define USER_SESSIONS 256  /* of one user who is no administrator; at most a quarter of the descriptors */
#define KEPT_FILES    64   /* descriptors for everything but clients */
#define ADMIN_FILES   64   /* of those for clients, for administrators alone; at most an eighth of all */
#define PARTIES_KEPT  1024 /* without a look who is still there */
#define TOLD_NS       (60 * NS_PER_S)
#define LINES_A_TIME  20u /* in TOLD_NS */

struct party *ctl_party(struct control *c, uint32_t uid)
{
    struct party *p = idmap_get(&c->parties, (uint64_t)uid + 1);
    if (p)
        return p;
    p = xcalloc(1, sizeof *p);
    p->uid = uid;
    share_init(&p->share, &c->share_pool, 0);
    list_init(&p->looks);
    list_init(&p->look_link);
    list_init(&p->asks);
    idmap_set(&c->parties, (uint64_t)uid + 1, p);
    return p;
}

bool ctl_is_admin(struct control *c, uint32_t uid)
{
    return uid == 0 || uid == geteuid() || user_in_groups(c->users, uid, &c->model.spec.admin_groups);
}

void ctl_rate_party(struct control *c, struct party *p)
{
    p->share.rate = ctl_is_admin(c, p->uid) ? 0 : c->model.spec.user_requests;
}

static void party_free(struct party *p)
{
    share_fini(&p->share);
    free(p);
}

void ctl_free_parties(struct control *c)
{
    idmap_for_each (&c->parties, slot)
        party_free(slot->value);
    idmap_fini(&c->parties);
}

static void drop_idle(struct control *c)
{
    VEC(uint64_t) idle = VEC_INIT;
    idmap_for_each (&c->parties, slot) {
        const struct party *p = slot->value;
        if (!p->n_sessions && !p->n_jobs && !p->reads_history)
            vec_push(&idle, slot->id);
    }
    vec_for_each (&idle, i)
        party_free(idmap_remove(&c->parties, idle.v[i]));
    vec_fini(&idle);
}

/* --- their jobs --- */

void ctl_count_jobs(struct control *c)
{
    idmap_for_each (&c->parties, slot)
        ((struct party *)slot->value)->n_jobs = 0;
    list_for_each (j, &c->model.all, struct job, in_all)
        ctl_party(c, j->uid)->n_jobs += !job_state_is_final(j->state);
}

uint32_t ctl_jobs_most(const struct control *c)
{
    const struct cluster_spec *spec = &c->model.spec;
    return spec->max_user_jobs ? spec->max_user_jobs : spec->max_jobs - spec->max_jobs / 10;
}

/* --- their connections --- */

/* A line in the log for each who is turned away would be a way to fill the disk. */
static bool is_news(struct mono *told, const struct control *c)
{
    struct mono now = loop_now(c->loop);
    if (told->ns && now.ns - told->ns < TOLD_NS)
        return false;
    *told = now;
    return true;
}

bool ctl_may_log(struct control *c, struct party *p)
{
    if (is_news(&p->log_from, c))
        p->n_logged = 0;
    if (p->n_logged == LINES_A_TIME)
        log_warn("uid=%u more lines like these are left out for a minute", p->uid);
    if (p->n_logged <= LINES_A_TIME)
        p->n_logged++;
    return p->n_logged <= LINES_A_TIME;
}

/* Clients must not use up the descriptors that the store and the nodes need, nor one user the room of the
 * others. */
bool ctl_has_room(struct control *c, struct party *p, bool admin, struct str *why)
{
    struct rlimit files;
    uint64_t most = UINT32_MAX, kept = KEPT_FILES;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < most)
        most = files.rlim_cur;
    if (!admin)
        kept += most / 8 < ADMIN_FILES ? most / 8 : ADMIN_FILES;
    uint64_t share = most / 4 < USER_SESSIONS ? most / 4 : USER_SESSIONS;
    if (c->n_sessions + kept >= most) {
        str_appendf(why, "it has %u connections, and room for no more", c->n_sessions);
        if (is_news(&c->told_room, c))
            log_warn("clients=%u no more are let in: descriptors", c->n_sessions);
    } else if (!admin && p->n_sessions >= share) {
        str_appendf(why, "%u connections of yours are open, and no user may have more at a time",
                    p->n_sessions);
        if (is_news(&p->told_room, c))
            log_warn("uid=%u has %u connections: no more are let in", p->uid, p->n_sessions);
    }
    p->n_refused += why->len > 0;
    return why->len == 0;
}

/* --- what is told of them --- */

void ctl_sweep_parties(struct control *c)
{
    idmap_for_each (&c->parties, slot) {
        struct party *p = slot->value;
        if (p->share.n_slowed == p->slowed_told || !is_news(&p->told_slow, c))
            continue;
        p->slowed_told = p->share.n_slowed;
        log_warn("uid=%u asks more than user_requests=%u times a second, and waits", p->uid, p->share.rate);
    }
    if (c->parties.n > PARTIES_KEPT)
        drop_idle(c);
}

static int compare_spent(const void *a, const void *b)
{
    const struct party *const *x = a, *const *y = b;
    int64_t d = (*y)->share.spent_ns - (*x)->share.spent_ns;
    return d ? d < 0 ? -1 : 1 : (*x)->uid < (*y)->uid ? -1 : 1;
}

#define USERS_TOLD 100u /* those that cost most */

void ctl_tell_parties(struct control *c, struct msg_stats *m)
{
    VEC(const struct party *) all = VEC_INIT;
    idmap_for_each (&c->parties, slot) {
        const struct party *p = slot->value;
        m->slowed += p->share.n_slowed;
        m->refused += p->n_refused;
        if (p->share.n_messages || p->n_refused)
            vec_push(&all, p);
    }
    if (all.n)
        qsort(all.v, all.n, sizeof all.v[0], compare_spent);
    for (size_t i = 0; i < all.n && i < USERS_TOLD; i++) {
        const struct party *p = all.v[i];
        struct user_stats *u = rec_list_push(&m->users);
        *u = (struct user_stats){.uid = p->uid,
                                 .name = xstrdup(user_name(c->users, p->uid)),
                                 .connections = p->n_sessions,
                                 .jobs = p->n_jobs,
                                 .requests = p->share.n_messages,
                                 .us = (uint64_t)p->share.spent_ns / 1000,
                                 .slowed = p->share.n_slowed,
                                 .refused = p->n_refused};
    }
    vec_fini(&all);
}
