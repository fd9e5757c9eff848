/* test_history.c - the history answers what was asked, whole and once, however small its pieces are. */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/proto/codec.h"
#include "tests/lib/lab.h"
#include "tests/lib/storelab.h"

#define DEADLINE_MS 60000
#define N_JOBS      3000u
#define DAY_MS      86400000LL
#define T0          (20000 * DAY_MS)

static bool committed;
static VEC(uint32_t) got;
static struct history_place place;
static unsigned pieces, pieces_before; /* the last commit */
static int result;
static char text[200];

static void on_commit(void *ctx, uint64_t ticket, int r, const char *why)
{
    (void)ctx;
    (void)ticket;
    check_int(why, r, 0);
    committed = true;
    pieces_before = pieces;
}

static void on_history(void *ctx, const struct history_piece *p)
{
    (void)ctx;
    struct msg_jobs m;
    struct errtext err = {""};
    pieces++;
    place = p->next;
    result = p->r;
    snprintf(text, sizeof text, "%s", p->text);
    if (p->r < 0)
        return;
    if (codec_decode(&msg_jobs_rec, p->body, p->size, &m, &err) < 0)
        fail_msg("%s", err.s);
    assert_int_equal(m.rows.n, p->n);
    for (size_t i = 0; i < m.rows.n; i++)
        vec_push(&got, m.rows.v[i].id);
    rec_fini(&msg_jobs_rec, &m);
}

static void on_script(void *ctx, const struct old_script *o)
{
    (void)ctx;
    assert_true(o->job > 0);
    pieces++;
}

static const struct store_callbacks callbacks = {.on_commit = on_commit};

static void must_open(void)
{
    struct errtext err = {""};
    if (store_open(sl.dir, &callbacks, &sl.store, &err) < 0)
        fail_msg("%s", err.s);
}

static void hear(void)
{
    struct pollfd p = {.fd = store_fd(sl.store), .events = POLLIN};
    if (poll(&p, 1, DEADLINE_MS) != 1)
        fail_msg("the store says nothing");
    store_dispatch(sl.store);
}

static void commit(void)
{
    committed = false;
    store_turn(sl.store);
    while (!committed)
        hear();
}

/* --- jobs that follow from their numbers --- */

static const char *const user_names[] = {"ann", "bob", "cid"};
static const char *const part_names[] = {"main", "gpu", "main,gpu"};

struct facts {
    uint32_t id, array_job, array_index, state;
    const char *user, *name, *partition, *account;
    int64_t t_submit, t_end;
};

/* Ids 1000 to 1009 are an array whose record is job 1009, as Slurm numbers them. */
static struct facts facts_of(uint32_t id)
{
    static const uint32_t states[] = {JOB_COMPLETED, JOB_FAILED, JOB_CANCELLED};
    bool element = id >= 1000 && id < 1010;
    uint32_t mixed = id * 2654435761u >> 8;
    return (struct facts){
        .id = id,
        .array_job = element ? 1009 : 0,
        .array_index = element ? id - 1000 : ARRAY_NONE,
        .state = states[mixed % 3],
        .user = user_names[mixed / 3 % 3],
        .name = mixed % 5 ? "train" : NULL,
        .partition = part_names[mixed / 9 % 3],
        .account = mixed % 2 ? "lab" : NULL,
        .t_submit = T0 + (int64_t)id * 60000,
        .t_end = T0 + (int64_t)id * 60000 + (int64_t)(mixed % 2000) * 30000,
    };
}

static void retire(uint32_t id)
{
    struct facts f = facts_of(id);
    struct job *j = job_new();
    j->id = id;
    j->array_job = f.array_job;
    j->array_index = f.array_index;
    j->state = (uint8_t)f.state;
    j->user = xstrdup(f.user);
    j->req.name = xstrdup(f.name);
    j->partition = xstrdup(f.partition);
    j->req.account = xstrdup(f.account);
    j->t_submit.ms = f.t_submit;
    j->t_end.ms = f.t_end;
    bool kept = store_retire_job(sl.store, j);
    (void)kept;
    job_free(j);
}

static int set_up(void **state)
{
    storelab_set_up(state);
    must_open();
    return 0;
}

