/* job_change.c - changes of a job's request: the attribute and its value. */
#include <stdlib.h>
#include <string.h>

#include "src/base/vec.h"
#include "src/lang/lang.h"
#include "src/values/units.h"
#include "ui/dialogs/actions_internal.h"
#include "ui/dialogs/change_back.h"
#include "ui/frame/reversal.h"

#define PRIORITY_TITLE N_("priority (administrators)")
#define TITLE_FORMAT   "%-26s"

/* X(key of scontrol, label, syntax) */
#define CHANGES(X)                                                                \
    X("TimeLimit", N_("time limit"), N_("3h, 2:00:00 or 1-12:00:00"))                     \
    X("MinMemoryNode", N_("memory per node"), "16G")                                  \
    X("Partition", N_("partition"), N_("one name, or several with commas"))               \
    X("Priority", PRIORITY_TITLE, N_("a number"))                                     \
    X("Dependency", N_("depends on"), N_("afterok:12, afterany:12:13; empty removes it")) \
    X("Nice", N_("nice"), N_("a number; the higher, the later"))                          \
    X("JobName", N_("name"), N_("any text"))                                              \
    X("StartTime", N_("not before"), N_("now+1hour, 18:00, 2026-12-24"))                  \
    X("QOS", N_("quality of service"), N_("a name"))                                      \
    X("Account", N_("account"), N_("a name"))                                             \
    X("ArrayTaskThrottle", N_("elements at a time"), N_("a number, 0: all"))              \
    X("LostNode", N_("if a node is lost"), N_("hold, requeue, cancel, lease; empty: the cluster's setting"))

static const struct {
    const char *key, *title, *form;
} changes[] = {
#define X(key_, title_, form_) {.key = key_, .title = title_, .form = form_},
    CHANGES(X)
#undef X
};

#define N_CHANGES (sizeof changes / sizeof changes[0])

struct changing {
    struct job_action *action;
    size_t change;
    struct { /* of the requests that are under way, one for each job */
        size_t asked, answered, done;
        char *refusal; /* of one that was refused */
    } sent;
};

static void changing_free(void *p)
{
    struct changing *c = p;
    free(c->sent.refusal);
    job_action_free(c->action);
    free(c);
}

/* The value for scontrol: times may also be written as 3h or 90m. */
static char *change_text(size_t change, const char *typed)
{
    char b[UNITS_TEXT_SIZE];
    uint32_t s;
    struct errtext err;
    size_t n = strlen(typed);
    bool words = n && strchr("smhdw", typed[n - 1]) && duration_parse_conf(typed, &s, &err) >= 0;
    if (str_eq(changes[change].key, "TimeLimit") && words)
        typed = duration_format_padded(s, b);
    return xasprintf("%s=%s", changes[change].key, typed);
}

/* --- sending --- */

static void job_change_offer_back(struct ui *ui, size_t n)
{
    char *done = xasprintf(tr("changed: %zu"), n);
    reversal_offer(ui, done);
    free(done);
}

static void answered_alone(struct ui *ui, const struct incoming *in)
{
    if (act_answered(ui, 0, tr("change"), in))
        job_change_offer_back(ui, ((const struct msg_result *)in->body)->count);
}

/* After all replies the dialog shows a refusal, or closes. */
static void job_change_answered(struct ui *ui, struct view *owner, uint64_t arg, const struct incoming *in)
{
    (void)owner;
    const struct msg_result *r = in && in->kind == MSG_RESULT ? in->body : NULL;
    uint64_t dialog = arg >> 8;
    struct changing *c = dialog ? ui_dialog_arg(ui, dialog) : NULL;
    if (!c) { /* closed, or none */
        answered_alone(ui, in);
        return;
    }
    if (r && !r->refusal) {
        c->sent.done++;
    } else {
        reversal_leave_out(ui, c->sent.answered); /* replies come in the order of the requests */
        free(c->sent.refusal);
        c->sent.refusal =
            xstrdup(r ? act_refusal(r) : tr("the connection was lost: check whether the change was made"));
    }
    if (++c->sent.answered < c->sent.asked)
        return;
    if (c->sent.done)
        job_change_offer_back(ui, c->sent.done);
    if (c->sent.done == c->sent.asked) {
        ui_drop_dialog(ui, dialog);
    } else if (c->sent.asked == 1) {
        ui_refuse_dialog(ui, dialog, tr("Refused: %s"), c->sent.refusal);
    } else {
        ui_refuse_dialog(ui, dialog, tr("%zu of %zu changed. Refused: %s"), c->sent.done, c->sent.asked,
                         c->sent.refusal);
    }
}

/* Adds the changes that restore the job; false: it cannot be restored. */
static bool job_change_add_back(struct ui *ui, const struct job_target *to, const struct strv *list)
{
    const struct job *j = model_get_job(ui_model(ui), to->job);
    struct msg_update back = {.target = *to};
    bool can = j != NULL;
    for (size_t i = 0; i < list->n && can; i++) {
        char *key = xstrndup(list->v[i], strcspn(list->v[i], "="));
        const struct job_attr *a = job_attr_by_key(key);
        char *old = a ? change_value(ui, j, a) : NULL;
        can = a && change_add_back(a, &j->req, old, ui_now(ui), &back.changes);
        free(old);
        free(key);
    }
    if (can)
        reversal_add(ui, MSG_UPDATE, &back);
    rec_fini(&msg_update_rec, &back);
    return can;
}

/* All of the jobs or none: to undo half of a change would be another change. */
static void job_change_prepare_back(struct ui *ui, const struct job_action *d)
{
    reversal_begin(ui);
    vec_for_each (&d->targets, i)
        if (!job_change_add_back(ui, &d->targets.v[i].to, &d->changes)) {
            reversal_drop(ui);
            return;
        }
}

