/* action_targets.c - the targets of a key or a command: ids, with their labels for a question. */
#include "ui/dialogs/action_targets.h"

#include <errno.h>
#include <stdlib.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/jobspec/jobtargets.h"
#include "src/lang/lang.h"
#include "src/text/jobtext.h"
#include "ui/text/view_text.h"

void targets_fini(struct targets *t)
{
    vec_for_each (t, i)
        target_fini(&t->v[i]);
    vec_fini(t);
}

void target_fini(struct target *t)
{
    free(t->label);
    free(t->waiting);
    free(t->own_counts);
}

struct target target_copy(const struct target *t)
{
    struct target copy = *t;
    copy.label = t->label ? xstrdup(t->label) : NULL;
    copy.waiting = t->waiting ? xmemdup(t->waiting, t->n_waiting * sizeof *t->waiting) : NULL;
    if (t->own_counts)
        copy.counts = copy.own_counts = xmemdup(t->own_counts, sizeof *t->own_counts);
    return copy;
}

/* Does the array have elements outside its record? */
static bool has_started(const struct model *m, uint32_t array)
{
    list_for_each (j, &m->active, struct job, in_queue)
        if (j->array_job == array)
            return true;
    list_for_each (p, &m->pending, struct job, in_queue)
        if (p->array_job == array && !job_is_array_record(p))
            return true;
    return false;
}

void target_name(const struct target *t, const struct model *m, struct msg_act *ret)
{
    if (!t->waiting || ret->act != ACT_CANCEL || !has_started(m, t->to.job)) {
        *rec_list_push(&ret->targets) = t->to;
        return;
    }
    for (size_t i = 0; i < t->n_waiting; i++)
        *rec_list_push(&ret->targets) =
            (struct job_target){.job = t->to.job, .array_index = t->waiting[i], .step = STEP_ALL};
}

static void take_waiting(struct target *t, const struct job *record)
{
    t->waiting = xreallocarray(NULL, job_pending_elements(record), sizeof *t->waiting);
    for (size_t i = 0; i < job_rare(record)->array_pending.n; i++) {
        const struct index_range *r = &job_rare(record)->array_pending.v[i];
        for (uint64_t k = r->first; k <= r->last; k += r->step ? r->step : 1)
            t->waiting[t->n_waiting++] = (uint32_t)k;
    }
}

static void label_job(struct str *s, const struct job *j)
{
    str_append_char(s, ' ');
    str_append(s, j->req.name ? j->req.name : "");
    str_appendf(s, "  %s", j->user ? j->user : "");
}

static char *action_targets_label_of(const struct job *j)
{
    struct str s = STR_INIT;
    jobtext_id(&s, j, BITSTR_LEN_DEFAULT);
    label_job(&s, j);
    return str_take(&s);
}

void targets_label(struct targets *t, size_t n, const struct model *m)
{
    for (size_t i = 0; i < t->n && i < n; i++) {
        struct target *it = &t->v[i];
        const struct job *j = it->to.array_index == ARRAY_NONE
                                  ? model_get_job(m, it->to.job)
                                  : model_get_element(m, it->to.job, it->to.array_index);
        if (!it->label)
            it->label = j ? action_targets_label_of(j) : xasprintf("%u", it->to.job);
    }
}

