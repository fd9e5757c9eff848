/* scontrol_watch.c - scontrol completing, wait_job, notify, errnumstr. */
#include <stdlib.h>
#include <string.h>

#include "src/cli/scontrol/scontrol_watch.h"
#include "src/jobspec/jobtargets.h"
#include "src/model/model.h"
#include "src/values/hostlist.h"
#include "src/values/units.h"

/* --- completing --- */

static void append_completing(struct str *out, const struct job *j, const struct model *m)
{
    struct strv nodes = {0};
    char end[WALL_TEXT_SIZE], took[UNITS_TEXT_SIZE];
    for (size_t i = 0; i < j->alloc.n; i++)
        strv_push(&nodes, j->alloc.v[i].node);
    char *text = hostlist_compress(&nodes);
    struct wall since = wall_is_set(job_rare(j)->t_kill) ? job_rare(j)->t_kill : m->now;
    str_appendf(out, "JobId=%u EndTime=%s CompletingTime=%s Nodes(COMPLETING)=%s\n", j->id,
                wall_format_iso(since, end),
                duration_format_padded((uint32_t)wall_elapsed_s(since, m->now), took), text);
    free(text);
    strv_fini(&nodes);
}

int scontrol_completing(struct scontrol *s, __attribute__((unused)) size_t n,
                        __attribute__((unused)) char *const *w)
{
    struct msg_get get = {.what = GET_SPEC | GET_JOBS, .states = 1u << JOB_COMPLETING};
    struct str out = STR_INIT;
    struct model m;
    int rc = scontrol_fetch(s, &get, &m, "slurm_load_jobs");
    list_for_each (j, &m.all, struct job, in_all)
        if (j->state == JOB_COMPLETING)
            append_completing(&out, j, &m);
    out_flush(&out);
    str_fini(&out);
    model_fini(&m);
    return rc;
}

/* --- wait_job --- */

/* A job that runs has its nodes, and they are up: there is no time between. One that waits has none, which
 * Slurm does not wait for either. */
int scontrol_wait_job(struct scontrol *s, __attribute__((unused)) size_t n, char *const *w)
{
    struct job_target t;
    struct msg_get get = {.what = GET_SPEC | GET_JOBS};
    struct model m;
    uint32_t task;
    bool known = false, runs = false;
    if (target_parse_one(w[0], &t, &task, NULL) < 0) {
        fprintf(stderr, "Invalid job_id %s\n", w[0]);
        return 1;
    }
    *rec_list_push(&get.jobs) = t;
    int rc = scontrol_fetch(s, &get, &m, "slurm_load_jobs");
    list_for_each (j, &m.all, struct job, in_all)
        if (job_is_named(j, t.job, t.array_index)) {
            known = true;
            runs = runs || j->state == JOB_RUNNING || j->state == JOB_SUSPENDED;
        }
    if (rc == 0)
        fprintf(stderr,
                runs    ? "scontrol: Nodes are ready for job %s\n"
                : known ? "scontrol: Job %s no longer running\n"
                        : "scontrol: Problem running job %s\n",
                w[0]);
    rec_fini(&msg_get_rec, &get);
    model_fini(&m);
    return rc || !runs;
}

/* --- notify --- */

int scontrol_notify(struct scontrol *s, size_t n, char *const *w)
{
    struct job_target t;
    uint32_t task;
    const char *text = NULL;
    struct str words = STR_INIT;
    struct errtext err = {0};
    enum refusal refusal = REFUSAL_NONE;
    if (target_parse_one(w[0], &t, &task, NULL) < 0) {
        fprintf(stderr, "Invalid job_id %s\n", w[0]);
        return 1;
    }
    for (size_t i = 1; i < n; i++)
        str_appendf(&words, "%s%s", i > 1 ? " " : "", w[i]);
    struct client *c = scontrol_client(s, &text);
    struct msg_act body = {.act = ACT_NOTIFY, .targets = {.v = &t, .n = 1}, .text = words.s};
    struct msg_result *r = c ? ask_call(c, MSG_ACT, &body, MSG_RESULT, &refusal, &err) : NULL;
    if (!r && !s->quiet) {
        if (c)
            text = refusal == REFUSAL_NONE ? SLURM_TIMEOUT : refusal_slurm(refusal);
        fprintf(stderr, "job notify failure: %s\n", text);
    }
    if (r)
        msg_free(MSG_RESULT, r);
    str_fini(&words);
    return r ? 0 : 1;
}

/* --- errnumstr --- */

/* The system's numbers; Slurm's own, from 1000 on, never leave it here. */
int scontrol_errnumstr(__attribute__((unused)) struct scontrol *s, __attribute__((unused)) size_t n,
                       char *const *w)
{
    int64_t number;
    if (int_parse(w[0], 0, INT32_MAX, &number, NULL) < 0)
        number = 0;
    puts(number < 1000 ? strerror((int)number) : "Unspecified error");
    return 0;
}
