/* lookup.c - one thing by its name. */
#include "src/cli/lookup.h"

#include "src/lang/lang.h"
#include "src/model/model.h"

static int say_missing(const struct job_lookup *l, const struct cli *cli, bool step)
{
    struct str id = STR_INIT;
    target_append(&id, &l->target);
    cli_error(cli, step ? tr("there is no step %s") : tr("there is no job %s"), id.s);
    str_fini(&id);
    return EXIT_NOT_FOUND;
}

static int say_array(const struct job_lookup *l, const struct cli *cli)
{
    cli_error(cli, tr("%u is an array: name one element, as in %u_0"), l->target.job, l->target.job);
    return 2;
}

static int lookup_find(struct job_lookup *l, const struct cli *cli)
{
    l->job = NULL;
    l->step = NULL;
    l->n_jobs = 0;
    list_for_each (j, &l->m.all, struct job, in_all)
        if (job_is_named(j, l->target.job, l->target.array_index)) {
            l->n_jobs++;
            l->job = j;
        }
    if (!l->n_jobs)
        return say_missing(l, cli, false);
    /* An array's id is also the raw id of one of its elements: then the whole array is meant. */
    if (l->n_jobs > 1)
        l->job = NULL;
    if (l->target.step == STEP_ALL)
        return 0;
    if (!l->job)
        return say_array(l, cli);
    l->step = job_find_step(l->job, l->target.step);
    if (!l->step)
        return say_missing(l, cli, true);
    if (l->task != NOT_GIVEN && !step_find_task(l->step, l->task) && l->task >= l->step->n_ranks) {
        cli_error(cli, tr("step %u.%d has no task %u"), l->job->id, l->step->id, l->task);
        return EXIT_NOT_FOUND;
    }
    return 0;
}

static int lookup_take(void *ctx, struct job *j)
{
    model_take_job(ctx, j);
    return 0;
}

/* Jobs that have left the state are in the history. An array may be in both. */
static int ask_history(struct job_lookup *l, const struct cli *cli)
{
    struct job_target t = l->target;
    struct msg_history q = {.jobs = {.v = &t, .n = 1}};
    struct errtext err = {0};
    /* Over another engine the queue may be all there is. */
    bool whole = client_welcome(l->client)->lacks & 1u << LACK_HISTORY;
    t.step = STEP_ALL;
    list_for_each (j, &l->m.all, struct job, in_all)
        whole = whole || (job_is_named(j, t.job, t.array_index) &&
                          (!j->array_job || t.array_index != ARRAY_NONE || j->id != t.job));
    if (whole || client_history(l->client, &q, lookup_take, &l->m, &err) == 0)
        return 0;
    cli_error(cli, "%s", err.s);
    return EXIT_AWAY;
}

/* Asks again for the same: the records before are gone. */
static int lookup_fetch(struct job_lookup *l, const struct cli *cli)
{
    struct job_target t = l->target;
    struct msg_get get = {.what = GET_SPEC | GET_JOBS, .jobs = {.v = &t, .n = 1}};
    t.step = STEP_ALL;
    model_fini(&l->m);
    int rc = ask_fetch(cli, l->client, &get, &l->m);
    rc = rc ? rc : ask_history(l, cli);
    return rc ? rc : lookup_find(l, cli);
}

int lookup_open(struct job_lookup *l, const struct cli *cli, const char *word)
{
    struct errtext err = {0};
    *l = (struct job_lookup){.task = NOT_GIVEN};
    model_init(&l->m);
    if (target_parse_one(word, &l->target, &l->task, &err) < 0) {
        cli_error(cli, "%s", err.s);
        return 2;
    }
    l->client = ask_connect(cli);
    return l->client ? lookup_fetch(l, cli) : EXIT_AWAY;
}

int lookup_open_one(struct job_lookup *l, const struct cli *cli, const struct strv *operands)
{
    const char *word = only_job(cli, operands);
    if (!word) {
        *l = (struct job_lookup){.task = NOT_GIVEN};
        model_init(&l->m);
        return 2;
    }
    int rc = lookup_open(l, cli, word);
    return rc || l->job ? rc : say_array(l, cli);
}

void lookup_fini(struct job_lookup *l)
{
    model_fini(&l->m);
    client_free(l->client);
    l->client = NULL;
}

const char *only_job(const struct cli *cli, const struct strv *operands)
{
    if (operands->n == 1)
        return operands->v[0];
    cli_error(cli, operands->n ? tr("give one job, not several") : tr("give a job"));
    return NULL;
}
