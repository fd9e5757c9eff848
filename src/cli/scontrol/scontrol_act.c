/* scontrol_act.c - scontrol hold, release, requeue, update. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/base/xalloc.h"
#include "src/cli/jobfilter.h"
#include "src/cli/scontrol/scontrol_act.h"
#include "src/cli/scontrol/scontrol_reservation.h"
#include "src/jobattr/jobattr.h"
#include "src/model/model.h"
#include "src/values/hostlist.h"
#include "src/values/units.h"

static int scontrol_act_say(const struct scontrol *s, const char *text, const char *job)
{
    if (!s->quiet)
        fprintf(stderr, "%s for job %s\n", text, job);
    return 1;
}

/* Sends one request about one job; refusals are told as Slurm tells them. */
static int request(struct scontrol *s, enum msg_kind kind, const void *body, const struct job_target *t)
{
    struct str id = STR_INIT;
    struct errtext err = {0};
    enum refusal refusal = REFUSAL_NONE;
    const char *text = NULL;
    struct client *c = scontrol_client(s, &text);
    target_append(&id, t);
    struct msg_result *r = c ? ask_call(c, kind, body, MSG_RESULT, &refusal, &err) : NULL;
    int rc = 0;
    if (r) {
        msg_free(MSG_RESULT, r);
    } else {
        scontrol_say_why(s, refusal, &err);
        rc = scontrol_act_say(s,
                              !c                        ? text
                              : refusal == REFUSAL_NONE ? SLURM_TIMEOUT
                                                        : refusal_slurm(refusal),
                              id.s);
    }
    str_fini(&id);
    return rc;
}

/* hold name=sleepers: every waiting job of that name. */
static int targets_by_name(struct scontrol *s, const char *name, struct target_list *ret)
{
    struct msg_get get = {.what = GET_JOBS, .states = STATES_QUEUED};
    const char *text = NULL;
    struct client *c = scontrol_client(s, &text);
    struct model m;
    model_init(&m);
    if (c && client_fetch(c, &get, &m, NULL) < 0)
        text = SLURM_TIMEOUT;
    list_for_each (j, &m.all, struct job, in_all)
        if (str_eq(j->req.name, name))
            *rec_list_push(&ret->list) =
                (struct job_target){.job = j->id, .array_index = ARRAY_NONE, .step = STEP_ALL};
    model_fini(&m);
    if (text)
        return scontrol_act_say(s, text, name);
    return 0; /* Slurm says nothing either where no job is called that */
}

static int add_word(struct scontrol *s, struct target_list *t, const char *word)
{
    const char *eq = strchr(word, '=');
    size_t key = eq ? (size_t)(eq - word) : 0;
    if (eq && (strncasecmp(word, "name", key) == 0 || strncasecmp(word, "jobname", key) == 0) && key >= 4)
        return targets_by_name(s, eq + 1, t);
    return targets_add_list(t, eq ? eq + 1 : word, NULL) < 0
               ? scontrol_act_say(s, "Invalid job id specified", word)
               : 0;
}

int scontrol_act(struct scontrol *s, enum act act, bool admin_hold, size_t n, char *const *w)
{
    struct target_list t = {0};
    int rc = 0;
    for (size_t i = 0; i < n; i++) {
        int one = add_word(s, &t, w[i]);
        rc = one ? one : rc;
    }
    for (size_t i = 0; i < t.list.n; i++) {
        struct msg_act body = {
            .act = act, .targets = {.v = &t.list.v[i], .n = 1}, .admin_hold = admin_hold};
        int one = request(s, MSG_ACT, &body, &t.list.v[i]);
        rc = one ? one : rc;
    }
    target_list_fini(&t);
    return rc;
}

/* --- top --- */

/* A user's job goes before the user's other waiting jobs by making those nicer: no other user's place
 * changes. */
static int raise_nice(struct scontrol *s, const struct job *j, int64_t by)
{
    struct job_target t = {.job = j->id, .array_index = ARRAY_NONE, .step = STEP_ALL};
    char *change = xasprintf("Nice=%lld", (long long)(req_detail(&j->req)->nice + by));
    struct msg_update body = {.target = t};
    strv_push_take(&body.changes, change);
    int rc = request(s, MSG_UPDATE, &body, &t);
    strv_fini(&body.changes);
    return rc;
}

