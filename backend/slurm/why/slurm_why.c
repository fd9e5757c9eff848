#include "backend/slurm/why/slurm_why.h"

#include <stdlib.h>

#include "backend/slurm/slurm_ask.h"
#include "backend/slurm/why/slurm_causes.h"
#include "src/answers/slurm_reason.h"
#include "src/base/xalloc.h"

#define DETAIL_YOUNG_MS 10000
#define LIMITS_YOUNG_MS 30000

enum why_question { WHY_DETAIL, WHY_LIMITS, WHY_LICENCES, WHY_N_QUESTIONS };

struct why_asking {
    struct job_target target;
    enum why_question at; /* what is asked */
    struct str answers[WHY_N_QUESTIONS];
};

static const struct job *why_find_job(const struct slurm_session *s, const struct job_target *t)
{
    const struct model *m = slurm_mirror_model(s->mirror);
    return t->array_index == ARRAY_NONE ? model_get_job(m, t->job)
                                        : model_get_element(m, t->job, t->array_index);
}

static bool why_names_limit(const struct job *j)
{
    struct slurm_limit l;
    char *rest, *word = slurm_reason_word(j, &rest);
    bool names = slurm_limit_parse(word, &l);
    free(word);
    free(rest);
    return names;
}

/* False: it is not needed. */
static bool why_question_argv(const struct job *j, enum why_question q, struct strv *ret)
{
    if (j->state != JOB_PENDING || (q == WHY_LIMITS && !why_names_limit(j)) ||
        (q == WHY_LICENCES && j->reason != REASON_LICENSES))
        return false;
    strv_push(ret, "scontrol");
    strv_push(ret, "--oneliner");
    strv_push(ret, "show");
    if (q == WHY_DETAIL) {
        strv_push(ret, "job");
        strv_push_take(ret, xasprintf("%u", j->id));
    } else if (q == WHY_LICENCES) {
        strv_push(ret, "license");
    } else {
        strv_push(ret, "assoc_mgr");
        strv_push(ret, "flags=assoc,qos");
        if (j->req.account) /* and the accounts at the top, whose limits are those of all */
            strv_push_take(ret, xasprintf("accounts=%s,root", j->req.account));
        if (req_detail(&j->req)->qos)
            strv_push_take(ret, xasprintf("qos=%s", req_detail(&j->req)->qos));
    }
    return true;
}

static void why_answer(struct slurm_session *s, uint64_t tag, const struct why_asking *a)
{
    const struct job *j = why_find_job(s, &a->target);
    const struct str *limits = &a->answers[WHY_LIMITS], *licences = &a->answers[WHY_LICENCES];
    struct slurm_facts facts = {.has_all = slurm_poll_has(s->poll, SLURM_NEED_ALL),
                                .detail = {a->answers[WHY_DETAIL].s, a->answers[WHY_DETAIL].len},
                                .limits = {limits->s, limits->len},
                                .licences = {licences->s, licences->len}};
    struct msg_why why;
    if (!j) {
        slurm_session_refuse(s, tag, REFUSAL_NO_JOB, refusal_slurm(REFUSAL_NO_JOB));
        return;
    }
    slurm_cause_why(slurm_mirror_model(s->mirror), j, &facts, &why);
    slurm_session_send(s, MSG_WHY_CAUSES, tag, &why);
    rec_fini(&msg_why_rec, &why);
}

static void why_asking_free(struct why_asking *a)
{
    for (size_t i = 0; i < WHY_N_QUESTIONS; i++)
        str_fini(&a->answers[i]);
    free(a);
}

static void slurm_why_ask(struct slurm_session *s, uint64_t tag, struct why_asking *a);

static void why_on_answer(struct slurm_session *s, uint64_t tag, const struct slurm_span *answer, void *arg)
{
    struct why_asking *a = arg;
    if (!s) {
        why_asking_free(a);
        return;
    }
    str_append_n(&a->answers[a->at++], answer->p, answer->n);
    slurm_why_ask(s, tag, a);
}

/* The next question that is needed; none: the client's answer. */
static void slurm_why_ask(struct slurm_session *s, uint64_t tag, struct why_asking *a)
{
    const struct job *j = why_find_job(s, &a->target);
    struct strv argv = {0};
    while (j && a->at < WHY_N_QUESTIONS && !why_question_argv(j, a->at, &argv))
        a->at++;
    if (!j || a->at == WHY_N_QUESTIONS) {
        why_answer(s, tag, a);
        why_asking_free(a);
        return;
    }
    slurm_ask(s, tag, &argv, a->at == WHY_DETAIL ? DETAIL_YOUNG_MS : LIMITS_YOUNG_MS, why_on_answer, a);
    strv_fini(&argv);
}

void slurm_why(struct slurm_session *s, uint64_t tag, const struct msg_job *q)
{
    struct why_asking *a = xcalloc(1, sizeof *a);
    a->target = q->target;
    slurm_why_ask(s, tag, a);
}

void slurm_why_waits(struct slurm_session *s, uint64_t tag, const struct msg_waits_get *q)
{
    const struct model *m = slurm_mirror_model(s->mirror);
    struct msg_waits answer = {0};
    bool all = slurm_poll_has(s->poll, SLURM_NEED_ALL);
    for (size_t i = 0; i < q->jobs.n && i < WAIT_ROWS_MAX; i++) {
        const struct job *j = model_get_job(m, q->jobs.v[i].job);
        struct job_wait *row = rec_list_push(&answer.rows);
        row->job = q->jobs.v[i].job;
        if (j)
            slurm_cause_first(m, j, all, &row->cause);
    }
    slurm_session_send(s, MSG_WAIT_CAUSES, tag, &answer);
    rec_fini(&msg_waits_rec, &answer);
}
