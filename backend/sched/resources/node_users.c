#include "backend/sched/resources/node_users.h"

#include "src/base/err.h"

static bool node_users_agree(struct pool_who a, struct pool_who b)
{
    return (!a.alone && !b.alone) || a.user == b.user || !a.user || !b.user;
}

void node_users_fini(struct node_users *u)
{
    vec_fini(&u->v);
    u->n_alone = 0;
}

void node_users_add(struct node_users *u, struct node_user a)
{
    u->n_alone += a.who.alone;
    vec_push(&u->v, a);
}

void node_users_remove(struct node_users *u, struct node_user a)
{
    vec_for_each (&u->v, i) {
        const struct node_user *b = &u->v.v[i];
        if (b->who.user != a.who.user || b->who.alone != a.who.alone || b->start != a.start ||
            b->end != a.end)
            continue;
        u->n_alone -= a.who.alone;
        u->v.v[i] = u->v.v[--u->v.n];
        return;
    }
    bug_on(true);
}

/* The end of one that is in the way within [t, end); t: none is. */
static int64_t node_users_blocked_until(const struct node_users *u, struct pool_who who, int64_t t,
                                        int64_t end)
{
    if (!who.alone && !u->n_alone)
        return t;
    vec_for_each (&u->v, i) {
        const struct node_user *b = &u->v.v[i];
        if (b->start < end && b->end > t && !node_users_agree(who, b->who))
            return b->end;
    }
    return t;
}

bool node_users_allow(const struct node_users *u, struct pool_who who, int64_t t, int64_t end)
{
    return node_users_blocked_until(u, who, t, end) == t;
}

int64_t node_users_next(const struct node_users *u, struct pool_who who, int64_t t, int64_t len)
{
    for (int64_t at = t; at != WHEN_NEVER; at = t) {
        t = node_users_blocked_until(u, who, at, when_plus(at, len));
        if (t == at)
            return at;
    }
    return WHEN_NEVER;
}

int64_t node_users_until(const struct node_users *u, struct pool_who who, int64_t t)
{
    int64_t until = WHEN_NEVER;
    vec_for_each (&u->v, i) {
        const struct node_user *b = &u->v.v[i];
        if (b->end > t && b->start < until && !node_users_agree(who, b->who))
            until = b->start;
    }
    return until;
}

int64_t node_users_alone_until(const struct node_users *u, int64_t t)
{
    for (bool more = u->n_alone > 0; more;) {
        more = false;
        vec_for_each (&u->v, i) {
            const struct node_user *b = &u->v.v[i];
            if (!b->who.alone || b->start > t || b->end <= t)
                continue;
            t = b->end;
            more = t != WHEN_NEVER;
        }
    }
    return t;
}
