/* waitreasons.c - why the jobs of a list wait. */
#include "src/cli/listing/waitreasons.h"

#include <stdlib.h>

#include "src/cli/ask.h"
#include "src/text/cause_text.h"
#include "src/text/jobtext.h"

#define ASKED_MAX 2000 /* rows of a list: at some 100 us each on a large cluster */

void waits_clock(struct str *out, struct wall t, struct wall now)
{
    char a[WALL_TEXT_SIZE], b[WALL_TEXT_SIZE];
    wall_format_iso(t, a);
    wall_format_iso(now, b);
    for (size_t i = 0; i < 10; i++)
        if (a[i] != b[i]) {
            str_appendf(out, "%.10s %.5s", a, a + 11);
            return;
        }
    str_appendf(out, "%.5s", a + 11);
}

static void waitreasons_take(struct waits *w, const struct msg_waits *rows, struct wall now)
{
    struct cause_reader reader = {.clock = waits_clock, .now = now, .user = w->user};
    for (size_t i = 0; i < rows->rows.n; i++) {
        const struct job_wait *r = &rows->rows.v[i];
        struct str s = STR_INIT;
        if (r->cause.code == CAUSE_NONE)
            continue;
        cause_brief(&s, &r->cause, &reader);
        char *text = str_take(&s);
        vec_push(&w->texts, text);
        idmap_set(&w->by_job, r->job, text);
    }
}

/* Returns how many were answered. */
static size_t ask_some(struct waits *w, struct client *c, const uint32_t *ids, size_t n)
{
    struct msg_waits_get get = {0};
    struct errtext err;
    enum refusal refusal;
    for (size_t i = 0; i < n && i < WAIT_ROWS_MAX; i++)
        *rec_list_push(&get.jobs) =
            (struct job_target){.job = ids[i], .array_index = ARRAY_NONE, .step = STEP_ALL};
    struct msg_waits *rows = ask_call(c, MSG_WAITS, &get, MSG_WAIT_CAUSES, &refusal, &err);
    size_t answered = rows ? rows->rows.n : 0;
    if (rows) {
        waitreasons_take(w, rows, client_welcome(c)->now);
        msg_free(MSG_WAIT_CAUSES, rows);
    }
    rec_fini(&msg_waits_get_rec, &get);
    return answered;
}

void waits_ask(struct waits *w, struct client *c, const struct job *const *jobs, size_t n)
{
    VEC(uint32_t) ids = VEC_INIT;
    for (size_t i = 0; i < n && ids.n < ASKED_MAX; i++)
        if (jobs[i]->state == JOB_PENDING) {
            vec_push(&ids, jobs[i]->id);
            if (jobs[i]->uid == client_welcome(c)->uid)
                w->user = jobs[i]->user;
        }
    for (size_t at = 0, got; at < ids.n; at += got)
        if (!(got = ask_some(w, c, ids.v + at, ids.n - at)))
            break;
    w->user = NULL; /* of a job of the caller's */
    vec_fini(&ids);
}

void waits_fini(struct waits *w)
{
    vec_for_each (&w->texts, i)
        free(w->texts.v[i]);
    vec_fini(&w->texts);
    idmap_fini(&w->by_job);
}

void waits_append(struct str *out, const struct waits *w, const struct job *j)
{
    const char *text = w ? idmap_get(&w->by_job, j->id) : NULL;
    if (text)
        str_append(out, text);
    else
        jobtext_reason_words(out, j);
}
