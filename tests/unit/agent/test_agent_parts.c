/* test_agent_parts.c - what the agent is made of, one by one: records on disk, launches that have ended,
 * policy, /proc, frames.
 *
 * test-user
 */
#include "tests/lib/check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/agent/ended_launches.h"
#include "backend/agent/wire.h"
#include "backend/node/cpu_order.h"
#include "backend/node/node_policy.h"
#include "backend/node/node_probe.h"
#include "backend/task/taskdir.h"
#include "src/base/xalloc.h"
#include "src/proto/codec.h"

static char dir[128];
static int dir_fd;

static int set_up(void **state)
{
    (void)state;
    const char *tmp = getenv("TMPDIR");
    snprintf(dir, sizeof dir, "%.90s/st-parts.XXXXXX", tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(dir));
    dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(dir_fd >= 0);
    return 0;
}

static void put(const char *name, const char *text, mode_t mode)
{
    int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_TRUNC, mode);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    fchmod(fd, mode);
    close(fd);
}

static int tear_down(void **state)
{
    (void)state;
    int parent = open(dir, O_RDONLY | O_DIRECTORY);
    close(dir_fd);
    char *slash = strrchr(dir, '/');
    *slash = '\0';
    int up = open(dir, O_RDONLY | O_DIRECTORY);
    taskdir_remove(up, slash + 1); /* it removes any directory of plain files */
    close(up);
    close(parent);
    return 0;
}

/* --- task directory --- */

static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool ok;
        struct launch_key key;
    } cases[] = {
        {"1.-1.0.1", true, {1, -1, 0, 1, 0}},
        {"4294967295.2147483647.4294967295.4294967295",
         true,
         {UINT32_MAX, INT32_MAX, UINT32_MAX, UINT32_MAX, 0}},
        {"1.-1.0", false, {0}},
        {"1.-1.0.1.5", false, {0}},
        {"01.-1.0.1", false, {0}},
        {" 1.-1.0.1", false, {0}},
        {"..", false, {0}},
        {"", false, {0}},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct launch_key key;
        char buf[TASKDIR_NAME_SIZE];
        check_int(cases[i].name, taskdir_parse_name(cases[i].name, &key), cases[i].ok);
        if (!cases[i].ok)
            continue;
        check_int(cases[i].name, launch_key_eq(&key, &cases[i].key), true);
        check_str(cases[i].name, taskdir_name(&key, buf), cases[i].name);
    }
}

static void test_claim_has_one_winner(void **state)
{
    (void)state;
    struct shim_record rec = {.version = 1,
                              .pid = 77,
                              .start = 123456789012,
                              .boot_id = "b-o-o-t",
                              .t_start = {42}},
                       got;
    assert_int_equal(taskdir_read_claim(dir_fd, &got), -ENOENT);
    assert_int_equal(taskdir_claim(dir_fd, &rec), 0);
    assert_int_equal(taskdir_claim(dir_fd, &rec), -EEXIST);
    assert_int_equal(taskdir_read_claim(dir_fd, &got), 0);
    assert_int_equal(got.pid, 77);
    assert_int_equal(got.start, 123456789012);
    assert_string_equal(got.boot_id, "b-o-o-t");
    assert_int_equal(got.t_start.ms, 42);
    static const char *const bad[] = {"", "1", "1 2 3", "x y z a b", "1 -5 3 boot 7"};
    for (size_t i = 1; i < N_OF(bad); i++) {
        unlinkat(dir_fd, "shim", 0);
        assert_int_equal(symlinkat(bad[i], dir_fd, "shim"), 0);
        check_int(bad[i], taskdir_read_claim(dir_fd, &got), -EBADMSG);
    }
    /* In a directory that is used again it is a file. */
    for (size_t i = 0; i < N_OF(bad); i++) {
        unlinkat(dir_fd, "shim", 0);
        put("shim", bad[i], 0600);
        check_int(bad[i], taskdir_read_claim(dir_fd, &got), -EBADMSG);
    }
    put("shim", "1 2 3 boot 4", 0600);
    check_int("a file", taskdir_read_claim(dir_fd, &got), 0);
    check_int("pid", got.pid, 2);
    unlinkat(dir_fd, "shim", 0);
    assert_int_equal(taskdir_claim_for_none(dir_fd), 0);
    assert_int_equal(taskdir_claim(dir_fd, &rec), -EEXIST);
    assert_int_equal(taskdir_read_claim(dir_fd, &got), 0);
    check_int("version", got.version, 0);
}

