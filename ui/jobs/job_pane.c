/* job_pane.c - the pane beside a list of jobs. */
#include "ui/jobs/job_pane.h"

#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "ui/info/job_efficiency.h"
#include "ui/info/job_info.h"
#include "ui/info/job_life.h"
#include "ui/jobs/why_lines.h"
#include "ui/view/table_view.h"

#define REST_MS 150  /* the cursor rests for so long before anything is fetched */
#define WHY_MS  2000 /* at least between two questions why */

const char *const job_tab_names[JOB_TABS] = {
    [JOB_TAB_DETAILS] = N_("details"), [JOB_TAB_WHY] = N_("why"), [JOB_TAB_EVENTS] = N_("events"),
    [JOB_TAB_SCRIPT] = N_("script"),   [JOB_TAB_USE] = N_("use"), [JOB_TAB_OUTPUT] = N_("output")};

static void jobpane_forget(struct jobpane *p)
{
    rec_fini(&msg_why_rec, &p->why);
    p->why = (struct msg_why){.job = 0};
    jobscript_fini(&p->script);
    p->script = (struct jobscript){.there = false};
    p->has_why = p->asking = p->script_asked = p->stale = false;
    p->asked = (struct wall){0};
}

void jobpane_init(struct jobpane *p, struct view *owner)
{
    *p = (struct jobpane){.owner = owner};
    peek_init(&p->peek, owner);
}

void jobpane_fini(struct jobpane *p)
{
    jobpane_forget(p);
    peek_fini(&p->peek);
    pane_fini(&p->pane);
}

static bool has_rested(const struct jobpane *p)
{
    return p->job && ui_mono(p->owner->ui).ns >= p->rests.ns;
}

/* --- what is asked for --- */

/* Replies name the view, which has one of these: its address comes back with them. */
static struct jobpane *jobpane_of(uint64_t arg)
{
    return (struct jobpane *)(uintptr_t)arg;
}

static void jobpane_why_answered(struct ui *ui, struct view *owner, uint64_t arg, const struct incoming *in)
{
    (void)owner;
    struct jobpane *p = jobpane_of(arg);
    const struct msg_why *w = in && in->kind == MSG_WHY_CAUSES ? in->body : NULL;
    p->asking = false;
    if (!w || w->job != p->job)
        return;
    rec_fini(&msg_why_rec, &p->why);
    rec_copy(&msg_why_rec, &p->why, w);
    p->has_why = true;
    ui_changed(ui);
}

static void jobpane_script_answered(struct ui *ui, struct view *owner, uint64_t arg,
                                    const struct incoming *in)
{
    (void)owner;
    struct jobpane *p = jobpane_of(arg);
    if (p->asking)
        jobscript_take(&p->script, in);
    p->asking = false;
    ui_changed(ui);
}

static void jobpane_ask(struct jobpane *p, enum msg_kind kind, ui_reply_fn *reply)
{
    struct msg_job ask = {.target = {.job = p->job, .array_index = ARRAY_NONE, .step = STEP_ALL}};
    p->asking = ui_send(p->owner->ui, kind, &ask, p->owner, reply, (uint64_t)(uintptr_t)p);
}

static bool may_read_script(const struct jobpane *p, const struct job *j)
{
    return j->uid == ui_uid(p->owner->ui) || ui_is_admin(p->owner->ui);
}

/* Fetches what the tab shows, once the cursor rests. */
static void jobpane_fetch(struct jobpane *p, const struct job *j)
{
    struct ui *ui = p->owner->ui;
    bool shown = j && has_rested(p);
    peek_show(&p->peek, shown && p->tab == JOB_TAB_OUTPUT ? j : NULL, NULL);
    if (!shown || !ui_online(ui) || p->asking)
        return;
    if (p->tab == JOB_TAB_WHY && j->state == JOB_PENDING && (!p->has_why || p->stale) &&
        ui_now(ui).ms - p->asked.ms >= WHY_MS) {
        p->asked = ui_now(ui);
        p->stale = false;
        jobpane_ask(p, MSG_WHY, jobpane_why_answered);
    } else if (p->tab == JOB_TAB_SCRIPT && j->kind == JOB_KIND_BATCH && !p->script_asked &&
               may_read_script(p, j)) {
        p->script_asked = true;
        jobpane_ask(p, MSG_SCRIPT, jobpane_script_answered);
    }
}

/* --- lines --- */

static void why_tab(struct jobpane *p, const struct job *j, struct lines *l)
{
    struct ui *ui = p->owner->ui;
    if (j->state != JOB_PENDING && !job_state_is_final((enum job_state)j->state)) {
        joblife_headline(lines_add(l), ui, j);
        lines_add(l);
        jobinfo_place(l, ui, j);
        return;
    }
    if (j->state != JOB_PENDING) {
        job_cause(lines_add(l), j);
        lines_add(l);
        jobinfo_story(l, ui, j);
        return;
    }
    if (p->has_why)
        why_lines(l, &p->why, ui);
    else
        job_wait_words(lines_add(l), ui, j); /* what is known without asking */
}

static void script_tab(struct jobpane *p, const struct job *j, struct lines *l)
{
    if (j->kind == JOB_KIND_STEPS) {
        jobinfo_steps(l, p->owner->ui, j, SIZE_MAX);
        return;
    }
    if (!may_read_script(p, j)) {
        lines_addf(l, ROLE_DIM, tr("Only %s and administrators can read the script."),
                   j->user ? j->user : tr("the owner"));
        return;
    }
    jobscript_lines(&p->script, l);
    if (!l->n)
        lines_addf(l, ROLE_DIM, tr("The script is being fetched ..."));
}

static void tab_lines(struct jobpane *p, const struct job *j, struct lines *l)
{
    struct ui *ui = p->owner->ui;
    switch (p->tab) {
    case JOB_TAB_WHY: why_tab(p, j, l); return;
    case JOB_TAB_EVENTS: jobinfo_story(l, ui, j); return;
    case JOB_TAB_SCRIPT: script_tab(p, j, l); return;
    case JOB_TAB_USE: job_use_lines(l, j, ui_model(ui), ui_now(ui)); return;
    case JOB_TAB_DETAILS:
    case JOB_TAB_OUTPUT:
    case JOB_TABS: return;
    }
}

void jobpane_draw(struct jobpane *p, const struct job *j, enum job_tab tab, struct canvas *c,
                  const struct screen_layout *l)
{
    struct ui *ui = p->owner->ui;
    if (p->job != (j ? j->id : 0) || p->tab != tab) {
        jobpane_forget(p);
        p->job = j ? j->id : 0;
        p->tab = tab;
        p->rests = mono_add_ms(ui_mono(ui), REST_MS);
        if (tab == JOB_TAB_WHY || tab == JOB_TAB_SCRIPT || tab == JOB_TAB_OUTPUT)
            p->owner->due = p->rests;
    }
    jobpane_fetch(p, j);
    if (j && tab == JOB_TAB_OUTPUT) {
        struct rect r = side_inside(l);
        if (has_rested(p))
            peek_draw(&p->peek, c, r);
        return;
    }
    if (j && tab != JOB_TAB_DETAILS) {
        lines_clear(&p->pane.lines);
        tab_lines(p, j, &p->pane.lines);
    }
    side_draw(&p->pane, c, l);
}

void jobpane_sync(struct jobpane *p)
{
    p->stale = true;
}

void jobpane_timer(struct jobpane *p)
{
    ui_changed(p->owner->ui);
}

void jobpane_rest(struct jobpane *p)
{
    peek_show(&p->peek, NULL, NULL);
    jobpane_forget(p);
    p->job = 0;
}
