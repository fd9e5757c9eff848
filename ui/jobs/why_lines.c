/* why_lines.c - the answer to why a job waits, as lines of the page and of panes. */
#include "ui/jobs/why_lines.h"

#include <stdlib.h>

#include "src/lang/lang.h"
#include "src/model/dep.h"
#include "src/model/jobeffective.h"
#include "src/text/jobtext.h"
#include "src/text/state_text.h"
#include "src/text/why_text.h"
#include "src/values/units.h"
#include "ui/info/job_info.h"
#include "ui/text/view_text.h"
#include "ui/widget/bar.h"

#define LABEL      8
#define DEPTH_MAX  4 /* of jobs that wait for one another */
#define BAR        24
#define PRIO_LABEL 12
#define NODES_TEXT 34 /* cells of why nodes do not do */

static void why_lines_chain(struct lines *l, const struct ui *ui, const struct job *j, int depth);

static bool starts_by_itself(uint32_t cls)
{
    static const bool self[WHY_N_CLASSES] = {
#define X(name, text, by_itself) [WHY_##name] = by_itself,
        WHY_CLASSES(X)
#undef X
    };
    return cls < WHY_N_CLASSES && self[cls];
}

/* "14:39 to 15:09 (half of 31 such forecasts)". */
static void likely_line(struct lines *l, const struct msg_why *w, struct wall now)
{
    struct str from = STR_INIT, to = STR_INIT;
    when_about(&from, w->likely, now);
    when_about(&to, w->unlikely, now);
    struct rich *r = lines_pair(l, tr("likely"), LABEL);
    enum role role = why_text_is_sooner(w) ? ROLE_STRONG : ROLE_NORMAL;
    if (str_eq(from.s, to.s))
        rich_addf(r, role, tr("about %s"), from.s);
    else
        rich_addf(r, role, tr("%s to %s"), from.s, to.s);
    str_fini(&from);
    str_fini(&to);
    if (!w->samples)
        return;
    if (why_text_is_sooner(w))
        rich_addf(r, ROLE_DIM, tr(" (half of %u such forecasts; jobs often end before their limits)"),
                  w->samples);
    else
        rich_addf(r, ROLE_DIM, tr(" (half of %u such forecasts)"), w->samples);
}

/* "about 14:25, in 25 min (if no job ends early; 40 s old)". */
static void told_line(struct lines *l, const struct msg_why *w, const struct cause_reader *reader)
{
    bool sooner = why_text_is_sooner(w);
    struct wall now = reader->now;
    char b[UNITS_TEXT_SIZE];
    struct rich *r = lines_pair(l, sooner ? tr("limits") : tr("start"), LABEL);
    rich_add(r, ROLE_NORMAL, tr("about "));
    when_about(&r->text, w->start, now);
    rich_role(r, sooner ? ROLE_NORMAL : ROLE_STRONG);
    rich_addf(r, ROLE_NORMAL, tr(", in %s"), duration_format_words(wall_elapsed_s(now, w->start), b));
    bool basis = w->basis.code != CAUSE_NONE;
    if (basis) {
        str_append(&r->text, " (");
        cause_full(&r->text, &w->basis, reader);
        rich_role(r, ROLE_DIM);
    }
    if (wall_is_set(w->made))
        rich_addf(r, ROLE_DIM, tr("%s%s old"), basis ? "; " : " (",
                  duration_format_words(wall_elapsed_s(w->made, now), b));
    if (basis || wall_is_set(w->made))
        rich_add(r, ROLE_DIM, ")");
    if (w->held && !basis)
        rich_add(lines_pair(l, "", LABEL), ROLE_GOOD, tr("start is planned"));
}

/* When it starts, and the usual error of such forecasts. A range that lies wholly before the told start
 * goes first: two times that contradict each other leave the user with neither. */
static void start_lines(struct lines *l, const struct msg_why *w, const struct cause_reader *reader)
{
    if (!wall_is_set(w->start))
        return;
    if (why_text_is_sooner(w))
        likely_line(l, w, reader->now);
    told_line(l, w, reader);
    if (wall_is_set(w->likely) && !why_text_is_sooner(w))
        likely_line(l, w, reader->now);
}