static int tear_down(void **state)
{
    vec_fini(&got);
    return storelab_tear_down(state);
}

static void fill(void)
{
    for (uint32_t id = 1; id <= N_JOBS; id++)
        retire(id);
    commit();
}

/* --- the same by hand --- */

static bool list_has(const struct strv *list, const char *s)
{
    return !list->n || (s && strv_has(list, s));
}

static bool has_part(const char *part, const char *s)
{
    return !part || (s && strcasestr(s, part));
}

static bool targets_have(const struct msg_history *q, const struct facts *f)
{
    for (size_t i = 0; i < q->jobs.n; i++) {
        const struct job_target *t = &q->jobs.v[i];
        if (t->array_index == ARRAY_NONE ? t->job == f->id || t->job == f->array_job
                                         : t->job == f->array_job && t->array_index == f->array_index)
            return true;
    }
    return !q->jobs.n;
}

static bool is_meant(const struct msg_history *q, const struct facts *f)
{
    bool part = !q->partitions.n || strv_has(&q->partitions, f->partition) ||
                (strcmp(f->partition, "main,gpu") == 0 &&
                 (strv_has(&q->partitions, "main") || strv_has(&q->partitions, "gpu")));
    return part && targets_have(q, f) && list_has(&q->users, f->user) && list_has(&q->names, f->name) &&
           list_has(&q->accounts, f->account) && has_part(q->user_like, f->user) &&
           has_part(q->name_like, f->name) && has_part(q->partition_like, f->partition) &&
           has_part(q->account_like, f->account) && (!q->states || q->states >> f->state & 1) &&
           (!wall_is_set(q->since) || f->t_end >= q->since.ms) &&
           (!wall_is_set(q->until) || f->t_submit <= q->until.ms) &&
           (!q->ended || !wall_is_set(q->until) || f->t_end <= q->until.ms);
}

static void ask(const struct msg_history *q, uint32_t most)
{
    vec_clear(&got);
    place = (struct history_place){0};
    pieces = 0;
    for (unsigned asked = 0; !place.whole; asked++) {
        unsigned before = pieces;
        assert_true(asked < 10 * N_JOBS);
        store_get_history(sl.store, q, &place, most, on_history, NULL);
        while (pieces == before)
            hear();
        check_int(text, result, 0);
    }
}

static void must_answer(const char *row, const struct msg_history *q)
{
    static const uint32_t sizes[] = {1, 7, 500};
    static bool seen[N_JOBS + 1];
    for (size_t s = 0; s < N_OF(sizes); s++) {
        size_t want = 0;
        ask(q, sizes[s]);
        memset(seen, 0, sizeof seen);
        for (uint32_t id = 1; id <= N_JOBS; id++) {
            struct facts f = facts_of(id);
            want += is_meant(q, &f);
        }
        check_int(row, (long)got.n, (long)want);
        vec_for_each (&got, i) {
            struct facts f = facts_of(got.v[i]);
            if (!is_meant(q, &f) || seen[f.id])
                fail_msg("[%s] job %u is %s", row, f.id, seen[f.id] ? "there twice" : "not meant");
            seen[f.id] = true;
            if (i && !q->jobs.n) {
                int64_t step = f.t_end - facts_of(got.v[i - 1]).t_end;
                if (q->newest ? step > 0 : step < 0)
                    fail_msg("[%s] job %u is out of order", row, f.id);
            }
        }
    }
}

static struct wall minute(int64_t n)
{
    return (struct wall){.ms = T0 + n * 60000};
}

static struct strv words(const char *s)
{
    return strv_split(s, " ");
}

