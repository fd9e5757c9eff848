/* complete_files.c - the files of the directory in the command line, listed in a thread: each directory
 * once while the line is open. */
#include "ui/command/complete_files.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "src/base/xalloc.h"

struct files_listing {
    char *dir; /* with its slash; "": here */
    struct strv names;
    void (*listed)(struct ui *ui);
};

static void listing_free(void *arg)
{
    struct files_listing *l = arg;
    free(l->dir);
    strv_fini(&l->names);
    free(l);
}

static void files_list(void *arg)
{
    struct files_listing *l = arg;
    DIR *d = opendir(*l->dir ? l->dir : ".");
    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat st;
        char *path = xasprintf("%s%s", l->dir, e->d_name);
        bool is_dir = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
        strv_push_take(&l->names, is_dir ? xasprintf("%s/", path) : xstrdup(path));
        free(path);
    }
    if (d)
        closedir(d);
}

static void files_listed(struct ui *ui, struct view *owner, void *arg)
{
    (void)owner;
    struct files_listing *l = arg;
    struct cmdline *cl = ui->cmd;
    if (!cl->listing || !str_eq(cl->listing, l->dir)) /* the user has typed on meanwhile */
        return;
    strv_fini(&cl->files);
    cl->files = l->names;
    l->names = (struct strv){0};
    cl->listed = true;
    if (cl->open && cl->chosen < 0)
        l->listed(ui);
    ui->dirty = true;
}

const struct strv *files_in(struct ui *ui, const char *dir, void (*listed)(struct ui *ui))
{
    struct cmdline *cl = ui->cmd;
    if (!cl->listing || !str_eq(cl->listing, dir)) {
        files_forget(cl);
        cl->listing = xstrdup(dir);
        struct files_listing *l = xcalloc(1, sizeof *l);
        l->dir = xstrdup(dir);
        l->listed = listed;
        ui_aside(ui, NULL, files_list, files_listed, l, listing_free);
    }
    return cl->listed ? &cl->files : NULL;
}

void files_forget(struct cmdline *cl)
{
    free(cl->listing);
    cl->listing = NULL;
    cl->listed = false;
    strv_fini(&cl->files);
}
