/* act.c - what is done to jobs and nodes: the question, the request, the answer. */
#include "ui/view/act.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/hostlist.h"
#include "src/base/vec.h"
#include "src/model/jobtext.h"
#include "ui/view/words.h"

#define LIST_MAX 12 /* lines of the list in a question */

/* --- what is meant --- */

static void target_fini(struct target *t)
{
    free(t->label);
}

void targets_fini(struct targets *t)
{
    vec_for_each (t, i)
        target_fini(&t->v[i]);
    vec_fini(t);
}

static void label_job(struct str *s, const struct job *j)
{
    str_append_char(s, ' ');
    str_append(s, j->req.name ? j->req.name : "");
    str_appendf(s, "  %s", j->user ? j->user : "");
}

static void count_job(struct target *t, const struct job *j)
{
    uint32_t n = j->state == JOB_PENDING ? job_pending_elements(j) : 1;
    t->counts[j->state] += n;
    t->held += j->state == JOB_PENDING && j->hold ? n : 0;
}

void targets_add_job(struct targets *t, const struct job *j)
{
    struct target it = {.to = {.job = j->id, .array_index = ARRAY_NONE, .step = STEP_ALL},
                        .role = job_role(j)};
    it.glyph = job_state_glyph((enum job_state)j->state);
    /* The last element of an array has the array's own id: it is named by its index, or all of the array
     * would be meant. */
    if (j->array_job && j->array_index != ARRAY_NONE)
        it.to = (struct job_target){.job = j->array_job, .array_index = j->array_index, .step = STEP_ALL};
    struct str s = STR_INIT;
    jobtext_id(&s, j, BITSTR_LEN_DEFAULT);
    label_job(&s, j);
    it.label = str_take(&s);
    count_job(&it, j);
    vec_push(t, it);
}

void targets_add_array(struct targets *t, const struct job *const *members, size_t n)
{
    const struct job *j = members[0];
    for (size_t i = 1; i < n; i++) /* it looks like what is liveliest in it */
        if (members[i]->state == JOB_RUNNING ||
            (members[i]->state == JOB_PENDING && j->state != JOB_RUNNING))
            j = members[i];
    struct target it = {.to = {.job = j->array_job, .array_index = ARRAY_NONE, .step = STEP_ALL},
                        .role = job_role(j)};
    it.glyph = job_state_glyph((enum job_state)j->state);
    struct str s = STR_INIT;
    str_appendf(&s, "%u_[%u-%u]", j->array_job, j->array_min, j->array_max);
    label_job(&s, j);
    it.label = str_take(&s);
    for (size_t i = 0; i < n; i++)
        count_job(&it, members[i]);
    vec_push(t, it);
}

/* --- what can be done --- */

struct deed {
    enum action action;
    enum act act;
    int32_t signal;
    struct targets targets;
    uint32_t counts[JOB_N_STATES];
    uint32_t n; /* jobs that it concerns */
};

static const struct {
    enum action action;
    enum act act;
    const char *verb, *done, *none, *left_out;
    unsigned states; /* that it can be done in, by bit */
} deeds[] = {
#define BIT(s) (1u << JOB_##s)
#define LIVE   (BIT(PENDING) | BIT(RUNNING) | BIT(SUSPENDED) | BIT(COMPLETING))
    {.action = ACTION_CANCEL,
     .act = ACT_CANCEL,
     .verb = "cancel",
     .done = "cancelled",
     .states = LIVE,
     .none = "it has ended already",
     .left_out = "have ended already"},
    {.action = ACTION_SIGNAL,
     .act = ACT_SIGNAL,
     .verb = "signal",
     .done = "signalled",
     .states = BIT(RUNNING) | BIT(SUSPENDED),
     .none = "only running jobs take signals",
     .left_out = "are not running"},
    {.action = ACTION_HOLD,
     .act = ACT_HOLD,
     .verb = "hold",
     .done = "held",
     .states = BIT(PENDING),
     .none = "only waiting jobs can be held",
     .left_out = "do not wait, or are held"},
    {.action = ACTION_RELEASE,
     .act = ACT_RELEASE,
     .verb = "release",
     .done = "released",
     .states = BIT(PENDING),
     .none = "it is not held",
     .left_out = "are not held"},
    {.action = ACTION_REQUEUE,
     .act = ACT_REQUEUE,
     .verb = "requeue",
     .done = "requeued",
     .states = ~BIT(PENDING),
     .none = "it waits already",
     .left_out = "wait already"},
#undef LIVE
#undef BIT
};

