/* job_life.c - the life of a job in a few lines. */
#include "ui/info/job_life.h"

#include <stdlib.h>
#include <string.h>

#include "src/lang/lang.h"
#include "src/model/fold/jobevents.h"
#include "src/model/jobeffective.h"
#include "src/model/runs.h"
#include "src/model/stepstate.h"
#include "src/text/eventtext.h"
#include "src/text/jobtext.h"
#include "src/text/steptext.h"
#include "src/values/units.h"
#include "ui/info/job_info.h"
#include "ui/text/view_text.h"
#include "ui/widget/bar.h"

#define SOON_PART  10 /* of the time limit */
#define SOON_MAX_S 3600

/* --- in one sentence --- */

static void headline_of_pending(struct rich *r, struct ui *ui, const struct job *j)
{
    struct str who = STR_INIT, when = STR_INIT;
    struct rich why;
    struct run_record last;
    rich_init(&why);
    if (j->hold) {
        uint32_t uid;
        const char *user;
        when_about(&when, job_held_since(j, &uid, &user), ui_now(ui));
        jobtext_who(&who, j, uid, user);
        rich_addf(r, ROLE_NORMAL, tr("Held by %s since %s."), who.s, when.s);
    } else {
        when_about(&when, run_get(j, runs_count(j) - 1, &last)->t_submit, ui_now(ui));
        job_wait_words(&why, ui, j);
        rich_addf(r, ROLE_NORMAL, why.text.len ? tr("Waiting since %s: %s.") : tr("Waiting since %s."),
                  when.s, why.text.s);
    }
    rich_fini(&why);
    str_fini(&who);
    str_fini(&when);
}

static void headline_of_running(struct rich *r, const struct ui *ui, const struct job *j, const char *nodes)
{
    struct str when = STR_INIT, bad = STR_INIT;
    char ran[UNITS_TEXT_SIZE];
    when_about(&when, j->t_start, ui_now(ui));
    duration_format(job_run_s(j, ui_now(ui)), ran);
    if (j->state == JOB_COMPLETING)
        rich_addf(r, ROLE_NORMAL, tr("Ending on %s after %s: its processes are being stopped."), nodes,
                  ran);
    else if (j->state == JOB_SUSPENDED)
        rich_addf(r, ROLE_NORMAL, tr("Suspended on %s after %s."), nodes, ran);
    else if (job_is_between(j))
        rich_addf(r, ROLE_NORMAL, tr("Running since %s; no task of it runs now."), when.s);
    else
        rich_addf(r, ROLE_NORMAL, tr("Running on %s since %s."), nodes, when.s);
    if (jobtext_failure(&bad, j))
        rich_addf(r, ROLE_ERROR, tr(" A task failed: %s."), bad.s);
    str_fini(&when);
    str_fini(&bad);
}

static void headline_of_ended(struct rich *r, const struct ui *ui, const struct job *j, const char *nodes)
{
    struct str when = STR_INIT, how = STR_INIT;
    char ran[UNITS_TEXT_SIZE];
    when_about(&when, j->t_end, ui_now(ui));
    duration_format(job_run_s(j, ui_now(ui)), ran);
    const struct step *step;
    const struct task *culprit = job_never_ran(j) ? job_first_failed(j, &step) : NULL;
    const char *failed = tr("failed: "); /* of what jobtext_end says */
    if (!jobtext_failure(&how, j))
        jobtext_end(&how, j);
    if (culprit && !str_is_empty(culprit->message))
        str_appendf(&how, ": %s", culprit->message);
    if (!wall_is_set(j->t_start) || job_never_ran(j))
        rich_addf(r, ROLE_NORMAL, tr("Ended at %s without having run: %s."), when.s, how.s);
    else if (j->state == JOB_COMPLETED)
        rich_addf(r, ROLE_NORMAL, tr("Done at %s after %s on %s."), when.s, ran, nodes);
    else if (str_starts(how.s, failed)) /* the sentence says it itself */
        rich_addf(r, ROLE_NORMAL, tr("Failed at %s after %s on %s: %s."), when.s, ran, nodes,
                  how.s + strlen(failed));
    else
        rich_addf(r, ROLE_NORMAL, tr("Ended at %s after %s on %s: %s."), when.s, ran, nodes, how.s);
    str_fini(&when);
    str_fini(&how);
}

void joblife_headline(struct rich *r, struct ui *ui, const struct job *j)
{
    char *list = job_node_list(j);
    const char *nodes = list ? list : tr("no node");
    rich_sign(r, job_role(j), job_glyph(j));
    rich_add(r, ROLE_NORMAL, " ");
    if (j->state == JOB_PENDING)
        headline_of_pending(r, ui, j);
    else if (job_state_is_final((enum job_state)j->state))
        headline_of_ended(r, ui, j, nodes);
    else
        headline_of_running(r, ui, j, nodes);
    job_silent_node(r, ui, j, SILENT_WITHIN);
    free(list);
}

/* --- its time --- */

bool joblife_ends_soon(int64_t left_s, int64_t limit_s)
{
    return left_s < SOON_MAX_S && left_s * SOON_PART < limit_s;
}

