/* gatewhy.c - each gate that keeps a job waiting, in a sentence with numbers. */
#include <stdlib.h>

#include "backend/sched/explain/why_internal.h"
#include "src/base/units.h"
#include "src/model/jobevents.h"
#include "src/text/eventtext.h"

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
    if (s != DEP_NEVER)
        return;
    str_init(&b);
    dep_explain_never(v->model, j, now, &b);
    why_set_head(w, b.len ? str_take(&b) : NULL, NULL, (struct wall){0});
    str_fini(&b);
}

static void explain_begin(const struct job *j, struct wall now, struct msg_why *w)
{
    char buf[UNITS_TEXT_SIZE];
    if (j->req.begin.ms > now.ms) {
        why_add_cause(w, WHY_NOT_YET, j->req.begin,
                      xasprintf("its earliest start is in %s",
                                duration_format_words(wall_elapsed_s(now, j->req.begin), buf)));
        why_set_head(w, xstrdup("not before"), " ", j->req.begin);
    }
}

static void add_rule(struct msg_why *w, enum reason r, const struct errtext *text)
{
    bool down = r == REASON_PART_DOWN || r == REASON_PART_INACTIVE;
    why_add_cause(w, down ? WHY_PARTITION_DOWN : WHY_NOT_ALLOWED, (struct wall){0}, xstrdup(text->s));
}

/* That it is closed now, and what else of its rules is in the way. */
static void add_rules_of(const struct sched_view *v, const struct job *j, const struct part_spec *part,
                         struct msg_why *w)
{
    struct errtext text = {""};
    enum reason r = eligibility_in_partition(v, j->uid, &j->req, part, &text);
    if (r == REASON_NONE)
        return;
    add_rule(w, r, &text);
    if (r != REASON_PART_INACTIVE) /* down comes last of all rules */
        return;
    struct part_spec open = *part;
    open.state = PART_UP;
    r = eligibility_in_partition(v, j->uid, &j->req, &open, &text);
    if (r != REASON_NONE)
        add_rule(w, r, &text);
}

/* The rules of its partitions, where none of them admits it: each of them. */
static void explain_partitions(const struct sched_view *v, const struct job *j, struct msg_why *w)
{
    struct strv names = eligible_partitions(v->model, j);
    bool admitted = false;
    for (size_t i = 0; i < names.n && !admitted; i++)
        admitted = eligibility_in_partition(v, j->uid, &j->req, model_get_part(v->model, names.v[i]),
                                            NULL) == REASON_NONE;
    for (size_t i = 0; i < names.n && !admitted; i++)
        add_rules_of(v, j, model_get_part(v->model, names.v[i]), w);
    if (!names.n)
        why_add_cause(w, WHY_NOT_ALLOWED, (struct wall){0},
                      xstrdup("no partition given and no default partition configured"));
    strv_fini(&names);
}

static void explain_reservation(const struct sched_view *v, const struct job *j, struct wall now,
                                struct msg_why *w)
{
    struct wall clears = {0};
    struct errtext text = {""};
    enum reason r = eligibility_in_reservation(v->model, j->user, &j->req, now, &clears, &text);
    if (r == REASON_NONE)
        return;
    why_add_cause(w, r == REASON_RESERVATION ? WHY_WINDOW : WHY_NOT_ALLOWED, clears, xstrdup(text.s));
    if (r == REASON_RESERVATION)
        why_set_head(w, xasprintf("reservation %s begins", req_rare(&j->req)->reservation), " ", clears);
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

void why_add_limit(struct msg_why *w, const struct limit_verdict *v)
{
    struct str text = STR_INIT, head = STR_INIT;
    bool alone = v->asked > v->most; /* too much even if nothing else were held */
    limit_text(v, &text);
    limit_head(v, &head);
    why_add_cause(w, alone && v->state == LIMIT_OVER_HARD ? WHY_NOT_ALLOWED : limit_why_class(v),
                  (struct wall){0}, str_take(&text));
    why_set_head(w, str_take(&head), NULL, (struct wall){0});
}

/* Each hard limit that its next start would break. */
static void explain_limits(const struct sched_view *v, const struct job *j, struct msg_why *w)
{
    struct limit_verdict verdict;
    struct limit_request request;
    size_t at = 0;
    if (eligibility_limits_request(v, j, &request, &verdict) != LIMIT_OVER_HARD)
        return;
    while (limits_next_broken(v->limits, &request, &at, &verdict))
        if (verdict.state == LIMIT_OVER_HARD)
            why_add_limit(w, &verdict);
}

static void explain_counts(const struct sched_view *v, const struct job *j, struct msg_why *w)
{
    struct str b = STR_INIT;
    licence_explain(v->model, v->licences, j, &b);
    if (b.len)
        why_add_cause(w, licences_exist(v->model, j) ? WHY_BUSY : WHY_NOT_ALLOWED, (struct wall){0},
                      str_take(&b));
    else
        str_fini(&b);
    explain_limits(v, j, w);
}

void eligibility_explain(const struct sched_view *v, const struct job *j, struct wall now,
                         struct msg_why *w)
{
    explain_hold(j, w);
    explain_dependency(v, j, now, w);
    explain_begin(j, now, w);
    explain_partitions(v, j, w);
    explain_reservation(v, j, now, w);
    explain_deadline(v, j, now, w);
    explain_counts(v, j, w);
}
