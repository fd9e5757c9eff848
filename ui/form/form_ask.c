/* form_ask.c - checks of a form while the user types: a draft is made in a thread that may block on files,
 * then checked against the cluster, and the controller is asked when the job would start. */
#include "ui/form/form_ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/model/jobeffective.h"
#include "src/text/cause_text.h"
#include "src/values/time_parse.h"
#include "src/values/units.h"
#include "ui/dialogs/job_dialogs.h"
#include "ui/form/form_edit.h"
#include "ui/form/form_line.h"
#include "ui/form/form_rows.h"
#include "ui/form/form_strip.h"
#include "ui/frame/action_log.h"
#include "ui/frame/reversal.h"
#include "ui/text/view_text.h"

#define ASK_MS      350  /* the user pauses this long before the controller is asked */
#define CHEAPER_MIN 3600 /* seconds: shorter limits are not worth shortening */

static void form_ask_set_text(char **at, char *take_text)
{
    free(*at);
    *at = take_text;
}

void form_ask_soon(struct form_page *s)
{
    if (s->f.edit) /* a job that is in the queue is not tried */
        return;
    s->v.due = mono_add_ms(ui_mono(s->v.ui), ASK_MS);
}

/* --- hints --- */

static void go_to_error(struct form_page *s)
{
    vec_for_each (&s->hints, i) {
        const struct form_hint *h = &s->hints.v[i];
        if (h->kind == HINT_ERROR && h->field) {
            form_page_go_to(
                s, form_rows_find_field(s, h->field, h->field->of_step && h->step >= 0 ? h->step : -1));
            return;
        }
    }
}

/* To the field that the controller has refused. */
static void go_to_told(struct form_page *s)
{
    if (s->told.field && s->told.kind == HINT_ERROR)
        form_page_go_to(s, form_rows_find_field(s, s->told.field, -1));
}

/* --- what the controller says --- */

/* Something about a field that the controller has said. */
static void take_told(struct form_page *s, const char *key, enum hint_kind kind, char *take_text)
{
    form_page_forget_told(s);
    s->told = (struct form_hint){
        .field = form_find_field(&s->f, key), .step = -1, .kind = kind, .text = take_text};
}

static void cheaper_answered(struct ui *ui, struct view *owner, uint64_t arg, const struct incoming *in)
{
    (void)arg;
    struct form_page *s = form_page_of(owner);
    const struct msg_result *r = in && in->kind == MSG_RESULT ? in->body : NULL;
    char b[UNITS_TEXT_SIZE];
    if (r && !r->refusal && r->count) {
        duration_format(s->cheaper_s, b);
        take_told(s, "time", HINT_GOOD, xasprintf(tr("with --time=%s it could start now"), b));
        s->told.fix = xstrdup(b);
    }
    ui_changed(ui);
}

/* The field that a refusal is about; NULL: none, or it cannot be said. */
static const char *refused_key(const struct form *f, uint32_t refusal)
{
    if (f->edit && formedit_n_changed(f->edit) == 1) /* it is about that change */
        for (size_t i = 0; i < f->n_fields; i++)
            if (formedit_is_changed(f->edit, &f->fields[i]))
                return f->fields[i].key;
    bool steps = f->kind == JOB_KIND_STEPS;
    switch ((enum refusal)refusal) {
    case REFUSAL_NO_PARTITION:
    case REFUSAL_PART_DOWN: return "partition";
    case REFUSAL_NO_ACCOUNT: return "account";
    case REFUSAL_NO_QOS: return "qos";
    case REFUSAL_TIME_LIMIT: return "time";
    case REFUSAL_NODE_COUNT: return steps ? NULL : "nodes";
    case REFUSAL_DEPENDENCY: return "dependency";
    case REFUSAL_ARRAY: return steps ? NULL : "array";
    case REFUSAL_GRES: return "gpus";
    case REFUSAL_MEMORY: return "mem";
    case REFUSAL_RESERVATION: return steps ? NULL : "reservation";
    case REFUSAL_LICENSES: return steps ? NULL : "licenses";
    case REFUSAL_FEATURE: return steps ? "features" : "constraint";
    case REFUSAL_NO_NODE: return "nodelist";
    case REFUSAL_NONE:
    case REFUSAL_BAD_REQUEST:
    case REFUSAL_NO_JOB:
    case REFUSAL_NEVER_FITS:
    case REFUSAL_NOT_ALLOWED:
    case REFUSAL_POLICY:
    case REFUSAL_RATE:
    case REFUSAL_ENDED:
    case REFUSAL_NOT_RUNNING:
    case REFUSAL_NOT_PENDING:
    case REFUSAL_STEP_TOO_BIG:
    case REFUSAL_STEP_BUSY:
    case REFUSAL_READ_ONLY:
    case REFUSAL_TOO_BIG:
    case REFUSAL_NOT_SUPPORTED:
    case REFUSAL_NO_STEP:
    case REFUSAL_SHUTTING_DOWN:
    case REFUSAL_NO_WINDOW:
    case REFUSAL_PENDING:
    case REFUSAL_NO_USER:
    case REFUSAL_N: break;
    }
    return NULL;
}