#define N_DEEDS (sizeof deeds / sizeof deeds[0])

static size_t find_deed(enum action a)
{
    for (size_t i = 0; i < N_DEEDS; i++)
        if (deeds[i].action == a)
            return i;
    bug_on(true);
    return 0;
}

static void deed_free(void *p)
{
    struct deed *d = p;
    targets_fini(&d->targets);
    free(d);
}

static uint32_t count_of(const struct deed *d, const struct target *t, unsigned states)
{
    uint32_t n = 0;
    for (int s = 0; s < JOB_N_STATES; s++)
        if (states & (1u << s))
            n += d->action == ACTION_RELEASE ? t->held
                 : d->action == ACTION_HOLD  ? t->counts[s] - t->held
                                             : t->counts[s];
    return n;
}

/* Leaves out what it cannot be done to. Returns how many jobs were left out. */
static uint32_t keep_possible(struct deed *d, unsigned states)
{
    uint32_t left_out = 0;
    for (size_t i = 0; i < d->targets.n;) {
        struct target *t = &d->targets.v[i];
        uint32_t all = 0, n = count_of(d, t, states);
        for (int s = 0; s < JOB_N_STATES; s++) {
            all += t->counts[s];
            if (n && states & (1u << s))
                d->counts[s] += t->counts[s];
        }
        left_out += all - n;
        d->n += n;
        if (n) {
            i++;
            continue;
        }
        target_fini(t);
        vec_remove(&d->targets, i);
    }
    return left_out;
}

/* --- the answer --- */

static void show_refusal(struct ui *ui, const char *verb, const struct msg_result *r)
{
    struct dialog *d = dialog_new(DIALOG_TEXT, "refused");
    d->danger = true;
    lines_addf(&d->body.lines, ROLE_NORMAL, "%s: %s", verb,
               !str_is_empty(r->text) ? r->text : refusal_slurm((enum refusal)r->refusal));
    if (r->count)
        lines_addf(&d->body.lines, ROLE_NORMAL, "It was done to %u.", r->count);
    ui_take_dialog(ui, d, NULL, NULL, NULL);
}

static void answered(struct ui *ui, struct view *owner, uint64_t arg, const struct incoming *in)
{
    (void)owner;
    if (!in) {
        ui_toast(ui, ROLE_ERROR, "%s: the connection was lost, look whether it was done", deeds[arg].verb);
        return;
    }
    const struct msg_result *r = in->body;
    if (in->kind != MSG_RESULT)
        ui_toast(ui, ROLE_ERROR, "%s: the controller gave a strange answer", deeds[arg].verb);
    else if (r->refusal)
        show_refusal(ui, deeds[arg].verb, r);
    else
        ui_toast(ui, ROLE_GOOD, "%s: %u", deeds[arg].done, r->count);
}

static void send_deed(struct ui *ui, const struct deed *d)
{
    struct msg_act act = {.act = d->act, .signal = d->signal};
    vec_for_each (&d->targets, i)
        *rec_list_push(&act.targets) = d->targets.v[i].to;
    ui_send(ui, MSG_ACT, &act, NULL, answered, find_deed(d->action));
    rec_fini(&msg_act_rec, &act);
}

/* --- the question --- */

static void confirmed(struct ui *ui, struct dialog *dlg, enum dialog_outcome outcome, void *arg)
{
    (void)dlg;
    if (outcome == DIALOG_YES)
        send_deed(ui, arg);
}