static int open_sub(const char *name)
{
    int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

/* A task after the other in one directory; the agent may claim it for none before its supervisor does. */
static void test_directory_is_passed_on(void **state)
{
    (void)state;
    struct shim_record rec = {.version = 1, .pid = 77, .boot_id = "boot", .nonce = 1}, got;
    struct launch_end end = {.end_kind = END_EXITED}, read;
    static const char *const names[] = {"1.-1.0.1", "2.-1.0.1", "3.-1.0.1", "4.-1.0.1"};
    assert_int_equal(mkdirat(dir_fd, names[0], 0700), 0);
    for (size_t i = 0; i < N_OF(names); i++) {
        if (i)
            assert_int_equal(taskdir_pass_on(dir_fd, names[i - 1], names[i]), 0);
        int fd = open_sub(names[i]);
        check_int("not claimed", taskdir_read_claim(fd, &got), -ENOENT);
        check_int("no end", taskdir_read_end(fd, &read), -ENOENT);
        rec.nonce = i ? 1 : UINT64_MAX; /* a shorter text than before */
        end.run_ms = i ? 1 : UINT64_MAX;
        end.key.job = (uint32_t)i;
        bool none = i + 1 == N_OF(names);
        if (none)
            assert_int_equal(taskdir_claim_for_none(fd), 0);
        check_int("claim", taskdir_claim(fd, &rec), none ? -EEXIST : 0);
        check_int("claim again", taskdir_claim(fd, &rec), -EEXIST);
        assert_int_equal(taskdir_read_claim(fd, &got), 0);
        check_int("claimed by", got.pid, none ? 0 : 77);
        check_int("nonce", got.nonce == (none ? 0 : rec.nonce), true);
        assert_int_equal(taskdir_write_end(fd, &end, false), 0);
        assert_int_equal(taskdir_read_end(fd, &read), 0);
        check_int("its end", read.key.job, i);
        rec_fini(&launch_end_rec, &read);
        close(fd);
    }
    assert_int_equal(mkdirat(dir_fd, "5.-1.0.1", 0700), 0);
    check_int("to one that is there", taskdir_pass_on(dir_fd, names[3], "5.-1.0.1"), -EEXIST);
    check_int("of one that is not there", taskdir_pass_on(dir_fd, "6.-1.0.1", "7.-1.0.1"), -ENOENT);
    taskdir_remove(dir_fd, names[3]);
    check_int("removed", faccessat(dir_fd, names[3], F_OK, 0), -1);
    taskdir_remove(dir_fd, "5.-1.0.1");
}

static void test_end_record(void **state)
{
    (void)state;
    struct launch_end end = {.key = {5, 0, 1, 2, 0},
                             .end_kind = END_EXITED,
                             .message = xstrdup("text"),
                             .run_ms = 99},
                      got;
    for (int i = 0; i < 300; i++)
        *rec_list_push(&end.ranks) = (struct rank_end){.code = i & 0xff};
    assert_int_equal(taskdir_read_end(dir_fd, &got), -ENOENT);
    assert_int_equal(taskdir_write_end(dir_fd, &end, true), 0);
    assert_int_equal(taskdir_read_end(dir_fd, &got), 0);
    assert_true(rec_eq(&launch_end_rec, &end, &got));
    rec_fini(&launch_end_rec, &got);
    /* One wrong byte anywhere: another exit code would be believed. */
    int end_fd = openat(dir_fd, "end", O_RDWR);
    struct stat st;
    assert_int_equal(fstat(end_fd, &st), 0);
    for (off_t at = 0; at < st.st_size; at++)
        for (unsigned bit = 1; bit <= 128; bit *= 2) {
            uint8_t good, bad;
            assert_int_equal(pread(end_fd, &good, 1, at), 1);
            bad = (uint8_t)(good ^ bit);
            assert_int_equal(pwrite(end_fd, &bad, 1, at), 1);
            if (taskdir_read_end(dir_fd, &got) == 0)
                fail_msg("bit %u of byte %lld is changed, and it is read", bit, (long long)at);
            assert_int_equal(pwrite(end_fd, &good, 1, at), 1);
        }
    close(end_fd);
    /* One of an earlier release has no checksum. */
    struct str old = STR_INIT;
    codec_encode(&launch_end_rec, &end, &old);
    end_fd = openat(dir_fd, "end", O_WRONLY | O_TRUNC);
    assert_int_equal(write(end_fd, old.s, old.len), (ssize_t)old.len);
    close(end_fd);
    str_fini(&old);
    assert_int_equal(taskdir_read_end(dir_fd, &got), 0);
    assert_true(rec_eq(&launch_end_rec, &end, &got));
    rec_fini(&launch_end_rec, &got);
    assert_int_equal(taskdir_write_end(dir_fd, &end, true), 0);
    /* A shorter file is not a record: power was lost in the middle. */
    char path[160];
    snprintf(path, sizeof path, "%s/end", dir);

    assert_int_equal(stat(path, &st), 0);
    for (off_t n = st.st_size - 1; n >= 0; n -= 37) {
        assert_int_equal(truncate(path, n), 0);
        assert_int_equal(taskdir_read_end(dir_fd, &got), -EBADMSG);
    }
    rec_fini(&launch_end_rec, &end);
}

/* --- launches that have ended --- */

static void test_ended(void **state)
{
    (void)state;
    struct ended_launches t;
    struct errtext err;
    assert_int_equal(ended_open(&t, dir_fd, &err), 0);
    struct launch_key key = {.job = 1, .step = -1, .attempt = 1}, other = key;
    other.attempt = 2;
    assert_false(ended_has(&t, &key));
    ended_add(&t, &key);
    ended_add(&t, &key);
    assert_true(ended_has(&t, &key));
    assert_false(ended_has(&t, &other));
    ended_close(&t);
    /* A record cut in half by a crash, and what is written after it. */
    int fd = openat(dir_fd, "ended", O_WRONLY | O_APPEND);
    assert_int_equal(write(fd, "12345", 5), 5);
    close(fd);
    assert_int_equal(ended_open(&t, dir_fd, &err), 0);
    ended_add(&t, &other);
    ended_close(&t);
    assert_int_equal(ended_open(&t, dir_fd, &err), 0);
    assert_true(ended_has(&t, &key));
    assert_true(ended_has(&t, &other));
    ended_close(&t);
}

/* The same numbers of another job's launch: ids were given twice. */
static void test_ended_know_nonces(void **state)
{
    (void)state;
    struct ended_launches t;
    struct errtext err;
    assert_int_equal(ended_open(&t, dir_fd, &err), 0);
    struct launch_key key = {.job = 1, .step = -1, .attempt = 1, .nonce = UINT64_C(0x123456789abcdef0)};
    struct launch_key other = key, unknown = key, old = {.job = 2, .step = -1, .attempt = 1}, old_now = old;
    other.nonce++;
    unknown.nonce = 0;
    old_now.nonce = 77;
    ended_add(&t, &key);
    ended_add(&t, &old); /* of an agent of an earlier release */
    for (int reopened = 0; reopened < 2; reopened++) {
        assert_true(ended_has(&t, &key));
        assert_false(ended_has(&t, &other));
        assert_true(ended_has(&t, &unknown));
        assert_true(ended_has(&t, &old_now));
        ended_close(&t);
        assert_int_equal(ended_open(&t, dir_fd, &err), 0);
    }
    ended_close(&t);
    struct stat st; /* agents of earlier releases read records of 16 bytes */
    assert_int_equal(fstatat(dir_fd, "ended", &st, 0), 0);
    assert_int_equal(st.st_size, 3 * 16);
}

static void test_ended_are_bounded(void **state)
{
    (void)state;
    struct ended_launches t;
    struct errtext err;
    assert_int_equal(ended_open(&t, dir_fd, &err), 0);
    struct launch_key key = {.step = -1, .attempt = 1};
    uint32_t n = 2 * ENDED_GENERATION + 10;
    for (key.job = 1; key.job <= n; key.job++)
        ended_add(&t, &key);
    for (int reopened = 0; reopened < 2; reopened++) {
        key.job = n;
        assert_true(ended_has(&t, &key));
        key.job = n - ENDED_GENERATION;
        assert_true(ended_has(&t, &key));
        key.job = 1;
        assert_false(ended_has(&t, &key));
        assert_true(t.now.n + t.before.n <= 2 * ENDED_GENERATION);
        ended_close(&t);
        assert_int_equal(ended_open(&t, dir_fd, &err), 0);
    }
    ended_clear(&t);
    key.job = n;
    assert_false(ended_has(&t, &key));
    ended_close(&t);
}

/* --- policy --- */

static void test_policy_file(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        mode_t mode;
        int r;
        const char *error;
    } cases[] = {
        {"", 0600, 0, NULL},
        {"# nothing\n\n  # at all", 0644, 0, NULL},
        {"min_uid = 1000\nallow_root=no\nmax_tasks = 5\nusers = a, b\nworkdirs = /home", 0600, 0, NULL},
        {"min_uid = x", 0600, -EINVAL, "policy:1"},
        {"\nallow_root = maybe", 0600, -EINVAL, "policy:2"},
        {"max_tasks = 0", 0600, -ERANGE, "policy:1"},
        {"spool_max = 512M", 0600, 0, NULL},
        {"spool_max = 0", 0600, -EINVAL, "at least 1M"},
        {"maxtasks = 5", 0600, -EINVAL, "unknown name"},
        {"just words", 0600, -EINVAL, "not \"name = value\""},
        {"groups = root", 0600, 0, NULL},
        {"groups = no_such_group_here", 0600, -EINVAL, "knows no group no_such_group_here"},
        {"min_uid = 1000", 0666, -EPERM, "others than its owner"},
        {"min_uid = 1000", 0620, -EPERM, "others than its owner"},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct node_policy p;
        struct errtext err = {.s = ""};
        put("policy", cases[i].text, cases[i].mode);
        int r = node_policy_load(&p, dir_fd, NULL, &err);
        check_int(cases[i].text, r < 0, cases[i].r < 0);
        if (cases[i].error)
            check_has(cases[i].text, err.s, cases[i].error);
        else
            node_policy_fini(&p);
    }
}