void joblife_limit(struct rich *r, const struct ui *ui, const struct job *j, int width)
{
    struct wall now = ui_now(ui), end = job_end_time(j, ui_model(ui));
    uint32_t limit = job_limit_s(j, ui_model(ui)), ran_s = job_run_s(j, now);
    char ran[UNITS_TEXT_SIZE], all[UNITS_TEXT_SIZE], left[UNITS_TEXT_SIZE];
    bool over = job_state_is_final((enum job_state)j->state) || j->state == JOB_COMPLETING;
    if (j->state == JOB_PENDING || !wall_is_set(j->t_start) || job_never_ran(j))
        return;
    duration_format(ran_s, ran);
    if (limit >= DURATION_NOT_SET || !limit) {
        rich_addf(r, ROLE_NORMAL, tr("%s, without a time limit"), ran);
        return;
    }
    int64_t left_s = wall_is_set(end) && !over ? wall_elapsed_s(now, end) : 0;
    bool soon = !over && wall_is_set(end) && joblife_ends_soon(left_s, left_s + ran_s);
    struct bar_part part = {.n = ran_s < limit ? ran_s : limit,
                            .role = soon   ? ROLE_BAR_IDLE
                                    : over ? ROLE_BAR_GONE
                                           : ROLE_BAR_RUN};
    bar_add(r, &part, 1, limit, width);
    duration_format(limit, all);
    if (over || !wall_is_set(end)) {
        rich_addf(r, ROLE_NORMAL, tr("  %s of %s"), ran, all);
        return;
    }
    struct str when = STR_INIT;
    when_about(&when, end, now);
    duration_format((uint32_t)(left_s > 0 ? left_s : 0), left);
    rich_addf(r, soon ? ROLE_WARN : ROLE_NORMAL, tr("  %s of %s, %s left, ends by %s"), ran, all, left,
              when.s);
    str_fini(&when);
}

/* --- its life --- */

#define RUNS_SHOWN 4  /* each is two parts of a bar */
#define WORTH_S    60 /* a wait that is worth a ribbon */

static enum role ribbon_role(const struct job *run)
{
    if (!job_state_is_final((enum job_state)run->state))
        return ROLE_BAR_USED;
    if (run->kill_cause == KILL_PREEMPT)
        return ROLE_BAR_FOREIGN;
    return run->state == JOB_COMPLETED ? ROLE_BAR_USED
           : run->state == JOB_FAILED || run->state == JOB_TIMEOUT || run->state == JOB_OUT_OF_MEMORY ||
                   run->state == JOB_NODE_FAIL
               ? ROLE_BAR_FAIL
               : ROLE_BAR_IDLE;
}

/* How a run that is over ended, where it did not end as it was meant to. */
static void ribbon_end(struct rich *words, const struct job *run)
{
    struct str how = STR_INIT;
    if (!job_state_is_final((enum job_state)run->state) || run->state == JOB_COMPLETED)
        return;
    if (run->kill_cause == KILL_PREEMPT || run->kill_cause == KILL_REQUEUE)
        jobtext_kill(&how, run);
    else
        jobtext_end(&how, run);
    rich_addf(words, ROLE_NORMAL, " (%s)", how.s);
    str_fini(&how);
}

static void ribbon_say(struct rich *words, const char *fmt, int64_t s)
{
    char b[UNITS_TEXT_SIZE];
    duration_format_words(s, b);
    rich_add(words, ROLE_NORMAL, words->text.len ? ", " : "");
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    rich_addf(words, ROLE_NORMAL, fmt, b);
#pragma GCC diagnostic pop
}

bool joblife_ribbon(struct rich *bar, struct rich *words, const struct ui *ui, const struct job *j,
                    int width)
{
    uint32_t n = runs_count(j), from = n > RUNS_SHOWN ? n - RUNS_SHOWN : 0, n_parts = 0;
    struct bar_part parts[2 * RUNS_SHOWN] = {{0}};
    struct wall now = ui_now(ui);
    uint64_t all = 0;
    int64_t waited_most_s = 0;
    for (uint32_t k = from; k < n; k++) {
        struct run_record rec;
        const struct job *run = run_get(j, k, &rec);
        bool ran = wall_is_set(run->t_start), over = job_state_is_final((enum job_state)run->state);
        struct wall end = over ? run->t_end : now;
        int64_t waited_s = wall_elapsed_s(run->t_submit, ran ? run->t_start : end);
        waited_most_s = waited_s > waited_most_s ? waited_s : waited_most_s;
        ribbon_say(words, ran || over ? tr("waited %s") : tr("waiting for %s"), waited_s);
        parts[n_parts++] = (struct bar_part){.n = (uint64_t)waited_s, .role = ROLE_BAR_GONE};
        if (!ran)
            continue;
        int64_t ran_s = wall_elapsed_s(run->t_start, end);
        ribbon_say(words, over ? tr("ran %s") : tr("running for %s"), ran_s);
        ribbon_end(words, run);
        parts[n_parts++] = (struct bar_part){.n = (uint64_t)ran_s, .role = ribbon_role(run)};
    }
    for (uint32_t i = 0; i < n_parts; i++)
        all += parts[i].n;
    bar_add(bar, parts, n_parts, all, width);
    if (from)
        rich_addf(words, ROLE_DIM, tr("; %u earlier runs"), from);
    return n > 1 || (wall_is_set(j->t_start) && waited_most_s >= WORTH_S);
}
