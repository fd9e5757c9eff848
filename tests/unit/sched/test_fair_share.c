/* test_fair_share.c - the tree of shares against tables worked by hand. */
#include <math.h>

#include "backend/sched/limits/limits.h"
#include "backend/sched/priority/priority.h"
#include "src/base/xalloc.h"
#include "tests/lib/lab.h"
#include "tests/unit/sched/said.h"

static struct lab l;

static int set_up(void **state)
{
    (void)state;
    lab_init(&l);
    lab_node(&l, "n1", 8, 65536, 4, NULL);
    lab_part(&l, "main", "n1");
    l.spec.priority = (struct priority_spec){.billing_cpu = 1, .billing_gpu = 16, .fair_tree = true};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    lab_fini(&l);
    return 0;
}

static void read_shares(struct fairshare *f, struct wall now)
{
    fairshare_begin(f, &l.m, now);
    list_for_each (j, &l.m.active, struct job, in_queue)
        fairshare_add(f, &l.m, j);
    fairshare_finish(f);
}

static void near(const char *row, double got, double want)
{
    if (got != want && !(fabs(got - want) <= 1e-9))
        fail_msg("[%s] %.12g, not %.12g", row, got, want);
}

/* One line of a table: an account (user NULL) or a user with shares (0: not configured), and what was
 * used. */
struct line {
    const char *account, *parent, *user;
    uint32_t shares;
    double usage;
    double want; /* the factor */
};

static void configure_accounts(const struct line *v)
{
    for (; v->account; v++) {
        if (!v->user) {
            *rec_list_push(&l.spec.accounts) = (struct account_spec){
                .name = xstrdup(v->account), .parent = xstrdup(v->parent), .shares = v->shares};
            continue;
        }
        for (size_t i = 0; v->shares && i < l.spec.accounts.n; i++)
            if (str_eq(l.spec.accounts.v[i].name, v->account))
                *rec_list_push(&l.spec.accounts.v[i].users) =
                    (struct account_user){.name = xstrdup(v->user), .shares = v->shares};
    }
    lab_configure(&l);
}

static void set_usage(const struct line *v)
{
    struct ev_usage body = {0};
    for (; v->account; v++)
        if (v->user && v->usage > 0)
            *rec_list_push(&body.rows) = (struct usage_row){.account = xstrdup(v->account),
                                                            .user = xstrdup(v->user),
                                                            .qos = xstrdup(""),
                                                            .partition = xstrdup("main"),
                                                            .billing = v->usage,
                                                            .gpu_s = v->usage / 16,
                                                            .t = l.now};
    lab_must(&l, EV_USAGE, 0, &body);
}

static void must_be(const char *name, const struct line *table)
{
    struct fairshare f;
    configure_accounts(table);
    set_usage(table);
    read_shares(&f, l.now);
    for (const struct line *v = table; v->account; v++) {
        char row[128];
        if (!v->user)
            continue;
        snprintf(row, sizeof row, "%s: %s/%s", name, v->account, v->user);
        near(row, fairshare_factor(&f, v->account, v->user), v->want);
    }
    fairshare_fini(&f);
}

/* --- fair tree --- */

/* vision has used 400 of 1000 with half of the shares: level FS 1.25; audio 600: 0.833. So vision's users
 * come first: ann .5/.75 = 0.667, bob .5/.25 = 2: bob, ann. In audio cid .75/.75 = 1 and dan .25/.25 = 1:
 * equal. */
static void test_two_accounts(void **state)
{
    (void)state;
    static const struct line table[] = {
        {"vision", "root", NULL, 50, 0, 0},    {"audio", "root", NULL, 50, 0, 0},
        {"vision", NULL, "ann", 1, 300, 0.75}, {"vision", NULL, "bob", 1, 100, 1.0},
        {"audio", NULL, "cid", 3, 450, 0.5},   {"audio", NULL, "dan", 1, 150, 0.5},
        {NULL, NULL, NULL, 0, 0, 0},
    };
    must_be("two accounts", table);
}

/* Both accounts are at 1: their users are one level. ann .5/.8 = 0.625, bob .5/.2 = 2.5, cid .75/.6 = 1.25,
 * dan .25/.4 = 0.625. */
