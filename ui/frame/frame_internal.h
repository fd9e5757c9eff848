/* frame_internal.h - the frame's state, for the files of ui/app alone. */
#ifndef UI_FRAME_FRAME_INTERNAL_H
#define UI_FRAME_FRAME_INTERNAL_H

#include "src/base/vec.h"
#include "ui/app/app.h"
#include "ui/command/command.h"

struct open_dialog {
    uint64_t number;
    struct dialog *d;
    ui_done_fn *done;
    void *arg;
    void (*free_arg)(void *);
    ui_follow_fn *follow; /* NULL: it says what it said */
};

struct asked { /* a request that is not answered yet */
    uint64_t tag;
    struct view *owner;
    bool has_owner;
    ui_reply_fn *reply;
    uint64_t arg;
};

struct measured {
    struct msg_util util;
    struct mono at;
    struct util_past past;
};

struct past { /* jobs that have left the state, the order of which means nothing */
    VEC(struct job *) jobs;
    struct idmap by_id;
    struct msg_history query; /* what is wanted; before: the last row that has come of it */
    uint64_t walk;            /* counts the wants */
    uint64_t asked_walk;      /* of the last page that was asked for */
    struct {                  /* an array that somebody needs whole; done NULL: none */
        uint32_t job;
        ui_fetched_fn *done;
        uint64_t arg;
    } array;
    bool asked, asking, whole;
};

struct later { /* waits for its time, or to be undone */
    char *what;
    ui_later_fn *fn; /* NULL: nothing waits */
    void *arg;
    void (*free_arg)(void *);
    struct mono until;
};

struct watched {
    struct job_target what;
    uint32_t state; /* of a job; of an array how many of it are live */
};

struct totals { /* of the header; counted when the model changes */
    uint32_t running, waiting, nodes, nodes_used, nodes_out;
    uint64_t cpus, cpus_used, cpus_out, gpus, gpus_used, gpus_out;
    struct wall edge; /* a window begins or ends then; unset: none does */
};

struct changes { /* of the model since the views were brought up to it */
    bool all;
    struct idmap what; /* jobs and arrays, as changes.c has them */
};

struct ui_waits { /* wait_causes.c */
    struct idmap by_job;
    VEC(uint32_t) jobs, wanted; /* that are known; of which the picture has a row */
    uint64_t changes, asked_at; /* of the model: so far, when the last question went out */
};

struct ui {
    struct app_options o;
    struct model *m, *next; /* what is shown; what a snapshot is building */
    struct texts *texts;    /* of the jobs of both */
    bool has_data;
    struct wall now;
    struct mono mono;

    bool online;
    struct mono lost_at;
    bool was_online;
    char *why_lost, *connecting;
    struct msg_welcome welcome;
    uint64_t get_tag;
    struct mono resynced; /* when the state was last asked for */

    struct view *roots[8]; /* the screens of the number keys; opened when first needed */
    bool behind[8];        /* they have not seen the model's last change */
    size_t root;
    VEC(struct view *) pushed;
    VEC(struct open_dialog) dialogs;
    uint64_t next_number;
    uint64_t doing; /* the dialog whose outcome is being told; 0: none */
    struct ahead {
        uint32_t *v;
        size_t n, cap;
    } ahead;               /* keys that were typed while a dialog waits */
    bool replay;           /* it has gone: they are for what lies under it */
    bool in_dropped_paste; /* of a paste that came as keys the rest is dropped too */
    uint64_t quit_asked;   /* the dialog that asks whether to quit; 0: none did */
    VEC(struct asked) asked;
    VEC(struct measured *) utils;
    struct idmap utils_by_name;
    bool watching;
    struct past past;
    struct ui_waits waits;

    char *toast;
    enum role toast_role;
    struct mono toast_until;

    struct totals totals;
    bool changed; /* views have not seen the model's last change */
    struct changes changes;
    bool dirty;
    bool frozen, missed; /* missed: messages were dropped while frozen */
    bool mouse_on;
    unsigned wishes;
    char *copied, *title;
    struct strv program;
    struct str program_where;

    struct cmdline cmd;
    struct asides *asides; /* NULL: none has been needed */
    struct later later;
    VEC(struct watched) watched;
    struct idmap watched_at; /* what is watched -> its place there, from 1 */
};

/* wait_causes.c: after a picture; at the end. */
void waits_ask(struct ui *a);
void waits_forget(struct ui *a);

/* screens.c: the views of the number keys. */
extern const struct view_ops *const screens[];
size_t screens_count(void);
const char *screen_title(size_t i);
const char *screen_short(size_t i);
const char *screen_answers(size_t i); /* the questions that it is there for */
int screen_of_action(enum action a);  /* or -1 */
enum action screen_action(size_t i);

/* picture.c */
void frame_draw(struct ui *a, struct canvas *c);
void totals_count(struct totals *t, const struct ui *a);

/* changes.c: notes what a message is about to change, or has changed; everything; and that the views have
 * seen it. What is new need not be noted: no view has rows of it. */
void changes_note(struct ui *a, const struct incoming *in);
void changes_all(struct ui *a);
void changes_clear(struct ui *a);

/* help.c */
void help_open(struct ui *a);

/* app.c: brings the views up to the model. Before anything looks at rows: those of before the change hold
 * pointers that are void. */
void app_sync(struct ui *a);

/* stack.c */
bool view_takes_text(struct view *v); /* what is typed becomes text */
void stack_pop(struct ui *a);
void stack_show_screen(struct ui *a, size_t i);
void stack_did(struct ui *a, const struct view *v, unsigned did); /* DID_* bits of a view */
void stack_dialog_input(struct ui *a, const struct input *in);    /* there must be one */
/* What was typed ahead, where the dialog it waited for has gone. */
void stack_replay(struct ui *a);
void stack_fini(struct ui *a);

/* inputs.c */
void app_act(struct ui *a, enum action action); /* an action of the frame's own */
void app_quit(struct ui *a);

/* menu.c: all that can be done in the view on top. */
void menu_open(struct ui *a);

/* later.c */
void later_run(struct ui *a);  /* at once */
void later_due(struct ui *a);  /* if its time has come */
bool later_undo(struct ui *a); /* false: nothing waits */
void later_text(const struct ui *a, struct rich *r);

/* watch.c: looks at what is watched after a change. */
void watch_look(struct ui *a);

/* remember.c: prefs and views. */
void remember_restore(struct ui *a, struct view *v);
void remember_view(struct ui *a, struct view *v);
/* Keeps what the screen shows under a name; false: it has no table. */
bool remember_as(struct ui *a, const char *name);
/* Shows what was kept under that name; false: nothing was, or no screen of ours. */
bool remember_show(struct ui *a, const char *name);
/* "jobs, mine, state:wait, by time down". */
void remember_words(const struct view_prefs *p, struct str *out);

/* past_jobs.c */
void past_fini(struct past *p);
/* The job is about to leave the mirror. */
void past_keep(struct ui *a, const struct job *j);

/* aside.c */
void aside_forget(struct ui *a, const struct view *owner);
void aside_fini(struct ui *a);

/* follow.c */
void link_resync(struct ui *a);
void link_watch(struct ui *a);
void link_forget(struct ui *a, const struct view *owner);
void link_drop_utils(struct ui *a);
void link_fini(struct ui *a);

#endif
