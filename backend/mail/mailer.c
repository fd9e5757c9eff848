#include "backend/mail/mailer.h"

#include <stdlib.h>
#include <string.h>

#include "backend/mail/mail_queue.h"
#include "src/base/idmap.h"
#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/jobenv/mailtype.h"
#include "src/values/units.h"

#define SUBJECT_MAX   300 /* cells */
#define MARKS_EACH_MS 5000

struct mailer {
    struct loop *loop;
    const struct model *model;
    uint64_t (*ticket)(void *ctx);
    void *ctx;
    struct mail_queue *queue;
    struct loop_timer marks;
    struct idmap marked; /* job -> 1 + the highest of 50, 80, 90 that has been said */
    struct idmap begun;  /* arrays of which an element is known to have begun */
};

struct array_summary {    /* what its elements came to */
    uint32_t types;       /* enum mail_type, by bit: FAIL and what else some of them would be told as */
    enum job_state state; /* of all of them, unless mixed */
    bool any, mixed;
    int32_t code_min, code_max, signal_max;
};

static bool mailer_has_failed(const struct job *j)
{
    return j->state != JOB_COMPLETED && j->state != JOB_CANCELLED;
}

static void mailer_add_element(struct array_summary *a, const struct job *j)
{
    enum job_state state = (enum job_state)j->state;
    a->types |= mailer_has_failed(j) ? 1u << MAIL_FAIL : 0;
    a->types |= state == JOB_TIMEOUT ? 1u << MAIL_TIME_LIMIT : 0;
    a->types |= j->reason == REASON_DEPENDENCY_NEVER ? 1u << MAIL_INVALID_DEPEND : 0;
    a->mixed = a->mixed || (a->any && state != a->state);
    a->state = state;
    a->code_min = !a->any || j->exit_code < a->code_min ? j->exit_code : a->code_min;
    a->code_max = j->exit_code > a->code_max ? j->exit_code : a->code_max;
    a->signal_max = j->exit_signal > a->signal_max ? j->exit_signal : a->signal_max;
    a->any = true;
}

/* Reads the whole queue, once for an array. Of retired elements only their success is known. */
static struct array_summary mailer_sum_up(const struct mailer *q, uint32_t array)
{
    struct array_summary a = {0};
    const struct job *record = model_get_job(q->model, array);
    list_for_each (j, &q->model->all, struct job, in_all)
        if (j->array_job == array && job_state_is_final((enum job_state)j->state))
            mailer_add_element(&a, j);
    if (record && job_rare(record)->array_failed.n) {
        a.types |= 1u << MAIL_FAIL;
        a.mixed = true;
    }
    return a;
}

static void mailer_append_array_end(struct str *s, const struct array_summary *a)
{
    bool mixed = a->mixed || a->code_min != a->code_max;
    str_appendf(s, ", %s", mixed ? "Mixed" : job_state_long(a->state));
    if (a->signal_max)
        str_appendf(s, ", MaxSignal [%d]", a->signal_max);
    else
        str_appendf(s, ", ExitCode [%d-%d]", a->code_min, a->code_max);
}

static void mailer_append_name(struct str *s, const struct job *j, bool array)
{
    if (array)
        str_appendf(s, "Slurm Array Summary Job_id=%u_* (%u) Name=", j->array_job, j->array_job);
    else if (j->array_index != ARRAY_NONE && j->array_job)
        str_appendf(s, "Slurm Array Task Job_id=%u_%u (%u) Name=", j->array_job, j->array_index, j->id);
    else
        str_appendf(s, "Slurm Job_id=%u Name=", j->id);
    str_append(s, j->req.name ? j->req.name : "");
}

static void mailer_append_time(struct str *s, const char *what, int64_t seconds)
{
    char buf[UNITS_TEXT_SIZE];
    str_appendf(s, ", %s time %s", what, duration_format_padded((uint32_t)seconds, buf));
}