/* A refusal stands below the field that it is about; that field is shown from now on. */
static void take_refusal(struct form_page *s, const struct msg_result *r)
{
    const char *key = refused_key(&s->f, r->refusal);
    form_page_forget_told(s);
    if (!key || !form_find_field(&s->f, key))
        return;
    take_told(s, key, HINT_ERROR, form_one_line(act_refusal(r)));
}

/* One more request: would the job start now with a shorter limit? */
static void ask_cheaper(struct form_page *s)
{
    struct msg_submit *m = &s->draft->m;
    uint32_t limit = m->req.time_limit_s, asked = limit;
    const struct model *model = ui_model(s->v.ui);
    const struct part_spec *p =
        m->req.partition ? model_get_part(model, m->req.partition) : model_default_part(model);
    if (limit == DURATION_NOT_SET && p)
        limit = p->default_time_s != DURATION_NOT_SET ? p->default_time_s : p->max_time_s;
    if (limit == DURATION_UNLIMITED || limit == DURATION_NOT_SET || limit < CHEAPER_MIN)
        return;
    s->cheaper_s = limit / 4 / 60 * 60;
    m->req.time_limit_s = s->cheaper_s;
    m->test_only = true;
    ui_send(s->v.ui, MSG_SUBMIT, m, &s->v, cheaper_answered, 0);
    m->req.time_limit_s = asked;
}

static char *forecast_of_cause(const struct cause *c, bool starts_now, struct wall now)
{
    const char *part = c->part ? c->part : "?";
    struct str s = STR_INIT, when = STR_INIT;
    struct cause_reader reader = {.clock = when_about, .now = now};
    when_about(&when, c->at, now);
    if (c->nodes)
        str_appendf(&s, tr("on %s (%s)"), c->nodes, part);
    else if (wall_is_set(c->at))
        str_appendf(&s, tr("until %s at the latest, in partition %s"), when.s, part);
    for (size_t i = 0; !starts_now && i < c->parts.n; i++) {
        str_append(&s, s.len ? "; " : "");
        cause_full(&s, &c->parts.v[i], &reader);
    }
    str_fini(&when);
    return str_take(&s);
}

/* An older controller answers in the words of --test-only alone, which scripts read:
 *
 *     to start at 2026-11-21T16:40:00 using 4 processors on nodes n01 in partition main
 *     to start at 2026-11-21T16:40:00 at the latest, in partition main, by the time limits of ...; AND WHY
 *
 * Here "on nodes n01 in partition main", and "until 16:40 at the latest, in partition main; AND WHY". */
