#include "backend/agent/held_jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/agent/agent_internal.h"
#include "backend/agent/containment.h"
#include "backend/agent/rights_client.h"
#include "src/base/xalloc.h"
#include "src/os/log.h"

#define ASK_SOON_MS 50
#define ASK_MAX_MS  10000
#define ASK_ROWS    1000 /* in one message */

struct held {
    uint32_t uid;
    uint64_t nonce;
    char group[TASKDIR_NAME_SIZE];
};

struct held_jobs {
    struct agent *a;
    VEC(struct held) all;
    struct loop_timer timer;
    int64_t pause_ms; /* 0: the timer is not set */
    bool answers;
};

/* "UID.NONCE.GROUP", as private_tmp_name makes it. */
static bool held_parse(const char *name, struct held *ret)
{
    unsigned long long nonce;
    int at = 0;
    if (sscanf(name, "%u.%llu.%n", &ret->uid, &nonce, &at) != 2 || !at || !name[at] ||
        strlen(name + at) >= sizeof ret->group)
        return false;
    ret->nonce = nonce;
    snprintf(ret->group, sizeof ret->group, "%s", name + at);
    return true;
}

/* The job of a word: "JOB" or "JOB-RESTARTS". False: a task that shares with no other. */
static bool held_find_job(const struct held *x, struct node_held_job *ret)
{
    *ret = (struct node_held_job){.nonce = x->nonce};
    return !strchr(x->group, '.') && sscanf(x->group, "%u-%u", &ret->job, &ret->restarts) >= 1;
}

static void held_remove(struct held_jobs *h, size_t i)
{
    struct rights_request q = {.kind = RIGHTS_PRIVATE_REMOVE, .uid = h->all.v[i].uid};
    q.key.nonce = h->all.v[i].nonce;
    snprintf(q.group, sizeof q.group, "%s", h->all.v[i].group);
    rights_ask_number(h->a->rights, &q);
    h->all.v[i] = h->all.v[--h->all.n];
}

static void held_send(struct held_jobs *h, struct msg_held_jobs *m)
{
    if (m->jobs.n)
        uplink_send(&h->a->uplink, MSG_HELD_JOBS, 0, m);
    rec_fini(&msg_held_jobs_rec, m);
    *m = (struct msg_held_jobs){0};
}

/* Returns how many wait for an answer. */
static size_t held_ask(struct held_jobs *h)
{
    struct msg_held_jobs m = {0};
    size_t n = 0;
    for (size_t i = h->all.n; i-- > 0;) {
        struct node_held_job job;
        if (containment_has_tasks(h->a->containment, h->all.v[i].group))
            continue;
        if (!held_find_job(&h->all.v[i], &job)) {
            held_remove(h, i);
            continue;
        }
        *rec_list_push(&m.jobs) = job;
        n++;
        if (m.jobs.n >= ASK_ROWS)
            held_send(h, &m);
    }
    held_send(h, &m);
    return n;
}

static void held_on_timer(void *ctx)
{
    struct held_jobs *h = ctx;
    size_t n = h->a->tasks->complete && h->answers ? held_ask(h) : 0;
    int64_t pause = h->pause_ms * 2 > ASK_MAX_MS ? ASK_MAX_MS : h->pause_ms * 2;
    h->pause_ms = n ? pause : 0;
    if (n)
        loop_timer_set(h->a->loop, &h->timer, h->pause_ms);
}

void held_jobs_ask_soon(struct held_jobs *h)
{
    if (!h->all.n || h->pause_ms == ASK_SOON_MS)
        return;
    h->pause_ms = ASK_SOON_MS;
    loop_timer_cancel(h->a->loop, &h->timer);
    loop_timer_set(h->a->loop, &h->timer, h->pause_ms);
}

void held_jobs_set_controller(struct held_jobs *h, bool answers)
{
    h->answers = answers;
    if (answers)
        held_jobs_ask_soon(h);
}

void held_jobs_over(struct held_jobs *h, const struct msg_held_jobs *m)
{
    for (size_t k = 0; k < m->jobs.n; k++)
        for (size_t i = h->all.n; i-- > 0;) {
            struct node_held_job job;
            if (held_find_job(&h->all.v[i], &job) && rec_eq(&node_held_job_rec, &job, &m->jobs.v[k]) &&
                !containment_has_tasks(h->a->containment, h->all.v[i].group))
                held_remove(h, i);
        }
}

void held_jobs_add(struct held_jobs *h, uint32_t uid, uint64_t nonce, const char *group)
{
    struct held x = {.uid = uid, .nonce = nonce};
    snprintf(x.group, sizeof x.group, "%s", group);
    vec_for_each (&h->all, i)
        if (h->all.v[i].uid == uid && h->all.v[i].nonce == nonce && strcmp(h->all.v[i].group, group) == 0)
            return;
    vec_push(&h->all, x);
}

struct held_jobs *held_jobs_new(struct agent *a)
{
    struct held_jobs *h = xcalloc(1, sizeof *h);
    struct strv names;
    struct held x;
    h->a = a;
    h->timer = (struct loop_timer){.fn = held_on_timer, .ctx = h};
    rights_list(a->rights, RIGHTS_PRIVATE_LIST, &names);
    for (size_t i = 0; i < names.n; i++)
        if (held_parse(names.v[i], &x))
            vec_push(&h->all, x);
    strv_fini(&names);
    return h;
}

void held_jobs_free(struct held_jobs *h)
{
    if (!h)
        return;
    if (h->a->loop)
        loop_timer_cancel(h->a->loop, &h->timer);
    vec_fini(&h->all);
    free(h);
}
