/* settings_reload.h - ui.cfg and the themes are read again when their files change.
 *
 * The kernel tells of changes, so nothing is looked at while nothing changes. A file with an error changes
 * nothing: the former settings stay, and a message names file and line.
 */
#ifndef UI_APP_SETTINGS_RELOAD_H
#define UI_APP_SETTINGS_RELOAD_H

#include "ui/app/settings.h"
#include "ui/state/view.h"

struct reload {
    int fd;                          /* inotify; -1: changes are not seen */
    int dir, themes, target;         /* watches: the folder, its themes, and where a link leads; -1: none */
    int above;                       /* a folder above, as long as that is not there; -1: none */
    char *path, *file, *target_file; /* of ui.cfg; its name, and that of what a link leads to */
    struct ui *app;
    const struct settings *now; /* options of the command line stay over what is read */
    /* The settings as they are to be from now on, which it takes. */
    void (*apply)(void *ctx, struct settings *take);
    void (*themes_changed)(void *ctx);
    void *ctx;
    bool running, again;
};

void reload_open(struct reload *r);
void reload_close(struct reload *r);
/* fd is readable. */
void reload_wake(struct reload *r);
/* Reads ui.cfg now. */
void reload_start(struct reload *r);

#endif