/* "812 train, 4_7 sweep": a number alone does not tell which job is meant. */
void why_lines_blockers(struct lines *l, const struct msg_why *w, const struct ui *ui)
{
    if (!w->blockers.n)
        return;
    struct rich *r = lines_pair(l, tr("room"), LABEL);
    rich_add(r, ROLE_NORMAL, tr("freed by "));
    for (size_t i = 0; i < w->blockers.n; i++) {
        const struct job *j = model_get_job(ui_model(ui), (uint32_t)strtoul(w->blockers.v[i], NULL, 10));
        char *name = model_job_name(ui_model(ui), (uint32_t)strtoul(w->blockers.v[i], NULL, 10));
        rich_addf(r, ROLE_NORMAL, "%s%s", i ? ", " : "", name);
        free(name);
        if (j && !str_is_empty(j->req.name))
            rich_addf(r, ROLE_DIM, " %s", jobtext_name(j));
    }
}

static void estimate(struct lines *l, const struct msg_why *w, const struct ui *ui,
                     const struct cause_reader *reader)
{
    why_lines_start(l, w, ui);
    why_lines_blockers(l, w, ui);
    if (w->advice.code != CAUSE_NONE) {
        struct rich *r = lines_pair(l, tr("try"), LABEL);
        cause_full(&r->text, &w->advice, reader);
        rich_role(r, ROLE_GOOD);
    }
}

static void cause_line(struct lines *l, const struct cause *c, const struct cause_reader *reader)
{
    struct rich *r = lines_add(l);
    rich_add(r, starts_by_itself(c->cls) ? ROLE_WAITING : ROLE_ERROR,
             starts_by_itself(c->cls) ? "- " : "! ");
    cause_full(&r->text, c, reader);
    rich_role(r, ROLE_NORMAL);
    if (wall_is_set(c->clears)) {
        rich_add(r, ROLE_DIM, tr(" (clears about "));
        when_about(&r->text, c->clears, reader->now);
        str_append_char(&r->text, ')');
        rich_role(r, ROLE_DIM);
    }
    r->hang = 2;
}

static void why_past_line(struct lines *l, const struct msg_why *w, struct wall now)
{
    struct str past = STR_INIT;
    struct wall t;
    why_text_past(&past, w, &t);
    if (past.len) {
        struct rich *r = lines_pair(l, tr("before"), LABEL);
        rich_addf(r, ROLE_NORMAL, "%s%s", past.s, wall_is_set(t) ? ", " : "");
        if (wall_is_set(t))
            when_about(&r->text, t, now);
        rich_role(r, ROLE_NORMAL);
    }
    str_fini(&past);
}

/* How much of what is limited is in use, and what the job asks for. */
static void limit_bar(struct lines *l, uint64_t used, uint64_t asked, uint64_t most)
{
    struct bar_part parts[] = {{.n = used, .role = ROLE_BAR_USED}, {.n = asked, .role = ROLE_BAR_IDLE}};
    struct rich *r = lines_add(l);
    uint64_t total = used + asked > most ? used + asked : most;
    rich_add(r, ROLE_NORMAL, "  ");
    bar_add(r, parts, 2, total, BAR);
    rich_addf(r, ROLE_DIM, tr("  in use %llu, asked %llu, limit %llu"), (unsigned long long)used,
              (unsigned long long)asked, (unsigned long long)most);
}

static void cause_bars(struct lines *l, const struct cause *c)
{
    if (c->code == CAUSE_LIMIT || c->code == CAUSE_LIMIT_BORROW)
        limit_bar(l, c->used, c->asked, c->most);
    else if (c->code == CAUSE_LICENCE_SHORT)
        limit_bar(l, c->used, c->asked, c->of);
    else if (c->code == CAUSE_THROTTLE)
        limit_bar(l, c->n, 1, c->most);
    for (size_t i = 0; c->code == CAUSE_LICENCES && i < c->parts.n; i++)
        cause_bars(l, &c->parts.v[i]);
}

static bool is_place(const struct cause *c)
{
    return c->code == CAUSE_NO_PLACE || c->code == CAUSE_NODES_ARE_OUT || c->code == CAUSE_NEVER_FITS;
}

/* Of the cause that the first line has told. */
static void clears_line(struct lines *l, const struct cause *c, struct wall now)
{
    struct rich *r = lines_pair(l, tr("clears"), LABEL);
    str_append(&r->text, tr("about "));
    when_about(&r->text, c->clears, now);
    rich_role(r, ROLE_NORMAL);
}

