/* asking.c - requests and answers. */
#include "tests/lib/asking.h"

#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/values/units.h"
#include "tests/lib/check.h"
#include "tests/lib/cluster.h"

struct answer ask(struct client *c, enum msg_kind kind, const void *body)
{
    struct answer a = {.refusal = REFUSAL_N};
    void *got = NULL;
    struct errtext err = {""};
    if (client_call(c, kind, body, &a.kind, &got, &err) < 0)
        fail_msg("no answer to %s: %s", msg_name(kind), err.s);
    if (a.kind == MSG_RESULT) {
        const struct msg_result *r = got;
        a.refusal = r->refusal;
        a.job = r->job;
        snprintf(a.text, sizeof a.text, "%s", r->text ? r->text : "");
    } else if (a.kind == MSG_STEP_CREATED) {
        const struct msg_step_created *r = got;
        a.refusal = REFUSAL_NONE;
        a.job = r->job;
        a.step = r->step;
    }
    msg_free(a.kind, got);
    return a;
}

void expect_answer(const struct answer *a, uint32_t refusal, const char *part)
{
    if (a->refusal != refusal)
        fail_msg("refusal %u, not %u: %s", a->refusal, refusal, a->text);
    if (!strstr(a->text, part))
        fail_msg("\"%s\" lacks \"%s\"", a->text, part);
}

struct msg_submit submission(enum job_kind kind, const char *id)
{
    char cwd[4096];
    struct msg_submit m = {.kind = kind};
    assert_non_null(getcwd(cwd, sizeof cwd));
    job_req_init(&m.req);
    m.request_id = xstrdup(id);
    m.req.workdir = xstrdup(cwd);
    m.req.std_out = xstrdup("/dev/null");
    m.payload.umask = 022;
    strv_push(&m.payload.env, "PATH=/usr/bin:/bin");
    if (kind == JOB_KIND_BATCH) {
        strv_push(&m.payload.argv, "sleep");
        strv_push(&m.payload.argv, "1000");
    }
    return m;
}

struct answer ask_submit(struct client *c, struct msg_submit *m)
{
    struct answer a = ask(c, MSG_SUBMIT, m);
    rec_fini(&msg_submit_rec, m);
    return a;
}

struct answer ask_act(struct client *c, enum act what, uint32_t job)
{
    struct msg_act m = {.act = what};
    struct job_target *t = rec_list_push(&m.targets);
    *t = (struct job_target){.job = job, .array_index = ARRAY_NONE, .step = STEP_ALL};
    struct answer a = ask(c, MSG_ACT, &m);
    rec_fini(&msg_act_rec, &m);
    return a;
}

void plain_step_init(struct step *s)
{
    *s = (struct step){.n_tasks = 1,
                       .n_ranks = 1,
                       .nodes = 1,
                       .cpus_per_rank = NOT_GIVEN,
                       .mem_mib = MEM_NOT_GIVEN,
                       .gpus = 0,
                       .time_limit_s = DURATION_NOT_SET};
}

struct msg_step_create step_create(uint32_t job, const char *command)
{
    struct msg_step_create m = {.job = job};
    plain_step_init(&m.step);
    m.request_id = client_request_id();
    m.payload.argv = strv_split(command, " ");
    strv_push(&m.payload.env, "PATH=/usr/bin:/bin");
    strv_push(&m.payload.env, "SECRET=of-the-step");
    return m;
}

struct answer ask_create(struct client *c, struct msg_step_create *m)
{
    struct answer a = ask(c, MSG_STEP_CREATE, m);
    rec_fini(&msg_step_create_rec, m);
    return a;
}

struct answer ask_and_fini(struct client *c, enum msg_kind kind, const struct rec_desc *d, void *body)
{
    struct answer a = ask(c, kind, body);
    rec_fini(d, body);
    return a;
}

struct answer ask_update(struct client *c, uint32_t job, const char *change)
{
    struct msg_update m = {.target = {.job = job, .array_index = ARRAY_NONE, .step = STEP_ALL}};
    strv_push(&m.changes, change);
    struct answer a = ask(c, MSG_UPDATE, &m);
    rec_fini(&msg_update_rec, &m);
    return a;
}

/* --- waiting --- */

struct wanted {
    struct client *c;
    uint32_t job;
    int32_t step;
    uint32_t state; /* of the job; JOB_N_STATES: the step is done */
};

static bool is_so(void *ctx)
{
    const struct wanted *w = ctx;
    struct model m;
    cluster_fetch(w->c, &m);
    const struct job *j = model_get_job(&m, w->job);
    const struct step *s = j ? job_find_step(j, w->step) : NULL;
    bool so = w->state == JOB_N_STATES ? s && s->done : j && j->state == w->state;
    model_fini(&m);
    return so;
}

void await_state(struct client *c, uint32_t job, int32_t step, uint32_t state)
{
    struct wanted w = {c, job, step, state};
    if (!cluster_eventually(WITHIN_MS, 20, is_so, &w))
        fail_msg("job %u step %d does not come to %u", job, step, state);
}

static void let_see(const char *dir)
{
    struct stat st;
    if (stat(dir, &st) == 0)
        assert_int_equal(chmod(dir, st.st_mode | 0711), 0);
}

void let_all_reach_the_controller(void)
{
    char *run = xasprintf("%s/run", getenv("STOKER_HOME"));
    let_see(getenv("TMPDIR"));
    let_see(getenv("STOKER_HOME"));
    let_see(run);
    free(run);
}
