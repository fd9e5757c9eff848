/* job_copy.c - the menu of what can be copied of a job. */
#include "ui/jobs/job_copy.h"

#include <stdlib.h>

#include "src/base/words.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/text/jobtext.h"
#include "ui/output/output_files.h"
#include "ui/view/copy_menu.h"

struct copy_wanted { /* of a job, whose script the controller is asked for */
    uint32_t job;
    char *command; /* NULL: the script is wanted */
};

static void copy_wanted_free(void *p)
{
    struct copy_wanted *w = p;
    free(w->command);
    free(w);
}

static struct copy_wanted *copy_wanted_new(uint32_t job, const char *command)
{
    struct copy_wanted *w = xcalloc(1, sizeof *w);
    w->job = job;
    w->command = command ? xstrdup(command) : NULL;
    return w;
}

static void copy_script_told(struct ui *ui, const struct incoming *in, void *arg)
{
    const struct copy_wanted *w = arg;
    if (!in || in->kind != MSG_SCRIPT_TEXT) {
        const struct msg_result *r = in && in->kind == MSG_RESULT ? in->body : NULL;
        ui_toast(ui, ROLE_WARN, tr("nothing was copied: %s"),
                 r && !str_is_empty(r->text) ? r->text : tr("the connection was lost"));
        return;
    }
    const struct msg_script *m = in->body;
    struct str s = STR_INIT;
    if (w->command) {
        str_append(&s, w->command);
        for (size_t i = 0; i < m->argv.n; i++)
            words_append(&s, m->argv.v[i]);
    } else {
        str_append_n(&s, (const char *)m->script.p, m->script.n);
    }
    ui_copy(ui, s.s, w->command ? s.s : tr("the script"));
    str_fini(&s);
}

static void copy_fetch(struct ui *ui, const void *arg)
{
    const struct copy_wanted *w = arg;
    struct msg_job ask = {.target = {.job = w->job, .array_index = ARRAY_NONE, .step = STEP_ALL}};
    ui_ask(ui, MSG_SCRIPT, &ask, copy_script_told, copy_wanted_new(w->job, w->command), copy_wanted_free);
}

static void copy_add_files(struct copy_menu *m, const struct job *j)
{
    const struct output_at at = {.job = j->id, .step = STEP_BATCH};
    char *out = NULL, *err = NULL;
    if (place_path(j, &at, false, &out))
        copy_menu_add(m, tr("output"), out);
    if (place_path(j, &at, true, &err) && !str_eq(out, err))
        copy_menu_add(m, tr("errors"), err);
    free(out);
    free(err);
}

void job_copy_open(struct ui *ui, const struct job *j, struct table *t)
{
    struct copy_menu *m = copy_menu_new();
    struct str s = STR_INIT;
    jobtext_id(&s, j, BITSTR_LEN_DEFAULT);
    copy_menu_add(m, tr("id"), s.s);
    copy_menu_add(m, tr("name"), j->req.name);
    copy_add_files(m, j);
    str_clear(&s);
    jobtext_nodes(&s, j);
    copy_menu_add(m, tr("nodes"), s.s);
    copy_menu_add(m, tr("directory"), j->req.workdir);
    if (t)
        copy_menu_add_row(m, t);
    if (j->kind == JOB_KIND_BATCH && (j->uid == ui_uid(ui) || ui_is_admin(ui))) {
        if (job_origin(j)->command)
            copy_menu_add_fetch(m, tr("command line"), job_origin(j)->command, copy_fetch,
                                copy_wanted_new(j->id, job_origin(j)->command), copy_wanted_free);
        copy_menu_add_fetch(m, tr("script"), tr("its whole text"), copy_fetch, copy_wanted_new(j->id, NULL),
                            copy_wanted_free);
    } else {
        copy_menu_add(m, tr("command"), job_origin(j)->command);
    }
    str_fini(&s);
    copy_menu_open(ui, m);
}