static void test_equal_accounts_are_merged(void **state)
{
    (void)state;
    static const struct line table[] = {
        {"vision", "root", NULL, 50, 0, 0},   {"audio", "root", NULL, 50, 0, 0},
        {"vision", NULL, "ann", 1, 400, 0.5}, {"vision", NULL, "bob", 1, 100, 1.0},
        {"audio", NULL, "cid", 3, 300, 0.75}, {"audio", NULL, "dan", 1, 200, 0.5},
        {NULL, NULL, NULL, 0, 0, 0},
    };
    must_be("equal accounts", table);
}

/* A user and an account who are equal: the account's first user gets the user's rank. */
static void test_user_beside_an_account(void **state)
{
    (void)state;
    static const struct line table[] = {
        {"root", NULL, NULL, 1, 0, 0},       {"lab", "root", NULL, 1, 0, 0},
        {"root", NULL, "boss", 1, 100, 1.0}, {"lab", NULL, "ann", 1, 50, 1.0},
        {"lab", NULL, "bob", 1, 50, 1.0},    {NULL, NULL, NULL, 0, 0, 0},
    };
    must_be("user beside account", table);
}

/* Three levels: what a brother account has used weighs at its own level alone. science .5/.9 = 0.556, arts
 * .5/.1 = 5: arts first. In science physics .5/(100/900) = 4.5 before biology .5/(800/900) = 0.5625. */
static void test_three_levels(void **state)
{
    (void)state;
    static const struct line table[] = {
        {"biology", "science", NULL, 1, 0, 0}, /* before its parent in the file */
        {"science", "root", NULL, 1, 0, 0},
        {"physics", "science", NULL, 1, 0, 0},
        {"arts", "root", NULL, 1, 0, 0},
        {"biology", NULL, "bea", 1, 800, 1.0 / 3},
        {"physics", NULL, "phil", 1, 100, 2.0 / 3},
        {"arts", NULL, "art", 1, 100, 1.0},
        {NULL, NULL, NULL, 0, 0, 0},
    };
    must_be("three levels", table);
}

/* Users without an entry have one share, accounts without one hang under the root with one. known
 * (1/2)/(300/400) = 0.667, guest (1/2)/(100/400) = 2; their account (1/2)/(400/500) = 0.625 after the
 * unknown one, (1/2)/(100/500) = 2.5. */
static void test_not_configured(void **state)
{
    (void)state;
    static const struct line table[] = {
        {"lab", "root", NULL, 1, 0, 0},
        {"lab", NULL, "known", 1, 300, 1.0 / 3},
        {"lab", NULL, "guest", 0, 100, 2.0 / 3},
        {"unknown", NULL, "who", 0, 100, 1.0},
        {NULL, NULL, NULL, 0, 0, 0},
    };
    must_be("not configured", table);
}

/* No shares: the last; rings and parents that are not there hang under the root. */
static void test_odd_trees(void **state)
{
    (void)state;
    static const struct line table[] = {
        {"none", "root", NULL, 0, 0, 0},    {"hen", "egg", NULL, 1, 0, 0},
        {"egg", "hen", NULL, 1, 0, 0},      {"orphan", "missing", NULL, 1, 0, 0},
        {"self", "self", NULL, 1, 0, 0},    {"none", NULL, "zoe", 1, 0, 0.2},
        {"hen", NULL, "hal", 1, 10, 0.4},   {"egg", NULL, "eve", 1, 0, 1.0},
        {"orphan", NULL, "oli", 1, 0, 1.0}, {"self", NULL, "sue", 1, 0, 1.0},
        {NULL, NULL, NULL, 0, 0, 0},
    };
    struct fairshare f;
    configure_accounts(table);
    set_usage(table);
    read_shares(&f, l.now);
    /* hen hangs under egg, or egg under hen: each account is in the tree once, the one that has used least
     * comes first */
    double hal = fairshare_factor(&f, "hen", "hal");
    near("who has no shares", fairshare_factor(&f, "none", "zoe"), 0.2);
    near("an account whose parent is missing", fairshare_factor(&f, "orphan", "oli"), 1.0);
    near("who hangs under himself", fairshare_factor(&f, "self", "sue"), 1.0);
    assert_true(hal < fairshare_factor(&f, "egg", "eve"));
    assert_int_equal(f.n_users, 5);
    fairshare_fini(&f);
}