static void mailer_append_words(struct str *s, const struct job *j, const struct array_summary *array,
                                enum mail_type type, struct wall now)
{
    switch (type) {
    case MAIL_BEGIN:
        str_append(s, " Began");
        mailer_append_time(s, "Queued", wall_elapsed_s(j->t_submit, j->t_start));
        return;
    case MAIL_END:
    case MAIL_FAIL:
        str_append(s, type == MAIL_END ? " Ended" : " Failed");
        mailer_append_time(s, "Run", job_run_s(j, now));
        if (array) {
            mailer_append_array_end(s, array);
            return;
        }
        str_appendf(s, ", %s, ExitCode %d", job_state_long((enum job_state)j->state),
                    j->exit_signal ? 128 + j->exit_signal : j->exit_code);
        return;
    case MAIL_REQUEUE: str_append(s, " Requeued"); return;
    case MAIL_INVALID_DEPEND: str_append(s, " Invalid dependency"); return;
    case MAIL_TIME_LIMIT: str_append(s, " Reached time limit"); break;
    case MAIL_TIME_LIMIT_90: str_append(s, " Reached 90% of time limit"); break;
    case MAIL_TIME_LIMIT_80: str_append(s, " Reached 80% of time limit"); break;
    case MAIL_TIME_LIMIT_50: str_append(s, " Reached 50% of time limit"); break;
    case MAIL_STAGE_OUT:
    case MAIL_ARRAY_TASKS:
    case MAIL_N_TYPES: return;
    }
    mailer_append_time(s, "Run", job_run_s(j, now));
}

static void mailer_set_env(const struct mailer *q, const struct job *j, struct strv *env)
{
    const char *path = getenv("PATH");
    strv_setenv(env, "PATH", path ? path : "/usr/local/bin:/usr/bin:/bin");
    strv_setenv(env, "LC_ALL", "C.UTF-8");
    strv_setenvf(env, "SLURM_JOB_ID", "%u", j->id);
    strv_setenv(env, "SLURM_JOB_NAME", j->req.name ? j->req.name : "");
    strv_setenv(env, "SLURM_JOB_USER", j->user ? j->user : "");
    strv_setenv(env, "SLURM_JOB_STATE", job_state_long((enum job_state)j->state));
    strv_setenv(env, "SLURM_CLUSTER_NAME", q->model->spec.name ? q->model->spec.name : "");
}

/* Mail programs take some strings for an option, a pipe, a file or several words. */
static bool mailer_is_address(const char *s)
{
    return !strchr("-+|", *s) && !s[strcspn(s, "|/<>;&`$\"'\\() \t")];
}

/* end: of the array that j is the last of; NULL: none has ended. */
static void mailer_say(struct mailer *q, const struct job *j, enum mail_type type, bool array,
                       const struct array_summary *end)
{
    bool chosen = !str_is_empty(req_rare(&j->req)->mail_user);
    const char *user = chosen ? req_rare(&j->req)->mail_user : j->user;
    struct str subject = STR_INIT, shown = STR_INIT;
    struct strv env = {0};
    if (str_is_empty(user) || (chosen && !mailer_is_address(user)))
        return;
    mailer_append_name(&subject, j, array);
    mailer_append_words(&subject, j, end, type, loop_wall(q->loop));
    cell_text(&shown, subject.s, SUBJECT_MAX, true, false);
    mailer_set_env(q, j, &env);
    mail_queue_add(q->queue, q->ticket(q->ctx), j->uid, user, shown.s, &env);
    str_fini(&subject);
    str_fini(&shown);
}

/* --- when --- */

static bool mailer_has_begun_before(const struct mailer *q, const struct job *j)
{
    list_for_each (e, &q->model->all, struct job, in_all)
        if (e != j && e->array_job == j->array_job && wall_is_set(e->t_start))
            return true;
    return false;
}

static bool mailer_is_last(struct mailer *q, const struct job *j)
{
    const struct array_tally *t = model_get_tally(q->model, j->array_job);
    bool last = !t || (!t->pending && !t->active);
    if (last)
        idmap_remove(&q->begun, j->array_job);
    return last;
}

/* An array without ARRAY_TASKS counts as a whole: its first start, its last end. The whole queue is read
 * once for an array, not at the start of each of its elements. */
static bool mailer_is_first(struct mailer *q, const struct job *j, enum mail_type type)
{
    const struct array_tally *t = model_get_tally(q->model, j->array_job);
    struct idmap *begun = &q->begun;
    bool begins = type == MAIL_BEGIN;
    bool before = (begins && idmap_get(begun, j->array_job)) || (t && t->active > (begins ? 1 : 0)) ||
                  mailer_has_begun_before(q, j);
    if (begins)
        idmap_set(begun, j->array_job, begun);
    return !before;
}

static bool mailer_is_told_as_array(const struct job *j, uint32_t types)
{
    return j->array_job && !(types & 1u << MAIL_ARRAY_TASKS);
}

static void mailer_tell(struct mailer *q, const struct job *j, uint32_t types, enum mail_type type)
{
    bool array = mailer_is_told_as_array(j, types);
    if (types & 1u << type && (!array || mailer_is_first(q, j, type)))
        mailer_say(q, j, type, array, NULL);
}

