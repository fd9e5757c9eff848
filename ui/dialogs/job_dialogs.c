/* job_dialogs.c - actions on jobs: the question, the request, the reply. Changes are in job_change.c. */
#include "src/lang/lang.h"
#include "ui/dialogs/actions_internal.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/base/vec.h"
#include "src/text/jobtext.h"
#include "src/text/state_text.h"
#include "ui/frame/reversal.h"
#include "ui/info/job_info.h"
#include "ui/text/view_text.h"

#define LIST_MAX 12 /* lines of the list in a question */

/* --- what can be done --- */

static const struct {
    enum action action;
    enum act act;
    const char *verb, *done, *none, *none_of_many, *left_out;
    unsigned states; /* states that the action applies to, by bit */
} job_actions[] = {
#define BIT(s) (1u << JOB_##s)
#define LIVE   (BIT(PENDING) | BIT(RUNNING) | BIT(SUSPENDED) | BIT(COMPLETING))
    {.action = ACTION_CANCEL,
     .act = ACT_CANCEL,
     .verb = N_("cancel"),
     .done = N_("cancelled"),
     .states = LIVE,
     .none = N_("the job has ended"),
     .none_of_many = N_("the jobs have ended"),
     .left_out = N_("already ended")},
    {.action = ACTION_SIGNAL,
     .act = ACT_SIGNAL,
     .verb = N_("signal"),
     .done = N_("signalled"),
     .states = BIT(RUNNING) | BIT(COMPLETING), /* a preempted job takes signals until its end */
     .none = N_("only running jobs take signals"),
     .none_of_many = N_("none of the jobs runs"),
     .left_out = N_("not running")},
    {.action = ACTION_HOLD,
     .act = ACT_HOLD,
     .verb = N_("hold"),
     .done = N_("held"),
     .states = BIT(PENDING),
     .none = N_("only waiting jobs can be held"),
     .none_of_many = N_("none of the jobs waits, or all are held"),
     .left_out = N_("not waiting, or already held")},
    {.action = ACTION_RELEASE,
     .act = ACT_RELEASE,
     .verb = N_("release"),
     .done = N_("released"),
     .states = BIT(PENDING),
     .none = N_("the job is not held"),
     .none_of_many = N_("none of the jobs is held"),
     .left_out = N_("not held")},
    {.action = ACTION_REQUEUE,
     .act = ACT_REQUEUE,
     .verb = N_("requeue"),
     .done = N_("requeued"),
     .states = ~BIT(PENDING),
     .none = N_("the job already waits"),
     .none_of_many = N_("the jobs already wait"),
     .left_out = N_("already waiting")},
    {.action = ACTION_EDIT,
     .act = ACT_HOLD, /* not sent: a change is a request of its own */
     .verb = N_("change"),
     .done = N_("changed"),
     .states = LIVE,
     .none = N_("the job has ended"),
     .none_of_many = N_("the jobs have ended"),
     .left_out = N_("already ended")},
#undef LIVE
#undef BIT
};

#define N_JOB_ACTIONS (sizeof job_actions / sizeof job_actions[0])

bool act_is_job_action(enum action a)
{
    for (size_t i = 0; i < N_JOB_ACTIONS; i++)
        if (job_actions[i].action == a)
            return true;
    return a == ACTION_WATCH;
}

bool act_is_allowed(const struct ui *ui, uint32_t uid)
{
    return ui_is_admin(ui) || uid == ui_uid(ui);
}

static size_t find_job_action(enum action a)
{
    for (size_t i = 0; i < N_JOB_ACTIONS; i++)
        if (job_actions[i].action == a)
            return i;
    bug_on(true);
    return 0;
}

bool act_applies(const struct ui *ui, enum action a, const struct job *j)
{
    bool final = job_state_is_final((enum job_state)j->state);
    if (a == ACTION_WATCH)
        return !final;
    if (!act_is_allowed(ui, j->uid))
        return false;
    if (j->array_job && !final) /* its other elements may be held, or run */
        return true;
    return job_actions[find_job_action(a)].states & (1u << j->state) &&
           (a == ACTION_RELEASE ? j->hold : a != ACTION_HOLD || !j->hold);
}

void job_action_free(void *p)
{
    struct job_action *d = p;
    strv_fini(&d->changes);
    targets_fini(&d->targets);
    free(d);
}

static uint32_t job_dialogs_count_of(const struct job_action *d, const struct target *t, unsigned states)
{
    uint32_t n = 0;
    for (int s = 0; s < JOB_N_STATES; s++)
        if (states & (1u << s))
            n += d->action == ACTION_RELEASE ? t->counts->held
                 : d->action == ACTION_HOLD  ? t->counts->by_state[s] - t->counts->held
                                             : t->counts->by_state[s];
    return n;
}

