#include "backend/slurm/slurm_act.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"

#define TARGETS_MAX 500 /* of one command */

/* --- targets as Slurm writes them --- */

/* An element goes by the name that its user knows. The id of an array stands for all of it. */
static void act_append_target(struct str *out, const struct model *m, const struct job_target *t)
{
    const struct job *j = model_get_job(m, t->job);
    bool element = j && j->array_job && j->array_job != j->id && j->array_index != ARRAY_NONE;
    if (t->array_index != ARRAY_NONE)
        str_appendf(out, "%u_%u", t->job, t->array_index);
    else if (element)
        str_appendf(out, "%u_%u", j->array_job, j->array_index);
    else
        str_appendf(out, "%u", t->job);
    if (t->step == STEP_BATCH)
        str_append(out, ".batch");
    else if (t->step >= 0)
        str_appendf(out, ".%d", t->step);
}

static char *act_target_list(const struct model *model, const struct msg_act *m, size_t from, size_t n)
{
    struct str s = STR_INIT;
    for (size_t i = from; i < from + n; i++) {
        if (i > from)
            str_append_char(&s, ',');
        act_append_target(&s, model, &m->targets.v[i]);
    }
    return str_take(&s);
}

static void act_push_targets(const struct model *model, const struct msg_act *m, size_t from, size_t n,
                             struct strv *ret)
{
    for (size_t i = from; i < from + n; i++) {
        struct str s = STR_INIT;
        act_append_target(&s, model, &m->targets.v[i]);
        strv_push_take(ret, str_take(&s));
    }
}

bool slurm_act_argv(const struct model *model, const struct msg_act *m, size_t from, size_t n,
                    struct strv *ret)
{
    const char *verb = NULL;
    switch ((enum act)m->act) {
    case ACT_CANCEL: strv_push(ret, "scancel"); break;
    case ACT_SIGNAL:
        strv_push(ret, "scancel");
        strv_push_take(ret, xasprintf("--signal=%d", m->signal));
        /* Slurm tells not whether steps run: the script and what it has started get it. */
        if (m->full || m->else_batch)
            strv_push(ret, "--full");
        else if (m->batch)
            strv_push(ret, "--batch");
        break;
    case ACT_HOLD: verb = m->admin_hold ? "hold" : "uhold"; break;
    case ACT_RELEASE: verb = "release"; break;
    case ACT_REQUEUE: verb = "requeue"; break;
    case ACT_REQUEUE_HOLD: verb = "requeuehold"; break;
    case ACT_SUSPEND: verb = "suspend"; break;
    case ACT_RESUME: verb = "resume"; break;
    case ACT_NOTIFY:
        if (n != 1 || !m->text)
            return false;
        verb = "notify";
        break;
    }
    if (!verb && m->act != ACT_CANCEL && m->act != ACT_SIGNAL)
        return false;
    if (verb) {
        strv_push(ret, "scontrol");
        strv_push(ret, verb);
        strv_push_take(ret, act_target_list(model, m, from, n));
    } else {
        act_push_targets(model, m, from, n, ret);
    }
    if (m->act == ACT_NOTIFY)
        strv_push(ret, m->text);
    return true;
}

/* --- answers --- */

enum refusal slurm_refusal_of(const char *says)
{
    for (enum refusal r = REFUSAL_BAD_REQUEST + 1; r < REFUSAL_N; r++)
        if (strstr(says, refusal_slurm(r)))
            return r;
    return REFUSAL_BAD_REQUEST;
}

struct act_run { /* one request, in one command or several */
    size_t left;
    uint32_t count;
    enum refusal refusal;
    char *says;
    VEC(uint32_t) jobs;
};

static void act_run_end(struct slurm_session *s, uint64_t tag, struct act_run *run)
{
    if (s) {
        struct msg_result r = {.refusal = run->refusal,
                               .text = run->says,
                               .job = run->jobs.n ? run->jobs.v[0] : 0,
                               .count = run->count};
        slurm_session_send(s, MSG_RESULT, tag, &r);
        slurm_poll_look_at(s->poll, run->jobs.v, run->jobs.n);
    }
    free(run->says);
    vec_fini(&run->jobs);
    free(run);
}

