#include "backend/slurm/usage/slurm_usage.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/slurm/slurm_act.h"
#include "backend/slurm/slurm_ask.h"
#include "src/base/xalloc.h"

#define SHARES_YOUNG_MS 30000
#define PRIO_YOUNG_MS   10000
#define USAGE_JOBS_MAX  500 /* of one sprio command */
#define USAGE_DEPTH_MAX 64

/* X(enum member, what sshare -o calls it). Source: sshare(1); all of them are in Slurm 20.11. Names of
 * accounts and users are administrators' texts. */
#define SHARE_COLUMNS(X)         \
    X(ACCOUNT, "Account")        \
    X(USER, "User")              \
    X(RAW_SHARES, "RawShares")   \
    X(NORM_SHARES, "NormShares") \
    X(RAW_USAGE, "RawUsage")     \
    X(NORM_USAGE, "NormUsage")   \
    X(EFFECTIVE, "EffectvUsage") \
    X(FACTOR, "FairShare")       \
    X(LEVEL_FS, "LevelFS")       \
    X(TRES, "GrpTRESRaw")

enum share_column {
#define X(name, text) SHARE_##name,
    SHARE_COLUMNS(X)
#undef X
        SHARE_N
};

/* X(enum member, the letter of sprio -o). Source: sprio(1). No text that a user chooses is among them. */
#define PRIO_COLUMNS(X)     \
    X(JOB, "%i")            \
    X(USER, "%u")           \
    X(PARTITION, "%r")      \
    X(TOTAL, "%Y")          \
    X(AGE, "%A")            \
    X(FAIRSHARE, "%F")      \
    X(SIZE, "%J")           \
    X(PART, "%P")           \
    X(QOS, "%Q")            \
    X(NICE, "%N")           \
    X(ADMIN, "%S")          \
    X(TRES, "%T")           \
    X(AGE_PART, "%a")       \
    X(FAIRSHARE_PART, "%f") \
    X(SIZE_PART, "%j")      \
    X(PART_PART, "%p")      \
    X(QOS_PART, "%q")

enum prio_column {
#define X(name, text) PRIO_##name,
    PRIO_COLUMNS(X)
#undef X
        PRIO_N
};

/* --- values --- */

/* Takes a line off rest and splits it at '|'. Returns the number of columns; 0: there are no more lines. */
static size_t usage_next_line(struct slurm_span *rest, struct slurm_span *columns, size_t max)
{
    if (!rest->n)
        return 0;
    const char *end = memchr(rest->p, '\n', rest->n), *at = rest->p;
    size_t n = end ? (size_t)(end - rest->p) : rest->n, count = 0;
    const char *stop = at + n;
    for (;;) {
        const char *bar = memchr(at, '|', (size_t)(stop - at));
        if (count < max)
            columns[count] = (struct slurm_span){at, (size_t)((bar ? bar : stop) - at)};
        count++;
        if (!bar)
            break;
        at = bar + 1;
    }
    rest->p += n + (end != NULL);
    rest->n -= n + (end != NULL);
    return count;
}

/* 0 where it is not a number; "inf" is one. */
static double usage_number(const struct slurm_span *s)
{
    char text[64], *end;
    size_t n = s->n < sizeof text - 1 ? s->n : sizeof text - 1;
    memcpy(text, s->p, n);
    text[n] = '\0';
    double v = strtod(text, &end);
    return end > text && !isnan(v) ? v : 0;
}

static uint32_t usage_points(const struct slurm_span *s)
{
    double v = usage_number(s);
    return v <= 0 ? 0 : v >= UINT32_MAX ? UINT32_MAX : (uint32_t)(v + 0.5);
}

/* --- shares --- */

/* sshare indents accounts by a blank for each level. */
static uint32_t usage_depth(const struct slurm_span *account)
{
    uint32_t depth = 0;
    while (depth < account->n && account->p[depth] == ' ')
        depth++;
    return depth < USAGE_DEPTH_MAX ? depth : USAGE_DEPTH_MAX - 1;
}

