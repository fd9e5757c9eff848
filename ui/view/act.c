/* act.c - what is done to jobs: the question, the request, the answer. */
#include "ui/view/act.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/vec.h"
#include "src/model/jobtext.h"
#include "ui/view/words.h"

#define LIST_MAX 12 /* lines of the list in a question */

/* --- what can be done --- */

struct deed {
    enum action action;
    enum act act;
    int32_t signal;
    struct strv changes; /* EDIT */
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
     .left_out = "ended already"},
    {.action = ACTION_SIGNAL,
     .act = ACT_SIGNAL,
     .verb = "signal",
     .done = "signalled",
     .states = BIT(RUNNING) | BIT(SUSPENDED),
     .none = "only running jobs take signals",
     .left_out = "not running"},
    {.action = ACTION_HOLD,
     .act = ACT_HOLD,
     .verb = "hold",
     .done = "held",
     .states = BIT(PENDING),
     .none = "only waiting jobs can be held",
     .left_out = "not waiting, or held"},
    {.action = ACTION_RELEASE,
     .act = ACT_RELEASE,
     .verb = "release",
     .done = "released",
     .states = BIT(PENDING),
     .none = "it is not held",
     .left_out = "not held"},
    {.action = ACTION_REQUEUE,
     .act = ACT_REQUEUE,
     .verb = "requeue",
     .done = "requeued",
     .states = ~BIT(PENDING),
     .none = "it waits already",
     .left_out = "waiting already"},
    {.action = ACTION_EDIT,
     .act = ACT_HOLD, /* not sent: a change is a request of its own */
     .verb = "change",
     .done = "changed",
     .states = LIVE,
     .none = "it has ended already",
     .left_out = "ended already"},
#undef LIVE
#undef BIT
};

#define N_DEEDS (sizeof deeds / sizeof deeds[0])

bool act_is_deed(enum action a)
{
    for (size_t i = 0; i < N_DEEDS; i++)
        if (deeds[i].action == a)
            return true;
    return a == ACTION_WATCH;
}

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
    strv_fini(&d->changes);
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
        free(t->label);
        vec_remove(&d->targets, i);
    }
    return left_out;
}

/* --- the answer --- */

void act_show_refusal(struct ui *ui, const char *verb, const struct msg_result *r)
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
        act_show_refusal(ui, deeds[arg].verb, r);
    else
        ui_toast(ui, ROLE_GOOD, "%s: %u", deeds[arg].done, r->count);
}

/* One request for each: of several that are refused the last one is told. */
static void send_changes(struct ui *ui, const struct deed *d)
{
    vec_for_each (&d->targets, i) {
        struct msg_update msg = {.target = d->targets.v[i].to, .changes = strv_copy(&d->changes)};
        ui_send(ui, MSG_UPDATE, &msg, NULL, answered, find_deed(d->action));
        rec_fini(&msg_update_rec, &msg);
    }
}

static void send_deed(struct ui *ui, const struct deed *d)
{
    if (d->action == ACTION_EDIT) {
        send_changes(ui, d);
        return;
    }
    struct msg_act act = {.act = d->act, .signal = d->signal};
    vec_for_each (&d->targets, i)
        *rec_list_push(&act.targets) = d->targets.v[i].to;
    ui_send(ui, MSG_ACT, &act, NULL, answered, find_deed(d->action));
    rec_fini(&msg_act_rec, &act);
}

/* --- the question --- */

static bool ends_jobs(const struct deed *d)
{
    return d->action == ACTION_CANCEL || d->action == ACTION_SIGNAL || d->action == ACTION_REQUEUE;
}

static struct deed *deed_copy(const struct deed *from)
{
    struct deed *d = xmemdup(from, sizeof *d);
    d->changes = strv_copy(&from->changes);
    d->targets = (struct targets){0};
    vec_for_each (&from->targets, i) {
        struct target t = from->targets.v[i];
        t.label = xstrdup(t.label);
        vec_push(&d->targets, t);
    }
    return d;
}

static void send_later(struct ui *ui, void *arg)
{
    send_deed(ui, arg);
}

static void deed_words(const struct deed *d, struct str *s)
{
    str_appendf(s, "%s ", deeds[find_deed(d->action)].verb);
    count_text(s, d->n, "job", "jobs");
    if (d->action == ACTION_SIGNAL)
        str_appendf(s, " with %s", sigabbrev_np(d->signal));
}

