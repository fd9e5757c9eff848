/* why.c - why a job waits. */
#include "ui/view/why.h"

#include <string.h>

#include "src/base/units.h"
#include "src/model/jobtext.h"
#include "ui/view/words.h"

static bool starts_by_itself(uint32_t cls)
{
    static const bool self[WHY_N_CLASSES] = {
#define X(name, text, by_itself) [WHY_##name] = by_itself,
        WHY_CLASSES(X)
#undef X
    };
    return cls < WHY_N_CLASSES && self[cls];
}

static void estimate(struct lines *l, const struct msg_why *w, struct wall now)
{
    if (wall_is_set(w->start_est)) {
        char b[UNITS_TEXT_SIZE];
        struct rich *r = lines_pair(l, "start", 8);
        rich_add(r, ROLE_NORMAL, "about ");
        when_text(&r->text, w->start_est, now);
        rich_role(r, ROLE_STRONG);
        rich_addf(r, ROLE_NORMAL, ", in %s", duration_format_words(wall_elapsed_s(now, w->start_est), b));
        if (!str_is_empty(w->start_basis))
            rich_addf(r, ROLE_DIM, " (%s)", w->start_basis);
    }
    if (w->rank)
        rich_addf(lines_pair(l, "place", 8), ROLE_NORMAL, "%u of %u in the queue", w->rank, w->rank_of);
    if (!str_is_empty(w->advice))
        rich_add(lines_pair(l, "try", 8), ROLE_GOOD, w->advice);
}

void why_lines(struct lines *l, const struct msg_why *w, struct wall now)
{
    /* A sentence that only says the one cause again is not said twice. */
    bool again =
        w->causes.n == 1 && w->summary && w->causes.v[0].text && strstr(w->summary, w->causes.v[0].text);
    if (!str_is_empty(w->summary) && !again)
        lines_addf(l, ROLE_STRONG, "%s", w->summary);
    for (size_t i = 0; i < w->causes.n; i++) {
        const struct why_cause *c = &w->causes.v[i];
        struct rich *r = lines_add(l);
        rich_add(r, starts_by_itself(c->cls) ? ROLE_WAITING : ROLE_ERROR,
                 starts_by_itself(c->cls) ? "- " : "! ");
        rich_add(r, ROLE_NORMAL, c->text);
        if (wall_is_set(c->clears)) {
            rich_add(r, ROLE_DIM, " (clears about ");
            when_text(&r->text, c->clears, now);
            str_append_char(&r->text, ')');
            rich_role(r, ROLE_DIM);
        }
        r->hang = 2;
    }
    if (l->n && (wall_is_set(w->start_est) || w->rank || !str_is_empty(w->advice)))
        lines_add(l);
    estimate(l, w, now);
}

static void answered(struct ui *ui, struct view *owner, uint64_t number, const struct incoming *in)
{
    (void)owner;
    struct dialog *d = ui_find_dialog(ui, number);
    if (!d)
        return;
    struct lines *l = &d->body.lines;
    lines_clear(l);
    if (in && in->kind == MSG_WHY_TEXT)
        why_lines(l, in->body, ui_now(ui));
    else if (in && in->kind == MSG_RESULT)
        lines_addf(l, ROLE_ERROR, "%s", ((const struct msg_result *)in->body)->text);
    else
        lines_addf(l, ROLE_ERROR, "The connection to the controller was lost.");
    if (!l->n)
        lines_addf(l, ROLE_NORMAL, "The controller has no more to say about it.");
}

void why_open(struct ui *ui, const struct job *j)
{
    struct str s = STR_INIT;
    jobtext_id(&s, j, BITSTR_LEN_DEFAULT);
    str_appendf(&s, " %s", j->req.name ? j->req.name : "");
    struct dialog *d = dialog_new(DIALOG_TEXT, s.s);
    str_fini(&s);
    struct rich *r = lines_add(&d->body.lines);
    job_words(r, j);
    r = lines_add(&d->body.lines);
    job_where(r, j);
    uint64_t number = ui_take_dialog(ui, d, NULL, NULL, NULL);
    struct msg_job ask = {.target = {.job = j->id, .array_index = ARRAY_NONE, .step = STEP_ALL}};
    ui_send(ui, MSG_WHY, &ask, NULL, answered, number);
}