static void mailer_tell_end(struct mailer *q, const struct job *j, uint32_t types)
{
    bool array = mailer_is_told_as_array(j, types);
    if (array && !mailer_is_last(q, j))
        return;
    struct array_summary end = {0};
    if (array)
        end = mailer_sum_up(q, j->array_job);
    else
        mailer_add_element(&end, j);
    const struct array_summary *sum = array ? &end : NULL;
    if (end.types & types & 1u << MAIL_TIME_LIMIT)
        mailer_say(q, j, MAIL_TIME_LIMIT, array, sum);
    if (end.types & types & 1u << MAIL_INVALID_DEPEND)
        mailer_say(q, j, MAIL_INVALID_DEPEND, array, sum);
    enum mail_type type = end.types & types & 1u << MAIL_FAIL ? MAIL_FAIL : MAIL_END;
    if (types & 1u << type)
        mailer_say(q, j, type, array, sum);
}

void mailer_note_change(struct mailer *q, const struct job *j, enum job_state before)
{
    uint32_t types = 0;
    if (str_is_empty(q->model->spec.mail_program) || str_is_empty(req_rare(&j->req)->mail_type) ||
        j->state == before || !mail_types_parse(req_rare(&j->req)->mail_type, &types))
        return;
    if (j->state == JOB_PENDING) {
        mailer_tell(q, j, types, MAIL_REQUEUE);
    } else if (before == JOB_PENDING && j->state == JOB_RUNNING) {
        idmap_remove(&q->marked, j->id);
        mailer_tell(q, j, types, MAIL_BEGIN);
    } else if (job_state_is_final(j->state)) {
        idmap_remove(&q->marked, j->id);
        mailer_tell_end(q, j, types);
    }
}

/* Mails at 50, 80 and 90 % of the time limit; checked periodically. */
static void mailer_check_marks(struct mailer *q, const struct job *j)
{
    static const struct {
        uint32_t percent;
        enum mail_type type;
    } marks[] = {{50, MAIL_TIME_LIMIT_50}, {80, MAIL_TIME_LIMIT_80}, {90, MAIL_TIME_LIMIT_90}};
    uint32_t types = 0;
    if (j->state != JOB_RUNNING || j->time_limit_s >= DURATION_NOT_SET ||
        !mail_types_parse(req_rare(&j->req)->mail_type, &types))
        return;
    uint64_t ran = job_run_s(j, loop_wall(q->loop));
    uintptr_t said = (uintptr_t)idmap_get(&q->marked, j->id);
    for (size_t i = sizeof marks / sizeof marks[0]; i-- > said;)
        if (ran * 100 >= (uint64_t)j->time_limit_s * marks[i].percent) {
            idmap_set(&q->marked, j->id, (void *)(uintptr_t)(i + 1));
            if (types & 1u << marks[i].type)
                mailer_say(q, j, marks[i].type, false, NULL);
            return;
        }
}

static void mailer_on_marks(void *ctx)
{
    struct mailer *q = ctx;
    if (!str_is_empty(q->model->spec.mail_program))
        list_for_each (j, &q->model->active, struct job, in_queue)
            if (!str_is_empty(req_rare(&j->req)->mail_type))
                mailer_check_marks(q, j);
    loop_timer_set(q->loop, &q->marks, MARKS_EACH_MS);
}

struct mailer *mailer_new(struct loop *l, const struct model *m, uint64_t (*ticket)(void *ctx), void *ctx)
{
    struct mailer *q = xcalloc(1, sizeof *q);
    *q = (struct mailer){.loop = l, .model = m, .ticket = ticket, .ctx = ctx};
    q->queue = mail_queue_new(l, &m->spec.mail_program);
    q->marks = (struct loop_timer){.fn = mailer_on_marks, .ctx = q};
    loop_timer_set(l, &q->marks, MARKS_EACH_MS);
    return q;
}

void mailer_commit(struct mailer *q, uint64_t ticket)
{
    mail_queue_commit(q->queue, ticket);
}

void mailer_drop_uncommitted(struct mailer *q)
{
    idmap_fini(&q->begun);
    q->begun = (struct idmap){0};
    mail_queue_drop_uncommitted(q->queue);
}

void mailer_free(struct mailer *q)
{
    loop_timer_cancel(q->loop, &q->marks);
    mail_queue_free(q->queue);
    idmap_fini(&q->marked);
    idmap_fini(&q->begun);
    free(q);
}
