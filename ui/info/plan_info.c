/* plan_info.c - the details of the timeline's cursor. */
#include "ui/info/plan_info.h"

#include "src/lang/lang.h"
#include "src/text/jobtext.h"
#include "src/text/state_text.h"
#include "src/values/units.h"
#include "ui/info/node_info.h"
#include "ui/text/view_text.h"

void planinfo_id(struct str *out, const struct ui *ui, const struct plan_row *r)
{
    const struct job *j = r->array_job && r->count <= 1 ? ui_job(ui, r->job) : NULL;
    if (j && j->state != JOB_PENDING) /* a pending record may stand for all that have not started */
        jobtext_id(out, j, 0);
    else
        str_appendf(out, "%u", r->array_job ? r->array_job : r->job);
}

bool planinfo_is_own(const struct ui *ui, const struct plan_row *r)
{
    const struct job *j = r->job ? ui_job(ui, r->job) : NULL;
    return j && j->uid == ui_uid(ui);
}

static void row_words(const struct ui *ui, const struct plan_row *r, struct rich *out)
{
    struct wall now = ui_now(ui);
    if (r->job) {
        planinfo_id(&out->text, ui, r);
        str_append_char(&out->text, ' ');
        rich_role(out, ROLE_STRONG);
    }
    rich_addf(out, ROLE_NORMAL, "%s", r->name ? r->name : "");
    if (r->user)
        rich_addf(out, ROLE_DIM, trc("a job and its user", " of %s"), r->user);
    if (r->count > 1)
        rich_addf(out, ROLE_DIM, r->kind == PLAN_RUNNING ? tr(", %u running") : tr(", %u waiting"),
                  r->count);
    if (!wall_is_set(r->start)) {
        rich_add(out, ROLE_NORMAL,
                 r->kind == PLAN_BEYOND ? tr(": after the end of the plan") : tr(": no forecast"));
        return;
    }
    rich_add(out, ROLE_NORMAL,
             r->kind == PLAN_RUNNING  ? tr(": running since ")
             : r->kind == PLAN_WINDOW ? tr(": from ")
                                      : tr(": starts about "));
    when_about(&out->text, r->start, now);
    if (wall_is_set(r->end)) {
        str_append(&out->text, r->kind == PLAN_RUNNING ? tr(", ends by ") : tr(", to "));
        when_about(&out->text, r->end, now);
    }
    if (r->busy_until.ms > r->end.ms) {
        str_append(&out->text, tr(", further elements to "));
        when_about(&out->text, r->busy_until, now);
    }
    rich_role(out, ROLE_NORMAL);
}

static const char *const kind_words[] = {
#define X(name, text, what) [PLAN_##name] = what,
    PLAN_KINDS(X)
#undef X
};

/* The second line of a row: what its bar means, why the job waits, how sure its start is. */
static void row_more(const struct ui *ui, const struct plan_row *r, struct rich *out)
{
    char b[UNITS_TEXT_SIZE];
    if (r->kind == PLAN_RUNNING && wall_is_set(r->end))
        rich_addf(out, ROLE_DIM, tr("%s of the time limit left"),
                  duration_format_words(wall_elapsed_s(ui_now(ui), r->end), b));
    else
        rich_addf(out, ROLE_DIM, "%s", r->kind < PLAN_N_KINDS ? kind_words[r->kind] : "");
    if (r->kind != PLAN_RUNNING && r->kind != PLAN_WINDOW && r->reason < REASON_N &&
        r->reason != REASON_NONE)
        rich_addf(out, ROLE_WAITING, tr("; waits: %s"), reason_text((enum reason)r->reason));
    if (wall_is_set(r->engine_start) && ui_engine(ui)) {
        struct str at = STR_INIT;
        when_about(&at, r->engine_start, ui_now(ui));
        rich_addf(out, ROLE_DIM, tr("; by Stoker's forecast, %1$s itself expects %2$s"), ui_engine(ui),
                  at.s);
        str_fini(&at);
    }
    if (!wall_is_set(r->likely))
        return;
    rich_add(out, ROLE_DIM, tr("; likely between "));
    when_about(&out->text, r->likely, ui_now(ui));
    str_append(&out->text, tr(" and "));
    when_about(&out->text, r->unlikely, ui_now(ui));
    rich_role(out, ROLE_DIM);
}

static void gap_words(const struct ui *ui, const struct planlanes *p, const struct lane *lane,
                      const struct bar_item *next, struct wall at, struct rich *a, struct rich *b)
{
    const struct node *n = lane->node ? model_get_node(ui_model(ui), lane->node) : NULL;
    bool shares = lane_shares_node(p, lane);
    if (n && at.ms >= ui_now(ui).ms && node_is_out(n)) {
        rich_add(a, ROLE_WARN, tr("offline: "));
        nodeinfo_note(a, ui, n);
    } else if (next) {
        rich_add(a, ROLE_GOOD, shares ? tr("no further start until ") : tr("free until "));
        when_about(&a->text, next->start, ui_now(ui));
        rich_role(a, ROLE_GOOD);
        rich_add(b, ROLE_DIM, tr("then "));
        row_words(ui, next->row, b);
    } else {
        rich_add(a, ROLE_GOOD, shares ? tr("nothing further is planned") : tr("free, nothing is planned"));
    }
}

void planinfo_brief(struct lines *l, const struct ui *ui, const struct planlanes *p,
                    const struct lane *lane, struct wall at)
{
    const struct bar_item *here, *next;
    lines_add(l);
    lines_add(l);
    struct rich *a = &l->v[l->n - 2], *b = &l->v[l->n - 1];
    lane_look(p, lane, at, &here, &next);
    when_about(&a->text, at, ui_now(ui));
    rich_role(a, ROLE_LABEL);
    rich_addf(a, ROLE_LABEL, "%s%s", lane->node ? tr(" on ") : "", lane->node ? lane->node : "");
    if (lane->has_gpus) {
        str_append(&a->text, lane->gpu_last > lane->gpu ? tr(", GPUs ") : tr(", GPU "));
        lane_gpus_text(lane, &a->text);
        rich_role(a, ROLE_LABEL);
    }
    rich_add(a, ROLE_LABEL, "  ");
    if (here) {
        row_words(ui, here->row, a);
        row_more(ui, here->row, b);
    } else {
        gap_words(ui, p, lane, next, at, a, b);
    }
}