static void test_who_has_used_nothing_yet(void **state)
{
    (void)state;
    static const struct line table[] = {
        {"vision", "root", NULL, 50, 0, 0},    {"audio", "root", NULL, 50, 0, 0},
        {"vision", NULL, "ann", 1, 300, 0.75}, {"vision", NULL, "bob", 1, 100, 1.0},
        {"audio", NULL, "cid", 3, 450, 0.5},   {"audio", NULL, "dan", 1, 150, 0.5},
        {NULL, NULL, NULL, 0, 0, 0},
    };
    struct fairshare f;
    configure_accounts(table);
    set_usage(table);
    read_shares(&f, l.now);
    /* as good as the best user of the account, and no better than the account is */
    near("vision", fairshare_factor(&f, "vision", "new"), 1.0);
    near("audio", fairshare_factor(&f, "audio", "new"), 0.5);
    near("unknown account", fairshare_factor(&f, "dance", "new"), 1.0);
    near("no account", fairshare_factor(&f, NULL, "new"), 1.0);
    near("no user", fairshare_factor(&f, "audio", NULL), 0.5);
    fairshare_fini(&f);
}

static void test_empty_cluster(void **state)
{
    (void)state;
    struct fairshare f;
    lab_configure(&l);
    read_shares(&f, l.now);
    near("anybody", fairshare_factor(&f, "staff", "alice"), 1.0);
    fairshare_fini(&f);
    l.spec.priority.fair_tree = false;
    lab_configure(&l);
    read_shares(&f, l.now);
    near("anybody, classic", fairshare_factor(&f, "staff", "alice"), 1.0);
    fairshare_fini(&f);
}

/* A node that was made had moved all of them, and the usage went to where they had been. */
static void test_many_users(void **state)
{
    (void)state;
    enum { N = 500 };
    static char names[N][16];
    static struct line table[N + 1];
    for (int i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "u%d", i);
        table[i] =
            (struct line){.account = "lab", .user = names[i], .usage = i + 1, .want = (double)(N - i) / N};
    }
    must_be("many users", table);
}

/* --- classic --- */

/* 1000 used. vision .4 of the shares, .5 of the use. ann: shares .2, own .4, with the account's part
 * .4 + (.5 - .4)/2 = .45: 2^-2.25. bob: .1 + (.5 - .1)/2 = .3: 2^-1.5. audio .6; cid shares .45,
 * .3 + (.5 - .3) x .75 = .45: 2^-1; dan shares .15, .2 + (.5 - .2)/4 = .275: 2^-1.8333. */
static void test_classic(void **state)
{
    (void)state;
    static const struct line table[] = {
        {"vision", "root", NULL, 40, 0, 0},
        {"audio", "root", NULL, 60, 0, 0},
        {"vision", NULL, "ann", 1, 400, 0.21022410381342863},
        {"vision", NULL, "bob", 1, 100, 0.35355339059327373},
        {"audio", NULL, "cid", 3, 300, 0.5},
        {"audio", NULL, "dan", 1, 200, 0.28061551207734325},
        {NULL, NULL, NULL, 0, 0, 0},
    };
    l.spec.priority.fair_tree = false;
    must_be("classic", table);
    struct fairshare f;
    read_shares(&f, l.now);
    near("new in vision", fairshare_factor(&f, "vision", "new"), 0.42044820762685725); /* 2^-(.5/.4) */
    near("new account", fairshare_factor(&f, "dance", "new"), 1.0);
    fairshare_fini(&f);
}

/* --- usage --- */

/* Two users with one share each; alice runs: alice falls behind at once, and the end of the job changes no
 * factor. */