static void usage_read_row(const struct slurm_span *c, struct share_row *r)
{
    struct slurm_span gpus = slurm_tres(&c[SHARE_TRES], "gres/gpu");
    double level_fs = usage_number(&c[SHARE_LEVEL_FS]);
    r->raw_shares = slurm_u32(&c[SHARE_RAW_SHARES], 1);
    r->norm_shares = usage_number(&c[SHARE_NORM_SHARES]);
    r->raw_usage = usage_number(&c[SHARE_RAW_USAGE]);
    r->norm_usage = usage_number(&c[SHARE_NORM_USAGE]);
    r->effective_usage = usage_number(&c[SHARE_EFFECTIVE]);
    r->fairshare = usage_number(&c[SHARE_FACTOR]);
    r->level_fs = isfinite(level_fs) ? level_fs : -1;
    r->gpu_hours = usage_number(&gpus) / 60; /* GrpTRESRaw is in minutes */
}

int slurm_usage_read_shares(const struct slurm_span *answer, struct msg_shares_rows *ret,
                            struct errtext *err)
{
    struct slurm_span rest = *answer, c[SHARE_N];
    char *at_depth[USAGE_DEPTH_MAX] = {NULL}; /* the account at each level above */
    int result = 0;
    size_t n;
    while (result == 0 && (n = usage_next_line(&rest, c, SHARE_N)) > 0) {
        if (n != SHARE_N) {
            result = err_set(err, -EBADMSG, "sshare prints rows of another form");
            break;
        }
        uint32_t depth = usage_depth(&c[SHARE_ACCOUNT]);
        struct slurm_span name = {c[SHARE_ACCOUNT].p + depth, c[SHARE_ACCOUNT].n - depth};
        struct share_row *r = rec_list_push(&ret->rows);
        r->account = slurm_text_any(&name);
        r->user = slurm_text(&c[SHARE_USER]);
        r->level = depth;
        usage_read_row(c, r);
        if (!r->user) {
            free(at_depth[depth]);
            at_depth[depth] = xstrdup(r->account);
        }
        if (depth && at_depth[depth - 1])
            r->parent = xstrdup(at_depth[depth - 1]);
    }
    for (size_t i = 0; i < USAGE_DEPTH_MAX; i++)
        free(at_depth[i]);
    return result;
}

static bool usage_is_wanted(const struct msg_shares *m, const struct share_row *r)
{
    return (!m->accounts.n || strv_has(&m->accounts, r->account)) &&
           (!m->users.n || !r->user || strv_has(&m->users, r->user));
}

/* All rows go in one answer: Slurm's accounts are some thousands at most. */
static void usage_on_shares(struct slurm_session *s, uint64_t tag, const struct slurm_span *answer,
                            void *arg)
{
    struct msg_shares *m = arg;
    struct msg_shares_rows all = {0}, some = {0};
    struct errtext err = {""};
    int r = slurm_usage_read_shares(answer, &all, &err);
    for (size_t i = 0; i < all.rows.n; i++)
        if (usage_is_wanted(m, &all.rows.v[i]))
            rec_copy(&share_row_rec, rec_list_push(&some.rows), &all.rows.v[i]);
    if (s && r < 0)
        slurm_session_refuse(s, tag, REFUSAL_NOT_SUPPORTED, err.s);
    else if (s && !all.rows.n)
        slurm_session_refuse(s, tag, REFUSAL_NOT_SUPPORTED,
                             "this Slurm keeps no shares: sshare lists none (accounting is off)");
    else if (s)
        slurm_session_send(s, MSG_SHARES_ROWS, tag, &some);
    rec_fini(&msg_shares_rows_rec, &all);
    rec_fini(&msg_shares_rows_rec, &some);
    rec_fini(&msg_shares_rec, m);
    free(m);
}

void slurm_usage_shares(struct slurm_session *s, uint64_t tag, const struct msg_shares *m)
{
    static const char columns[] =
#define X(name, text) "," text
        SHARE_COLUMNS(X)
#undef X
        ;
    struct strv argv = {0};
    struct msg_shares *copy = xcalloc(1, sizeof *copy);
    if (m->skip) { /* the first answer had all of them */
        struct msg_shares_rows none = {0};
        slurm_session_send(s, MSG_SHARES_ROWS, tag, &none);
        free(copy);
        return;
    }
    rec_copy(&msg_shares_rec, copy, m);
    strv_push(&argv, "sshare");
    strv_push(&argv, "--all");
    strv_push(&argv, "--noheader");
    strv_push(&argv, "--parsable2");
    strv_push(&argv, "--format");
    strv_push(&argv, columns + 1);
    slurm_ask(s, tag, &argv, SHARES_YOUNG_MS, usage_on_shares, copy);
    strv_fini(&argv);
}

/* --- priorities --- */