void why_lines_causes(struct lines *l, const struct msg_why *w, const struct ui *ui)
{
    struct cause_reader reader = ui_cause_reader(ui, model_get_job(ui_model(ui), w->job));
    for (size_t i = 0; i < w->causes.n; i++) {
        const struct cause *c = &w->causes.v[i];
        if (is_place(c))
            continue;
        if (i || !why_text_is_brief(c, &reader))
            cause_line(l, c, &reader);
        else if (wall_is_set(c->clears) && c->clears.ms != w->start.ms)
            clears_line(l, c, reader.now);
        cause_bars(l, c);
    }
}

/* "2 too few free GPUs      gpu[01-02]". */
static void nodes_line(struct lines *l, const struct cause *c, const struct cause_reader *reader)
{
    struct cause bare = *c; /* its names stand in a column of their own */
    struct str s = STR_INIT;
    bare.nodes = NULL;
    cause_full(&s, &bare, reader);
    struct rich *r = lines_add(l);
    rich_addf(r, ROLE_NORMAL, "%-*s ", NODES_TEXT, s.s);
    rich_add(r, ROLE_STRONG, c->nodes ? c->nodes : "");
    r->hang = NODES_TEXT + 1;
    str_fini(&s);
}

static void place_lines(struct lines *l, const struct cause *place, const struct cause_reader *reader)
{
    for (size_t i = 0; i < place->parts.n; i++) {
        const struct cause *c = &place->parts.v[i];
        bool out =
            (c->code >= CAUSE_OUT_DRAINED && c->code <= CAUSE_NODE_AVOIDS) || c->code == CAUSE_OUT_STARTING;
        if (c->code == CAUSE_WANTS) {
            struct str amounts = STR_INIT;
            cause_full(&amounts, c, reader);
            rich_addf(lines_add(l), ROLE_NORMAL, tr("needs %s in %s"), amounts.s,
                      place->part ? place->part : "?");
            str_fini(&amounts);
        } else if (out) {
            struct rich *r = lines_add(l);
            cause_full(&r->text, c, reader);
            rich_role(r, ROLE_NORMAL);
            r->hang = 2;
        }
        for (size_t k = 0; c->code == CAUSE_NODES && k < c->parts.n; k++)
            if (c->parts.v[k].code != CAUSE_NODES_DRAINED && c->parts.v[k].code != CAUSE_NODES_OUT)
                nodes_line(l, &c->parts.v[k], reader); /* those have lines of their own, with the reason */
    }
}

/* ">  1804 relax  to succeed  running, ends by 17:14", and what that one waits for. */
static void why_lines_link(struct lines *l, const struct ui *ui, const struct dep *d, int depth)
{
    const struct job *j = ui_job(ui, d->job);
    struct rich *r = lines_add(l);
    rich_addf(r, ROLE_NORMAL, "%*s", 2 * depth, "");
    if (!j) {
        rich_addf(r, ROLE_DIM, tr("  %u  %s  no longer in the queue"), d->job, dep_type_text(d->type));
        return;
    }
    rich_sign(r, job_role(j), job_glyph(j));
    str_append_char(&r->text, ' ');
    jobtext_id(&r->text, j, BITSTR_LEN_DEFAULT);
    rich_role(r, ROLE_STRONG);
    rich_addf(r, ROLE_NORMAL, "  %s", jobtext_name(j));
    rich_addf(r, ROLE_DIM, "  %s  ", dep_type_text(d->type));
    job_words(r, j);
    if (j->state == JOB_RUNNING && wall_is_set(job_end_time(j, ui_model(ui)))) {
        str_append(&r->text, tr(", ends by "));
        when_about(&r->text, job_end_time(j, ui_model(ui)), ui_now(ui));
        rich_role(r, ROLE_DIM);
    }
    if (j->state == JOB_PENDING)
        why_lines_chain(l, ui, j, depth + 1);
}

static void why_lines_chain(struct lines *l, const struct ui *ui, const struct job *j, int depth)
{
    struct deps deps;
    struct errtext err;
    if (depth > DEPTH_MAX || !j->req.dependency || dep_parse(j->req.dependency, &deps, &err) < 0)
        return;
    for (size_t i = 0; i < deps.n; i++)
        if (deps.v[i].job && deps.v[i].job != j->id)
            why_lines_link(l, ui, &deps.v[i], depth);
    deps_fini(&deps);
}