static void test_running_usage_counts(void **state)
{
    (void)state;
    struct fairshare f;
    l.spec.priority.decay_half_life_s = 1000;
    static const struct line table[] = {
        {"lab", "root", NULL, 1, 0, 0},
        {"lab", NULL, "alice", 1, 0, 0},
        {"lab", NULL, "bob", 1, 100, 0},
        {NULL, NULL, NULL, 0, 0, 0},
    };
    configure_accounts(table);
    set_usage(table);
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.account = xstrdup("lab");
    uint32_t id = lab_submit(&l, j);
    read_shares(&f, l.now);
    near("before", fairshare_factor(&f, "lab", "alice"), 1.0);
    fairshare_fini(&f);
    assert_int_equal(lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n1", 0, 4, 0, 2, 0)), 0);
    l.now.ms += 60000; /* 36 a second */
    read_shares(&f, l.now);
    near("running", fairshare_factor(&f, "lab", "alice"), 0.5);
    struct msg_shares_rows running = {0}, ended = {0};
    struct strv all = {0};
    fairshare_rows(&f, &all, &all, &running);
    fairshare_fini(&f);
    struct wall at = l.now;
    struct fairshare later;
    read_shares(&f, (struct wall){.ms = at.ms - 45000});
    fairshare_advance(&f, at);
    read_shares(&later, at);
    for (size_t i = 0; i < f.nodes.n; i++) {
        near("advanced", f.nodes.v[i].usage / 1e4, later.nodes.v[i].usage / 1e4);
        near("advanced", f.nodes.v[i].running / 1e4, later.nodes.v[i].running / 1e4);
        near("advanced", f.nodes.v[i].gpu_s / 1e4, later.nodes.v[i].gpu_s / 1e4);
        near("advanced", f.nodes.v[i].factor, later.nodes.v[i].factor);
    }
    fairshare_fini(&later);
    fairshare_fini(&f);
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_EXITED, 0, 0), 0);
    read_shares(&f, l.now);
    near("ended", fairshare_factor(&f, "lab", "alice"), 0.5);
    fairshare_rows(&f, &all, &all, &ended);
    fairshare_fini(&f);
    double faded = exp2(-(double)(l.now.ms - at.ms) / 1e6);
    assert_int_equal(running.rows.n, 4);
    assert_int_equal(ended.rows.n, 4);
    const struct share_row *r = &running.rows.v[2], *e = &ended.rows.v[2];
    check_str("row", r->user, "alice");
    near("usage", e->raw_usage / 1e4, r->raw_usage * faded / 1e4);
    near("GPU hours", e->gpu_hours, r->gpu_hours * faded);
    near("all of it runs", r->running, r->raw_usage);
    near("nothing runs", e->running, 0);
    assert_int_equal(r->gpus_now, 2);
    assert_int_equal(e->gpus_now, 0);
    assert_true(r->gpu_hours > 0.032 && r->gpu_hours < 2 * 60 / 3600.0);
    rec_fini(&msg_shares_rows_rec, &running);
    rec_fini(&msg_shares_rows_rec, &ended);
}

/* --- rows --- */

static void test_rows(void **state)
{
    (void)state;
    static const struct line table[] = {
        {"vision", "root", NULL, 50, 0, 0}, {"audio", "root", NULL, 50, 0, 0},
        {"vision", NULL, "bob", 1, 100, 0}, {"vision", NULL, "ann", 1, 300, 0},
        {"audio", NULL, "cid", 3, 450, 0},  {"audio", NULL, "dan", 1, 150, 0},
        {NULL, NULL, NULL, 0, 0, 0},
    };
    static const struct {
        const char *accounts, *users, *want;
    } rows[] = {
        {"", "", "root audio audio/cid audio/dan vision vision/ann vision/bob"},
        {"", "ann", "root audio vision vision/ann"},
        {"audio", "", "audio audio/cid audio/dan"},
        {"audio", "ann", "audio"},
        {"none", "", ""},
    };
    struct fairshare f;
    configure_accounts(table);
    set_usage(table);
    read_shares(&f, l.now);
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct strv accounts = strv_split(rows[i].accounts, ","), users = strv_split(rows[i].users, ",");
        struct msg_shares_rows ret = {0};
        fairshare_rows(&f, &accounts, &users, &ret);
        struct str text = STR_INIT;
        for (size_t k = 0; k < ret.rows.n; k++)
            str_appendf(&text, "%s%s%s%s", k ? " " : "", ret.rows.v[k].account,
                        ret.rows.v[k].user ? "/" : "", ret.rows.v[k].user ? ret.rows.v[k].user : "");
        check_str(rows[i].want, text.s ? text.s : "", rows[i].want);
        str_fini(&text);
        if (i == 0) {
            const struct share_row *ann = &ret.rows.v[5], *vision = &ret.rows.v[4], *root = &ret.rows.v[0];
            near("root", root->raw_usage, 1000);
            near("shares", vision->norm_shares, 0.5);
            near("used", vision->effective_usage, 0.4);
            near("level FS", vision->level_fs, 1.25);
            near("of all", ann->norm_usage, 0.3);
            near("of the account", ann->effective_usage, 0.75);
            near("factor", ann->fairshare, 0.75);
            near("GPU hours", ann->gpu_hours, 300.0 / 16 / 3600);
            assert_int_equal(root->level, 0);
            assert_int_equal(vision->level, 1);
            assert_int_equal(ann->level, 2);
            check_str("parent", vision->parent, "root");
        }
        rec_fini(&msg_shares_rows_rec, &ret);
        strv_fini(&accounts);
        strv_fini(&users);
    }
    fairshare_fini(&f);
}