/* Leaves out jobs that the user may not change: the controller would refuse them. */
static void keep_own(struct job_action *d, const struct ui *ui)
{
    size_t kept = 0;
    vec_for_each (&d->targets, i) {
        struct target *t = &d->targets.v[i];
        if (act_is_allowed(ui, t->uid)) {
            d->targets.v[kept++] = *t;
            continue;
        }
        for (int s = 0; s < JOB_N_STATES; s++)
            d->foreign += t->counts->by_state[s];
        target_fini(t);
    }
    d->targets.n = kept;
}

/* Leaves out jobs that the action does not apply to. */
static void keep_possible(struct job_action *d, unsigned states)
{
    size_t kept = 0;
    vec_for_each (&d->targets, i) {
        struct target *t = &d->targets.v[i];
        uint32_t all = 0, n = job_dialogs_count_of(d, t, states);
        for (int s = 0; s < JOB_N_STATES; s++) {
            all += t->counts->by_state[s];
            if (n && states & (1u << s))
                d->counts[s] += t->counts->by_state[s];
        }
        d->left_out += all - n;
        d->n += n;
        if (n)
            d->targets.v[kept++] = *t;
        else
            target_fini(t);
    }
    d->targets.n = kept;
}

/* --- the answer --- */

const char *act_refusal(const struct msg_result *r)
{
    return !str_is_empty(r->text) ? r->text : refusal_slurm((enum refusal)r->refusal);
}

void act_show_refusal(struct ui *ui, const char *verb, const struct msg_result *r)
{
    struct dialog *d = dialog_new(DIALOG_TEXT, tr("refused"));
    d->danger = true;
    lines_addf(&d->body.lines, ROLE_NORMAL, "%s: %s", verb, act_refusal(r));
    if (r->count)
        lines_addf(&d->body.lines, ROLE_NORMAL, tr("%u jobs were changed."), r->count);
    ui_take_dialog(ui, d, NULL, NULL, NULL);
}

void act_ask(struct ui *ui, uint64_t dialog, enum msg_kind kind, const void *body, ui_reply_fn *reply,
             uint8_t arg)
{
    if (ui_send(ui, kind, body, NULL, reply, arg | dialog << 8))
        ui_dialog_waits(ui, dialog);
    else
        ui_refuse_dialog(ui, dialog, tr("There is no connection to the controller."));
}

bool act_answered(struct ui *ui, uint64_t dialog, const char *verb, const struct incoming *in)
{
    const struct msg_result *r = in && in->kind == MSG_RESULT ? in->body : NULL;
    const char *why = !in  ? tr("the connection was lost: check whether the change was made")
                      : !r ? tr("the controller sent an unexpected answer")
                           : NULL;
    if (why && !ui_refuse_dialog(ui, dialog, "%s", why))
        ui_toast(ui, ROLE_ERROR, "%s: %s", verb, why);
    if (why)
        return false;
    if (!r->refusal) {
        ui_drop_dialog(ui, dialog);
        return true;
    }
    bool told = r->count ? ui_refuse_dialog(ui, dialog, tr("Refused: %s. %u jobs were changed."),
                                            act_refusal(r), r->count)
                         : ui_refuse_dialog(ui, dialog, tr("Refused: %s"), act_refusal(r));
    if (!told)
        act_show_refusal(ui, verb, r);
    return false;
}

void act_taken_back(struct ui *ui, const struct incoming *in, void *arg)
{
    (void)arg;
    if (act_answered(ui, 0, tr("take back"), in))
        ui_toast(ui, ROLE_GOOD, "%s", tr("the last change is taken back"));
}

static void say_done(struct ui *ui, size_t k, uint32_t count)
{
    struct str done = STR_INIT;
    str_appendf(&done, "%s: %u", tr(job_actions[k].done), count);
    if (job_actions[k].act == ACT_HOLD || job_actions[k].act == ACT_RELEASE)
        reversal_offer(ui, done.s);
    else
        ui_toast(ui, ROLE_GOOD, "%s", done.s);
    str_fini(&done);
}

/* A hold is taken back by a release, and the other way round. */
static void prepare_reversal(struct ui *ui, const struct msg_act *act)
{
    struct msg_act back = *act;
    back.act = act->act == ACT_HOLD ? ACT_RELEASE : ACT_HOLD;
    if (act->act != ACT_HOLD && act->act != ACT_RELEASE)
        return;
    reversal_begin(ui);
    reversal_add(ui, MSG_ACT, &back);
}