void why_lines_depends(struct lines *l, const struct ui *ui, const struct job *j)
{
    jobinfo_section(l, tr("Depends on"));
    why_lines_chain(l, ui, j, 0);
}

void why_lines_nodes(struct lines *l, const struct msg_why *w, const struct ui *ui)
{
    struct cause_reader reader = ui_cause_reader(ui, model_get_job(ui_model(ui), w->job));
    for (size_t i = 0; i < w->causes.n; i++)
        if (is_place(&w->causes.v[i])) {
            jobinfo_section(l, tr("Nodes"));
            place_lines(l, &w->causes.v[i], &reader);
        }
}

void why_lines_head(struct lines *l, const struct msg_why *w, const struct ui *ui)
{
    struct cause_reader reader = ui_cause_reader(ui, model_get_job(ui_model(ui), w->job));
    struct rich *first = lines_add(l);
    if (w->causes.n && w->state == JOB_PENDING) /* what the list says of it */
        why_text_sentence(&first->text, w, &reader);
    else
        why_text_summary(&first->text, w, &reader);
    rich_role(first, ROLE_STRONG);
    why_past_line(l, w, reader.now);
}

void why_lines_start(struct lines *l, const struct msg_why *w, const struct ui *ui)
{
    struct cause_reader reader = ui_cause_reader(ui, model_get_job(ui_model(ui), w->job));
    start_lines(l, w, &reader);
    if (!w->rank)
        return;
    struct rich *r = lines_pair(l, tr("place"), LABEL);
    text_append_ordinal(&r->text, w->rank);
    rich_role(r, ROLE_NORMAL);
    rich_addf(r, ROLE_NORMAL, tr(" of %u"), w->rank_of);
}

void why_lines(struct lines *l, const struct msg_why *w, const struct ui *ui)
{
    struct cause_reader reader = ui_cause_reader(ui, model_get_job(ui_model(ui), w->job));
    why_lines_head(l, w, ui);
    for (size_t i = 0; i < w->causes.n; i++)
        if (i || wall_is_set(w->causes.v[i].clears) || !why_text_is_brief(&w->causes.v[i], &reader))
            cause_line(l, &w->causes.v[i], &reader);
    if (l->n && (wall_is_set(w->start) || w->rank || w->advice.code != CAUSE_NONE))
        lines_add(l);
    estimate(l, w, ui, &reader);
}

/* --- what its priority is made of --- */

static void factor(struct lines *l, const char *name, uint32_t points, uint64_t total)
{
    struct bar_part part = {.n = points, .role = ROLE_BAR_RUN};
    struct rich *r = lines_add(l);
    rich_addf(r, ROLE_LABEL, "%-*s", PRIO_LABEL, name);
    bar_add(r, &part, 1, total, BAR);
    rich_addf(r, points ? ROLE_NORMAL : ROLE_DIM, "  %u", points);
}

void why_lines_priority(struct lines *l, const struct prio_row *row, const struct priority_spec *weights)
{
    static const char *const names[] = {N_("age"), N_("fair share"), N_("size"),   N_("partition"),
                                        N_("QOS"), N_("CPUs"),       N_("memory"), N_("GPUs")};
    const struct prio_parts *p = &row->parts;
    uint64_t total = 0; /* before what is taken off again: each bar is a share of it */
    size_t i = 0;
    jobinfo_section(l, tr("Priority"));
    rich_addf(&l->v[l->n - 1], ROLE_STRONG, " %u", p->total);
    if (p->nice)
        rich_addf(&l->v[l->n - 1], ROLE_DIM, tr(", nice -%d"), p->nice);
    if (p->admin)
        rich_addf(&l->v[l->n - 1], ROLE_DIM, tr(", %+lld by an administrator"), (long long)p->admin);
#define X(member, weight) total += p->member##_points;
    PRIO_FACTORS(X)
#undef X
#define X(member, weight)                                     \
    if (weights->weight)                                      \
        factor(l, tr(names[i]), p->member##_points, total);       \
    i++;
    PRIO_FACTORS(X)
#undef X
}