/* --- accounts of submissions --- */

static void test_accounts_of_submissions(void **state)
{
    (void)state;
    static const struct line table[] = {
        {"vision", "root", NULL, 1, 0, 0}, {"audio", "root", NULL, 1, 0, 0},
        {"audio", NULL, "ann", 1, 0, 0},   {"vision", NULL, "bob", 1, 0, 0},
        {"audio", NULL, "bob", 1, 0, 0},   {NULL, NULL, NULL, 0, 0, 0},
    };
    static const struct {
        const char *user, *account, *qos, *fallback;
        enum refusal want;
        const char *text;
    } rows[] = {
        {"ann", NULL, NULL, "audio", REFUSAL_NONE, ""},
        {"bob", NULL, NULL, "vision", REFUSAL_NONE, ""}, /* the first that lists the user */
        {"bob", "audio", NULL, "vision", REFUSAL_NONE, ""},
        {"ann", "vision", NULL, "audio", REFUSAL_NO_ACCOUNT, "account vision does not list user ann"},
        {"ann", "dance", NULL, "audio", REFUSAL_NO_ACCOUNT, "there is no account dance"},
        {"ann", "staff", NULL, "audio", REFUSAL_NO_ACCOUNT, "there is no account staff"},
        {"eve", "staff", NULL, "staff", REFUSAL_NONE, ""}, /* listed nowhere: her group */
        {"eve", "audio", NULL, "staff", REFUSAL_NO_ACCOUNT, "does not list user eve"},
        {"ann", NULL, "high", "audio", REFUSAL_NONE, ""},
        {"ann", NULL, "normal", "audio", REFUSAL_NONE, ""},
        {"ann", NULL, "best", "audio", REFUSAL_NO_QOS, "there is no QOS best"},
    };
    *rec_list_push(&l.spec.qos) = (struct qos_spec){.name = xstrdup("high")};
    check_str("no accounts", spec_default_account(&l.spec, "ann", "staff"), "staff");
    configure_accounts(table);
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct cause t = {0};
        struct sched_view v = {.model = &l.m};
        struct submitter by = {.user = rows[i].user, .group = "staff"};
        check_str(rows[i].user, spec_default_account(&l.m.spec, rows[i].user, "staff"), rows[i].fallback);
        check_int(rows[i].account ? rows[i].account : rows[i].user,
                  account_check(&v, &by, rows[i].account, rows[i].qos, &t), rows[i].want);
        check_has(rows[i].user, said(&t), rows[i].text);
        cause_clear(&t);
    }
}

static bool in_staff_and_dance(void *ctx, uint32_t uid, const struct strv *groups)
{
    (void)ctx;
    return uid == 7 && (strv_has(groups, "staff") || strv_has(groups, "dance"));
}