static void job_dialogs_answered(struct ui *ui, struct view *owner, uint64_t arg, const struct incoming *in)
{
    (void)owner;
    size_t k = arg & 0xff;
    if (!act_answered(ui, arg >> 8, tr(job_actions[k].verb), in))
        return;
    if (!((const struct msg_result *)in->body)->count)
        ui_toast(ui, ROLE_WARN, tr("%s: nothing was done, the jobs have changed meanwhile"),
                 tr(job_actions[k].verb));
    else
        say_done(ui, k, ((const struct msg_result *)in->body)->count);
}

void job_action_send(struct ui *ui, const struct job_action *d)
{
    if (d->action == ACTION_EDIT) {
        job_action_send_changes(ui, d);
        return;
    }
    struct msg_act act = {.act = d->act, .signal = d->signal, .else_batch = true};
    vec_for_each (&d->targets, i)
        target_name(&d->targets.v[i], ui_model(ui), &act);
    prepare_reversal(ui, &act);
    act_ask(ui, d->dialog, MSG_ACT, &act, job_dialogs_answered, (uint8_t)find_job_action(d->action));
    rec_fini(&msg_act_rec, &act);
}

/* --- the question --- */

static bool ends_jobs(const struct job_action *d)
{
    return d->action == ACTION_CANCEL || d->action == ACTION_SIGNAL || d->action == ACTION_REQUEUE;
}

struct job_action *job_action_copy(const struct job_action *from)
{
    struct job_action *d = xmemdup(from, sizeof *d);
    d->changes = strv_copy(&from->changes);
    d->targets = (struct targets){0};
    vec_for_each (&from->targets, i)
        vec_push(&d->targets, target_copy(&from->targets.v[i]));
    return d;
}

static void send_later(struct ui *ui, void *arg)
{
    job_action_send(ui, arg);
}

void job_action_words(const struct job_action *d, struct str *s)
{
    str_appendf(s, "%s ", tr(job_actions[find_job_action(d->action)].verb));
    count_text(s, d->n, "%llu job", "%llu jobs");
    if (d->action == ACTION_SIGNAL)
        str_appendf(s, tr(" with %s"), sigabbrev_np(d->signal));
}

/* Does the target still have a job that the action can be done to? */
static bool still_applies(const struct job_action *d, const struct target *t, const struct model *m)
{
    const struct job_target *to = &t->to;
    unsigned states = job_actions[find_job_action(d->action)].states;
    const struct job *one = to->array_index == ARRAY_NONE ? model_get_job(m, to->job)
                                                          : model_get_element(m, to->job, to->array_index);
    if (one && states & (1u << one->state))
        return true;
    if (to->array_index != ARRAY_NONE || !t->array)
        return false;
    list_for_each (j, &m->all, struct job, in_all)
        if (j->array_job == to->job && states & (1u << j->state))
            return true;
    return false;
}

/* While the question was open another screen, or the job itself, may have been faster. Returns true if
 * nothing is left to do; then a message says so. */
static bool came_too_late(struct ui *ui, const struct job_action *d)
{
    vec_for_each (&d->targets, i)
        if (still_applies(d, &d->targets.v[i], ui_model(ui)))
            return false;
    ui_drop_dialog(ui, d->dialog);
    if (d->targets.n == 1 && d->action != ACTION_HOLD && d->action != ACTION_RELEASE)
        ui_toast(ui, ROLE_WARN, tr("%s: nothing was sent, %s has ended meanwhile"),
                 tr(job_actions[find_job_action(d->action)].verb), d->targets.v[0].label);
    else
        ui_toast(ui, ROLE_WARN, tr("%s: nothing was sent, the jobs have changed meanwhile"),
                 tr(job_actions[find_job_action(d->action)].verb));
    return true;
}

static bool has_run_long(const struct job *j, const struct wall now)
{
    return j && !job_state_is_final((enum job_state)j->state) && job_run_s(j, now) > ACT_UNDO_RAN_S;
}

/* Would the action end hours of work? */
static bool ends_long_runs(const struct ui *ui, const struct job_action *d)
{
    const struct model *m = ui_model(ui);
    if (d->action != ACTION_CANCEL && d->action != ACTION_REQUEUE)
        return false;
    vec_for_each (&d->targets, i) {
        const struct job_target *to = &d->targets.v[i].to;
        if (has_run_long(to->array_index == ARRAY_NONE ? model_get_job(m, to->job)
                                                       : model_get_element(m, to->job, to->array_index),
                         ui_now(ui)))
            return true;
        if (d->targets.v[i].array && to->array_index == ARRAY_NONE)
            list_for_each (j, &m->all, struct job, in_all)
                if (j->array_job == to->job && has_run_long(j, ui_now(ui)))
                    return true;
    }
    return false;
}

