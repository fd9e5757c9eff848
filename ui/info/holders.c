/* holders.c - who holds what of the queue now. */
#include "ui/info/holders.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/text/jobtext.h"
#include "ui/text/view_text.h"

/* --- accounts and users --- */

/* Whose account a job counts for: the one that it asked for, else its group. */
static const char *holders_account_of(const struct job *j)
{
    const char *account = j->req.account ? j->req.account : job_origin(j)->group;
    return str_is_empty(account) ? tr("none") : account;
}

static uint64_t holders_id_of(const char *account, const char *user)
{
    uint64_t id = hash_bytes(account, strlen(account)) * 0x9e3779b97f4a7c15u;
    id ^= user ? hash_bytes(user, strlen(user)) + 1 : 0;
    return id ? id : 1;
}

static struct holder *holders_holder_of(struct holders *h, const char *account, const char *user)
{
    uint64_t id = holders_id_of(account, user);
    struct holder *r = idmap_get(&h->by_id, id);
    if (r)
        return r;
    r = xcalloc(1, sizeof *r);
    *r = (struct holder){.account = xstrdup(account), .user = user ? xstrdup(user) : NULL, .id = id};
    vec_push(&h->rows, r);
    idmap_set(&h->by_id, id, r);
    return r;
}

/* The holder found for the account and user of a job, by the addresses of the two texts: most jobs of one
 * user share them. */
struct holders_found {
    const char *account, *user;
    struct holder *of[2]; /* the account, the user */
};
#define FOUND 256 /* a power of two */

static struct holders_found *find_holders(struct holders *h, struct holders_found *table,
                                          const struct job *j)
{
    const char *account = holders_account_of(j), *user = j->user ? j->user : "?";
    uint64_t at = ((uintptr_t)account >> 4) * 31 + ((uintptr_t)user >> 4);
    struct holders_found *f = &table[at & (FOUND - 1)];
    if (f->account != account || f->user != user)
        *f = (struct holders_found){
            .account = account,
            .user = user,
            .of = {holders_holder_of(h, account, NULL), holders_holder_of(h, account, user)}};
    return f;
}

/* --- counting --- */

static bool is_bigger(const struct held_job *a, const struct held_job *b)
{
    return a->holds.gpus != b->holds.gpus   ? a->holds.gpus > b->holds.gpus
           : a->holds.cpus != b->holds.cpus ? a->holds.cpus > b->holds.cpus
                                            : a->job->id < b->job->id;
}

/* To its place among the biggest, where it is one of them. */
static void keep_big(struct holder *r, const struct held_job *it)
{
    size_t i = r->all.running < HOLDER_JOBS ? r->all.running : HOLDER_JOBS;
    for (; i > 0 && is_bigger(it, &r->biggest[i - 1]); i--)
        if (i < HOLDER_JOBS)
            r->biggest[i] = r->biggest[i - 1];
    if (i < HOLDER_JOBS)
        r->biggest[i] = *it;
}

static void holders_add_running(struct holder *r, const struct held_job *it)
{
    keep_big(r, it);
    r->all.running++;
    if (job_is_between(it->job))
        return;
    r->all.cpus += it->holds.cpus;
    r->all.gpus += it->holds.gpus;
    r->all.mem_mib += it->holds.mem_mib;
    r->all.nodes += it->job->kind == JOB_KIND_STEPS ? job_nodes(it->job) : it->holds.nodes;
}

static void add_waiting(struct holder *r, const struct job *j, uint32_t n, uint64_t gpus)
{
    if (r->n_waiting < HOLDER_JOBS)
        r->waiting[r->n_waiting] = j;
    r->n_waiting++;
    r->all.waiting += n;
    r->all.gpus_wanted += gpus;
}

static void count_jobs(struct holders *h, const struct model *m)
{
    struct holders_found table[FOUND] = {0};
    list_for_each (r, &m->active, struct job, in_queue) {
        const struct holders_found *f = find_holders(h, table, r);
        const struct held_job it = {.job = r, .holds = job_amounts(r)};
        holders_add_running(f->of[0], &it);
        holders_add_running(f->of[1], &it);
    }
    list_for_each (p, &m->pending, struct job, in_queue) {
        const struct holders_found *f = find_holders(h, table, p);
        uint32_t n = job_pending_elements(p);
        uint64_t gpus = (uint64_t)n * job_gpus(p);
        add_waiting(f->of[0], p, n, gpus);
        add_waiting(f->of[1], p, n, gpus);
    }
}

/* Accounts by name, each with its users behind it; the one with more GPUs, then CPUs, first. */
static int by_account(const void *pa, const void *pb)
{
    const struct holder *a = *(struct holder *const *)pa, *b = *(struct holder *const *)pb;
    int rc = strcmp(a->account, b->account);
    if (rc || !a->user != !b->user)
        return rc ? rc : a->user ? 1 : -1;
    if (a->all.gpus != b->all.gpus)
        return a->all.gpus < b->all.gpus ? 1 : -1;
    if (a->all.cpus != b->all.cpus)
        return a->all.cpus < b->all.cpus ? 1 : -1;
    return a->user && b->user ? strcmp(a->user, b->user) : 0;
}

static void holders_forget(struct holders *h)
{
    vec_for_each (&h->rows, i) {
        free(h->rows.v[i]->account);
        free(h->rows.v[i]->user);
        free(h->rows.v[i]);
    }
    vec_clear(&h->rows);
    idmap_fini(&h->by_id);
}

void holders_count(struct holders *h, const struct model *m, const struct msg_shares_rows *shares)
{
    holders_forget(h);
    count_jobs(h, m);
    for (size_t i = 0; i < shares->rows.n; i++) {
        const struct share_row *s = &shares->rows.v[i];
        if (s->parent || s->user) /* the root says nothing */
            holders_holder_of(h, s->account, s->user)->share = s;
    }
    if (h->rows.n)
        qsort(h->rows.v, h->rows.n, sizeof *h->rows.v, by_account);
}

void holders_fini(struct holders *h)
{
    holders_forget(h);
    vec_fini(&h->rows);
}

void holders_of_user(const struct holders *h, const char *user, struct holder_amounts *ret)
{
    *ret = (struct holder_amounts){0};
    vec_for_each (&h->rows, i) {
        const struct holder_amounts *a = &h->rows.v[i]->all;
        if (!str_eq(h->rows.v[i]->user, user))
            continue;
        ret->cpus += a->cpus;
        ret->gpus += a->gpus;
        ret->mem_mib += a->mem_mib;
        ret->nodes += a->nodes;
        ret->running += a->running;
        ret->waiting += a->waiting;
        ret->gpus_wanted += a->gpus_wanted;
    }
}