/* Without accounts a name must be a Unix group of the user: it is charged, and may open a partition. */
static void accounts_are_groups(void **state)
{
    (void)state;
    static const struct {
        const char *row;
        struct submitter by;
        const char *account;
        enum refusal want;
        const char *text;
    } rows[] = {
        {"the group of the session",
         {.uid = 7, .user = "ann", .group = "staff"},
         "staff",
         REFUSAL_NONE,
         ""},
        {"another one", {.uid = 7, .user = "ann", .group = "staff"}, "dance", REFUSAL_NONE, ""},
        {"not a member",
         {.uid = 7, .user = "ann", .group = "staff"},
         "vips",
         REFUSAL_NO_ACCOUNT,
         "user ann is not in a Unix group of that name"},
        {"another user",
         {.uid = 8, .user = "bo", .group = "guests"},
         "dance",
         REFUSAL_NO_ACCOUNT,
         "user bo"},
        {"made up", {.uid = 8, .user = "bo", .group = "guests"}, "madeup1", REFUSAL_NO_ACCOUNT, "user bo"},
        {"an administrator",
         {.uid = 0, .user = "root", .group = "root", .is_admin = true},
         "vips",
         REFUSAL_NONE,
         ""},
    };
    struct sched_view v = {.model = &l.m, .in_groups = in_staff_and_dance};
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct cause t = {0};
        check_int(rows[i].row, account_check(&v, &rows[i].by, rows[i].account, NULL, &t), rows[i].want);
        check_has(rows[i].row, said(&t), rows[i].text);
        cause_clear(&t);
    }
}

/* A QOS that preempts or adds priority admits those that it names. */
static void qos_admit_whom_they_name(void **state)
{
    (void)state;
    static const struct {
        const char *row;
        uint32_t priority;
        const char *preempt, *users, *groups, *accounts;
        enum refusal ann, bo; /* ann: uid 7, account staff */
    } rows[] = {
        {"without effect on others", 0, "", "", "", "", REFUSAL_NONE, REFUSAL_NONE},
        {"priority, closed", 5, "", "", "", "", REFUSAL_NO_QOS, REFUSAL_NO_QOS},
        {"preempts, closed", 0, "normal", "", "", "", REFUSAL_NO_QOS, REFUSAL_NO_QOS},
        {"all", 5, "normal", "*", "", "", REFUSAL_NONE, REFUSAL_NONE},
        {"a user", 5, "", "ann", "", "", REFUSAL_NONE, REFUSAL_NO_QOS},
        {"a group", 5, "", "", "dance", "", REFUSAL_NONE, REFUSAL_NO_QOS},
        {"an account", 5, "", "", "", "staff", REFUSAL_NONE, REFUSAL_NO_QOS},
        {"a list on an ordinary one", 0, "", "bo", "", "", REFUSAL_NO_QOS, REFUSAL_NONE},
    };
    struct sched_view v = {.model = &l.m, .in_groups = in_staff_and_dance};
    struct qos_spec *q = rec_list_push(&l.m.spec.qos);
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct submitter ann = {.uid = 7, .user = "ann", .group = "staff"};
        struct submitter bo = {.uid = 8, .user = "bo", .group = "guests"};
        struct submitter root = {.user = "root", .group = "root", .is_admin = true};
        rec_fini(&qos_spec_rec, q);
        *q = (struct qos_spec){.name = xstrdup("fast"),
                               .priority = rows[i].priority,
                               .preempt = strv_split(rows[i].preempt, ","),
                               .allow_users = strv_split(rows[i].users, ","),
                               .allow_groups = strv_split(rows[i].groups, ","),
                               .allow_accounts = strv_split(rows[i].accounts, ",")};
        check_int(rows[i].row, account_check(&v, &ann, "staff", "fast", NULL), rows[i].ann);
        check_int(rows[i].row, account_check(&v, &bo, "guests", "fast", NULL), rows[i].bo);
        check_int(rows[i].row, account_check(&v, &root, "root", "fast", NULL), REFUSAL_NONE);
    }
    xstrset(&q->name, QOS_DEFAULT);
    q->priority = 5;
    check_int("the QOS of jobs that name none", spec_qos_is_closed(q), false);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_two_accounts),
        TEST(test_equal_accounts_are_merged),
        TEST(test_user_beside_an_account),
        TEST(test_three_levels),
        TEST(test_not_configured),
        TEST(test_odd_trees),
        TEST(test_who_has_used_nothing_yet),
        TEST(test_empty_cluster),
        TEST(test_many_users),
        TEST(test_classic),
        TEST(test_running_usage_counts),
        TEST(test_rows),
        TEST(test_accounts_of_submissions),
        TEST(accounts_are_groups),
        TEST(qos_admit_whom_they_name),
    };
    return cmocka_run_group_tests_name("fairshare", tests, NULL, NULL);
}
