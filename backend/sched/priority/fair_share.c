/* fair_share.c - the tree of shares, what hangs in it, and the two ways to make factors of it. */
#include "backend/sched/priority/fair_share.h"

#include <math.h>
#include <string.h>

/* --- building the tree --- */

static uint32_t fairshare_add_node(struct fairshare *f, const char *name, bool is_user, uint32_t parent,
                                   uint32_t shares)
{
    struct fairshare_node n = {
        .name = xstrdup(name), .is_user = is_user, .parent = parent, .shares = shares};
    vec_push(&f->nodes, n);
    f->n_users += is_user;
    return (uint32_t)f->nodes.n - 1;
}

/* The place of a name in a map: its own, or the free one where it belongs. 0: not there. */
static uint32_t fairshare_find_account(const struct fairshare *f, const char *name, uint64_t *ret_key)
{
    uint64_t key = usage_key(&name, 1);
    uintptr_t at;
    while ((at = (uintptr_t)idmap_get(&f->accounts, key)) && !str_eq(f->nodes.v[at - 1].name, name))
        key++;
    *ret_key = key;
    return (uint32_t)at;
}

static uint32_t fairshare_find_user(const struct fairshare *f, uint32_t account, const char *name,
                                    uint64_t *ret_key)
{
    const char *const names[] = {f->nodes.v[account].name, name};
    uint64_t key = usage_key(names, 2);
    uintptr_t at;
    while ((at = (uintptr_t)idmap_get(&f->users, key)) &&
           (f->nodes.v[at - 1].parent != account || !str_eq(f->nodes.v[at - 1].name, name)))
        key++;
    *ret_key = key;
    return (uint32_t)at;
}

/* No name stands for the root. */
static uint32_t fairshare_get_account(struct fairshare *f, const char *name, uint32_t shares)
{
    uint64_t key;
    if (str_is_empty(name))
        return 0;
    uint32_t at = fairshare_find_account(f, name, &key);
    if (!at) {
        at = fairshare_add_node(f, name, false, 0, shares) + 1;
        idmap_set(&f->accounts, key, (void *)(uintptr_t)at);
    }
    return at - 1;
}

static uint32_t fairshare_get_user(struct fairshare *f, uint32_t account, const char *name, uint32_t shares)
{
    uint64_t key;
    uint32_t at = fairshare_find_user(f, account, name, &key);
    if (!at) {
        at = fairshare_add_node(f, name, true, account, shares) + 1;
        idmap_set(&f->users, key, (void *)(uintptr_t)at);
    }
    return at - 1;
}

/* Would the account come to hang under itself? */
static bool fairshare_makes_a_ring(const struct fairshare *f, uint32_t account, uint32_t parent)
{
    while (parent && parent != account)
        parent = f->nodes.v[parent].parent;
    return parent == account;
}

static void fairshare_add_configured(struct fairshare *f, const struct cluster_spec *spec)
{
    for (size_t i = 0; i < spec->accounts.n; i++)
        fairshare_get_account(f, spec->accounts.v[i].name, spec->accounts.v[i].shares);
    for (size_t i = 0; i < spec->accounts.n; i++) {
        const struct account_spec *a = &spec->accounts.v[i];
        uint64_t key;
        uint32_t at = fairshare_get_account(f, a->name, 1);
        uint32_t parent = str_is_empty(a->parent) ? 0 : fairshare_find_account(f, a->parent, &key);
        parent = parent ? parent - 1 : 0;
        if (at && !fairshare_makes_a_ring(f, at, parent))
            f->nodes.v[at].parent = parent;
        for (size_t k = 0; k < a->users.n; k++)
            fairshare_get_user(f, at, a->users.v[k].name, a->users.v[k].shares);
    }
}

static struct fairshare_node *fairshare_must_get(struct fairshare *f, const char *account, const char *user)
{
    uint32_t at =
        fairshare_get_user(f, fairshare_get_account(f, account, 1), user, 1); /* may move the nodes */
    return &f->nodes.v[at];
}

