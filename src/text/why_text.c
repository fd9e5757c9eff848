#include "src/text/why_text.h"

#include "src/lang/lang.h"
#include "src/model/runs.h"
#include "src/text/eventtext.h"
#include "src/text/jobtext.h"
#include "src/text/state_text.h"

static void why_text_append_instant(struct str *out, const char *lead, struct wall t,
                                    const struct cause_reader *r)
{
    if (!wall_is_set(t) || !r->clock)
        return;
    str_append(out, lead);
    r->clock(out, t, r->now);
}

/* Of a job that runs, is being preempted or has ended. */
static void append_begun(struct str *out, const struct msg_why *w, const struct cause_reader *r)
{
    struct run_record record;
    const struct job *run = run_read(&w->run, w->uid, w->user, &record);
    if (job_state_is_final((enum job_state)w->state)) {
        jobtext_ended(out, run, w->id ? w->id : "?");
        why_text_append_instant(out, tr(", at "), w->run.t_end, r);
        return;
    }
    str_appendf(out, tr("job %s does not wait: it is "), w->id ? w->id : "?");
    if (wall_is_set(w->until)) {
        jobtext_kill(out, run);
        why_text_append_instant(out, tr(", ends by "), w->until, r);
        return;
    }
    str_append(out, w->state < JOB_N_STATES ? job_state_word((enum job_state)w->state) : "?");
    for (size_t i = 0; i < w->causes.n; i++) {
        str_append(out, "; ");
        cause_full(out, &w->causes.v[i], r);
    }
}

bool why_text_is_sooner(const struct msg_why *w)
{
    return wall_is_set(w->start) && wall_is_set(w->likely) && w->unlikely.ms < w->start.ms;
}

void why_text_sentence(struct str *out, const struct msg_why *w, const struct cause_reader *r)
{
    if (w->state != JOB_PENDING || !w->causes.n)
        return;
    struct cause first = w->causes.v[0]; /* borrows what the cause owns */
    if (why_text_is_sooner(w))
        first.start = (struct wall){0}, first.window_s = 0;
    cause_brief(out, &first, r);
}

/* Causes beside the first one. Slurm's own word names one of the others, or the first. */
static size_t why_text_more(const struct msg_why *w)
{
    size_t n = 0;
    for (size_t i = 1; i < w->causes.n; i++)
        n += w->causes.v[i].code != CAUSE_SLURM_REASON;
    return n;
}

void why_text_summary(struct str *out, const struct msg_why *w, const struct cause_reader *r)
{
    if (w->state != JOB_PENDING) {
        append_begun(out, w, r);
        return;
    }
    str_appendf(out, tr("job %s: "), w->id ? w->id : "?");
    why_text_sentence(out, w, r);
    size_t more = why_text_more(w);
    if (more)
        str_appendf(out, trn(" (and %zu more cause)", " (and %zu more causes)", more), more);
}

bool why_text_is_brief(const struct cause *c, const struct cause_reader *r)
{
    struct str brief = STR_INIT, full = STR_INIT;
    cause_brief(&brief, c, r);
    cause_full(&full, c, r);
    bool same = str_eq(brief.s, full.s);
    str_fini(&brief);
    str_fini(&full);
    return same;
}

void why_text_past(struct str *out, const struct msg_why *w, struct wall *ret)
{
    struct run_record record;
    *ret = (struct wall){0};
    if (w->state == JOB_PENDING && wall_is_set(w->run.t_end))
        jobtext_run(out, run_read(&w->run, w->uid, w->user, &record), ret);
}

size_t why_text_room_makers(const struct msg_why *w)
{
    size_t n = 0;
    while (1 + n < w->plan.n && wall_is_set(w->plan.v[1 + n].end) &&
           w->plan.v[1 + n].end.ms <= w->plan.v[0].start.ms)
        n++;
    return n;
}