static void test_policy_rules(void **state)
{
    (void)state;
    struct node_policy p;
    struct errtext err;
    put("policy",
        "min_uid = 1000\nallow_root = no\nmax_tasks = 5\nusers = alice,bob\nworkdirs = /home/,/scratch\n",
        0600);
    assert_int_equal(node_policy_load(&p, dir_fd, NULL, &err), 0);
    static const struct {
        const char *name;
        uint32_t uid;
        const char *user, *workdir;
        unsigned live;
        bool ok;
    } cases[] = {
        {"fine", 1000, "alice", "/home/alice", 4, true},
        {"the root itself", 1000, "bob", "/scratch", 0, true},
        {"root", 0, "alice", "/home", 0, false},
        {"low uid", 999, "alice", "/home", 0, false},
        {"another user", 1000, "carol", "/home", 0, false},
        {"no name", 1000, NULL, "/home", 0, false},
        {"too many", 1000, "alice", "/home", 5, false},
        {"elsewhere", 1000, "alice", "/etc", 0, false},
        {"a longer name", 1000, "alice", "/homely", 0, false},
        {"up again", 1000, "alice", "/home/../etc", 0, false},
        {"up at the end", 1000, "alice", "/home/..", 0, false},
        {"none", 1000, "alice", NULL, 0, false},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct launch l = {
            .uid = cases[i].uid, .user = xstrdup(cases[i].user), .workdir = xstrdup(cases[i].workdir)};
        check_int(cases[i].name, node_policy_check(&p, &l, cases[i].live, NULL, &err) == 0, cases[i].ok);
        rec_fini(&launch_rec, &l);
    }
    node_policy_fini(&p);
}