static void fairshare_add_charged(struct fairshare *f, const struct model *m)
{
    for (size_t i = 0; i < m->usage.n; i++) {
        const struct usage_row *r = &m->usage.rows[i];
        struct fairshare_node *n = fairshare_must_get(f, r->account, r->user);
        n->usage += usage_fade(r->billing, r->t, f->now, f->half_life_s);
        n->gpu_s += usage_fade(r->gpu_s, r->t, f->now, f->half_life_s);
        n->preempted_gpu_s += usage_fade(r->preempted_gpu_s, r->t, f->now, f->half_life_s);
    }
}

/* Sorts every node under its parent: children[first_child ...]. */
static void fairshare_link_children(struct fairshare *f)
{
    struct fairshare_node *v = f->nodes.v;
    f->children = xcalloc(f->nodes.n, sizeof *f->children);
    for (size_t i = 1; i < f->nodes.n; i++)
        v[v[i].parent].n_children++;
    uint32_t at = 0;
    for (size_t i = 0; i < f->nodes.n; i++) {
        v[i].first_child = at;
        at += v[i].n_children;
        v[i].n_children = 0;
    }
    for (uint32_t i = 1; i < f->nodes.n; i++) {
        struct fairshare_node *p = &v[v[i].parent];
        f->children[p->first_child + p->n_children++] = i;
    }
}

/* What users have used is their accounts' too. */
static void fairshare_sum_up(struct fairshare *f, uint32_t at)
{
    struct fairshare_node *n = &f->nodes.v[at];
    for (uint32_t i = 0; i < n->n_children; i++) {
        uint32_t child = f->children[n->first_child + i];
        const struct fairshare_node *c = &f->nodes.v[child];
        if (!c->is_user)
            fairshare_sum_up(f, child);
        n->usage += c->usage;
        n->gpu_s += c->gpu_s;
        n->preempted_gpu_s += c->preempted_gpu_s;
        n->running += c->running;
        n->gpus_now += c->gpus_now;
    }
}

/* --- factors --- */

static double fairshare_level_fs(double shares, double usage)
{
    if (!(shares > 0))
        return 0.0;
    return usage > 0 ? shares / usage : INFINITY;
}

static double fairshare_sum_of_shares(const struct fairshare *f, const struct fairshare_node *n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n->n_children; i++)
        sum += f->nodes.v[f->children[n->first_child + i]].shares;
    return sum;
}

/* Fair tree: each level for itself. */
static void fairshare_weigh_level(struct fairshare *f, const struct fairshare_node *n)
{
    double shares = fairshare_sum_of_shares(f, n);
    for (uint32_t i = 0; i < n->n_children; i++) {
        struct fairshare_node *c = &f->nodes.v[f->children[n->first_child + i]];
        c->norm_shares = shares > 0 ? c->shares / shares : 0.0;
        c->effective = n->usage > 0 ? c->usage / n->usage : 0.0;
        c->level_fs = fairshare_level_fs(c->norm_shares, c->effective);
    }
}

/* Classic: parts of the whole cluster; the use of an account weighs on those in it who used nothing. */
static double fairshare_classic_factor(double shares, double effective)
{
    return shares > 0 ? exp2(-effective / shares) : 0.0;
}

static void fairshare_weigh_classic(struct fairshare *f, uint32_t at)
{
    const struct fairshare_node *n = &f->nodes.v[at];
    double shares = fairshare_sum_of_shares(f, n), all = f->nodes.v[0].usage;
    for (uint32_t i = 0; i < n->n_children; i++) {
        uint32_t child = f->children[n->first_child + i];
        struct fairshare_node *c = &f->nodes.v[child];
        double part = shares > 0 ? c->shares / shares : 0.0, own = all > 0 ? c->usage / all : 0.0;
        c->norm_shares = n->norm_shares * part;
        c->effective = at ? own + (n->effective - own) * part : own;
        c->level_fs = fairshare_level_fs(c->norm_shares, c->effective);
        c->factor = c->new_user_factor = fairshare_classic_factor(c->norm_shares, c->effective);
        if (!c->is_user)
            fairshare_weigh_classic(f, child);
    }
}

static int fairshare_by_level_fs(const void *a, const void *b, void *ctx)
{
    const struct fairshare *f = ctx;
    const struct fairshare_node *x = &f->nodes.v[*(const uint32_t *)a],
                                *y = &f->nodes.v[*(const uint32_t *)b];
    if (x->level_fs != y->level_fs)
        return x->level_fs > y->level_fs ? -1 : 1;
    if (x->is_user != y->is_user)
        return x->is_user ? -1 : 1;
    return strcmp(x->name, y->name);
}