static void confirmed(struct ui *ui, struct dialog *dlg, enum dialog_outcome outcome, void *arg)
{
    (void)dlg;
    const struct deed *d = arg;
    if (outcome != DIALOG_YES)
        return;
    if (!ends_jobs(d) || d->n <= ACT_UNDO_ABOVE) {
        send_deed(ui, d);
        return;
    }
    struct str s = STR_INIT;
    deed_words(d, &s);
    ui_later(ui, s.s, ACT_UNDO_MS, send_later, deed_copy(d), deed_free); /* the dialog frees its own */
    str_fini(&s);
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
    deed_words(d, &s);
    struct dialog *dlg = dialog_new(DIALOG_CONFIRM, s.s);
    dlg->verb = str_take(&s);
    dlg->danger = ends_jobs(d);
    dlg->must_type = d->n > ACT_TYPE_ABOVE ? d->n : 0;
    count_line(d, lines_add(&dlg->body.lines));
    lines_add(&dlg->body.lines);
    list_targets(d, &dlg->body.lines);
    for (size_t i = 0; i < d->changes.n; i++)
        lines_addf(&dlg->body.lines, ROLE_STRONG, "%s%s", i ? "" : "to ", d->changes.v[i]);
    if (left_out || what_happens(d))
        lines_add(&dlg->body.lines);
    if (left_out)
        lines_addf(&dlg->body.lines, ROLE_DIM,
                   left_out == 1 ? "%u more is left out: %s." : "%u more are left out: %s.", left_out,
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
    struct deed *d = deed_copy(arg); /* the menu frees its own */
    d->signal = signals[dialog_choice(dlg)];
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

/* --- changing what was asked for --- */

/* X(key of scontrol, what it is called here, how it is written) */
#define CHANGES(X)                                              \
    X("TimeLimit", "time limit", "2:00:00 or 1-12:00:00")        \
    X("MinMemoryNode", "memory of a node", "16G")                \
    X("Partition", "partition", "a name, or several with commas") \
    X("Priority", "priority (administrators)", "a number") \
    X("Dependency", "depends on", "afterok:12, afterany:12:13; nothing takes it away") \
    X("Nice", "nice", "a number; more is later")                 \
    X("JobName", "name", "any text")                             \
    X("StartTime", "not before", "now+1hour, 18:00, 2026-12-24") \
    X("QOS", "quality of service", "a name")                     \
    X("Account", "account", "a name")                            \
    X("ArrayTaskThrottle", "elements at once", "a number, 0: all") \
    X("LostNode", "when its node is lost", "hold, requeue, cancel, lease; nothing: what the cluster does")

static const struct {
    const char *key, *title, *form;
} changes[] = {
#define X(key_, title_, form_) {.key = key_, .title = title_, .form = form_},
    CHANGES(X)
#undef X
};

struct changing {
    struct deed *deed;
    size_t change;
};

static void changing_free(void *p)
{
    struct changing *c = p;
    deed_free(c->deed);
    free(c);
}

static void value_typed(struct ui *ui, struct dialog *dlg, enum dialog_outcome outcome, void *arg)
{
    struct changing *c = arg;
    if (outcome != DIALOG_YES)
        return;
    struct deed *d = deed_copy(c->deed);
    strv_push_take(&d->changes, xasprintf("%s=%s", changes[c->change].key, dlg->edit.text.s));
    if (d->n > 1) {
        confirm(ui, d, 0);
        return;
    }
    send_deed(ui, d);
    deed_free(d);
}

static void append(struct str *out, const char *text)
{
    str_append(out, text ? text : "");
}

/* What the one job has now, to be edited. */
static void value_now(const struct ui *ui, const struct deed *d, size_t change, struct str *out)
{
    const struct job *j = d->targets.n == 1 ? model_get_job(ui_model(ui), d->targets.v[0].to.job) : NULL;
    const char *key = changes[change].key;
    char iso[WALL_TEXT_SIZE];
    if (!j)
        return;
    if (str_eq(key, "TimeLimit"))
        jobtext_limit(out, j, ui_model(ui));
    else if (str_eq(key, "MinMemoryNode") && j->req.mem_node_mib != MEM_NOT_GIVEN)
        jobtext_mem(out, j->req.mem_node_mib, false);
    else if (str_eq(key, "Priority"))
        str_appendf(out, "%u", j->priority);
    else if (str_eq(key, "Nice"))
        str_appendf(out, "%d", j->req.nice);
    else if (str_eq(key, "ArrayTaskThrottle"))
        str_appendf(out, "%u", j->req.array_throttle);
    else if (str_eq(key, "StartTime") && wall_is_set(j->req.begin))
        str_append(out, wall_format_iso(j->req.begin, iso));
    else if (str_eq(key, "LostNode"))
        append(out, req_rare(&j->req)->lost_node < LOST_N
                        ? lost_node_text((enum lost_node)req_rare(&j->req)->lost_node)
                        : NULL);
    else
        append(out, str_eq(key, "Partition")    ? j->req.partition ? j->req.partition : j->partition
                    : str_eq(key, "Dependency") ? j->req.dependency
                    : str_eq(key, "JobName")    ? j->req.name
                    : str_eq(key, "QOS")        ? j->req.qos
                    : str_eq(key, "Account")    ? j->req.account
                                                : NULL);
}

static void change_chosen(struct ui *ui, struct dialog *dlg, enum dialog_outcome outcome, void *arg)
{
    if (outcome != DIALOG_YES)
        return;
    struct changing *c = xcalloc(1, sizeof *c);
    *c = (struct changing){.deed = deed_copy(arg), .change = dialog_choice(dlg)};
    struct str value = STR_INIT;
    struct dialog *d = dialog_new(DIALOG_PROMPT, changes[c->change].title);
    list_targets(c->deed, &d->body.lines);
    lines_add(&d->body.lines);
    lines_addf(&d->body.lines, ROLE_DIM, "%s", changes[c->change].form);
    value_now(ui, c->deed, c->change, &value);
    edit_set(&d->edit, value.s);
    str_fini(&value);
    d->verb = xstrdup("change");
    d->may_be_empty =
        str_eq(changes[c->change].key, "Dependency") || str_eq(changes[c->change].key, "LostNode");
    ui_take_dialog(ui, d, value_typed, c, changing_free);
}

static void choose_change(struct ui *ui, struct deed *d)
{
    struct str s = STR_INIT;
    deed_words(d, &s);
    struct dialog *menu = dialog_new(DIALOG_MENU, s.s);
    str_clear(&s);
    menu->verb = xstrdup("change");
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        str_appendf(&s, "%-26s", changes[i].title);
        value_now(ui, d, i, &s);
        strv_push(&menu->items, s.s);
        str_clear(&s);
    }
    str_fini(&s);
    ui_take_dialog(ui, menu, change_chosen, d, deed_free);
}

/* --- beginning --- */

/* What is left of the targets, or NULL where there is nothing to be done: then it has been said why. */
static struct deed *begin(struct ui *ui, enum action a, struct targets *take_t, uint32_t *left_out)
{
    size_t k = find_deed(a);
    struct deed *d = xcalloc(1, sizeof *d);
    *d = (struct deed){.action = a, .act = deeds[k].act, .targets = *take_t};
    *take_t = (struct targets){0};
    bool any = d->targets.n > 0;
    if (ui_read_only(ui, true)) {
        deed_free(d);
        return NULL;
    }
    *left_out = keep_possible(d, deeds[k].states);
    if (d->targets.n)
        return d;
    if (any)
        ui_toast(ui, ROLE_WARN, "%s: %s", deeds[k].verb, deeds[k].none);
    deed_free(d);
    return NULL;
}

void act_on_jobs(struct ui *ui, enum action a, struct targets *take_t)
{
    uint32_t left_out = 0;
    if (a == ACTION_WATCH) {
        act_watch(ui, take_t);
        return;
    }
    struct deed *d = begin(ui, a, take_t, &left_out);
    if (!d)
        return;
    if (a == ACTION_SIGNAL)
        choose_signal(ui, d);
    else if (a == ACTION_EDIT)
        choose_change(ui, d);
    else
        confirm(ui, d, left_out);
}

void act_signal(struct ui *ui, int number, struct targets *take_t)
{
    uint32_t left_out = 0;
    struct deed *d = begin(ui, ACTION_SIGNAL, take_t, &left_out);
    if (!d)
        return;
    d->signal = number;
    confirm(ui, d, left_out);
}

void act_update(struct ui *ui, const struct strv *list, struct targets *take_t)
{
    uint32_t left_out = 0;
    struct deed *d = begin(ui, ACTION_EDIT, take_t, &left_out);
    if (!d)
        return;
    d->changes = strv_copy(list);
    confirm(ui, d, left_out);
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
    if (take_t->n == 1)
        ui_toast(ui, ROLE_NORMAL,
                 all ? "no longer watched: %s" : "watched, the bell rings when it changes: %s",
                 take_t->v[0].label);
    else
        ui_toast(ui, ROLE_NORMAL, all ? "%zu no longer watched" : "%zu watched, the bell rings on changes",
                 take_t->n);
    targets_fini(take_t);
}