/* The counts of a single job; not written to. */
static const struct target_counts *counts_of_one(const struct job *j)
{
    bool held = j->state == JOB_PENDING && j->hold;
    static const struct target_counts one[JOB_N_STATES][2] = {
#define X(name, shrt, lng, final) \
    [JOB_##name] = {{.by_state = {[JOB_##name] = 1}}, {.by_state = {[JOB_##name] = 1}, .held = 1}},
        JOB_STATES(X)
#undef X
    };
    return &one[j->state][held];
}

static struct target_counts *own_counts(struct target *t)
{
    if (!t->own_counts)
        t->counts = t->own_counts = xcalloc(1, sizeof *t->own_counts);
    return t->own_counts;
}

static void action_targets_count_job(struct target *t, const struct job *j)
{
    uint32_t n = j->state == JOB_PENDING ? job_pending_elements(j) : 1;
    own_counts(t)->by_state[j->state] += n;
    own_counts(t)->held += j->state == JOB_PENDING && j->hold ? n : 0;
}

void targets_add_job(struct targets *t, const struct job *j)
{
    struct target it = {.to = {.job = j->id, .array_index = ARRAY_NONE, .step = STEP_ALL},
                        .role = job_role(j),
                        .glyph = job_glyph(j),
                        .array = j->array_job != 0,
                        .uid = j->uid,
                        .counts = counts_of_one(j)};
    /* The last element of an array has the array's own id: its index names it, or the action would hit the
     * whole array. */
    if (j->array_job && j->array_index != ARRAY_NONE)
        it.to = (struct job_target){.job = j->array_job, .array_index = j->array_index, .step = STEP_ALL};
    if (job_is_array_record(j)) {
        take_waiting(&it, j);
        action_targets_count_job(&it, j);
    }
    vec_push(t, it);
}

void targets_add_array(struct targets *t, const struct job *const *members, size_t n)
{
    const struct job *j = members[0];
    for (size_t i = 1; i < n; i++) /* the sign of its most active element */
        if (members[i]->state == JOB_RUNNING ||
            (members[i]->state == JOB_PENDING && j->state != JOB_RUNNING))
            j = members[i];
    struct target it = {.to = {.job = j->array_job, .array_index = ARRAY_NONE, .step = STEP_ALL},
                        .role = job_role(j),
                        .glyph = job_glyph(j),
                        .array = true,
                        .uid = j->uid};
    struct str s = STR_INIT;
    array_id_text(&s, j);
    label_job(&s, j);
    it.label = str_take(&s);
    for (size_t i = 0; i < n; i++)
        action_targets_count_job(&it, members[i]);
    vec_push(t, it);
}

static bool is_of(const struct job *j, const struct job_target *to)
{
    if (to->array_index != ARRAY_NONE)
        return j->array_job == to->job && j->array_index == to->array_index;
    return j->id == to->job || (to->job && j->array_job == to->job);
}

/* Of a step, its job is counted. */
static void action_targets_add_step(struct targets *t, const struct job *j, int32_t step)
{
    targets_add_job(t, j);
    struct target *it = &t->v[t->n - 1];
    it->to.step = step;
    char id[16], *of = action_targets_label_of(j);
    it->label = xasprintf(tr("step %s of %s"), step_format_id(step, id), of);
    free(of);
}

/* An element that has not started is part of its array's record, which stands for the others too. */
static void name_element(struct target *it, const struct job *j, const struct job_target *to)
{
    struct str s = STR_INIT;
    free(it->waiting);
    it->waiting = NULL;
    it->to = *to;
    str_appendf(&s, "%u_%u", to->job, to->array_index);
    label_job(&s, j);
    it->label = str_take(&s);
    free(it->own_counts);
    it->own_counts = NULL;
    it->counts = counts_of_one(j);
}

static int add_target(struct targets *t, const struct model *m, const struct job_target *to,
                      const char *word, struct errtext *err)
{
    VEC(const struct job *) found = VEC_INIT;
    struct job *one = to->array_index != ARRAY_NONE ? model_get_element(m, to->job, to->array_index)
                                                    : model_get_job(m, to->job);
    bool array = to->array_index == ARRAY_NONE && (!one || one->array_job == to->job);
    if (array)
        list_for_each (j, &m->all, struct job, in_all)
            if (is_of(j, to))
                vec_push(&found, j);
    if (found.n && found.v[0]->array_job)
        targets_add_array(t, found.v, found.n);
    else if (one && to->step != STEP_ALL)
        action_targets_add_step(t, one, to->step);
    else if (one)
        targets_add_job(t, one);
    bool any = found.n || one;
    vec_fini(&found);
    if (!any)
        return err_set(err, -ENOENT, tr("job %s is not in the queue"), word);
    if (one && to->array_index != ARRAY_NONE && job_is_array_record(one))
        name_element(&t->v[t->n - 1], one, to);
    return 0;
}

int targets_add_arg(struct targets *t, const struct ui *ui, const char *word, struct errtext *err)
{
    struct target_list list = {0};
    int rc = targets_add_list(&list, word, err);
    for (size_t i = 0; i < list.list.n && rc >= 0; i++)
        rc = add_target(t, ui_model(ui), &list.list.v[i], word, err);
    target_list_fini(&list);
    return rc;
}