static int top_one(struct scontrol *s, const struct job_target *t)
{
    struct msg_get get = {.what = GET_JOBS, .states = 1u << JOB_PENDING};
    struct str id = STR_INIT;
    const char *text = NULL;
    struct client *c = scontrol_client(s, &text);
    const struct job *first = NULL;
    struct model m;
    int rc = 0;
    model_init(&m);
    if (c && client_fetch(c, &get, &m, NULL) < 0)
        text = SLURM_TIMEOUT;
    list_for_each (j, &m.pending, struct job, in_queue)
        if (job_is_named(j, t->job, t->array_index))
            first = j;
    target_append(&id, t);
    if (text || !first)
        rc = scontrol_act_say(s, text ? text : "Invalid job id specified", id.s);
    list_for_each (j, &m.pending, struct job, in_queue)
        if (rc == 0 && j != first && j->uid == first->uid && j->priority >= first->priority && j->priority)
            rc = raise_nice(s, j, (int64_t)j->priority - first->priority + 1);
    str_fini(&id);
    model_fini(&m);
    return rc;
}

int scontrol_top(struct scontrol *s, size_t n, char *const *w)
{
    struct target_list t = {0};
    int rc = 0;
    for (size_t i = 0; i < n; i++)
        rc = add_word(s, &t, w[i]) ? 1 : rc;
    for (size_t i = t.list.n; i-- > 0 && rc == 0;) /* the first one named comes first in the end */
        rc = top_one(s, &t.list.v[i]);
    target_list_fini(&t);
    return rc;
}

/* --- update --- */

/* The value where word is KEY=value for one of keys (separated by blanks, any case); NULL. */
static const char *scontrol_act_value_of(const char *word, const char *keys)
{
    size_t len = strcspn(word, "=");
    if (!word[len])
        return NULL;
    for (const char *k = keys; *k;) {
        size_t n = strcspn(k, " ");
        if (n == len && strncasecmp(k, word, n) == 0)
            return word + len + 1;
        k += n + (k[n] == ' ');
    }
    return NULL;
}

static int update_failed(const struct scontrol *s, const char *text)
{
    if (!s->quiet)
        fprintf(stderr, "slurm_update error: %s\n", text);
    return 1;
}

static int drain_request(struct scontrol *s, struct msg_drain *body)
{
    struct errtext err = {0};
    enum refusal refusal = REFUSAL_NONE;
    const char *text = NULL;
    struct client *c = scontrol_client(s, &text);
    struct msg_result *r = c ? ask_call(c, MSG_DRAIN, body, MSG_RESULT, &refusal, &err) : NULL;
    if (r) {
        msg_free(MSG_RESULT, r);
        return 0;
    }
    if (c)
        text = refusal == REFUSAL_NONE ? SLURM_TIMEOUT : refusal_slurm(refusal);
    return update_failed(s, text);
}

static int update_node(struct scontrol *s, const char *names, size_t n, char *const *w)
{
    struct msg_drain body = {0};
    const char *state = NULL, *reason = NULL;
    for (size_t i = 0; i < n; i++) {
        const char *v;
        if ((v = scontrol_act_value_of(w[i], "State")))
            state = v;
        else if ((v = scontrol_act_value_of(w[i], "Reason")))
            reason = v;
        else if (!scontrol_act_value_of(w[i], "NodeName Node Nodes"))
            return update_failed(s, refusal_slurm(REFUSAL_NOT_SUPPORTED));
    }
    bool drains = state && (strcasecmp(state, "drain") == 0 || strcasecmp(state, "draining") == 0 ||
                            strcasecmp(state, "down") == 0 || strcasecmp(state, "fail") == 0);
    bool resumes = state && (strcasecmp(state, "resume") == 0 || strcasecmp(state, "idle") == 0 ||
                             strcasecmp(state, "undrain") == 0);
    if (state && !drains && !resumes) {
        fprintf(stderr,
                "Invalid input: State=%s\nRequest aborted\n"
                "Valid states are: NoResp DRAIN FAIL FUTURE RESUME POWER_DOWN POWER_UP UNDRAIN\n"
                "Not all states are valid given a node's prior state\n",
                state);
        return 1;
    }
    if (!state && !reason) {
        fprintf(stderr, "No changes specified\n");
        return 1;
    }
    if (drains && !reason) {
        fprintf(stderr, "You must specify a reason when DOWNING or DRAINING a node. Request denied\n");
        return 1;
    }
    if (hostlist_expand(names, &body.nodes, NULL) < 0)
        return update_failed(s, refusal_slurm(REFUSAL_NO_NODE));
    body.drain = !resumes;
    body.reason = xstrdup(reason);
    int rc = drain_request(s, &body);
    rec_fini(&msg_drain_rec, &body);
    return rc;
}

/* A key of an attribute, or one that the controller answers by itself. */
static bool scontrol_act_is_key(const char *word)
{
    char *key = xstrndup(word, strcspn(word, "="));
    bool is_key = job_attr_by_key(key) != NULL;
    free(key);
    return is_key ||
           scontrol_act_value_of(word, "Requeue UserID AdminComment SystemComment MailType MailUser WCKey");
}