/* Users by name, or by a group that they are in. */
static void test_policy_groups(void **state)
{
    (void)state;
    struct node_policy p;
    struct errtext err;
    put("policy", "users = alice\ngroups = root\n", 0600);
    assert_int_equal(node_policy_load(&p, dir_fd, NULL, &err), 0);
    uint32_t in[] = {100, 0}, out[] = {100, 101};
    struct blob member = {.p = (uint8_t *)in, .n = sizeof in},
                other = {.p = (uint8_t *)out, .n = sizeof out};
    struct launch l = {.uid = 1000, .user = xstrdup("bob")};
    assert_int_equal(node_policy_check(&p, &l, 0, &member, &err), 0);
    assert_int_equal(node_policy_check(&p, &l, 0, &other, &err), -EPERM);
    assert_int_equal(node_policy_check(&p, &l, 0, NULL, &err), -EPERM);
    free(l.user);
    l.user = xstrdup("alice");
    assert_int_equal(node_policy_check(&p, &l, 0, &other, &err), 0);
    rec_fini(&launch_rec, &l);
    node_policy_fini(&p);
}

/* A file that is named: there, and in directories that no other user may change. */
static void test_policy_path(void **state)
{
    (void)state;
    struct node_policy p;
    struct errtext err = {""};
    char path[300], open_dir[300];
    put("policy", "min_uid = 7\n", 0600);
    snprintf(path, sizeof path, "%s/policy", dir);
    assert_int_equal(node_policy_load(&p, dir_fd, path, &err), 0);
    assert_int_equal(p.min_uid, 7);
    node_policy_fini(&p);
    snprintf(path, sizeof path, "%s/nothing", dir);
    assert_true(node_policy_load(&p, dir_fd, path, &err) < 0);
    check_has("missing", err.s, "is not there");
    snprintf(open_dir, sizeof open_dir, "%s/open", dir);
    assert_int_equal(mkdir(open_dir, 0777), 0);
    assert_int_equal(chmod(open_dir, 0777), 0);
    snprintf(path, sizeof path, "%s/open/policy", dir);
    assert_int_equal(symlink("../policy", path), 0);
    assert_true(node_policy_load(&p, dir_fd, path, &err) < 0);
    check_has("open", err.s, "may change what is in");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(open_dir), 0);
}