void job_action_send_changes(struct ui *ui, const struct job_action *d)
{
    struct changing *c = d->dialog ? ui_dialog_arg(ui, d->dialog) : NULL;
    if (c) {
        c->sent.asked = d->targets.n;
        c->sent.answered = c->sent.done = 0;
    }
    job_change_prepare_back(ui, d);
    vec_for_each (&d->targets, i) {
        struct msg_update msg = {.target = d->targets.v[i].to, .changes = strv_copy(&d->changes)};
        act_ask(ui, d->dialog, MSG_UPDATE, &msg, job_change_answered, 0);
        rec_fini(&msg_update_rec, &msg);
    }
}

/* --- asking --- */

static void value_typed(struct ui *ui, struct dialog *dlg, enum dialog_outcome outcome, void *arg)
{
    const struct changing *c = arg;
    if (outcome != DIALOG_YES)
        return;
    struct job_action *d = job_action_copy(c->action);
    d->dialog = ui_keep_dialog(ui);
    strv_push_take(&d->changes, change_text(c->change, dlg->edit.text.s));
    if (d->n > 1) {
        job_action_confirm(ui, d);
        return;
    }
    job_action_send(ui, d);
    job_action_free(d);
}

/* The present value of a single job, to be edited. */
static void value_now(const struct ui *ui, const struct job_action *d, size_t change, struct str *out)
{
    const struct job *j = d->targets.n == 1 ? model_get_job(ui_model(ui), d->targets.v[0].to.job) : NULL;
    const struct job_attr *a = job_attr_by_key(changes[change].key);
    if (!j || (a->id == ATTR_PRIORITY && !j->priority)) /* the policy sets it: see ask_priority */
        return;
    char *value = change_value(ui, j, a);
    str_append(out, value);
    free(value);
}

/* Only arrays have a limit of running elements, and no Slurm knows what Stoker does with jobs of lost
 * nodes. */
static bool is_offered(const struct ui *ui, const struct job_action *d, size_t change)
{
    bool array = false;
    if (ui_engine(ui) && str_eq(changes[change].key, "LostNode"))
        return false;
    vec_for_each (&d->targets, i)
        array |= d->targets.v[i].array;
    return array || !str_eq(changes[change].key, "ArrayTaskThrottle");
}

/* The change of a line of the menu. */
static size_t offered(const struct ui *ui, const struct job_action *d, size_t line)
{
    size_t change = 0;
    while (!is_offered(ui, d, change) || line-- > 0)
        change++;
    return change;
}

static void change_chosen(struct ui *ui, struct dialog *dlg, enum dialog_outcome outcome, void *arg)
{
    if (outcome != DIALOG_YES)
        return;
    struct changing *c = xcalloc(1, sizeof *c);
    *c = (struct changing){.action = job_action_copy(arg), .change = offered(ui, arg, dialog_choice(dlg))};
    struct str value = STR_INIT;
    struct dialog *d = dialog_new(DIALOG_PROMPT, tr(changes[c->change].title));
    job_action_list(c->action, &d->body.lines);
    lines_add(&d->body.lines);
    lines_addf(&d->body.lines, ROLE_DIM, "%s", tr(changes[c->change].form));
    value_now(ui, c->action, c->change, &value);
    edit_set(&d->edit, value.s);
    str_fini(&value);
    d->verb = xstrdup(tr("change"));
    d->may_be_empty =
        str_eq(changes[c->change].key, "Dependency") || str_eq(changes[c->change].key, "LostNode");
    ui_take_dialog(ui, d, value_typed, c, changing_free);
}

/* The priority that the policy has given the job now. */
static void priority_told(struct ui *ui, struct view *owner, uint64_t number, const struct incoming *in)
{
    (void)owner;
    struct dialog *d = ui_find_dialog(ui, number);
    const struct msg_prio_rows *m = in && in->kind == MSG_PRIO_ROWS ? in->body : NULL;
    for (size_t i = 0; d && m && m->rows.n == 1 && i < d->items.n; i++)
        if (str_starts(d->items.v[i], tr(PRIORITY_TITLE))) {
            free(d->items.v[i]);
            d->items.v[i] = xasprintf(TITLE_FORMAT "%u", tr(PRIORITY_TITLE), m->rows.v[0].parts.total);
        }
}

static void ask_priority(struct ui *ui, const struct job_action *d, uint64_t number)
{
    const struct job *j = d->targets.n == 1 ? model_get_job(ui_model(ui), d->targets.v[0].to.job) : NULL;
    if (!j || j->state != JOB_PENDING || j->priority)
        return;
    struct msg_prio ask = {0};
    *rec_list_push(&ask.jobs) =
        (struct job_target){.job = j->id, .array_index = ARRAY_NONE, .step = STEP_ALL};
    ui_send(ui, MSG_PRIO, &ask, NULL, priority_told, number);
    rec_fini(&msg_prio_rec, &ask);
}

void job_action_choose_change(struct ui *ui, struct job_action *take_d)
{
    const struct job_action *d = take_d;
    struct str s = STR_INIT;
    job_action_words(d, &s);
    struct dialog *menu = dialog_new(DIALOG_MENU, s.s);
    str_clear(&s);
    menu->verb = xstrdup(tr("change"));
    for (size_t i = 0; i < N_CHANGES; i++) {
        if (!is_offered(ui, d, i))
            continue;
        str_appendf(&s, TITLE_FORMAT, tr(changes[i].title));
        value_now(ui, d, i, &s);
        strv_push(&menu->items, s.s);
        str_clear(&s);
    }
    str_fini(&s);
    uint64_t number = ui_take_dialog(ui, menu, change_chosen, take_d, job_action_free);
    ask_priority(ui, d, number);
}
