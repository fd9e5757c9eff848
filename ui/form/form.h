/* form.h - the text of a job to be submitted: a script or a job file, and fields that are another way to
 * see and change the same text.
 *
 * The text is the truth. A field's value is what the text says; setting a field changes that one place of
 * the text; what is submitted is read from the text, by the code that sbatch and stoker submit use. So
 * every field that is shown is also sent, and no line is lost.
 */
#ifndef UI_FORM_FORM_H
#define UI_FORM_FORM_H

#include "src/jobspec/batchopts.h"
#include "ui/state/view.h"

enum field_kind { FIELD_TEXT, FIELD_NUMBER, FIELD_SWITCH, FIELD_CHOICE };

struct form_field {
    const char *key;     /* option of sbatch, or key of a job file */
    const char *label;   /* two words at most */
    const char *help;    /* syntax */
    const char *section; /* a title before it; NULL: none */
    enum field_kind kind;
    const char *choices; /* FIELD_CHOICE: words between blanks */
    bool simple;         /* on the simple page; the others are shown if they are set, or under "More" */
    bool quoted;         /* job files: a text */
    bool of_step;        /* job files: of each step */
    int id;              /* batch: the option's number, or FORM_... */
};
#define FORM_ARGS    (-1)
#define FORM_COMMAND (-2)
#define FORM_SETUP   (-3)

struct form_edit;

struct form {
    struct form_edit *edit; /* the request of a job in the queue: there is no text; NULL: a submission */
    enum job_kind kind;     /* batch or steps */
    struct str text;        /* the script or job file */
    char *path;             /* where it came from; NULL: typed here */
    char *args;             /* of the script, as in a shell */
    char *dir;              /* where the job runs unless the text says otherwise; NULL: here */
    const struct strv *far_env; /* ui_far_env; NULL: the cluster is this machine's */
    const struct form_field *fields;
    size_t n_fields;
};

void form_init(struct form *f, enum job_kind kind);
/* Where new jobs of this user run: the current directory; on another machine their home directory. */
void form_take_place(struct form *f, const struct ui *ui);
void form_fini(struct form *f);
/* Switches to another kind with an empty text. */
void form_begin(struct form *f, enum job_kind kind);
/* The fields of a job in the queue. */
void form_init_edit(struct form *f, struct form_edit *take_edit);
/* Whether the field has a place in this form. */
bool form_shows(const struct form *f, const struct form_field *field);
/* Nothing has been written yet. */
bool form_is_new(const struct form *f);
/* Reads a script or a *.job file. *dos: the file had DOS line ends, which are converted. Errors: as
 * script_read. */
int form_load(struct form *f, const char *path, bool *dos, struct errtext *err)
    __attribute__((warn_unused_result));

/* form_fields.c; the simple ones come first. */
extern const struct form_field form_batch_fields[], form_job_fields[], form_step_fields[],
    form_edit_fields[];
extern const size_t form_n_batch_fields, form_n_job_fields, form_n_step_fields, form_n_edit_fields;

/* The field with that key, of the job or of its steps; NULL: the form has none. */
const struct form_field *form_find_field(const struct form *f, const char *key);
const struct form_field *form_find_step_field(const char *key);

/* The field's value in the text; NULL: not set. step: of job files, for fields of steps. Caller frees. */
char *form_get(const struct form *f, const struct form_field *field, int step)
    __attribute__((warn_unused_result));
/* Which of the fields the text sets. */
void form_given(const struct form *f, const struct form_field *fields, size_t n, int step, bool *ret);
/* Whether the field can be edited: the command of a script with several lines cannot. */
bool form_can_set(const struct form *f, const struct form_field *field);
/* "" and NULL remove the setting. */
void form_set(struct form *f, const struct form_field *field, int step, const char *value);

/* The name of a job whose text sets none: the name of its file, as the commands choose it, else of the
 * program of its first command (ui/form/form_name.h). Caller frees. */
char *form_default_name(const struct form *f) __attribute__((warn_unused_result));

/* The message that is sent. Reads the scripts that steps name, so it may block on files. Errors: -EINVAL
 * ..., the text names the line. msg_submit_rec frees *ret. */
int form_message(const struct form *f, struct wall now, struct msg_submit *ret, struct errtext *err)
    __attribute__((warn_unused_result));

/* --- what there is to say about it while it is typed --- */

enum hint_kind { HINT_ERROR, HINT_WARN, HINT_GOOD };
struct form_hint {
    const struct form_field *field; /* NULL: of the whole */
    int step;                       /* of fields of steps; or -1 */
    enum hint_kind kind;
    char *text;
    char *fix;                          /* the suggested value; NULL: none */
    char *fix_shown;                    /* what is shown of it; NULL: all */
    const struct form_field *fix_field; /* the field that needs it; NULL: the same */
};
struct form_hints {
    struct form_hint *v;
    size_t n, cap;
};
void form_hints_fini(struct form_hints *h);

/* A copy of the form at one time, and what checking its files found. */
struct form_draft {
    struct form f;
    struct wall now;
    int rc; /* of form_message; < 0: err says why, and there is no message */
    struct errtext err;
    struct msg_submit m;
    struct form_hints files; /* of what its files are: a missing directory, command, script */
};
/* A copy of the form, not checked yet. */
struct form_draft *form_draft_new(const struct form *f, struct wall now)
    __attribute__((warn_unused_result));
/* Joins the lines of a text for a terminal into one. Heap. */
char *form_one_line(const char *text) __attribute__((warn_unused_result));
void form_draft_free(void *draft);
/* Checks the draft. It may block on files, and uses only the draft. */
void form_draft_build(void *draft);

/* The hints: mistakes in the text, requests that no node can satisfy, limits of the partition, missing
 * files, what earlier runs used. Does not block. */
void form_check(const struct form_draft *d, const struct ui *ui, struct form_hints *ret);

#endif