static void job_dialogs_confirmed(struct ui *ui, struct dialog *dlg, enum dialog_outcome outcome, void *arg)
{
    (void)dlg;
    const struct job_action *d = arg;
    if (outcome != DIALOG_YES || came_too_late(ui, d))
        return;
    bool waits = ends_jobs(d) && (d->n > ACT_UNDO_ABOVE || ends_long_runs(ui, d));
    if (!waits || !ui_online(ui)) { /* without a connection it is refused: at once */
        job_action_send(ui, d);
        return;
    }
    struct str s = STR_INIT;
    ui_drop_dialog(ui, d->dialog); /* a user looks at the question for less time */
    job_action_words(d, &s);
    ui_later(ui, s.s, ACT_UNDO_MS, send_later, job_action_copy(d),
             job_action_free); /* the dialog frees its own */
    str_fini(&s);
}

static void count_line(const struct job_action *d, struct rich *r)
{
    const char *sep = "";
    for (int s = 0; s < JOB_N_STATES; s++)
        if (d->counts[s]) {
            rich_addf(r, ROLE_STRONG, "%s%u", sep, d->counts[s]);
            rich_addf(r, ROLE_NORMAL, " %s", job_state_word((enum job_state)s));
            sep = ", ";
        }
}

void job_action_list(const struct job_action *d, struct lines *l)
{
    for (size_t i = 0; i < d->targets.n && i < LIST_MAX; i++) {
        struct rich *r = lines_add(l);
        rich_sign(r, d->targets.v[i].role, d->targets.v[i].glyph);
        rich_addf(r, ROLE_NORMAL, " %s", d->targets.v[i].label);
    }
    if (d->targets.n > LIST_MAX)
        lines_addf(l, ROLE_DIM, tr("and %zu more"), d->targets.n - LIST_MAX);
}

static const char *what_happens(const struct job_action *d)
{
    if (d->action == ACTION_CANCEL && (d->counts[JOB_RUNNING] || d->counts[JOB_SUSPENDED]))
        return tr("Running jobs get TERM now, and KILL after the grace time.");
    if (d->action == ACTION_REQUEUE)
        return tr("The jobs end now and start again from the beginning.");
    return NULL;
}

#define SILENT_TARGETS 256

/* What runs on a node that does not answer goes on until the node is back. */
static void silent_line(const struct ui *ui, const struct job_action *d, struct lines *l)
{
    for (size_t i = 0; ends_jobs(d) && i < d->targets.n && i < SILENT_TARGETS; i++) {
        const struct job_target *to = &d->targets.v[i].to;
        const struct job *j = to->array_index == ARRAY_NONE
                                  ? model_get_job(ui_model(ui), to->job)
                                  : model_get_element(ui_model(ui), to->job, to->array_index);
        const char *node = j ? job_first_silent(ui, j) : NULL;
        if (!node)
            continue;
        lines_addf(l, ROLE_WARN, tr("%s does not answer: what runs there ends when the node is back."),
                   node);
        return;
    }
}

static void left_out_line(struct lines *l, uint32_t n, const char *why)
{
    if (n)
        lines_addf(l, ROLE_DIM, trn("%u job is left out: %s.", "%u jobs are left out: %s.", n), n, why);
}

void job_action_confirm(struct ui *ui, struct job_action *take_d)
{
    struct job_action *d = take_d;
    struct str s = STR_INIT;
    job_action_words(d, &s);
    struct dialog *dlg = dialog_new(DIALOG_CONFIRM, s.s);
    str_fini(&s);
    dlg->verb = xstrdup(tr(job_actions[find_job_action(d->action)].verb));
    dlg->no = tr("keep");
    dlg->danger = ends_jobs(d);
    dlg->must_type = ends_jobs(d) && d->n > ACT_TYPE_ABOVE ? d->n : 0;
    count_line(d, lines_add(&dlg->body.lines));
    lines_add(&dlg->body.lines);
    job_action_list(d, &dlg->body.lines);
    for (size_t i = 0; i < d->changes.n; i++)
        lines_addf(&dlg->body.lines, ROLE_STRONG, "%s%s", i ? "" : tr("to "), d->changes.v[i]);
    if (d->left_out || d->foreign || what_happens(d))
        lines_add(&dlg->body.lines);
    left_out_line(&dlg->body.lines, d->left_out, tr(job_actions[find_job_action(d->action)].left_out));
    left_out_line(&dlg->body.lines, d->foreign, tr("not yours"));
    if (what_happens(d))
        lines_addf(&dlg->body.lines, ROLE_DIM, "%s", what_happens(d));
    silent_line(ui, d, &dlg->body.lines);
    ui_take_dialog(ui, dlg, job_dialogs_confirmed, d, job_action_free);
}