/* What Slurm's own scontrol finds before it asks: unknown keys and malformed times. */
static int check_change(const char *word)
{
    const char *v;
    uint32_t limit;
    v = scontrol_act_value_of(word, "TimeLimit");
    if (v && duration_parse_slurm(v + (*v == '+' || *v == '-'), &limit, NULL) < 0) {
        fprintf(stderr, "scontrol: error: Invalid TimeLimit value\n");
        return 1;
    }
    if (!scontrol_act_is_key(word)) {
        fprintf(stderr, "Update of this parameter is not supported: %s\nRequest aborted\n", word);
        return 1;
    }
    return 0;
}

static int update_job(struct scontrol *s, const char *ids, size_t n, char *const *w)
{
    struct target_list t = {0};
    struct strv changes = {0};
    int rc = 0;
    for (size_t i = 0; i < n; i++) {
        if (scontrol_act_value_of(w[i], "Job JobId Jobs"))
            continue;
        if (!strchr(w[i], '=')) {
            fprintf(stderr, "Invalid input: %s\nRequest aborted\n", w[i]);
            strv_fini(&changes);
            return 1;
        }
        if (check_change(w[i])) {
            strv_fini(&changes);
            return 1;
        }
        strv_push(&changes, w[i]);
    }
    if (targets_add_list(&t, ids, NULL) < 0 || !t.list.n)
        rc = scontrol_act_say(s, "Invalid job id specified", ids);
    if (rc == 0 && !changes.n) {
        fprintf(stderr, "No changes specified\n");
        rc = 1;
    }
    for (size_t i = 0; i < t.list.n && changes.n; i++) {
        struct msg_update body = {.target = t.list.v[i], .changes = changes};
        int one = request(s, MSG_UPDATE, &body, &t.list.v[i]);
        rc = one ? one : rc;
    }
    strv_fini(&changes);
    target_list_fini(&t);
    return rc;
}

/* A job's own reservation is one of its keys. */
static bool names_job(size_t n, char *const *w)
{
    for (size_t i = 0; i < n; i++)
        if (scontrol_act_value_of(w[i], "Job JobId Jobs"))
            return true;
    return false;
}

int scontrol_no_partition_change(struct scontrol *s, const char *what, const char *word, const char *name)
{
    struct msg_get get = {.what = GET_SPEC};
    struct model m;
    int rc = scontrol_fetch(s, &get, &m, what);
    bool there = spec_find_part(&m.spec, name);
    if (rc == 0 && there && !s->quiet)
        cli_error(s->cli, "partitions are changed in stoker.cfg, then: scontrol reconfigure");
    if (rc == 0 && !s->quiet)
        fprintf(stderr, "%s %s: %s\n", what, word ? word : "error",
                refusal_slurm(there ? REFUSAL_NOT_SUPPORTED : REFUSAL_NO_PARTITION));
    model_fini(&m);
    return 1;
}

/* A step's time limit is what Slurm can change; here it is what srun was given. */
static int update_step(struct scontrol *s, const char *word, const char *id)
{
    struct job_target t;
    uint32_t task;
    struct msg_get get = {.what = GET_JOBS, .states = STATES_QUEUED};
    struct model m;
    if (target_parse_one(id, &t, &task, NULL) < 0) {
        fprintf(stderr, "Invalid StepID parameter: %s\nRequest aborted\n", word);
        return 1;
    }
    *rec_list_push(&get.jobs) = t;
    int rc = scontrol_fetch(s, &get, &m, "slurm_update");
    if (rc == 0)
        rc = update_failed(s, refusal_slurm(list_empty(&m.all) ? REFUSAL_NO_JOB : REFUSAL_NOT_SUPPORTED));
    rec_fini(&msg_get_rec, &get);
    model_fini(&m);
    return rc;
}

int scontrol_update(struct scontrol *s, size_t n, char *const *w)
{
    for (size_t i = 0; i < n; i++) {
        const char *v;
        if ((v = scontrol_act_value_of(w[i], "Job JobId Jobs")))
            return update_job(s, v, n, w);
        if ((v = scontrol_act_value_of(w[i], "NodeName Node Nodes")))
            return update_node(s, v, n, w);
        if ((v = scontrol_act_value_of(w[i], "ReservationName Reservation")) && !names_job(n, w))
            return scontrol_update_reservation(s, v, n, w);
        if ((v = scontrol_act_value_of(w[i], "StepId")))
            return update_step(s, w[i], v);
        if ((v = scontrol_act_value_of(w[i], "PartitionName Partition")))
            return scontrol_no_partition_change(s, "slurm_update", NULL, v);
        if (scontrol_act_value_of(w[i], "FrontendName"))
            return update_failed(s, refusal_slurm(REFUSAL_NOT_SUPPORTED));
    }
    fprintf(stderr,
            "No valid entity in update command\n"
            "Input line must include \"NodeName\", \"PartitionName\", \"Reservation\", \"JobId\", or "
            "\"SlurmctldDebug\"\n");
    return 1;
}