struct fairshare_ranking {
    struct fairshare *f;
    uint32_t next;  /* the rank of the next user */
    uint32_t given; /* that of the one before: jobs that are equal get the same */
};

static double fairshare_rank_factor(const struct fairshare_ranking *r, uint32_t rank)
{
    return r->f->n_users ? (double)rank / r->f->n_users : 1.0;
}

/* Children of the accounts list[0 .. n) are one level: those accounts are equal. */
static void fairshare_rank_level(struct fairshare_ranking *r, const uint32_t *accounts, size_t n, bool tied)
{
    struct fairshare *f = r->f;
    size_t n_level = 0;
    for (size_t i = 0; i < n; i++) {
        struct fairshare_node *a = &f->nodes.v[accounts[i]];
        a->new_user_factor = fairshare_rank_factor(r, tied ? r->given : r->next);
        n_level += a->n_children;
    }
    if (!n_level)
        return;
    uint32_t *level = xcalloc(n_level, sizeof *level), at = 0;
    for (size_t i = 0; i < n; i++) {
        const struct fairshare_node *a = &f->nodes.v[accounts[i]];
        fairshare_weigh_level(f, a);
        for (uint32_t k = 0; k < a->n_children; k++)
            level[at++] = f->children[a->first_child + k];
    }
    qsort_r(level, n_level, sizeof *level, fairshare_by_level_fs, f);
    for (size_t i = 0, same; i < n_level; i += same) {
        struct fairshare_node *c = &f->nodes.v[level[i]];
        bool is_tied = i ? c->level_fs == f->nodes.v[level[i - 1]].level_fs : tied;
        same = 1;
        if (!c->is_user) {
            while (i + same < n_level && f->nodes.v[level[i + same]].level_fs == c->level_fs)
                same++;
            fairshare_rank_level(r, &level[i], same, is_tied);
            continue;
        }
        if (!is_tied)
            r->given = r->next;
        c->factor = fairshare_rank_factor(r, r->given);
        r->next--;
    }
    free(level);
}

/* --- life and questions --- */

static void fairshare_weigh(struct fairshare *f)
{
    fairshare_sum_up(f, 0);
    struct fairshare_node *root = &f->nodes.v[0];
    root->norm_shares = root->new_user_factor = 1.0;
    root->effective = root->usage > 0 ? 1.0 : 0.0;
    if (f->tree) {
        struct fairshare_ranking r = {.f = f, .next = f->n_users, .given = f->n_users};
        fairshare_rank_level(&r, &(uint32_t){0}, 1, false);
    } else {
        fairshare_weigh_classic(f, 0);
    }
}

void fairshare_begin(struct fairshare *f, const struct model *m, struct wall now)
{
    *f = (struct fairshare){.nodes = VEC_INIT,
                            .tree = m->spec.priority.fair_tree,
                            .half_life_s = m->spec.priority.decay_half_life_s,
                            .now = now};
    fairshare_add_node(f, "root", false, 0, 1);
    idmap_set(&f->accounts, usage_key(&(const char *){"root"}, 1), (void *)(uintptr_t)1);
    fairshare_add_configured(f, &m->spec);
    fairshare_add_charged(f, m);
}

void fairshare_add(struct fairshare *f, const struct model *m, const struct job *j)
{
    struct usage_now held = usage_held(m, j, f->now);
    struct fairshare_node *n = fairshare_must_get(f, job_account(j), j->user ? j->user : "");
    n->usage += held.billing;
    n->running += held.billing;
    n->gpu_s += held.gpu_s;
    n->gpus_now += held.gpus;
    n->rate += held.rate;
    n->gpu_rate += held.gpu_rate;
}

void fairshare_finish(struct fairshare *f)
{
    fairshare_link_children(f);
    fairshare_weigh(f);
}

void fairshare_advance(struct fairshare *f, struct wall now)
{
    double span = usage_of_span(f->now, now, now, f->half_life_s),
           fade = usage_fade(1.0, f->now, now, f->half_life_s);
    vec_for_each (&f->nodes, i) {
        struct fairshare_node *n = &f->nodes.v[i];
        if (!n->is_user) {
            n->usage = n->gpu_s = n->preempted_gpu_s = n->running = 0;
            n->gpus_now = 0;
            continue;
        }
        n->usage = n->usage * fade + n->rate * span;
        n->running = n->running * fade + n->rate * span;
        n->gpu_s = n->gpu_s * fade + n->gpu_rate * span;
        n->preempted_gpu_s *= fade;
    }
    f->now = now.ms > f->now.ms ? now : f->now;
    fairshare_weigh(f);
}