static const int32_t signals[] = {SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGHUP, SIGCONT, SIGSTOP, SIGKILL};

static void signal_chosen(struct ui *ui, struct dialog *dlg, enum dialog_outcome outcome, void *arg)
{
    if (outcome != DIALOG_YES)
        return;
    struct job_action *d = job_action_copy(arg); /* the menu frees its own */
    d->signal = signals[dialog_choice(dlg)];
    d->dialog = ui_keep_dialog(ui);
    job_action_confirm(ui, d);
}

static void choose_signal(struct ui *ui, struct job_action *d)
{
    struct dialog *menu = dialog_new(DIALOG_MENU, tr("signal"));
    menu->verb = xstrdup(tr("choose"));
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        char line[80];
        snprintf(line, sizeof line, "%2d %-5s %s", signals[i], sigabbrev_np(signals[i]),
                 sigdescr_np(signals[i]));
        strv_push(&menu->items, line);
    }
    ui_take_dialog(ui, menu, signal_chosen, d, job_action_free);
}

/* --- beginning --- */

/* The remaining targets; NULL: none, and a toast has said why. */
static struct job_action *job_dialogs_begin(struct ui *ui, enum action a, struct targets *take_t)
{
    size_t k = find_job_action(a);
    struct job_action *d = xcalloc(1, sizeof *d);
    *d = (struct job_action){.action = a, .act = job_actions[k].act, .targets = *take_t};
    *take_t = (struct targets){0};
    bool any = d->targets.n > 0;
    if (ui_read_only(ui, true)) {
        job_action_free(d);
        return NULL;
    }
    keep_own(d, ui);
    keep_possible(d, job_actions[k].states);
    targets_label(&d->targets, LIST_MAX, ui_model(ui));
    if (d->targets.n)
        return d;
    const char *why = !d->left_out       ? d->foreign == 1 ? tr("the job belongs to another user")
                                                           : tr("none of the jobs is yours")
                            : d->left_out == 1 ? tr(job_actions[k].none)
                                         : tr(job_actions[k].none_of_many);
    if (any)
        ui_toast(ui, ROLE_WARN, "%s: %s", tr(job_actions[k].verb), why);
    job_action_free(d);
    return NULL;
}

void act_on_jobs(struct ui *ui, enum action a, struct targets *take_t)
{
    if (a == ACTION_WATCH) {
        act_watch(ui, take_t);
        return;
    }
    struct job_action *d = job_dialogs_begin(ui, a, take_t);
    if (!d)
        return;
    if (a == ACTION_SIGNAL)
        choose_signal(ui, d);
    else if (a == ACTION_EDIT)
        job_action_choose_change(ui, d);
    else
        job_action_confirm(ui, d);
}

void act_signal(struct ui *ui, int number, struct targets *take_t)
{
    struct job_action *d = job_dialogs_begin(ui, ACTION_SIGNAL, take_t);
    if (!d)
        return;
    d->signal = number;
    job_action_confirm(ui, d);
}

void act_update(struct ui *ui, const struct strv *list, struct targets *take_t)
{
    struct job_action *d = job_dialogs_begin(ui, ACTION_EDIT, take_t);
    if (!d)
        return;
    d->changes = strv_copy(list);
    job_action_confirm(ui, d);
}

void act_watch(struct ui *ui, struct targets *take_t)
{
    bool all = take_t->n > 0;
    vec_for_each (take_t, i) {
        const struct job_target *to = &take_t->v[i].to;
        all = all && ui_is_watched(ui, to);
    }
    vec_for_each (take_t, i)
        ui_watch(ui, &take_t->v[i].to, !all);
    targets_label(take_t, 1, ui_model(ui));
    if (take_t->n == 1)
        ui_toast(ui, ROLE_NORMAL,
                 all ? tr("no longer watched: %s") : tr("watched, the bell rings on changes: %s"),
                 take_t->v[0].label);
    else
        ui_toast(ui, ROLE_NORMAL,
                 all ? tr("%zu no longer watched") : tr("%zu watched, the bell rings on changes"),
                 take_t->n);
    targets_fini(take_t);
}
