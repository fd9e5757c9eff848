/* wait_causes.c - why the jobs wait that are on the screen: the sentences that `w` begins with.
 *
 * Views ask for the rows that they draw; after the picture one question goes out for those that are not
 * known, or from before the queue moved, PAUSE_MS apart. Nothing is asked while nothing changes, but for a
 * start that was not worked out yet.
 */
#include "ui/frame/wait_causes.h"

#include <stdlib.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "ui/state/ui_state.h"

#define PAUSE_MS  2000 /* between two questions about a job */
#define KNOWN_MAX 5000 /* beyond that all are forgotten and asked for again */
#define TRIES_MAX 3    /* for a start that is not known yet */

struct wait_causes {
    struct idmap by_job;
    VEC(uint32_t) jobs, wanted; /* that are known; of which the picture has a row */
    uint64_t changes, asked_at; /* of the model: so far, when the last question went out */
};

struct known_cause {
    struct job_wait wait;
    uint32_t reason, hold; /* of the job when that was answered: it holds as long as they do */
    uint64_t changes;      /* of the model, by then */
    struct mono asked;
    uint32_t tries;
    bool under_way, wanted;
};

static struct known_cause *wait_causes_find(const struct ui *ui, uint32_t job)
{
    return idmap_get(&ui->waits->by_job, job);
}

static void known_cause_free(struct known_cause *k)
{
    rec_fini(&job_wait_rec, &k->wait);
    free(k);
}

static void wait_causes_forget(struct ui *ui)
{
    vec_for_each (&ui->waits->jobs, i)
        known_cause_free(wait_causes_find(ui, ui->waits->jobs.v[i]));
    vec_fini(&ui->waits->jobs);
    vec_fini(&ui->waits->wanted);
    idmap_fini(&ui->waits->by_job);
    ui->waits->changes++;
}

void wait_causes_new(struct ui *ui)
{
    ui->waits = xcalloc(1, sizeof *ui->waits);
}

void wait_causes_free(struct ui *ui)
{
    wait_causes_forget(ui);
    free(ui->waits);
    ui->waits = NULL;
}

void wait_causes_changed(struct ui *ui)
{
    ui->waits->changes++;
}

const struct cause *ui_wait_known(const struct ui *ui, const struct job *j)
{
    const struct known_cause *k = j->state == JOB_PENDING ? wait_causes_find(ui, j->id) : NULL;
    bool holds = k && k->wait.cause.code != CAUSE_NONE && k->reason == j->reason && k->hold == j->hold;
    return holds ? &k->wait.cause : NULL;
}

const struct cause *ui_wait(struct ui *ui, const struct job *j)
{
    struct known_cause *k = wait_causes_find(ui, j->id);
    if (j->state != JOB_PENDING)
        return NULL;
    if (!k) {
        k = xcalloc(1, sizeof *k);
        k->wait.job = j->id;
        idmap_set(&ui->waits->by_job, j->id, k);
        vec_push(&ui->waits->jobs, j->id);
    }
    if (!k->wanted) {
        k->wanted = true;
        vec_push(&ui->waits->wanted, j->id);
    }
    return ui_wait_known(ui, j);
}

static void wait_causes_take(struct ui *ui, const struct job_wait *w)
{
    struct known_cause *k = wait_causes_find(ui, w->job);
    const struct job *j = model_get_job(ui->m, w->job);
    if (!k || !j)
        return;
    bool moved = k->changes != ui->waits->asked_at;
    rec_fini(&job_wait_rec, &k->wait);
    rec_copy(&job_wait_rec, &k->wait, w);
    k->under_way = false;
    k->reason = j->reason;
    k->hold = j->hold;
    k->tries = moved ? 1 : k->tries + 1;
    k->changes = ui->waits->asked_at;
    ui->dirty = true;
}

/* Where there was no time for all of them the others are asked for at the next picture; a controller that
 * does not know the question is asked a few times. */
static void wait_causes_answered(struct ui *ui, const struct incoming *in, void *arg)
{
    (void)arg;
    const struct msg_waits *m = in && in->kind == MSG_WAIT_CAUSES ? in->body : NULL;
    for (size_t i = 0; m && i < m->rows.n; i++)
        wait_causes_take(ui, &m->rows.v[i]);
    vec_for_each (&ui->waits->jobs, i) {
        struct known_cause *k = wait_causes_find(ui, ui->waits->jobs.v[i]);
        if (k->under_way && m && m->rows.n)
            k->asked = (struct mono){0};
        else if (k->under_way && in)
            k->tries++;
        ui->dirty |= k->under_way;
        k->under_way = false;
    }
}

/* Its start may be worked out by now, though nothing has changed. */
static bool known_cause_is_unfinished(const struct known_cause *k)
{
    return (k->wait.cause.cls == WHY_BEHIND || k->wait.cause.cls == WHY_BUSY) &&
           !wall_is_set(k->wait.cause.start) && k->tries < TRIES_MAX;
}

static bool wait_causes_is_due(const struct ui *ui, const struct known_cause *k)
{
    int64_t age_ms = (ui->mono.ns - k->asked.ns) / NS_PER_MS;
    if (k->under_way)
        return false;
    if (!k->asked.ns)
        return true;
    bool is_open = k->wait.cause.code == CAUSE_NONE ? k->tries < TRIES_MAX : known_cause_is_unfinished(k);
    return age_ms >= PAUSE_MS && (k->changes != ui->waits->changes || is_open);
}

void wait_causes_ask(struct ui *ui)
{
    struct msg_waits_get get = {0};
    bool can = ui->session.online && !ui->frozen && ui->session.has_data;
    vec_for_each (&ui->waits->wanted, i) {
        struct known_cause *k = wait_causes_find(ui, ui->waits->wanted.v[i]);
        k->wanted = false;
        if (!can || get.jobs.n >= WAIT_ROWS_MAX || !wait_causes_is_due(ui, k))
            continue;
        k->asked = ui->mono;
        k->under_way = true;
        *rec_list_push(&get.jobs) =
            (struct job_target){.job = k->wait.job, .array_index = ARRAY_NONE, .step = STEP_ALL};
    }
    vec_clear(&ui->waits->wanted);
    if (get.jobs.n) {
        ui->waits->asked_at = ui->waits->changes;
        ui_ask(ui, MSG_WAITS, &get, wait_causes_answered, NULL, NULL);
    } else if (ui->waits->jobs.n > KNOWN_MAX) {
        wait_causes_forget(ui);
    }
    rec_fini(&msg_waits_get_rec, &get);
}
