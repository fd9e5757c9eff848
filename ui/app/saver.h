/* saver.h - writes what the screens remember beside their thread, one file at a time, the newest last. */
#ifndef UI_APP_SAVER_H
#define UI_APP_SAVER_H

#include "ui/app/app.h"

struct saver {
    struct ui *app;
    const struct prefs *prefs;
    const char *path;
    char *before; /* what was read or written last: what differs from it is ours */
    bool running, again;
    bool failed; /* that has been said: a full disk must not be told at every key */
};

/* prefs: as read from the file. */
void saver_init(struct saver *s, struct ui *app, const struct prefs *prefs, const char *path);
/* When nothing is being written any more. */
void saver_fini(struct saver *s);
/* The prefs have changed. A failure is told once. */
void saver_save(struct saver *s);
/* The same because the user has said so: a failure is told each time. */
void saver_save_asked(struct saver *s);
/* Nothing is being written. */
bool saver_is_idle(const struct saver *s);

#endif
