/* saver.h - writes the preferences in a thread, one file at a time, the newest last. */
#ifndef UI_APP_SAVER_H
#define UI_APP_SAVER_H

#include "ui/app/app.h"

struct saver {
    struct ui *app;
    const struct prefs *prefs;
    const char *path;
    char *before; /* as read or written last: differences are changes of this program */
    bool running, again;
    bool failed; /* reported already: a full disk is not reported at each key */
};

/* prefs: as read from the file. */
void saver_init(struct saver *s, struct ui *app, const struct prefs *prefs, const char *path);
/* When nothing is being written any more. */
void saver_fini(struct saver *s);
/* The preferences have changed. A failure is reported once. */
void saver_save(struct saver *s);
/* The same on a user's request: each failure is reported. */
void saver_save_asked(struct saver *s);
/* Nothing is being written. */
bool saver_is_idle(const struct saver *s);

#endif