static char *forecast_words(const struct msg_result *r, struct wall now)
{
    static const char begins[] = "to start at ", latest[] = " at the latest",
                      basis[] = ", by the time limits";
    const char *text = str_is_empty(r->text) ? tr("the job can run") : r->text,
               *nodes = strstr(text, "on nodes ");
    char iso[WALL_TEXT_SIZE];
    struct wall start;
    size_t len = str_starts(text, begins) ? strcspn(text + strlen(begins), " ") : 0;
    if (r->refusal)
        return xstrdup(text);
    if (r->cause.code == CAUSE_WOULD_START)
        return forecast_of_cause(&r->cause, r->count, now);
    if (r->count)
        return xstrdup(nodes ? nodes : text);
    if (!len || len >= sizeof iso)
        return xstrdup(text);
    snprintf(iso, sizeof iso, "%.*s", (int)len, text + strlen(begins));
    const char *rest = text + strlen(begins) + len;
    if (!str_starts(rest, latest) || wall_parse(iso, now, &start, NULL) < 0)
        return xstrdup(text);
    struct str s = STR_INIT, when = STR_INIT;
    rest += strlen(latest);
    const char *cut = strstr(rest, basis), *why = strchr(rest, ';');
    when_about(&when, start, now);
    str_appendf(&s, tr("until %s at the latest"), when.s);
    str_fini(&when);
    str_append_n(&s, rest, cut ? (size_t)(cut - rest) : strlen(rest));
    if (cut && why)
        str_append(&s, why);
    return str_take(&s);
}

static void test_answered(struct ui *ui, struct view *owner, uint64_t by_hand, const struct incoming *in)
{
    struct form_page *s = form_page_of(owner);
    const struct msg_result *r = in && in->kind == MSG_RESULT ? in->body : NULL;
    s->asking = false;
    s->unasked = !r;
    form_page_forget_told(s);
    s->refused = r && r->refusal;
    s->now = r && !r->refusal && r->count;
    form_ask_set_text(&s->forecast, r ? forecast_words(r, ui_now(ui)) : NULL);
    if (s->refused)
        take_refusal(s, r);
    if (s->draft && s->draft->rc >= 0)
        formstrip_take_trial(s->strip, owner, &s->draft->m, r);
    if (by_hand && s->forecast)
        ui_toast(ui, s->refused ? ROLE_ERROR : ROLE_GOOD, "%s%s",
                 s->refused ? tr("would be refused: ") : form_page_forecast_begins(s), s->forecast);
    ui_changed(ui);
    if (s->again)
        form_ask_draft(s, DRAFT_ASK);
    else if (r && !s->refused && !s->now && !ui_engine(ui) && s->draft && s->draft->rc >= 0)
        ask_cheaper(s); /* another engine is not asked twice for what was typed once */
}

static void form_ask_ask_controller(struct form_page *s, bool by_hand)
{
    if (s->draft->rc < 0) {
        form_ask_set_text(&s->forecast, NULL);
        if (by_hand)
            ui_toast(s->v.ui, ROLE_ERROR, "%s", s->draft->err.s);
        return;
    }
    s->draft->m.test_only = true;
    s->unasked = !by_hand && !ui_online(s->v.ui); /* no toast at each word */
    s->asking = !s->unasked && ui_send(s->v.ui, MSG_SUBMIT, &s->draft->m, &s->v, test_answered, by_hand);
    if (!s->asking)
        form_ask_set_text(&s->forecast, NULL);
}

void form_ask_catch_up(struct form_page *s)
{
    if (s->unasked && ui_online(s->v.ui) && !s->v.due.ns)
        form_ask_soon(s);
}

/* One request at a time: what the user types meanwhile is asked about after the reply. */
void form_ask_timer(struct view *v)
{
    struct form_page *s = form_page_of(v);
    s->again = s->asking;
    if (!s->asking)
        form_ask_draft(s, DRAFT_ASK);
}

