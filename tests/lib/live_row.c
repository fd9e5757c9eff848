#include "tests/lib/live_row.h"

#include "src/base/xalloc.h"
#include "src/os/clock.h"
#include "src/text/why_text.h"
#include "src/values/units.h"
#include "tests/lib/check.h"

#define JOBS_MAX  16
#define SETTLE_MS 1000  /* until the forecast is made */
#define BEFORE_MS 30000 /* a cause is still there so long before it clears */
#define AFTER_MS  10000 /* and gone so long after that */
#define FAR_S     (6 * 3600)
#define NEAR_S    3
#define ROUND_S   10

struct live_case {
    struct live_rows *rows;
    const struct live_row *row;
    uint32_t jobs[JOBS_MAX];
    size_t n;
    uint32_t asked; /* 0: none yet */
    char user[16];  /* whose it is */
    struct wall begin;
    bool wrong;
};

static void live_case_wrong(struct live_case *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void live_case_wrong(struct live_case *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    printf("%s: ", c->row->name);
    vprintf(fmt, ap);
    printf("\n");
    va_end(ap);
    c->wrong = true;
}

/* With ids in place of $1 and $*. */
static char *live_case_fill(const struct live_case *c, const char *text)
{
    struct str out = STR_INIT;
    for (const char *p = text; *p; p++) {
        bool job = *p == '$' && p[1] >= '1' && p[1] <= '9', asked = *p == '$' && p[1] == '*';
        if (job || asked) {
            size_t at = asked ? 0 : (size_t)(p[1] - '1');
            str_appendf(&out, "%u", asked ? c->asked : at < c->n ? c->jobs[at] : 0);
            p++;
        } else {
            str_append_char(&out, *p);
        }
    }
    str_append(&out, "");
    return str_take(&out);
}

/* --- what is set up --- */

static void live_case_submit(struct live_case *c, const char *user, const char *options, bool asked)
{
    assert_true(c->n < JOBS_MAX);
    uint32_t id = live_submit(&c->rows->lab, user, options);
    c->jobs[c->n++] = id;
    if (!asked)
        return;
    c->asked = id;
    snprintf(c->user, sizeof c->user, "%s", user);
}

static void live_case_act(struct live_case *c, const char *user, enum act act, const char *job)
{
    struct msg_result r;
    live_act(&c->rows->lab, user, act, (uint32_t)strtoul(job, NULL, 10), &r);
    if (r.refusal != REFUSAL_NONE)
        fail_msg("%s: act %u is refused: %s", c->row->name, act,
                 cause_code_name((enum cause_code)r.cause.code));
    rec_fini(&msg_result_rec, &r);
}

static void live_case_change(struct live_case *c, const char *user, const char *job, const char *change)
{
    struct msg_result r;
    live_update(&c->rows->lab, user, (uint32_t)strtoul(job, NULL, 10), change, &r);
    if (r.refusal != REFUSAL_NONE)
        fail_msg("%s: %s is refused", c->row->name, change);
    rec_fini(&msg_result_rec, &r);
}

static void live_case_window(struct live_case *c, const struct strv *w)
{
    bool maintenance = str_eq(w->v[0], "maintenance");
    live_window(&c->rows->lab, maintenance ? WINDOW_MAINTENANCE : WINDOW_RESERVATION, w->v[1], w->v[2],
                atoi(w->v[3]), atoi(w->v[4]), maintenance ? NULL : w->v[5]);
}

static void live_case_step(struct live_case *c, const char *line)
{
    struct live_lab *l = &c->rows->lab;
    struct strv w = strv_split(line, " ");
    const char *word = w.v[0], *rest = strchr(line, ' ');
    rest = rest ? rest + 1 : "";
    if (str_eq(word, "hold"))
        live_case_act(c, w.v[1], ACT_HOLD, w.v[2]);
    else if (str_eq(word, "requeuehold"))
        live_case_act(c, w.v[1], ACT_REQUEUE_HOLD, w.v[2]);
    else if (str_eq(word, "cancel"))
        live_case_act(c, "root", ACT_CANCEL, w.v[1]);
    else if (str_eq(word, "update"))
        live_case_change(c, w.v[1], w.v[2], strchr(strchr(rest, ' ') + 1, ' ') + 1);
    else if (str_eq(word, "drain"))
        live_drain(l, w.v[1], strchr(rest, ' ') + 1);
    else if (str_eq(word, "maintenance") || str_eq(word, "reserve"))
        live_case_window(c, &w);
    else if (str_eq(word, "remove"))
        live_window(l, WINDOW_RESERVATION, w.v[1], NULL, 0, 1, NULL);
    else if (str_eq(word, "down"))
        live_down(l, w.v[1]);
    else if (str_eq(word, "play"))
        live_play(l, strtoll(w.v[1], NULL, 10) * MS_PER_S);
    else if (str_eq(word, "later"))
        live_policy(l, l->nodes, c->row->later);
    else if (str_eq(word, "last"))
        live_policy(l, l->nodes, c->row->last);
    else if (str_eq(word, "cut"))
        live_policy(l, c->rows->cut, l->policy);
    else
        live_case_submit(c, word + (*word == '*'), rest, *word == '*');
    strv_fini(&w);
}

static void live_case_set_up(struct live_case *c)
{
    struct strv lines = strv_split(c->row->steps, "\n");
    live_clear(&c->rows->lab);
    live_policy(&c->rows->lab, c->rows->nodes, c->row->policy ? c->row->policy : c->rows->policy);
    c->n = 0;
    c->begin = wall_read();
    for (size_t i = 0; i < lines.n; i++) {
        char *line = live_case_fill(c, lines.v[i]);
        live_case_step(c, line);
        free(line);
    }
    live_play(&c->rows->lab, SETTLE_MS);
    strv_fini(&lines);
}

/* --- what is said --- */

static struct wall live_begin; /* of the case, for the clock of sentences */

static void live_clock(struct str *out, struct wall t, struct wall now)
{
    (void)now;
    int64_t s = (t.ms - live_begin.ms + ROUND_S * MS_PER_S / 2) / MS_PER_S;
    str_appendf(out, "@%lld", (long long)(s - s % ROUND_S));
}

static struct cause_reader live_reader(void)
{
    return (struct cause_reader){.clock = live_clock, .now = wall_read()};
}

static struct msg_why *live_case_ask(struct live_case *c)
{
    struct msg_why *w = live_why(&c->rows->lab, c->user, c->asked);
    live_begin = c->begin;
    return w;
}

static int live_case_seconds(const struct live_case *c, struct wall t)
{
    return wall_is_set(t) ? (int)((t.ms - c->begin.ms) / MS_PER_S) : 0;
}

static bool live_is_near(int a, int b)
{
    return a == b || (a && b && a - b <= NEAR_S && b - a <= NEAR_S);
}

static void live_case_print(const struct live_case *c, const struct msg_why *w)
{
    struct cause_reader r = live_reader();
    for (size_t i = 0; i < w->causes.n; i++) {
        char *s = cause_string(&w->causes.v[i], &r);
        printf("    %s %s, clears %d\n", why_class_name((enum why_class)w->causes.v[i].cls), s,
               live_case_seconds(c, w->causes.v[i].clears));
        free(s);
    }
    char *basis = cause_string(&w->basis, &r), *advice = cause_string(&w->advice, &r);
    printf("    reason %s, start %d (%s), advice: %s\n", reason_slurm((enum reason)w->reason),
           live_case_seconds(c, w->start), basis, advice);
    free(basis);
    free(advice);
}

static void live_case_check_want(struct live_case *c, const struct msg_why *w, const struct live_want *want,
                                 bool *taken)
{
    struct cause_reader r = live_reader();
    char *text = live_case_fill(c, want->text);
    bool found = false;
    for (size_t i = 0; i < w->causes.n && !found; i++) {
        char *s = cause_string(&w->causes.v[i], &r);
        int clears = live_case_seconds(c, w->causes.v[i].clears);
        found = !taken[i] && strstr(s, text) &&
                str_eq(why_class_name((enum why_class)w->causes.v[i].cls), want->cls);
        taken[i] = taken[i] || found;
        if (found && !live_is_near(clears, want->clears))
            live_case_wrong(c, "\"%s\" clears at %d, not at %d", text, clears, want->clears);
        free(s);
    }
    if (!found)
        live_case_wrong(c, "no cause is %s \"%s\"", want->cls, text);
    free(text);
}

static void live_case_check_causes(struct live_case *c, const struct msg_why *w)
{
    bool taken[64] = {false};
    for (size_t i = 0; i < LIVE_WANTS && c->row->wants[i].text; i++)
        live_case_check_want(c, w, &c->row->wants[i], taken);
    for (size_t i = 0; i < w->causes.n && i < N_OF(taken); i++)
        if (!taken[i])
            live_case_wrong(c, "a cause more: %s", cause_code_name((enum cause_code)w->causes.v[i].code));
}

static void live_case_check_advice(struct live_case *c, const struct msg_why *w)
{
    const char *want = c->row->advice;
    struct cause_reader r = live_reader();
    char *s = cause_string(&w->advice, &r);
    if (want && *want && !strstr(s, want))
        live_case_wrong(c, "the advice is \"%s\", not \"%s\"", s, want);
    if (want && !*want && w->advice.code != CAUSE_NONE)
        live_case_wrong(c, "it advises \"%s\"", s);
    free(s);
}

static void live_case_check(struct live_case *c, const struct msg_why *w)
{
    const struct live_row *row = c->row;
    if (w->state != JOB_PENDING) {
        live_case_wrong(c, "it does not wait");
        return;
    }
    if (row->reason && !str_eq(reason_slurm((enum reason)w->reason), row->reason))
        live_case_wrong(c, "the reason is %s, not %s", reason_slurm((enum reason)w->reason), row->reason);
    live_case_check_causes(c, w);
    int start = live_case_seconds(c, w->start);
    if (row->start >= 0 && !live_is_near(start, row->start))
        live_case_wrong(c, "it starts at %d, not at %d", start, row->start);
    live_case_check_advice(c, w);
}

/* --- whether that comes true --- */

static bool live_is_same(const struct cause *a, const struct cause *b)
{
    if (a->cls == WHY_WINDOW && b->cls == WHY_WINDOW) /* ahead, then now */
        return str_eq(a->name, b->name);
    return a->code == b->code && a->cls == b->cls && a->what == b->what && a->scope == b->scope &&
           str_eq(a->name, b->name) && str_eq(a->rule, b->rule) && str_eq(a->part, b->part) &&
           str_eq(a->id, b->id);
}

static bool live_case_has(struct live_case *c, const struct cause *cause, bool *ret_waits)
{
    struct msg_why *w = live_case_ask(c);
    bool any = false;
    *ret_waits = w && w->state == JOB_PENDING;
    for (size_t i = 0; *ret_waits && i < w->causes.n; i++)
        any = any || live_is_same(&w->causes.v[i], cause);
    if (w)
        msg_free(MSG_WHY_CAUSES, w);
    return any;
}

static void live_case_play_to(struct live_case *c, int64_t ms)
{
    int64_t left = ms - wall_read().ms;
    if (left > 0)
        live_play(&c->rows->lab, left);
}

/* Causes as they clear one after the other. */
static int live_by_clears(const void *pa, const void *pb)
{
    const struct cause *a = pa, *b = pb;
    return (a->clears.ms > b->clears.ms) - (a->clears.ms < b->clears.ms);
}

/* It need not be there until then: the jobs ahead have started by then, but the nodes are theirs; a victim
 * may end before its grace time is over; the job starts in another partition, or is given up. */
static bool live_is_last(const struct live_case *c, const struct cause *cause)
{
    return cause->cls == WHY_BEHIND || cause->code == CAUSE_PREEMPTS || c->row->ends_before;
}

static void live_case_check_clears(struct live_case *c, const struct cause *cause)
{
    int at = live_case_seconds(c, cause->clears);
    bool waits;
    if (!at || at > FAR_S)
        return;
    if (cause->clears.ms - BEFORE_MS > wall_read().ms) {
        live_case_play_to(c, cause->clears.ms - BEFORE_MS);
        if (!live_case_has(c, cause, &waits) && !live_is_last(c, cause))
            live_case_wrong(c, "%s has gone before %d%s", cause_code_name((enum cause_code)cause->code), at,
                            waits ? "" : ", and the job runs");
    }
    live_case_play_to(c, cause->clears.ms + AFTER_MS);
    if (live_case_has(c, cause, &waits) && !c->row->goes_on)
        live_case_wrong(c, "%s is there after %d", cause_code_name((enum cause_code)cause->code), at);
}

static void live_case_check_start(struct live_case *c, struct wall start)
{
    int at = live_case_seconds(c, start);
    if (!at || at > FAR_S || c->row->start == LIVE_WHATEVER)
        return;
    live_case_play_to(c, start.ms + AFTER_MS);
    struct msg_why *w = live_case_ask(c);
    if (w && w->state == JOB_PENDING)
        live_case_wrong(c, "it waits after its start at %d", at);
    if (w)
        msg_free(MSG_WHY_CAUSES, w);
}

static void live_case_check_times(struct live_case *c, struct msg_why *w)
{
    qsort(w->causes.v, w->causes.n, sizeof *w->causes.v, live_by_clears);
    for (size_t i = 0; i < w->causes.n; i++)
        live_case_check_clears(c, &w->causes.v[i]);
    live_case_check_start(c, w->start);
}

/* --- what is advised --- */

/* The command takes each key that advice names. */
static void live_case_scontrol(struct live_case *c, const char *change)
{
    int status;
    char *line = xasprintf("scontrol update JobId=%u %s", c->asked, change);
    char *s = live_command(&c->rows->lab, line, &status);
    if (status || *s)
        live_case_wrong(c, "%s: %s", line, s);
    free(s);
    free(line);
}

static bool live_has_class(const struct msg_why *w, enum why_class cls)
{
    for (size_t i = 0; i < w->causes.n; i++)
        if (w->causes.v[i].cls == cls)
            return true;
    return false;
}

static void live_case_try_advice(struct live_case *c, const struct msg_why *w)
{
    struct msg_result r;
    char *change = xasprintf("%s=%s", w->advice_key, w->advice_value);
    live_case_set_up(c);
    if (strv_has(&c->rows->keys, w->advice_key)) {
        live_update(&c->rows->lab, c->user, c->asked, change, &r);
        if (r.refusal != REFUSAL_NONE)
            live_case_wrong(c, "%s is refused (%u)", change, r.refusal);
        rec_fini(&msg_result_rec, &r);
    } else {
        strv_push(&c->rows->keys, w->advice_key);
        live_case_scontrol(c, change);
    }
    live_play(&c->rows->lab, SETTLE_MS);
    struct msg_why *then = live_case_ask(c);
    bool throttle = str_eq(w->advice_key, "ArrayTaskThrottle"); /* another element starts, not the record */
    bool helps = !then || then->state != JOB_PENDING;
    if (w->advice.code == CAUSE_TRY_ADMITTED) /* it may have to wait */
        helps = !live_has_class(then, WHY_NOT_ALLOWED);
    if (!throttle && !helps) {
        live_case_wrong(c, "%s does not help", change);
        live_case_print(c, then);
    }
    msg_free(MSG_WHY_CAUSES, then);
    free(change);
}

static void live_case_try_release(struct live_case *c, const struct cause *held)
{
    bool offered = !held->parts.n;
    struct msg_result r;
    live_case_set_up(c);
    live_act(&c->rows->lab, held->code == CAUSE_HELD_BY_OWNER ? c->user : "root", ACT_RELEASE, c->asked,
             &r);
    if ((r.refusal == REFUSAL_NONE) != offered)
        live_case_wrong(c, "a release is %s, and it is %s", r.refusal ? "refused" : "done",
                        offered ? "offered" : "not offered");
    rec_fini(&msg_result_rec, &r);
}

static void live_case_try_remedies(struct live_case *c, const struct msg_why *w)
{
    if (w->advice_key)
        live_case_try_advice(c, w);
    for (size_t i = 0; i < w->causes.n; i++)
        if (w->causes.v[i].code == CAUSE_HELD_BY_OWNER || w->causes.v[i].code == CAUSE_HELD_BY_ADMIN)
            live_case_try_release(c, &w->causes.v[i]);
}

/* --- all of it --- */

/* Of a job that does not wait, from the state or from the history. */
static void live_case_check_command(struct live_case *c)
{
    int status;
    char *want = live_case_fill(c, c->row->says), *line = xasprintf("stoker why %u", c->asked);
    char *s = live_command(&c->rows->lab, line, &status);
    if (!strstr(s, want))
        live_case_wrong(c, "it says \"%s\", not \"%s\"", s, want);
    free(s);
    free(line);
    free(want);
}

static void live_case_check_past(struct live_case *c, const struct msg_why *w)
{
    struct str s = STR_INIT;
    struct wall t;
    char *want = live_case_fill(c, c->row->past ? c->row->past : "");
    why_text_past(&s, w, &t);
    if (c->row->past ? !s.s || !strstr(s.s, want) : s.len > 0)
        live_case_wrong(c, "of the past it says \"%s\", not \"%s\"", s.s ? s.s : "", want);
    str_fini(&s);
    free(want);
}

/* Of a submission: what is answered, or why it is refused. */
static void live_case_check_submission(struct live_case *c)
{
    struct cause_reader r = live_reader();
    struct msg_result answer;
    char *want = live_case_fill(c, c->row->says);
    live_begin = c->begin;
    live_try_submit(&c->rows->lab, "ann", c->row->tries, &answer);
    char *s = cause_string(&answer.cause, &r);
    if (!strstr(s, want))
        live_case_wrong(c, "it says \"%s\", not \"%s\"", s, want);
    free(s);
    free(want);
    rec_fini(&msg_result_rec, &answer);
}

/* Of a job that waits. */
static void live_case_check_all(struct live_case *c)
{
    struct msg_why *w = live_case_ask(c);
    struct wall begin = c->begin;
    if (!w)
        fail_msg("%s: there is no job %u", c->row->name, c->asked);
    live_case_check(c, w);
    live_case_check_past(c, w);
    if (w->state == JOB_PENDING) {
        struct msg_why *copy = live_case_ask(c);
        live_case_check_times(c, copy);
        msg_free(MSG_WHY_CAUSES, copy);
        live_case_try_remedies(c, w);
    }
    live_begin = c->begin = begin;
    if (c->wrong)
        live_case_print(c, w);
    msg_free(MSG_WHY_CAUSES, w);
}

void live_row_play(struct live_rows *rows, const struct live_row *row)
{
    struct live_case c = {.rows = rows, .row = row};
    live_case_set_up(&c);
    if (row->tries)
        live_case_check_submission(&c);
    else if (row->says)
        live_case_check_command(&c);
    else
        live_case_check_all(&c);
    rows->n_right += !c.wrong;
    rows->n_wrong += c.wrong;
}
