/* job_depends.c - what a job waits for, and what waits for it. */
#include "ui/info/job_depends.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "src/text/jobtext.h"
#include "ui/info/job_info.h"
#include "ui/text/view_text.h"

#define DEPTH_MAX 8
#define LINES_MAX 200

static void job_depends_job_line(struct lines *l, const struct job *j, int depth, const char *how)
{
    struct rich *r = lines_add(l);
    rich_addf(r, ROLE_NORMAL, "%*s", 2 * depth, "");
    rich_sign(r, job_role(j), job_glyph(j));
    str_append_char(&r->text, ' ');
    jobtext_id(&r->text, j, BITSTR_LEN_DEFAULT);
    rich_addf(r, ROLE_NORMAL, "  %s  ", j->req.name ? j->req.name : "");
    rich_addf(r, ROLE_DIM, "%s", how);
}

/* Does the dependency name that job? "afterok:12:13_4,afterany:7" */
static bool names(const char *dependency, uint32_t id)
{
    for (const char *s = dependency; s && *s;) {
        if (!isdigit((unsigned char)*s)) {
            s++;
            continue;
        }
        char *end;
        unsigned long n = strtoul(s, &end, 10);
        if (n == id && (s == dependency || *(s - 1) == ':'))
            return true;
        s = end;
    }
    return false;
}

static bool job_depends_is_named(const struct job *by, const struct job *j)
{
    return names(by->req.dependency, j->id) || (j->array_job && names(by->req.dependency, j->array_job));
}

static void waiting_for(struct lines *l, const struct ui *ui, const struct job *j, int depth)
{
    if (depth > DEPTH_MAX || !j->req.dependency)
        return;
    struct strv items = strv_split(j->req.dependency, ",?");
    for (size_t i = 0; i < items.n; i++) {
        char *colon = strchr(items.v[i], ':');
        if (!colon) { /* singleton */
            lines_addf(l, ROLE_NORMAL, "%*s%s: no other job of yours has this name", 2 * depth, "",
                       items.v[i]);
            continue;
        }
        *colon = '\0';
        struct strv ids = strv_split(colon + 1, ":");
        for (size_t k = 0; k < ids.n && l->n < LINES_MAX; k++) {
            const struct job *on = model_get_job(ui_model(ui), (uint32_t)strtoul(ids.v[k], NULL, 10));
            if (on) {
                job_depends_job_line(l, on, depth, items.v[i]);
                waiting_for(l, ui, on, depth + 1);
            } else {
                lines_addf(l, ROLE_DIM, "%*s  %s  %s, no longer in the queue", 2 * depth, "", ids.v[k],
                           items.v[i]);
            }
        }
        strv_fini(&ids);
    }
    strv_fini(&items);
}

static void waited_for(struct lines *l, const struct ui *ui, const struct job *j, int depth)
{
    if (depth > DEPTH_MAX)
        return;
    list_for_each (by, &ui_model(ui)->pending, struct job, in_queue) {
        if (l->n >= LINES_MAX || by == j || !job_depends_is_named(by, j))
            continue;
        job_depends_job_line(l, by, depth, by->req.dependency);
        waited_for(l, ui, by, depth + 1);
    }
}

/* What it waits for, and what waits for it. */
static void both_ways(struct lines *l, const struct ui *ui, const struct job *j)
{
    jobinfo_section(l, "Depends on");
    size_t n = l->n;
    waiting_for(l, ui, j, 0);
    if (l->n == n)
        lines_addf(l, ROLE_DIM, "no other job");
    jobinfo_section(l, "Jobs that depend on it");
    n = l->n;
    waited_for(l, ui, j, 0);
    if (l->n == n)
        lines_addf(l, ROLE_DIM, "nothing");
}

void depends_open(struct ui *ui, const struct job *j)
{
    struct str s = STR_INIT;
    jobtext_id(&s, j, BITSTR_LEN_DEFAULT);
    str_appendf(&s, " %s", j->req.name ? j->req.name : "");
    struct dialog *d = dialog_new(DIALOG_TEXT, s.s);
    both_ways(&d->body.lines, ui, j);
    ui_take_dialog(ui, d, NULL, NULL, NULL);
    str_fini(&s);
}