static void test_ranges(void **state)
{
    (void)state;
    fill();
    const struct {
        const char *name, *users, *names, *parts, *accounts;
        uint32_t states;
        int since, until;
        bool ended;
    } rows[] = {
        {.name = "all", .since = 0},
        {.name = "a window", .since = 500, .until = 700},
        {.name = "ended in it", .since = 500, .until = 700, .ended = true},
        {.name = "before anything", .until = -5},
        {.name = "after everything", .since = 999999},
        {.name = "a user", .users = "bob"},
        {.name = "a user in a window", .users = "bob", .since = 500, .until = 700},
        {.name = "two users", .users = "bob cid", .since = 500, .until = 900, .ended = true},
        {.name = "a user without jobs", .users = "zoe"},
        {.name = "a state", .states = 1u << JOB_FAILED, .since = 2000},
        {.name = "states", .states = 1u << JOB_FAILED | 1u << JOB_CANCELLED, .until = 100},
        {.name = "no such state", .states = 1u << JOB_TIMEOUT},
        {.name = "a name", .names = "train", .until = 300},
        {.name = "a partition", .parts = "gpu", .until = 300},
        {.name = "an account", .accounts = "lab", .users = "ann", .until = 300},
    };
    for (size_t i = 0; i < N_OF(rows); i++)
        for (int newest = 0; newest < 2; newest++) {
            struct msg_history q = {.states = rows[i].states, .ended = rows[i].ended, .newest = newest};
            q.users = words(rows[i].users ? rows[i].users : "");
            q.names = words(rows[i].names ? rows[i].names : "");
            q.partitions = words(rows[i].parts ? rows[i].parts : "");
            q.accounts = words(rows[i].accounts ? rows[i].accounts : "");
            q.since = rows[i].since ? minute(rows[i].since) : (struct wall){0};
            q.until = rows[i].until ? minute(rows[i].until) : (struct wall){0};
            must_answer(rows[i].name, &q);
            rec_fini(&msg_history_rec, &q);
        }
}

