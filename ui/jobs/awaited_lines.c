#include "ui/jobs/awaited_lines.h"

#include "src/lang/lang.h"
#include "src/text/jobtext.h"
#include "src/text/state_text.h"
#include "src/values/hostlist.h"
#include "ui/info/job_info.h"
#include "ui/text/view_text.h"

#define LINES_MAX 8 /* of a section */

bool awaited_depends_on(const struct job *by, const struct job *j, struct dep *ret)
{
    struct deps deps;
    struct errtext err;
    bool found = false;
    if (!by->req.dependency || dep_parse(by->req.dependency, &deps, &err) < 0)
        return false;
    for (size_t i = 0; i < deps.n && !found; i++) {
        found =
            deps.v[i].job && (deps.v[i].job == j->id || (j->array_job && deps.v[i].job == j->array_job));
        if (found)
            *ret = deps.v[i];
    }
    deps_fini(&deps);
    return found;
}

static struct rich *awaited_job_line(struct lines *l, const struct job *j)
{
    struct rich *r = lines_add(l);
    rich_sign(r, job_role(j), job_glyph(j));
    str_append_char(&r->text, ' ');
    jobtext_id(&r->text, j, BITSTR_LEN_DEFAULT);
    rich_role(r, ROLE_STRONG);
    rich_addf(r, ROLE_NORMAL, "  %s", jobtext_name(j));
    rich_addf(r, ROLE_DIM, "  %s", jobtext_user(j));
    return r;
}

static size_t awaited_add_dependents(struct lines *l, const struct ui *ui, const struct job *j)
{
    size_t n = 0;
    struct dep d;
    list_for_each (by, &ui_model(ui)->pending, struct job, in_queue) {
        if (by == j || !awaited_depends_on(by, j, &d))
            continue;
        if (!n)
            jobinfo_section(l, tr("Depend on it"));
        if (n++ < LINES_MAX)
            rich_addf(awaited_job_line(l, by), ROLE_NORMAL, "  %s", dep_type_text(d.type));
    }
    if (n > LINES_MAX)
        lines_addf(l, ROLE_DIM, tr("and %zu more"), n - LINES_MAX);
    return n;
}

static bool awaited_has_node(const char *nodes, const struct job *j)
{
    struct strv names = {0};
    struct errtext err;
    bool found = false;
    if (!nodes || hostlist_expand(nodes, &names, &err) < 0)
        return false;
    for (size_t i = 0; i < j->alloc.n && !found; i++)
        found = j->alloc.v[i].node && strv_has(&names, j->alloc.v[i].node);
    strv_fini(&names);
    return found;
}

/* In the order of their starts, as the plan has them. */
static size_t awaited_add_planned(struct lines *l, const struct ui *ui, const struct job *j,
                                  const struct msg_plan *plan)
{
    size_t n = 0;
    for (size_t i = 0; i < plan->rows.n; i++) {
        const struct plan_row *row = &plan->rows.v[i];
        const struct job *by = row->job && row->job != j->id ? ui_job(ui, row->job) : NULL;
        if (!by || by->state != JOB_PENDING || !wall_is_set(row->start) || !awaited_has_node(row->nodes, j))
            continue;
        if (!n)
            jobinfo_section(l, tr("Planned on its nodes"));
        if (n++ >= LINES_MAX)
            continue;
        struct rich *r = awaited_job_line(l, by);
        str_append(&r->text, "  ~");
        when_about(&r->text, row->start, ui_now(ui));
        rich_role(r, ROLE_WAITING);
        rich_addf(r, ROLE_NORMAL, "  %s", row->nodes);
    }
    if (n > LINES_MAX)
        lines_addf(l, ROLE_DIM, tr("and %zu more"), n - LINES_MAX);
    return n;
}

void awaited_lines(struct lines *l, const struct ui *ui, const struct job *j, const struct msg_plan *plan)
{
    size_t n = awaited_add_dependents(l, ui, j);
    if (plan)
        n += awaited_add_planned(l, ui, j, plan);
    if (plan && !n) {
        lines_add(l);
        lines_addf(l, ROLE_DIM, "%s", tr("No job waits for it."));
    }
}
