/* test_hostile_agent.c - the agent of a service was root, and to take it over was to have the machine. Now
 * it is an account without rights; this takes its place at the launcher, and asks for more than it may
 * have. */
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/rights/agent_dir.h"
#include "backend/rights/rights_wire.h"
#include "backend/task/shim_setup.h"
#include "src/base/xalloc.h"
#include "src/proto/codec.h"
#include "tests/lib/agent_driver.h"
#include "tests/lib/check.h"

struct hostile {
    struct driver d; /* its directories; no agent is started */
    struct agent_dir dir;
    struct rights *rights;
    uid_t user; /* nobody, whom the policy admits */
    gid_t group;
};

static bool is_helper(void *ctx, pid_t pid)
{
    (void)ctx;
    (void)pid;
    return false;
}

static struct rights_config config = {
    .shim = "stoker-shim", .reader = "stoker-agent", .is_helper = is_helper};

static int set_up(void **state)
{
    const struct passwd *nobody = geteuid() == 0 ? getpwnam("nobody") : NULL;
    static struct rights_answer a;
    if (!nobody)
        return 0; /* *state stays NULL: skipped */
    struct hostile *h = xcalloc(1, sizeof *h);
    h->dir = (struct agent_dir)AGENT_DIR_INIT;
    h->user = nobody->pw_uid;
    h->group = nobody->pw_gid;
    driver_init(&h->d);
    umask(022);
    chmod(h->d.dir, 0755);
    char *work = xasprintf("%s/work", h->d.dir);
    assert_int_equal(chown(work, h->user, h->group), 0);
    free(work);
    const struct passwd *agent = getpwnam("daemon");
    assert_non_null(agent);
    config.agent = agent->pw_uid;
    struct errtext err;
    assert_int_equal(agent_dir_open(&h->dir, h->d.agent_dir, true, 0, &err), 0);
    assert_int_equal(agent_dir_give(&h->dir, agent->pw_uid, agent->pw_gid, &err), 0);
    int fd = openat(h->dir.fd, "policy", O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(write(fd, "allow_root = no\nmin_uid = 2\n", 28) == 28);
    close(fd);
    h->rights = rights_new(&config, &h->dir);
    assert_int_equal(rights_serve(h->rights, &(struct rights_request){.kind = RIGHTS_POLICY}, &a), 0);
    close(a.fd);
    *state = h;
    return 0;
}

static int tear_down(void **state)
{
    struct hostile *h = *state;
    if (!h)
        return 0;
    rights_free(h->rights);
    agent_dir_close(&h->dir);
    driver_fini(&h->d);
    free(h);
    return 0;
}

static struct rights_request request(const struct hostile *h, uint32_t job)
{
    struct rights_request q = {.kind = RIGHTS_START,
                               .key = {.job = job, .step = STEP_BATCH, .attempt = 1},
                               .uid = h->user,
                               .gid = h->group,
                               .user = "nobody",
                               .group = "7"};
    return q;
}

/* --- what is refused at once --- */

static void asks_for_more(void **state)
{
    struct hostile *h = *state;
    if (!h)
        skip();
    static const struct {
        const char *name, *user, *group;
        uint32_t kind, uid, gid;
        int r;
    } cases[] = {
        {"a task of root", "root", "7", RIGHTS_START, 0, 0, -EPERM},
        {"a task of root, named as a user", "nobody", "7", RIGHTS_START, 0, 0, -EPERM},
        {"a task of root with another group", "", "7", RIGHTS_START, 0, 1, -EPERM},
        {"a user of the system", "daemon", "7", RIGHTS_START, 1, 1, -EPERM},
        {"a user in the group of root", "nobody", "7", RIGHTS_START, 65534, 0, -EPERM},
        {"no such user", "", "7", RIGHTS_START, 4294967295, 65534, -EPERM},
        {"a group elsewhere", "nobody", "../../7", RIGHTS_START, 65534, 65534, -EINVAL},
        {"a group elsewhere, to be killed", "", "7/..", RIGHTS_GROUPS_KILL, 0, 0, -EINVAL},
        {"a group elsewhere, to be removed", "", "", RIGHTS_GROUPS_REMOVE, 0, 0, -EINVAL},
        {"a /tmp elsewhere, to be removed", "", "../7", RIGHTS_PRIVATE_REMOVE, 0, 0, -EINVAL},
        {"files of root", "root", "7", RIGHTS_READ, 0, 0, -EPERM},
        {"what there is not", "nobody", "7", 99, 65534, 65534, -EINVAL},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct rights_request q = request(h, 100 + (uint32_t)i);
        static struct rights_answer a;
        q.kind = cases[i].kind;
        q.uid = cases[i].uid;
        q.gid = cases[i].gid;
        snprintf(q.user, sizeof q.user, "%s", cases[i].user);
        snprintf(q.group, sizeof q.group, "%s", cases[i].group);
        check_int(cases[i].name, rights_serve(h->rights, &q, &a), cases[i].r);
        check_int(cases[i].name, a.fd, -1);
    }
}

static void sends_no_request(void **state)
{
    (void)state;
    int sv[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv), 0);
    static struct rights_request q, got;
    q.devices.n = DEVICE_RULE_MAX + 1;
    assert_int_equal(rights_send_request(sv[0], &q), 0);
    check_int("more devices than there is room for", rights_receive_request(sv[1], &got), -EBADMSG);
    assert_int_equal(send(sv[0], &q, offsetof(struct rights_request, path), 0),
                     (int)offsetof(struct rights_request, path));
    check_int("a packet that is too short", rights_receive_request(sv[1], &got), -EBADMSG);
    q.devices.n = 0;
    memset(q.group, '7', sizeof q.group);
    memset(q.path, 'x', sizeof q.path);
    assert_int_equal(send(sv[0], &q, sizeof q, 0), (int)sizeof q);
    check_int("texts without an end", rights_receive_request(sv[1], &got), 0);
    check_int("they end", strlen(got.group) < sizeof got.group && strlen(got.path) < sizeof got.path, 1);
    close(sv[0]);
    check_int("the end", rights_receive_request(sv[1], &got), -EPIPE);
    close(sv[1]);
}