static void count_line(const struct deed *d, struct rich *r)
{
    const char *sep = "";
    for (int s = 0; s < JOB_N_STATES; s++)
        if (d->counts[s]) {
            rich_addf(r, ROLE_STRONG, "%s%u", sep, d->counts[s]);
            rich_addf(r, ROLE_NORMAL, " %s", job_state_word((enum job_state)s));
            sep = ", ";
        }
}

static void list_targets(const struct deed *d, struct lines *l)
{
    for (size_t i = 0; i < d->targets.n && i < LIST_MAX; i++) {
        struct rich *r = lines_add(l);
        rich_addf(r, d->targets.v[i].role, "%c", d->targets.v[i].glyph);
        rich_addf(r, ROLE_NORMAL, " %s", d->targets.v[i].label);
    }
    if (d->targets.n > LIST_MAX)
        lines_addf(l, ROLE_DIM, "and %zu more", d->targets.n - LIST_MAX);
}

static const char *what_happens(const struct deed *d)
{
    if (d->action == ACTION_CANCEL && (d->counts[JOB_RUNNING] || d->counts[JOB_SUSPENDED]))
        return "Running ones get TERM now and KILL after a grace time.";
    if (d->action == ACTION_REQUEUE)
        return "They end now and run again from the beginning.";
    return NULL;
}

static void confirm(struct ui *ui, struct deed *d, uint32_t left_out)
{
    struct str s = STR_INIT;
    str_appendf(&s, "%s ", deeds[find_deed(d->action)].verb);
    count_text(&s, d->n, "job", "jobs");
    if (d->action == ACTION_SIGNAL)
        str_appendf(&s, " with %s", sigabbrev_np(d->signal));
    struct dialog *dlg = dialog_new(DIALOG_CONFIRM, s.s);
    dlg->verb = str_take(&s);
    dlg->danger = d->action == ACTION_CANCEL || d->action == ACTION_SIGNAL || d->action == ACTION_REQUEUE;
    dlg->must_type = d->n > ACT_TYPE_ABOVE ? d->n : 0;
    count_line(d, lines_add(&dlg->body.lines));
    lines_add(&dlg->body.lines);
    list_targets(d, &dlg->body.lines);
    if (left_out || what_happens(d))
        lines_add(&dlg->body.lines);
    if (left_out)
        lines_addf(&dlg->body.lines, ROLE_DIM, "%u more %s and stay as they are.", left_out,
                   deeds[find_deed(d->action)].left_out);
    if (what_happens(d))
        lines_addf(&dlg->body.lines, ROLE_DIM, "%s", what_happens(d));
    ui_take_dialog(ui, dlg, confirmed, d, deed_free);
}

static const int32_t signals[] = {SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGHUP, SIGCONT, SIGSTOP, SIGKILL};

static void signal_chosen(struct ui *ui, struct dialog *dlg, enum dialog_outcome outcome, void *arg)
{
    if (outcome != DIALOG_YES)
        return;
    const struct deed *from = arg;
    struct deed *d = xmemdup(from, sizeof *d); /* the menu frees its own */
    d->signal = signals[dialog_choice(dlg)];
    d->targets = (struct targets){0};
    vec_for_each (&from->targets, i) {
        struct target t = from->targets.v[i];
        t.label = xstrdup(t.label);
        vec_push(&d->targets, t);
    }
    confirm(ui, d, 0);
}

static void choose_signal(struct ui *ui, struct deed *d)
{
    struct dialog *menu = dialog_new(DIALOG_MENU, "signal");
    menu->verb = xstrdup("choose");
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        char line[80];
        snprintf(line, sizeof line, "%2d %-5s %s", signals[i], sigabbrev_np(signals[i]),
                 sigdescr_np(signals[i]));
        strv_push(&menu->items, line);
    }
    ui_take_dialog(ui, menu, signal_chosen, d, deed_free);
}