static void act_note(struct act_run *run, const struct slurm_output *o, uint32_t n)
{
    if (o->exit_code == 0) {
        run->count += n;
        return;
    }
    if (run->refusal != REFUSAL_NONE)
        return;
    const char *says = o->says.len ? o->says.s : "Slurm has refused it without a reason";
    run->refusal = slurm_refusal_of(says);
    run->says = xstrdup(says);
}

static void act_on_answer(struct slurm_session *s, uint64_t tag, const struct slurm_output *o, void *arg)
{
    struct act_run *run = arg;
    /* A command is for TARGETS_MAX jobs, the last one for the rest. */
    size_t n = run->jobs.n % TARGETS_MAX && run->left == 1 ? run->jobs.n % TARGETS_MAX : TARGETS_MAX;
    act_note(run, o, (uint32_t)(n < run->jobs.n ? n : run->jobs.n));
    if (!--run->left)
        act_run_end(s, tag, run);
}

static void act_note_target(struct slurm_session *s, struct act_run *run, const struct job_target *t)
{
    const struct job *j = model_get_job(slurm_mirror_model(s->mirror), t->job);
    vec_push(&run->jobs, j && j->array_job ? j->array_job : t->job);
}

void slurm_act(struct slurm_session *s, uint64_t tag, const struct msg_act *m)
{
    const struct model *model = slurm_mirror_model(s->mirror);
    size_t n = m->targets.n;
    if (!n) {
        slurm_session_refuse(s, tag, REFUSAL_BAD_REQUEST, "no job is named");
        return;
    }
    struct act_run *run = xcalloc(1, sizeof *run);
    for (size_t i = 0; i < n; i++)
        act_note_target(s, run, &m->targets.v[i]);
    run->left = (n + TARGETS_MAX - 1) / TARGETS_MAX;
    for (size_t from = 0; from < n; from += TARGETS_MAX) {
        struct strv argv = {0};
        size_t some = n - from < TARGETS_MAX ? n - from : TARGETS_MAX;
        if (!slurm_act_argv(model, m, from, some, &argv)) {
            strv_fini(&argv);
            vec_fini(&run->jobs);
            free(run);
            slurm_session_refuse(s, tag, REFUSAL_NOT_SUPPORTED, "Slurm has no command for that");
            return;
        }
        slurm_session_run(s, tag, &argv, act_on_answer, run);
        strv_fini(&argv);
    }
}

void slurm_act_update(struct slurm_session *s, uint64_t tag, const struct msg_update *m)
{
    struct strv argv = {0};
    struct str id = STR_INIT;
    str_append(&id, "JobId=");
    act_append_target(&id, slurm_mirror_model(s->mirror), &m->target);
    strv_push(&argv, "scontrol");
    strv_push(&argv, "update");
    strv_push_take(&argv, str_take(&id));
    for (size_t i = 0; i < m->changes.n; i++)
        strv_push(&argv, m->changes.v[i]);
    struct act_run *run = xcalloc(1, sizeof *run);
    run->left = 1;
    act_note_target(s, run, &m->target);
    slurm_session_run(s, tag, &argv, act_on_answer, run);
    strv_fini(&argv);
}

static void slurm_script_on_answer(struct slurm_session *s, uint64_t tag, const struct slurm_output *o,
                                   void *arg)
{
    (void)arg;
    struct msg_script m = {.script = {.p = (uint8_t *)o->out.s, .n = o->out.len}};
    if (!s)
        return;
    if (o->exit_code == 0)
        slurm_session_send(s, MSG_SCRIPT_TEXT, tag, &m);
    else
        slurm_session_refuse(s, tag, slurm_refusal_of(o->says.s), o->says.s);
}

void slurm_act_script(struct slurm_session *s, uint64_t tag, const struct msg_job *m)
{
    struct strv argv = {0};
    strv_push(&argv, "scontrol");
    strv_push(&argv, "write");
    strv_push(&argv, "batch_script");
    strv_push_take(&argv, xasprintf("%u", m->target.job));
    strv_push(&argv, "-");
    slurm_session_run(s, tag, &argv, slurm_script_on_answer, NULL);
    strv_fini(&argv);
}
