/* uilab.h - the screens in memory: a lab plays the controller, keys go in, pictures come out. No terminal,
 * no socket, no clock.
 *
 *     uilab_init(&u);  demo_cluster_build(&u.lab);  uilab_connect(&u);
 *     uilab_keys(&u, "jj/train<Enter>");
 *     uilab_golden(&u, "jobs-filter", 24, 80);
 *
 * UPDATE=1 in the environment writes golden files and pictures instead of comparing them.
 */
#ifndef STOKER_TESTS_LIB_UILAB_H
#define STOKER_TESTS_LIB_UILAB_H

#include "src/base/vec.h"
#include "tests/lib/lab.h"
#include "ui/app/app.h"
#include "ui/frame/aside.h"
#include "ui/frame/later.h"
#include "ui/frame/mirror_follow.h"
#include "ui/frame/outbox.h"
#include "ui/frame/stack.h"
#include "ui/state/changes.h"

struct uilab_sent {
    enum msg_kind kind;
    uint64_t tag;
    void *body; /* a copy; NULL where the message has none */
};

struct uilab {
    double fed_ms; /* CPU time in which messages were taken in, so far */
    struct lab lab;
    struct ui *app;
    struct theme theme;
    struct canvas canvas;
    struct ui_options options; /* set before uilab_connect */
    struct prefs prefs;
    VEC(struct uilab_sent) sent;
    uint64_t next_tag;
    struct mono mono;
    uint32_t uid;       /* who sits here */
    bool ordinary;      /* ... and is not an administrator */
    bool older;         /* the controller is of a release that sends all jobs, whatever is asked for */
    const char *engine; /* another one than Stoker, which lacks: */
    uint64_t lacks;
    bool own; /* it sends the user's own jobs alone, as was asked for */
    struct str text;
};

void uilab_init(struct uilab *u);
void uilab_fini(struct uilab *u);
/* The app alone, before any controller. */
void uilab_open(struct uilab *u);
/* Greets, and answers what it asks for with the lab's state. */
void uilab_connect(struct uilab *u);
/* Answers the last GET that is open with the lab's state. Returns false where none is. */
bool uilab_snapshot(struct uilab *u);
/* Folds an event into the lab and pushes it to the screens; body is freed. */
void uilab_push(struct uilab *u, enum event_kind kind, uint32_t job, void *body);
void uilab_feed(struct uilab *u, enum msg_kind kind, uint64_t tag, const void *body);
/* The last message of that kind that was sent, or NULL. */
const struct uilab_sent *uilab_sent(const struct uilab *u, enum msg_kind kind);
void uilab_forget_sent(struct uilab *u);
/* A RESULT to the last message of that kind. */
void uilab_result(struct uilab *u, enum msg_kind to, enum refusal refusal, const char *text,
                  uint32_t count);

/* Moves both clocks. */
void uilab_wait(struct uilab *u, int64_t ms);
/* "j" and the like as they are, "<Enter>" "<C-l>" "<lt>" by name. */
void uilab_keys(struct uilab *u, const char *keys);
void uilab_paste(struct uilab *u, const char *text);
void uilab_mouse(struct uilab *u, enum mouse_what what, int y, int x);
void uilab_draw(struct uilab *u, int rows, int cols);
/* The last picture as text, a line a row; void at the next call. */
const char *uilab_text(struct uilab *u);
/* The row of the picture that has part, or -1. */
int uilab_find(struct uilab *u, const char *part);

/* Draws and compares with tests/screen/golden/NAME.txt: the text, then the look of every cell. */
void uilab_golden(struct uilab *u, const char *name, int rows, int cols);
/* Compares a text made of such pictures with its file. */
void uilab_compare_golden(const char *name, int rows, int cols, const struct str *got);
/* The same with the looks that it has without colours, and on a terminal with eight. */
void uilab_golden_in_all(struct uilab *u, const char *name, int rows, int cols);
/* Draws and compares with docs/screens/NAME.svg. PICTURES=DIR: writes it there, in all sizes and themes. */
void uilab_picture(struct uilab *u, const char *name, int rows, int cols);
struct picture {
    const char *name;
    const struct theme *theme;
    int rows, cols;
    bool exact; /* else only its size is compared: what it shows changes with every part of the system */
};
/* The same of other screens. */
void uilab_app_picture(struct ui *app, struct canvas *c, const struct picture *p);
/* The next key of a text as uilab_keys takes it; false at its end. */
bool uilab_next_key(const char **keys, struct input *ret);
void canvas_to_svg(const struct canvas *c, const struct theme *t, struct str *out);

#endif