void act_on_jobs(struct ui *ui, enum action a, struct targets *take_t)
{
    size_t k = find_deed(a);
    struct deed *d = xcalloc(1, sizeof *d);
    *d = (struct deed){.action = a, .act = deeds[k].act, .targets = *take_t};
    *take_t = (struct targets){0};
    if (ui_read_only(ui, true)) {
        deed_free(d);
        return;
    }
    bool any = d->targets.n > 0;
    uint32_t left_out = keep_possible(d, deeds[k].states);
    if (!d->targets.n) {
        if (any)
            ui_toast(ui, ROLE_WARN, "%s: %s", deeds[k].verb, deeds[k].none);
        deed_free(d);
    } else if (a == ACTION_SIGNAL) {
        choose_signal(ui, d);
    } else {
        confirm(ui, d, left_out);
    }
}

/* --- nodes --- */

static void drain_answered(struct ui *ui, struct view *owner, uint64_t drain, const struct incoming *in)
{
    (void)owner;
    const struct msg_result *r = in ? in->body : NULL;
    const char *verb = drain ? "drain" : "resume";
    if (!in)
        ui_toast(ui, ROLE_ERROR, "%s: the connection was lost, look whether it was done", verb);
    else if (in->kind == MSG_RESULT && r->refusal)
        show_refusal(ui, verb, r);
    else
        ui_toast(ui, ROLE_GOOD, drain ? "drained" : "resumed");
}

static void drain_free(void *p)
{
    rec_fini(&msg_drain_rec, p);
    free(p);
}

static void drain_confirmed(struct ui *ui, struct dialog *dlg, enum dialog_outcome outcome, void *arg)
{
    struct msg_drain *msg = arg;
    if (outcome != DIALOG_YES)
        return;
    if (msg->drain)
        msg->reason = xstrdup(dlg->edit.text.s);
    ui_send(ui, MSG_DRAIN, msg, NULL, drain_answered, msg->drain);
}

static void list_nodes(struct lines *l, const struct node *const *nodes, size_t n)
{
    for (size_t i = 0; i < n && i < LIST_MAX; i++) {
        struct rich *r = lines_add(l);
        rich_add(r, ROLE_STRONG, nodes[i]->spec.name);
        if (nodes[i]->n_jobs)
            rich_addf(r, ROLE_NORMAL, "  %u %s on it", nodes[i]->n_jobs,
                      nodes[i]->n_jobs == 1 ? "job" : "jobs");
        if (nodes[i]->drain)
            rich_addf(r, ROLE_WARN, "  %s",
                      nodes[i]->drain_reason ? nodes[i]->drain_reason : "no reason given");
        if (nodes[i]->drain && nodes[i]->drain_user)
            rich_addf(r, ROLE_DIM, " (%s)", nodes[i]->drain_user);
    }
    if (n > LIST_MAX)
        lines_addf(l, ROLE_DIM, "and %zu more", n - LIST_MAX);
}

void act_on_nodes(struct ui *ui, bool drain, const struct node *const *nodes, size_t n)
{
    if (!n || ui_read_only(ui, true))
        return;
    struct msg_drain *msg = xcalloc(1, sizeof *msg);
    msg->drain = drain;
    for (size_t i = 0; i < n; i++)
        strv_push(&msg->nodes, nodes[i]->spec.name);
    char *names = hostlist_compress(&msg->nodes);
    struct str title = STR_INIT;
    str_appendf(&title, "%s %s", drain ? "drain" : "resume", names);
    free(names);
    struct dialog *d = dialog_new(drain ? DIALOG_PROMPT : DIALOG_CONFIRM, title.s);
    str_fini(&title);
    d->verb = xstrdup(drain ? "drain" : "resume");
    d->danger = drain;
    list_nodes(&d->body.lines, nodes, n);
    lines_add(&d->body.lines);
    lines_addf(&d->body.lines, ROLE_DIM,
               drain ? "Running jobs go on to their end, no new ones start. Why?"
                     : "It takes jobs again at once. Is the reason above settled?");
    ui_take_dialog(ui, d, drain_confirmed, msg, drain_free);
}