static void usage_read_parts(const struct slurm_span *c, struct prio_parts *p)
{
    p->age = usage_number(&c[PRIO_AGE_PART]);
    p->fairshare = usage_number(&c[PRIO_FAIRSHARE_PART]);
    p->job_size = usage_number(&c[PRIO_SIZE_PART]);
    p->partition = usage_number(&c[PRIO_PART_PART]);
    p->qos = usage_number(&c[PRIO_QOS_PART]);
    p->age_points = usage_points(&c[PRIO_AGE]);
    p->fairshare_points = usage_points(&c[PRIO_FAIRSHARE]);
    p->job_size_points = usage_points(&c[PRIO_SIZE]);
    p->partition_points = usage_points(&c[PRIO_PART]);
    p->qos_points = usage_points(&c[PRIO_QOS]);
    p->nice = (int32_t)usage_number(&c[PRIO_NICE]);
    p->admin = (int64_t)usage_number(&c[PRIO_ADMIN]);
    struct slurm_span cpu = slurm_tres(&c[PRIO_TRES], "cpu"), mem = slurm_tres(&c[PRIO_TRES], "mem"),
                      gpu = slurm_tres(&c[PRIO_TRES], "gres/gpu");
    p->cpu_points = usage_points(&cpu);
    p->mem_points = usage_points(&mem);
    p->gpu_points = usage_points(&gpu);
    p->total = usage_points(&c[PRIO_TOTAL]);
}

void slurm_usage_read_prio(const struct slurm_span *answer, const struct model *m,
                           struct msg_prio_rows *ret)
{
    struct slurm_span rest = *answer, c[PRIO_N];
    size_t n;
    while ((n = usage_next_line(&rest, c, PRIO_N)) > 0) {
        struct slurm_span id = c[PRIO_JOB];
        const char *mark = n == PRIO_N ? memchr(id.p, '_', id.n) : NULL; /* an array's record: "12_[1-9]" */
        id.n = mark ? (size_t)(mark - id.p) : id.n;
        uint32_t job = n == PRIO_N ? slurm_u32(&id, 0) : 0;
        if (!job)
            continue;
        const struct job *j = model_get_job(m, job);
        struct prio_row *r = rec_list_push(&ret->rows);
        r->job = job;
        r->array_job = j ? j->array_job : 0;
        r->array_index = j ? j->array_index : ARRAY_NONE;
        r->user = slurm_text(&c[PRIO_USER]);
        r->partition = slurm_text(&c[PRIO_PARTITION]);
        r->account = j && j->req.account ? xstrdup(j->req.account) : NULL;
        r->qos = j ? xstrdup(job_qos(&j->req)) : NULL;
        usage_read_parts(c, &r->parts);
    }
}

static void usage_on_prio(struct slurm_session *s, uint64_t tag, const struct slurm_span *answer, void *arg)
{
    (void)arg;
    struct msg_prio_rows rows = {0};
    if (!s)
        return;
    slurm_usage_read_prio(answer, slurm_mirror_model(s->mirror), &rows);
    rows.weights = *slurm_mirror_weights(s->mirror);
    slurm_session_send(s, MSG_PRIO_ROWS, tag, &rows);
    rec_fini(&msg_prio_rows_rec, &rows);
}

static void usage_push_list(struct strv *argv, const char *option, const struct strv *names)
{
    if (!names->n)
        return;
    strv_push(argv, option);
    strv_push_take(argv, strv_join(names, ","));
}

void slurm_usage_prio(struct slurm_session *s, uint64_t tag, const struct msg_prio *m)
{
    static const char columns[] =
#define X(name, text) "|" text
        PRIO_COLUMNS(X)
#undef X
        ;
    struct strv argv = {0}, ids = {0};
    if (m->jobs.n > USAGE_JOBS_MAX) {
        slurm_session_refuse(s, tag, REFUSAL_TOO_BIG, "too many jobs in one question");
        return;
    }
    for (size_t i = 0; i < m->jobs.n; i++)
        strv_push_take(&ids, xasprintf("%u", m->jobs.v[i].job));
    strv_push(&argv, "sprio");
    strv_push(&argv, "--noheader");
    strv_push(&argv, "--format");
    strv_push(&argv, columns + 1);
    usage_push_list(&argv, "--jobs", &ids);
    usage_push_list(&argv, "--users", &m->users);
    usage_push_list(&argv, "--partition", &m->partitions);
    slurm_ask(s, tag, &argv, PRIO_YOUNG_MS, usage_on_prio, NULL);
    strv_fini(&argv);
    strv_fini(&ids);
}