void fairshare_fini(struct fairshare *f)
{
    vec_for_each (&f->nodes, i)
        free(f->nodes.v[i].name);
    vec_fini(&f->nodes);
    free(f->children);
    idmap_fini(&f->accounts);
    idmap_fini(&f->users);
    *f = (struct fairshare){0};
}

double fairshare_factor(const struct fairshare *f, const char *account, const char *user)
{
    uint64_t key;
    uint32_t at = str_is_empty(account) ? 1 : fairshare_find_account(f, account, &key);
    if (!at)
        return f->nodes.v[0].new_user_factor;
    uint32_t user_at = fairshare_find_user(f, at - 1, user ? user : "", &key);
    return user_at ? f->nodes.v[user_at - 1].factor : f->nodes.v[at - 1].new_user_factor;
}

static int fairshare_by_name(const void *a, const void *b, void *ctx)
{
    const struct fairshare *f = ctx;
    const struct fairshare_node *x = &f->nodes.v[*(const uint32_t *)a],
                                *y = &f->nodes.v[*(const uint32_t *)b];
    if (x->is_user != y->is_user)
        return x->is_user ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void fairshare_add_row(const struct fairshare *f, const struct fairshare_node *n, uint32_t level,
                              struct msg_shares_rows *ret)
{
    const struct fairshare_node *parent = &f->nodes.v[n->parent], *root = &f->nodes.v[0];
    struct share_row *row = rec_list_push(&ret->rows);
    *row = (struct share_row){
        .account = xstrdup(n->is_user ? parent->name : n->name),
        .parent = n == root || n->is_user ? NULL : xstrdup(parent->name),
        .user = n->is_user ? xstrdup(n->name) : NULL,
        .level = level,
        .raw_shares = n->shares,
        .norm_shares = n->norm_shares,
        .raw_usage = n->usage,
        .norm_usage = root->usage > 0 ? n->usage / root->usage : 0.0,
        .effective_usage = n->effective,
        .level_fs = isinf(n->level_fs) ? -1.0 : n->level_fs, /* numbers that travel are finite */
        .fairshare = n->is_user ? n->factor : 0.0,
        .gpu_hours = n->gpu_s / 3600.0,
        .preempted_gpu_hours = n->preempted_gpu_s / 3600.0,
        .running = n->running,
        .gpus_now = n->gpus_now};
}

struct fairshare_walk {
    const struct fairshare *f;
    const struct strv *accounts, *users;
    struct msg_shares_rows *ret;
};

static void fairshare_walk_account(const struct fairshare_walk *w, uint32_t at, uint32_t level)
{
    const struct fairshare *f = w->f;
    const struct fairshare_node *n = &f->nodes.v[at];
    bool shown = !w->accounts->n || strv_has(w->accounts, n->name);
    if (shown)
        fairshare_add_row(f, n, level, w->ret);
    uint32_t *sorted = xcalloc(n->n_children + 1, sizeof *sorted);
    memcpy(sorted, &f->children[n->first_child], n->n_children * sizeof *sorted);
    if (n->n_children)
        qsort_r(sorted, n->n_children, sizeof *sorted, fairshare_by_name, (void *)(uintptr_t)f);
    for (uint32_t i = 0; i < n->n_children; i++) {
        const struct fairshare_node *c = &f->nodes.v[sorted[i]];
        if (!c->is_user)
            fairshare_walk_account(w, sorted[i], level + 1);
        else if (shown && (!w->users->n || strv_has(w->users, c->name)))
            fairshare_add_row(f, c, level + 1, w->ret);
    }
    free(sorted);
}

void fairshare_rows(const struct fairshare *f, const struct strv *accounts, const struct strv *users,
                    struct msg_shares_rows *ret)
{
    struct fairshare_walk w = {.f = f, .accounts = accounts, .users = users, .ret = ret};
    fairshare_walk_account(&w, 0, 0);
}
