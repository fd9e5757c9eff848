/* wait_causes.c - why the jobs wait that are on the screen: the sentences that `w` begins with.
 *
 * Views ask for the rows that they draw; after the picture one question goes out for those that are not
 * known, or from before the queue moved, PAUSE_MS apart. Nothing is asked while nothing changes, but for a
 * start that was not worked out yet.
 */
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "ui/frame/frame_internal.h"

#define PAUSE_MS  2000 /* between two questions about a job */
#define KNOWN_MAX 5000 /* beyond that all are forgotten and asked for again */
#define TRIES_MAX 3    /* for a start that is not known yet */

struct known {
    struct job_wait wait;
    uint32_t reason, hold; /* of the job when that was answered: it holds as long as they do */
    uint64_t changes;      /* of the model, by then */
    struct mono asked;
    uint32_t tries;
    bool under_way, wanted;
};

static struct known *find(const struct ui *a, uint32_t job)
{
    return idmap_get(&a->waits.by_job, job);
}

static void free_known(struct known *k)
{
    rec_fini(&job_wait_rec, &k->wait);
    free(k);
}

void waits_forget(struct ui *a)
{
    vec_for_each (&a->waits.jobs, i)
        free_known(find(a, a->waits.jobs.v[i]));
    vec_fini(&a->waits.jobs);
    vec_fini(&a->waits.wanted);
    idmap_fini(&a->waits.by_job);
    a->waits = (struct ui_waits){.jobs = VEC_INIT, .wanted = VEC_INIT, .changes = a->waits.changes + 1};
}

const struct why_cause *ui_wait(struct ui *a, const struct job *j)
{
    struct known *k = find(a, j->id);
    if (j->state != JOB_PENDING)
        return NULL;
    if (!k) {
        k = xcalloc(1, sizeof *k);
        k->wait.job = j->id;
        idmap_set(&a->waits.by_job, j->id, k);
        vec_push(&a->waits.jobs, j->id);
    }
    if (!k->wanted) {
        k->wanted = true;
        vec_push(&a->waits.wanted, j->id);
    }
    bool holds = !str_is_empty(k->wait.cause.text) && k->reason == j->reason && k->hold == j->hold;
    return holds ? &k->wait.cause : NULL;
}

static void take(struct ui *a, const struct job_wait *w)
{
    struct known *k = find(a, w->job);
    const struct job *j = model_get_job(a->m, w->job);
    if (!k || !j)
        return;
    bool moved = k->changes != a->waits.asked_at;
    rec_fini(&job_wait_rec, &k->wait);
    rec_copy(&job_wait_rec, &k->wait, w);
    k->under_way = false;
    k->reason = j->reason;
    k->hold = j->hold;
    k->tries = moved ? 1 : k->tries + 1;
    k->changes = a->waits.asked_at;
    a->dirty = true;
}

/* Where there was no time for all of them the others are asked for at the next picture; a controller that
 * does not know the question is asked a few times. */
static void answered(struct ui *a, const struct incoming *in, void *arg)
{
    (void)arg;
    const struct msg_waits *m = in && in->kind == MSG_WAIT_ROWS ? in->body : NULL;
    for (size_t i = 0; m && i < m->rows.n; i++)
        take(a, &m->rows.v[i]);
    vec_for_each (&a->waits.jobs, i) {
        struct known *k = find(a, a->waits.jobs.v[i]);
        if (k->under_way && m && m->rows.n)
            k->asked = (struct mono){0};
        else if (k->under_way && in)
            k->tries++;
        a->dirty |= k->under_way;
        k->under_way = false;
    }
}

/* Its start may be worked out by now, though nothing has changed. */
static bool is_unfinished(const struct known *k)
{
    return (k->wait.cause.cls == WHY_BEHIND || k->wait.cause.cls == WHY_BUSY) &&
           !wall_is_set(k->wait.cause.when) && k->tries < TRIES_MAX;
}

static bool is_due(const struct ui *a, const struct known *k)
{
    int64_t age_ms = (a->mono.ns - k->asked.ns) / NS_PER_MS;
    if (k->under_way)
        return false;
    if (!k->asked.ns)
        return true;
    bool is_open = str_is_empty(k->wait.cause.text) ? k->tries < TRIES_MAX : is_unfinished(k);
    return age_ms >= PAUSE_MS && (k->changes != a->waits.changes || is_open);
}

void waits_ask(struct ui *a)
{
    struct msg_waits_get get = {0};
    bool can = a->online && !a->frozen && a->has_data;
    vec_for_each (&a->waits.wanted, i) {
        struct known *k = find(a, a->waits.wanted.v[i]);
        k->wanted = false;
        if (!can || get.jobs.n >= WAIT_ROWS_MAX || !is_due(a, k))
            continue;
        k->asked = a->mono;
        k->under_way = true;
        *rec_list_push(&get.jobs) =
            (struct job_target){.job = k->wait.job, .array_index = ARRAY_NONE, .step = STEP_ALL};
    }
    vec_clear(&a->waits.wanted);
    if (get.jobs.n) {
        a->waits.asked_at = a->waits.changes;
        ui_ask(a, MSG_WAITS, &get, answered, NULL, NULL);
    } else if (a->waits.jobs.n > KNOWN_MAX) {
        waits_forget(a);
    }
    rec_fini(&msg_waits_get_rec, &get);
}