static void form_ask_sent(struct ui *ui, struct view *owner, uint64_t arg, const struct incoming *in)
{
    (void)arg;
    struct form_page *s = form_page_of(owner);
    const struct msg_result *r = in && in->kind == MSG_RESULT ? in->body : NULL;
    if (!r) {
        ui_toast(ui, ROLE_ERROR,
                 tr("the connection was lost; submit again: the job will not be queued twice"));
        return;
    }
    rec_fini(&msg_submit_rec, &s->sent);
    s->sent = (struct msg_submit){.kind = 0};
    if (r->refusal) {
        s->refused = true;
        s->now = false;
        form_ask_set_text(&s->forecast, form_one_line(act_refusal(r)));
        take_refusal(s, r);
        go_to_told(s);
        ui_toast(ui, ROLE_ERROR, tr("refused: %s"), s->forecast);
        ui_changed(ui);
        return;
    }
    ui_close(ui, &s->v);
    if (r->warnings.n)
        ui_toast(ui, ROLE_WARN, tr("job %u is queued; %s"), r->job, r->warnings.v[0]);
    else
        ui_toast(ui, ROLE_GOOD, tr("job %u is queued"), r->job);
    ui_point_at(ui, r->job);
}

/* A message that equals one without a reply gets the number of that one. */
static void keep_number(struct form_page *s)
{
    struct msg_submit *m = &s->draft->m, *before = &s->sent;
    char *own = m->request_id;
    m->request_id = before->request_id;
    bool same = before->request_id && rec_eq(&msg_submit_rec, m, before);
    m->request_id = same ? xstrdup(before->request_id) : own;
    if (same)
        free(own);
    rec_fini(&msg_submit_rec, before);
    rec_copy(&msg_submit_rec, before, m);
}

static void priority_answered(struct ui *ui, struct view *owner, uint64_t arg, const struct incoming *in)
{
    (void)arg;
    const struct msg_prio_rows *m = in && in->kind == MSG_PRIO_ROWS ? in->body : NULL;
    if (m && m->rows.n == 1)
        form_page_of(owner)->f.edit->priority = m->rows.v[0].parts.total;
    ui_changed(ui);
}

void form_ask_priority(struct form_page *s)
{
    const struct form_edit *e = s->f.edit;
    struct msg_prio m = {0};
    if (!e->waits || !e->admin || req_detail(&e->req)->has_priority)
        return;
    *rec_list_push(&m.jobs) =
        (struct job_target){.job = e->target.job, .array_index = e->target.array_index, .step = STEP_ALL};
    ui_send(s->v.ui, MSG_PRIO, &m, &s->v, priority_answered, 0);
    rec_fini(&msg_prio_rec, &m);
}

static void edit_answered(struct ui *ui, struct view *owner, uint64_t arg, const struct incoming *in)
{
    (void)arg;
    struct form_page *s = form_page_of(owner);
    const struct msg_result *r = in && in->kind == MSG_RESULT ? in->body : NULL;
    s->asking = false;
    s->refused = r && r->refusal;
    if (!r) {
        ui_toast(ui, ROLE_ERROR, tr("the connection was lost: check whether the change was made"));
    } else if (s->refused) {
        form_ask_set_text(&s->forecast, form_one_line(act_refusal(r)));
        take_refusal(s, r);
        go_to_told(s);
        ui_toast(ui, ROLE_ERROR, tr("refused: %s"), s->forecast);
    } else {
        char *done = xasprintf(tr("changed: %s"), s->f.edit->label);
        reversal_offer(ui, done);
        free(done);
        ui_close(ui, owner);
        return;
    }
    ui_changed(ui);
}

static void prepare_edit_back(struct form_page *s)
{
    struct msg_update m = {.target = s->f.edit->target};
    reversal_begin(s->v.ui);
    if (formedit_changes_back(s->f.edit, ui_now(s->v.ui), &m.changes))
        reversal_add(s->v.ui, MSG_UPDATE, &m);
    rec_fini(&msg_update_rec, &m);
}

/* All changes are one request: all of them are made, or none. */
static void send_changes(struct form_page *s)
{
    struct msg_update m = {.target = s->f.edit->target};
    if (form_page_error(s)) {
        go_to_error(s);
        return;
    }
    formedit_changes(s->f.edit, &m.changes);
    if (!m.changes.n)
        ui_toast(s->v.ui, ROLE_NORMAL, tr("nothing is changed yet"));
    else
        s->asking = ui_send(s->v.ui, MSG_UPDATE, &m, &s->v, edit_answered, 0);
    if (s->asking)
        prepare_edit_back(s);
    rec_fini(&msg_update_rec, &m);
}

