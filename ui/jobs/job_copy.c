/* job_copy.c - the menu of what can be copied of a job. */
#include "ui/jobs/job_copy.h"

#include <stdlib.h>

#include "src/base/words.h"
#include "src/base/xalloc.h"
#include "src/text/jobtext.h"
#include "ui/output/output_files.h"

#define COPY_ITEMS  9
#define LABEL_WIDTH 14

enum copy_kind { COPY_TEXT, COPY_COMMAND, COPY_SCRIPT };

struct copy_menu {
    uint32_t job;
    char *command;
    struct {
        enum copy_kind kind;
        const char *label;
        char *text;
    } items[COPY_ITEMS];
    size_t n;
};

struct copy_wanted { /* while the controller is asked for the script */
    char *command;   /* NULL: the script is wanted */
};

static void copy_menu_free(void *p)
{
    struct copy_menu *m = p;
    for (size_t i = 0; i < m->n; i++)
        free(m->items[i].text);
    free(m->command);
    free(m);
}

static void copy_wanted_free(void *p)
{
    struct copy_wanted *w = p;
    free(w->command);
    free(w);
}

/* Nothing for an empty text. */
static void copy_add(struct copy_menu *m, enum copy_kind kind, const char *label, const char *text)
{
    if (str_is_empty(text))
        return;
    m->items[m->n].kind = kind;
    m->items[m->n].label = label;
    m->items[m->n++].text = xstrdup(text);
}

static void copy_script_told(struct ui *ui, const struct incoming *in, void *arg)
{
    const struct copy_wanted *w = arg;
    if (!in || in->kind != MSG_SCRIPT_TEXT) {
        const struct msg_result *r = in && in->kind == MSG_RESULT ? in->body : NULL;
        ui_toast(ui, ROLE_WARN, "nothing was copied: %s",
                 r && !str_is_empty(r->text) ? r->text : "the connection was lost");
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
    ui_copy(ui, s.s, w->command ? s.s : "the script");
    str_fini(&s);
}

static void copy_chosen(struct ui *ui, struct dialog *d, enum dialog_outcome outcome, void *arg)
{
    const struct copy_menu *m = arg;
    size_t i = dialog_choice(d);
    if (outcome != DIALOG_YES || i >= m->n)
        return;
    if (m->items[i].kind == COPY_TEXT) {
        ui_copy(ui, m->items[i].text, m->items[i].text);
        return;
    }
    struct copy_wanted *w = xcalloc(1, sizeof *w);
    w->command = m->items[i].kind == COPY_COMMAND ? xstrdup(m->command) : NULL;
    struct msg_job ask = {.target = {.job = m->job, .array_index = ARRAY_NONE, .step = STEP_ALL}};
    ui_ask(ui, MSG_SCRIPT, &ask, copy_script_told, w, copy_wanted_free);
}

static void copy_add_files(struct copy_menu *m, const struct job *j)
{
    const struct output_at at = {.job = j->id, .step = STEP_BATCH};
    char *out = NULL, *err = NULL;
    if (place_path(j, &at, false, &out))
        copy_add(m, COPY_TEXT, "output", out);
    if (place_path(j, &at, true, &err) && !str_eq(out, err))
        copy_add(m, COPY_TEXT, "errors", err);
    free(out);
    free(err);
}

void job_copy_open(struct ui *ui, const struct job *j)
{
    struct copy_menu *m = xcalloc(1, sizeof *m);
    struct dialog *d = dialog_new(DIALOG_MENU, "copy to the clipboard");
    struct str s = STR_INIT;
    m->job = j->id;
    m->command = xstrdup(j->command);
    jobtext_id(&s, j, BITSTR_LEN_DEFAULT);
    copy_add(m, COPY_TEXT, "id", s.s);
    copy_add(m, COPY_TEXT, "name", j->req.name);
    copy_add_files(m, j);
    str_clear(&s);
    jobtext_nodes(&s, j);
    copy_add(m, COPY_TEXT, "nodes", s.s);
    copy_add(m, COPY_TEXT, "directory", j->req.workdir);
    if (j->kind == JOB_KIND_BATCH && (j->uid == ui_uid(ui) || ui_is_admin(ui))) {
        copy_add(m, COPY_COMMAND, "command line", j->command);
        copy_add(m, COPY_SCRIPT, "script", "its whole text");
    } else {
        copy_add(m, COPY_TEXT, "command", j->command);
    }
    str_fini(&s);
    for (size_t i = 0; i < m->n; i++)
        strv_push_take(&d->items, xasprintf("%-*s%s", LABEL_WIDTH, m->items[i].label, m->items[i].text));
    d->verb = xstrdup("copy");
    ui_take_dialog(ui, d, copy_chosen, m, copy_menu_free);
}
