/* app.h - the frame: the stack of views, dialogs, the mirror of the cluster, requests. No terminal, no
 * socket, no clock: inputs, messages and the time are handed in, pictures and wishes are taken out, so that
 * tests drive all of it in memory.
 */
#ifndef UI_APP_APP_H
#define UI_APP_APP_H

#include "src/base/time.h"
#include "ui/frame/prefs.h"
#include "ui/frame/view.h"
#include "ui/theme/theme.h"

struct app_options {
    bool read_only, ascii;
    bool threads;             /* files are read beside this thread; without, at once: for tests */
    uint32_t gpu_idle_flag_s; /* ui_gpu_idle_flag_s; 0: SETTINGS_GPU_IDLE_S */
    struct keymap keys;
    struct prefs *prefs;          /* what is remembered; the caller's, never NULL */
    const char *config_dir, *cwd; /* or NULL */
    struct strv themes;           /* names that :theme offers; the caller's */
    /* Sends a message; 0 or a negative error. */
    int (*send)(void *ctx, enum msg_kind kind, const void *body, uint64_t *ret_tag);
    void *ctx;
};

#define APP_QUIT    1u
#define APP_SUSPEND 2u
#define APP_REDRAW  4u         /* send everything to the terminal again */
#define APP_MOUSE   8u         /* turn the mouse on or off */
#define APP_COPY    16u        /* app_copied() goes to the clipboard */
#define APP_SAVE    32u        /* the prefs have changed */
#define APP_KEEP    (1u << 20) /* with APP_SAVE: the user has said that they are to be kept */
#define APP_THEME   64u        /* prefs->theme is to be used */
#define APP_BELL    128u
#define APP_TITLE   256u /* app_title() is the window's */
#define APP_RUN     512u /* app_program() gets the terminal */

struct ui *app_new(const struct app_options *o) __attribute__((warn_unused_result));
void app_free(struct ui *a);

/* The time: what the cluster's clock says, and a clock that only goes forward. Call before the others, at
 * each turn. */
void app_set_time(struct ui *a, struct wall now, struct mono mono);

/* Connected: asks for the state. lost: why the connection is gone; what is shown stays and grows stale. */
void app_connected(struct ui *a, const struct msg_welcome *w);
void app_lost(struct ui *a, const char *why);
void app_connecting(struct ui *a, const char *what); /* shown until there is data */
/* Takes in->body's contents; the caller frees it with msg_free. */
void app_feed(struct ui *a, const struct incoming *in);
/* The same for a body of MSG_JOBS that answers the GET sent last, as it came. */
void app_feed_rows(struct ui *a, const void *p, size_t n);
/* Tests: takes a model as if a snapshot had brought it. */
void app_take_model(struct ui *a, struct model *m);
struct model *app_model(struct ui *a);
/* Something in the model was changed from outside of app_feed. */
void app_changed(struct ui *a);

void app_input(struct ui *a, const struct input *in);
/* The current view's descriptor, and what to do when it is readable. */
int app_view_fd(struct ui *a);
void app_view_wake(struct ui *a);
/* Readable when work that was done beside this thread has ended; -1: there is none. */
int app_aside_fd(const struct ui *a);
void app_aside_wake(struct ui *a);
/* One slice of background work; true: call again soon. */
bool app_work(struct ui *a);

/* Is there something new to draw? */
bool app_is_dirty(const struct ui *a);
/* Draws everything onto c, whose size is the screen's. */
void app_draw(struct ui *a, struct canvas *c);
/* Milliseconds until something changes by itself; -1: never. Then app_tick. */
int app_next_ms(const struct ui *a);
void app_tick(struct ui *a);

/* APP_* bits since the last call. */
unsigned app_take_wishes(struct ui *a);
/* Does something wait that was confirmed and can be undone still? app_hurry does it now: for who is about
 * to end, or to give the terminal away. */
bool app_is_waiting(const struct ui *a);
void app_hurry(struct ui *a);
const char *app_copied(const struct ui *a);
/* APP_RUN: the program that gets the terminal for a while. */
const struct strv *app_program(const struct ui *a);
const char *app_program_where(const struct ui *a); /* a line to show above it */
const char *app_title(const struct ui *a);
void app_say(struct ui *a, enum role role, const char *text);
struct view *app_view(const struct ui *a); /* on top */

#endif
