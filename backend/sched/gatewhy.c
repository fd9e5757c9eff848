/* gatewhy.c - each gate that keeps a job waiting, in a sentence with numbers. */
#include <stdlib.h>

#include "backend/sched/deadline.h"
#include "backend/sched/depend.h"
#include "backend/sched/gate.h"
#include "backend/sched/licence.h"
#include "backend/sched/why_private.h"
#include "src/base/units.h"
#include "src/model/jobevents.h"

static void explain_hold(const struct job *j, struct msg_why *w)
{
    struct wall never = {0};
    if (j->hold == HOLD_NONE)
        return;
    if (j->reason == REASON_HELD_REQUEUE) {
        why_add_cause(w, WHY_HELD, never,
                      xasprintf("held after its node was lost %u times",
                                job_rare(j)->losses ? job_rare(j)->losses : j->restarts));
        return;
    }
    uint32_t uid;
    const char *user;
    struct str b = STR_INIT;
    struct wall since = job_held_since(j, &uid, &user);
    str_append(&b, "held by ");
    jobtext_who(&b, j, uid, user);
    why_add_cause(w, WHY_HELD, never, NULL);
    why_set_head(w, xstrdup(b.s), " since ", since);
    if (j->hold == HOLD_USER)
        str_appendf(&b, "; `stoker release %u` releases it", j->id);
    else
        str_append(&b, ", an administrator, who must release it");
    w->causes.v[w->causes.n - 1].text = str_take(&b);
}

static void explain_dependency(const struct sched_view *v, const struct job *j, struct wall now,
                               struct msg_why *w)
{
    struct wall clears = {0};
    struct str b = STR_INIT;
    enum dep_state s = dep_job_state(v->model, j, ARRAY_NONE, now, &clears);
    if (s == DEP_MET)
        return;
    dep_explain(v->model, j, now, &b);
    why_add_cause(w, s == DEP_NEVER ? WHY_DEP_DEAD : WHY_DEP_WAIT, clears, str_take(&b));
}

static void explain_begin(const struct job *j, struct wall now, struct msg_why *w)
{
    char buf[UNITS_TEXT_SIZE];
    if (j->req.begin.ms > now.ms)
        why_add_cause(w, WHY_NOT_YET, j->req.begin,
                      xasprintf("its earliest start is in %s",
                                duration_format_words(wall_elapsed_s(now, j->req.begin), buf)));
}

/* The rules of its partitions, where none of them admits it. */
static void explain_partitions(const struct sched_view *v, const struct job *j, struct msg_why *w)
{
    struct strv names = gate_partitions(v->model, j);
    enum reason first = names.n ? REASON_NONE : REASON_PART_CONFIG;
    struct errtext text = {""}, first_text = {"no partition given and no default partition configured"};
    bool admitted = false;
    for (size_t i = 0; i < names.n && !admitted; i++) {
        enum reason r = gate_partition(v, j->uid, &j->req, model_get_part(v->model, names.v[i]), &text);
        admitted = r == REASON_NONE;
        if (first == REASON_NONE && !admitted) {
            first = r;
            first_text = text;
        }
    }
    strv_fini(&names);
    bool down = first == REASON_PART_DOWN || first == REASON_PART_INACTIVE;
    if (!admitted)
        why_add_cause(w, down ? WHY_PARTITION_DOWN : WHY_NOT_ALLOWED, (struct wall){0},
                      xstrdup(first_text.s));
}

static void explain_reservation(const struct sched_view *v, const struct job *j, struct wall now,
                                struct msg_why *w)
{
    struct wall clears = {0};
    struct errtext text = {""};
    enum reason r = gate_reservation(v->model, j->user, &j->req, now, &clears, &text);
    if (r != REASON_NONE)
        why_add_cause(w, r == REASON_RESERVATION ? WHY_WINDOW : WHY_NOT_ALLOWED, clears, xstrdup(text.s));
}

/* Its deadline comes before it could have ended: the controller ends it. Else how long it still may wait.
 */
static void explain_deadline(const struct sched_view *v, const struct job *j, struct wall now,
                             struct msg_why *w)
{
    if (deadline_missed(v->model, j, now))
        why_add_cause(w, WHY_NOT_ALLOWED, (struct wall){0},
                      xstrdup("it can no longer end before its deadline"));
}

static bool licences_exist(const struct model *m, const struct job *j)
{
    struct licence_list l = {VEC_INIT};
    bool exist = licence_parse(m, j->req.licenses, &l, NULL) == 0;
    licence_fini(&l);
    return exist;
}

static void explain_counts(const struct sched_view *v, const struct job *j, struct msg_why *w)
{
    struct str b = STR_INIT;
    struct limit_verdict verdict;
    licence_explain(v->model, j, &b);
    if (b.len)
        why_add_cause(w, licences_exist(v->model, j) ? WHY_BUSY : WHY_NOT_ALLOWED, (struct wall){0},
                      str_take(&b));
    else
        str_fini(&b);
    gate_limits(v, j, &verdict);
    if (verdict.state != LIMIT_OVER_HARD)
        return;
    str_init(&b);
    limit_text(&verdict, &b);
    bool alone = verdict.asked > verdict.most; /* too much even if nobody else held anything */
    why_add_cause(w, alone ? WHY_NOT_ALLOWED : limit_why_class(&verdict), (struct wall){0}, str_take(&b));
}

void gate_explain(const struct sched_view *v, const struct job *j, struct wall now, struct msg_why *w)
{
    explain_hold(j, w);
    explain_dependency(v, j, now, w);
    explain_begin(j, now, w);
    explain_partitions(v, j, w);
    explain_reservation(v, j, now, w);
    explain_deadline(v, j, now, w);
    explain_counts(v, j, w);
}