static void test_parts_of_texts(void **state)
{
    (void)state;
    fill();
    const struct {
        const char *name, *user, *job, *part, *account;
    } rows[] = {
        {.name = "of a user", .user = "B"},
        {.name = "of no user", .user = "bobby"},
        {.name = "of a name", .job = "rai"},
        {.name = "of a partition", .part = "gp"},
        {.name = "of two partitions", .part = "n,g"},
        {.name = "of an account", .account = "LAB", .user = "n"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct msg_history q = {.newest = i % 2,
                                .user_like = xstrdup(rows[i].user),
                                .name_like = xstrdup(rows[i].job),
                                .partition_like = xstrdup(rows[i].part),
                                .account_like = xstrdup(rows[i].account)};
        must_answer(rows[i].name, &q);
        rec_fini(&msg_history_rec, &q);
    }
}

/* What comes while one pages through it shifts nothing: a page begins behind a row, not at a number. */
static void test_pages(void **state)
{
    (void)state;
    static bool seen[N_JOBS + 200];
    fill();
    struct msg_history q = {.newest = true, .user_like = xstrdup("o")};
    size_t want = 0, have = 0;
    for (uint32_t id = 1; id <= N_JOBS; id++) {
        struct facts f = facts_of(id);
        want += is_meant(&q, &f);
    }
    memset(seen, 0, sizeof seen);
    for (uint32_t page = 0;; page++) {
        vec_clear(&got);
        place = (struct history_place){0};
        unsigned before = pieces;
        store_get_history(sl.store, &q, &place, 100, on_history, NULL);
        while (pieces == before)
            hear();
        if (!got.n && place.whole)
            break;
        vec_for_each (&got, i) {
            struct facts f = facts_of(got.v[i]);
            assert_false(seen[f.id]);
            seen[f.id] = true;
            have += f.id <= N_JOBS;
            q.before.ms = f.t_end;
            q.before_job = f.id;
        }
        if (!got.n) /* a piece may end for the time it has taken */
            q.before = (struct wall){.ms = place.t_end}, q.before_job = place.job;
        if (page < 100) {
            retire(N_JOBS + 1 + page);
            commit();
        }
    }
    check_int("all of them, once", (long)have, (long)want);
    rec_fini(&msg_history_rec, &q);
}

static void test_ids(void **state)
{
    (void)state;
    fill();
    const struct {
        const char *name;
        struct job_target targets[3];
        size_t n;
        const char *user;
    } rows[] = {
        {.name = "one", .targets = {{5, ARRAY_NONE, STEP_ALL}}, .n = 1},
        {.name = "unknown", .targets = {{N_JOBS + 5, ARRAY_NONE, STEP_ALL}}, .n = 1},
        {.name = "an array", .targets = {{1009, ARRAY_NONE, STEP_ALL}}, .n = 1},
        {.name = "an element", .targets = {{1009, 3, STEP_ALL}}, .n = 1},
        {.name = "the last element", .targets = {{1009, 9, STEP_ALL}}, .n = 1},
        {.name = "no element", .targets = {{1009, 77, STEP_ALL}}, .n = 1},
        {.name = "an element's own number", .targets = {{1003, ARRAY_NONE, STEP_ALL}}, .n = 1},
        {.name = "several",
         .targets = {{5, ARRAY_NONE, STEP_ALL}, {1009, ARRAY_NONE, STEP_ALL}, {70, ARRAY_NONE, STEP_ALL}},
         .n = 3},
        {.name = "several of one user",
         .targets = {{5, ARRAY_NONE, STEP_ALL}, {1009, ARRAY_NONE, STEP_ALL}, {70, ARRAY_NONE, STEP_ALL}},
         .n = 3,
         .user = "ann"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct msg_history q = {0};
        for (size_t k = 0; k < rows[i].n; k++)
            *rec_list_push(&q.jobs) = rows[i].targets[k];
        q.users = words(rows[i].user ? rows[i].user : "");
        must_answer(rows[i].name, &q);
        rec_fini(&msg_history_rec, &q);
    }
}

static _Atomic bool held; /* the store's thread, at its next row */

/* In front of the library's. */
int sqlite3_step(sqlite3_stmt *st)
{
    static int (*library)(sqlite3_stmt * st);
    while (held)
        poll(NULL, 0, 1);
    if (!library) {
        void *p = dlsym(RTLD_NEXT, "sqlite3_step");
        assert_non_null(p);
        memcpy(&library, &p, sizeof library);
    }
    return library(st);
}

/* A batch that comes while readers wait is committed first: but for the one that is at it. */
static void test_commits_go_first(void **state)
{
    (void)state;
    fill();
    struct msg_history q = {0};
    place = (struct history_place){0};
    pieces = 0;
    committed = false;
    held = true;
    for (int i = 0; i < 20; i++) {
        store_get_script(sl.store, 1, on_script, NULL);
        store_get_history(sl.store, &q, &(struct history_place){0}, 500, on_history, NULL);
    }
    retire(N_JOBS + 1);
    store_turn(sl.store);
    held = false;
    while (!committed)
        hear();
    assert_in_range(pieces_before, 0, 1);
    while (pieces < 40)
        hear();
}

/* What an earlier release left: other indices, the same rows. */
static void test_upgrade(void **state)
{
    (void)state;
    fill();
    store_close(sl.store);
    sqlite3 *db;
    assert_int_equal(sqlite3_open(sl.file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "DROP INDEX history_ended; DROP INDEX history_of_user;"
                                  "CREATE INDEX history_end ON history (t_end);"
                                  "CREATE INDEX history_user ON history (uid, t_end);",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    must_open();
    struct msg_history q = {.since = minute(500), .until = minute(700)};
    must_answer("after the upgrade", &q);
}

static void test_damaged_row(void **state)
{
    (void)state;
    fill();
    store_close(sl.store);
    static const char damage[] = "UPDATE history SET record = x'c1' WHERE job = 1003";
    storelab_sql(damage);
    storelab_history_sql(damage);
    must_open();
    struct msg_history q = {0};
    *rec_list_push(&q.jobs) = (struct job_target){1009, 3, STEP_ALL};
    place = (struct history_place){0};
    pieces = 0;
    store_get_history(sl.store, &q, &place, 500, on_history, NULL);
    while (!pieces)
        hear();
    check_int("its error", result, -EBADMSG);
    check_has("its text", text, "job 1003");
    rec_fini(&msg_history_rec, &q);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_ranges),           TEST(test_parts_of_texts), TEST(test_pages),       TEST(test_ids),
        TEST(test_commits_go_first), TEST(test_upgrade),        TEST(test_damaged_row),
    };
    return cmocka_run_group_tests_name("history", tests, NULL, NULL);
}