/* An agent without a free descriptor takes the answer, and knows that it lacks the socket. */
static void has_no_descriptor(void **state)
{
    (void)state;
    int sv[2];
    static struct rights_answer a;
    struct rlimit old, none;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv), 0);
    for (int round = 0; round < 2; round++) {
        a = (struct rights_answer){.fd = dup(sv[0]), .pid = 7};
        assert_int_equal(rights_send_answer(sv[0], &a), 0);
        assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
        int next = dup(sv[0]);
        close(next);
        none = (struct rlimit){.rlim_cur = round ? (rlim_t)next : old.rlim_cur, .rlim_max = old.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
        int r = rights_receive_answer(sv[1], &a);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
        check_int("the answer", r, 0);
        check_int("what it says", a.pid, 7);
        check_int("its descriptor", a.fd >= 0, round == 0);
        if (a.fd >= 0)
            close(a.fd);
    }
    close(sv[0]);
    close(sv[1]);
}

/* --- a supervisor that was granted for one launch, and is told another --- */

static void say(int fd, uint16_t type, const struct rec_desc *desc, const void *body)
{
    struct str out = STR_INIT;
    size_t at = frame_begin(&out);
    codec_encode(desc, body, &out);
    frame_end(&out, at, type, 0, 0);
    if (send(fd, out.s, out.len, MSG_NOSIGNAL) < 0) {
        /* It has gone already: that is what is waited for. */
    }
    str_fini(&out);
}

/* All that the supervisor says until it goes. */
static void await_gone(int fd)
{
    char buf[4096];
    struct timeval patience = {.tv_sec = DRIVER_WAIT_MS / 1000};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ssize_t n;
    while ((n = recv(fd, buf, sizeof buf, 0)) > 0)
        ;
    assert_true(n == 0 || errno == ECONNRESET);
    close(fd);
}

static void is_told_another_launch(void **state)
{
    struct hostile *h = *state;
    if (!h)
        skip();
    static const struct {
        const char *name;
        uint16_t first; /* the frame in place of the setup */
        uid_t uid;      /* of the launch, and the key's job */
        uint32_t more_job;
        bool runs;
    } cases[] = {
        {"as it was granted", SHIM_SETUP, 65534, 0, true},
        {"as root", SHIM_SETUP, 0, 0, false},
        {"as another user", SHIM_SETUP, 1, 0, false},
        {"with another name", SHIM_SETUP, 65534, 1000, false},
        {"with a grant of its own", SHIM_GRANT, 0, 0, false},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        uint32_t job = 10 + (uint32_t)i;
        struct rights_request q = request(h, job);
        static struct rights_answer a;
        snprintf(q.group, sizeof q.group, "%u", job);
        check_int(cases[i].name, rights_serve(h->rights, &q, &a), 0);
        /* Whatever a setup claims, only a grant is believed. */
        char boot[] = "0";
        struct shim_setup setup = {
            .version = SHIM_VERSION, .drop = false, .boot_id = boot, .uid = cases[i].uid};
        struct launch l;
        driver_launch_init(&h->d, &l, job + cases[i].more_job, "id -u; exit 3");
        l.uid = cases[i].uid;
        l.gid = cases[i].uid;
        say(a.fd, cases[i].first, &shim_setup_rec, &setup);
        say(a.fd, MSG_LAUNCH, &launch_rec, &l);
        rec_fini(&launch_rec, &l);
        await_gone(a.fd);
        char *name = xasprintf("%u.out", job + cases[i].more_job), *text = driver_file(&h->d, name);
        char *want = cases[i].runs ? xasprintf("%u\n", (unsigned)h->user) : xstrdup("");
        check_str(cases[i].name, text, want);
        free(want);
        free(text);
        free(name);
        rights_serve(h->rights, &(struct rights_request){.kind = RIGHTS_REMOVE, .key = q.key}, &a);
        int status;
        for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
            rights_child_ended(h->rights, pid, status);
        q.kind = RIGHTS_GROUPS_REMOVE;
        rights_serve(h->rights, &q, &a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(asks_for_more, set_up, tear_down),
        cmocka_unit_test(sends_no_request),
        cmocka_unit_test(has_no_descriptor),
        cmocka_unit_test_setup_teardown(is_told_another_launch, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
