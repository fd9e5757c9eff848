/* export_list.c - writes the list on the screen to a new file. */
#include "ui/view/export_list.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/os/file.h"

static const char all_word[] = " all";

/* What is written by the thread that may wait for the disk. */
struct exporting {
    char *path;
    struct str text;
    size_t rows;
    uint64_t dialog;
    struct errtext err;
    int rc;
};

static void exporting_free(void *p)
{
    struct exporting *e = p;
    free(e->path);
    str_fini(&e->text);
    free(e);
}

static void exporting_write(void *p)
{
    struct exporting *e = p;
    int fd = open(e->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST) {
        e->rc = err_set(&e->err, -EEXIST, tr("%s exists; choose another name"), e->path);
        return;
    }
    if (fd < 0) {
        e->rc = err_set(&e->err, -errno, "%s: %s", e->path, strerror(errno));
        return;
    }
    e->rc = file_write_fd(fd, e->text.s, e->text.len);
    if (close(fd) < 0 && !e->rc) /* some file systems say only now that there was no room */
        e->rc = -errno;
    if (e->rc < 0) {
        err_set(&e->err, e->rc, "%s: %s", e->path, strerror(-e->rc));
        unlink(e->path);
    }
}

static void export_list_refuse(struct ui *ui, uint64_t dialog, const char *why)
{
    if (!dialog || !ui_refuse_dialog(ui, dialog, "%s", why))
        ui_toast(ui, ROLE_ERROR, "%s", why);
}

static void exporting_done(struct ui *ui, struct view *owner, void *arg)
{
    (void)owner;
    const struct exporting *e = arg;
    if (e->rc < 0) {
        export_list_refuse(ui, e->dialog, e->err.s);
        return;
    }
    ui_drop_dialog(ui, e->dialog);
    ui_toast(ui, ROLE_GOOD, trn("%zu row written to %s", "%zu rows written to %s", e->rows), e->rows,
             e->path);
}

/* From the folder in which the screens were started. Heap. */
static char *export_list_path(const struct ui *ui, const char *typed)
{
    const char *home = str_starts(typed, "~/") ? getenv("HOME") : NULL;
    if (home)
        return xasprintf("%s%s", home, typed + 1);
    return *typed == '/' || !ui_cwd(ui) ? xstrdup(typed) : xasprintf("%s/%s", ui_cwd(ui), typed);
}

void export_list(struct ui *ui, struct table *t, const char *words, uint64_t dialog)
{
    char *copy = xstrdup(words), *name = str_trim(copy);
    bool all = str_ends(name, all_word);
    enum table_format format;
    if (all)
        name[strlen(name) - strlen(all_word)] = '\0';
    if (!*str_trim(name)) {
        export_list_refuse(ui, dialog, tr("give a file: jobs.csv, jobs.json or jobs.txt"));
    } else if (!table_format_of(name, &format)) {
        export_list_refuse(ui, dialog,
                           tr("the name ends in .txt, .csv or .json, which chooses the format"));
    } else {
        struct exporting *e = xcalloc(1, sizeof *e);
        *e = (struct exporting){
            .path = export_list_path(ui, str_trim(name)), .rows = t->shown.n, .dialog = dialog};
        str_init(&e->text);
        table_write(t, format, all, &e->text);
        ui_dialog_waits(ui, dialog);
        ui_aside(ui, NULL, exporting_write, exporting_done, e, exporting_free);
    }
    free(copy);
}

static void export_list_typed(struct ui *ui, struct dialog *d, enum dialog_outcome outcome, void *arg)
{
    if (outcome == DIALOG_YES)
        export_list(ui, arg, d->edit.text.s, ui_keep_dialog(ui));
}

void export_list_ask(struct ui *ui, struct table *t)
{
    struct dialog *d = dialog_new(DIALOG_PROMPT, tr("write the list to a file"));
    lines_addf(&d->body.lines, ROLE_NORMAL,
               trn("%zu row goes to a new file, with the columns that are shown.",
                   "%zu rows go to a new file, with the columns that are shown.", t->shown.n),
               t->shown.n);
    lines_addf(
        &d->body.lines, ROLE_DIM,
        tr("The end of the name chooses the format: .csv, .json or .txt. \"all\" behind it: all columns."));
    d->verb = xstrdup(tr("write"));
    edit_set(&d->edit, "list.csv");
    ui_take_dialog(ui, d, export_list_typed, t, NULL);
}