static void send_it(struct form_page *s)
{
    if (ui_read_only(s->v.ui, true))
        return;
    if (s->f.edit) {
        send_changes(s);
        return;
    }
    if (s->draft->rc < 0) {
        go_to_error(s);
        ui_toast(s->v.ui, ROLE_ERROR, "%s", s->draft->err.s);
        return;
    }
    s->draft->m.test_only = false;
    keep_number(s);
    if (s->draft->f.kind == JOB_KIND_STEPS)
        ui_log_next(s->v.ui, form_steps_line(&s->draft->f, &s->draft->m));
    ui_send(s->v.ui, MSG_SUBMIT, &s->draft->m, &s->v, form_ask_sent, 0);
}

/* --- drafts --- */

struct making {
    struct form_draft *d;
};

static void making_free(void *arg)
{
    struct making *w = arg;
    form_draft_free(w->d);
    free(w);
}

static void form_ask_make(void *arg)
{
    form_draft_build(((struct making *)arg)->d);
}

/* The typed limit, with which the job in the queue keeps its planned start; 0: another change causes the
 * job to be planned again. */
static uint32_t form_ask_planned_limit(const struct form_page *s, const struct job *j)
{
    const struct form_edit *e = s->f.edit;
    uint32_t limit = s->draft->m.req.time_limit_s;
    for (size_t i = 0; i < s->f.n_fields; i++) {
        int id = s->f.fields[i].id;
        bool same_place = id == (int)ATTR_TIME || id == (int)ATTR_JOB_NAME || id == (int)ATTR_COMMENT;
        if (!same_place && formedit_is_changed(e, &s->f.fields[i]))
            return 0;
    }
    if (limit == DURATION_NOT_SET)
        limit = job_limit_s(j, ui_model(s->v.ui));
    return limit >= DURATION_NOT_SET ? 0 : limit;
}

/* For a waiting job: its bar in the plan, as long as the limit that is typed. */
static void form_ask_show_change(struct form_page *s)
{
    const struct form_edit *e = s->f.edit;
    const struct job *j = model_get_job(ui_model(s->v.ui), e->target.job);
    bool planned = j && e->waits && j->state == JOB_PENDING && e->target.array_index == ARRAY_NONE;
    struct strv changes = {0};
    if (!planned || s->draft->rc < 0)
        return;
    formedit_changes(e, &changes);
    formstrip_take_change(s->strip, &s->v, j->id, form_ask_planned_limit(s, j), &changes);
    strv_fini(&changes);
}

static void form_ask_start(struct form_page *s);

static void made(struct ui *ui, struct view *owner, void *arg)
{
    struct making *w = arg;
    struct form_page *s = form_page_of(owner);
    unsigned what = s->making;
    form_draft_free(s->draft);
    s->draft = w->d;
    w->d = NULL;
    s->making = 0;
    form_check(s->draft, ui, &s->hints);
    if (s->f.edit)
        form_ask_show_change(s);
    if (what & (DRAFT_ASK | DRAFT_BY_HAND) && !s->asking)
        form_ask_ask_controller(s, what & DRAFT_BY_HAND);
    if (what & DRAFT_SEND)
        send_it(s);
    if (s->wanted)
        form_ask_start(s);
    ui_changed(ui);
}

static void form_ask_start(struct form_page *s)
{
    struct making *w = xcalloc(1, sizeof *w);
    w->d = form_draft_new(&s->f, ui_now(s->v.ui));
    s->making = s->wanted;
    s->wanted = 0;
    ui_aside(s->v.ui, &s->v, form_ask_make, made, w, making_free);
}

void form_ask_draft(struct form_page *s, unsigned what)
{
    s->wanted |= what;
    if (!s->making)
        form_ask_start(s);
    else if (what & (DRAFT_SEND | DRAFT_BY_HAND))
        ui_toast(s->v.ui, ROLE_NORMAL, tr("checking files first ..."));
}