/* --- processes --- */

static pid_t child_that_waits(int *ret_end)
{
    int p[2];
    assert_int_equal(pipe(p), 0);
    pid_t pid = fork();
    if (pid == 0) {
        char c;
        close(p[1]);
        _exit(read(p[0], &c, 1) < 0);
    }
    close(p[0]);
    *ret_end = p[1];
    return pid;
}

static void test_processes(void **state)
{
    (void)state;
    int end;
    pid_t pid = child_that_waits(&end);
    struct proc p;
    assert_int_equal(proc_read(pid, &p), 0);
    assert_int_equal(p.ppid, getpid());
    struct proc_list l = {0};
    proc_descendants(getpid(), &l);
    assert_int_equal(l.n, 1);
    assert_int_equal(l.v[0].pid, pid);
    /* The number is right, the process is another one. */
    struct proc wrong = p;
    wrong.start++;
    assert_int_equal(proc_signal(&wrong, SIGKILL), -ESRCH);
    assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
    assert_int_equal(proc_signal(&p, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(proc_signal(&p, SIGKILL), -ESRCH);
    assert_int_equal(proc_read(pid, &p), -ESRCH);
    proc_descendants(getpid(), &l);
    assert_int_equal(l.n, 0);
    proc_list_fini(&l);
    close(end);
}

static void test_environment_mark(void **state)
{
    (void)state;
    assert_false(proc_has_env(getpid(), "PATH=/no/such"));
    char *entry = xasprintf("PATH=%s", getenv("PATH"));
    assert_true(proc_has_env(getpid(), entry));
    entry[strlen(entry) - 1] = '\0';
    assert_false(proc_has_env(getpid(), entry)); /* a beginning is not it */
    free(entry);
}

static void test_probe(void **state)
{
    (void)state;
    struct probe p;
    probe_machine(&p);
    assert_true(p.n_cpus > 0 && cpuset_count(&p.cpus) == p.n_cpus);
    assert_true(p.mem_mib > 0 && p.t_boot.ms > 0);
    assert_int_equal(strlen(p.boot_id), 36);
}

/* Two packages of two cores of two threads, numbered as machines do it: first threads of all cores, then
 * the second ones. */
static void test_order_of_cpus(void **state)
{
    (void)state;
    char place[] = "/tmp/st-cores.XXXXXX";
    assert_non_null(mkdtemp(place));
    struct cpuset cpus = {0};
    cpuset_add_range(&cpus, 0, 8);
    struct blob order;
    cpu_order_read(&cpus, place, &order); /* nothing is said of them */
    uint16_t got[8], by_number[] = {0, 1, 2, 3, 4, 5, 6, 7}, by_core[] = {0, 4, 2, 6, 1, 5, 3, 7};
    assert_int_equal(order.n, sizeof got);
    assert_memory_equal(order.p, by_number, sizeof by_number);
    free(order.p);
    for (int c = 0; c < 8; c++) {
        const char *const names[] = {"physical_package_id", "core_id"};
        int values[] = {c % 2, c % 4 / 2};
        char path[128];
        snprintf(path, sizeof path, "%s/cpu%d", place, c);
        assert_int_equal(mkdir(path, 0700), 0);
        snprintf(path, sizeof path, "%s/cpu%d/topology", place, c);
        assert_int_equal(mkdir(path, 0700), 0);
        for (int i = 0; i < 2; i++) {
            snprintf(path, sizeof path, "%s/cpu%d/topology/%s", place, c, names[i]);
            FILE *f = fopen(path, "w");
            assert_non_null(f);
            fprintf(f, "%d\n", values[i]);
            fclose(f);
        }
    }
    cpu_order_read(&cpus, place, &order);
    assert_memory_equal(order.p, by_core, sizeof by_core);
    free(order.p);
    cpuset_del(&cpus, 4); /* one that the agent may not use */
    cpu_order_read(&cpus, place, &order);
    assert_int_equal(order.n, 7 * sizeof *got);
    memcpy(got, order.p, order.n);
    assert_int_equal(got[1], 2);
    free(order.p);
    char *command = xasprintf("rm -r %s", place);
    assert_int_equal(system(command), 0);
    free(command);
}

/* --- frames --- */

#define READ_MORE_THAN_ONCE (100 * 1024)

struct peer_end {
    struct loop *l;
    struct list dirty;
    struct wire wire;
    int other;
    unsigned frames;
    const char *why;
};

static int take(void *ctx, const struct frame *f)
{
    struct peer_end *e = ctx;
    e->frames++;
    return f->tag == 666 ? -EPROTO : 0;
}

static void over(void *ctx, const char *why)
{
    struct peer_end *e = ctx;
    e->why = why;
}

static const struct wire_ops ops = {.on_frame = take, .on_close = over};

static void end_open(struct peer_end *e, size_t max)
{
    int sv[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv), 0);
    *e = (struct peer_end){.l = loop_new(), .other = sv[1]};
    list_init(&e->dirty);
    wire_open(&e->wire, e->l, &e->dirty, sv[0], max, &ops, e);
}

static void end_close(struct peer_end *e)
{
    wire_close(&e->wire);
    close(e->other);
    loop_free(e->l);
}

static void feed(struct peer_end *e, const struct str *bytes)
{
    assert_int_equal(send(e->other, bytes->s, bytes->len, MSG_NOSIGNAL), bytes->len);
}

static void test_wire_in_drips(void **state)
{
    (void)state;
    struct peer_end e;
    end_open(&e, 4096);
    struct str s = STR_INIT;
    msg_append(&s, MSG_PING, 7, NULL);
    msg_append(&s, MSG_PING, 8, NULL);
    for (size_t i = 0; i < s.len; i++) {
        assert_int_equal(send(e.other, s.s + i, 1, 0), 1);
        loop_turn(e.l, 1000);
    }
    assert_int_equal(e.frames, 2);
    str_fini(&s);
    close(e.other);
    e.other = -1;
    loop_turn(e.l, 1000);
    assert_non_null(e.why);
    assert_false(e.wire.open);
    wire_send(&e.wire, MSG_PING, 1, NULL, NULL); /* no effect */
    end_close(&e);
}

/* A supervisor that tells the end of its task and goes, while something is on its way to it: the end is
 * heard, though the write fails first. */
static void test_wire_last_words(void **state)
{
    (void)state;
    struct peer_end e;
    end_open(&e, READ_MORE_THAN_ONCE);
    struct str s = STR_INIT;
    msg_append(&s, MSG_PING, 7, NULL);
    size_t large = frame_begin(&s);
    str_append_n(&s, (char[READ_MORE_THAN_ONCE]){0}, READ_MORE_THAN_ONCE);
    frame_end(&s, large, MSG_PING, 0, 8);
    feed(&e, &s);
    str_fini(&s);
    close(e.other);
    e.other = -1;
    wire_send(&e.wire, MSG_PING, 1, NULL, NULL);
    wire_flush_all(&e.dirty);
    loop_turn(e.l, 1000);
    assert_int_equal(e.frames, 2);
    assert_non_null(e.why);
    assert_false(e.wire.open);
    end_close(&e);
}

static void test_wire_refuses(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t tag;
        size_t size;
        const char *why;
    } cases[] = {
        {"refused by its owner", 666, 0, "not accepted"},
        {"too long", 1, 4097, "too long"},
        {"far too long", 1, UINT32_MAX, "too long"},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct peer_end e;
        end_open(&e, 4096);
        struct str s = STR_INIT;
        frame_append_header(&s, MSG_PING, 0, cases[i].tag, cases[i].size);
        feed(&e, &s);
        str_fini(&s);
        loop_turn(e.l, 1000);
        assert_non_null(e.why);
        check_has(cases[i].name, e.why, cases[i].why);
        end_close(&e);
    }
}

static void test_wire_slow_reader(void **state)
{
    (void)state;
    struct peer_end e;
    end_open(&e, 4096);
    char block[4096] = {0};
    /* The other side reads nothing: the queue grows to its bound, then the stream is over. */
    for (int i = 0; i < 1000 && !e.why; i++) {
        wire_send_encoded(&e.wire, MSG_PING, 1, block, sizeof block);
        wire_flush_all(&e.dirty);
        loop_turn(e.l, 0);
    }
    char c;
    while (!e.why && recv(e.other, &c, 1, MSG_DONTWAIT) == 1)
        loop_turn(e.l, 0);
    assert_non_null(e.why);
    check_has("why", e.why, "does not read");
    end_close(&e);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        TEST(test_claim_has_one_winner),
        TEST(test_directory_is_passed_on),
        TEST(test_end_record),
        TEST(test_ended),
        TEST(test_ended_know_nonces),
        TEST(test_ended_are_bounded),
        TEST(test_policy_file),
        TEST(test_policy_rules),
        TEST(test_policy_groups),
        TEST(test_policy_path),
        cmocka_unit_test(test_processes),
        cmocka_unit_test(test_environment_mark),
        cmocka_unit_test(test_probe),
        cmocka_unit_test(test_order_of_cpus),
        cmocka_unit_test(test_wire_in_drips),
        cmocka_unit_test(test_wire_last_words),
        cmocka_unit_test(test_wire_refuses),
        cmocka_unit_test(test_wire_slow_reader),
    };
    return cmocka_run_group_tests_name("agent parts", tests, NULL, NULL);
}
