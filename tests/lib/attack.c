/* attack.c - processes of other users against the controller of a test. */
#include "tests/lib/attack.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "tests/lib/check.h"
#include "tests/lib/cluster.h"

#define SKIPPED    77
#define WRITTEN_MS 1000 /* the peer takes nothing for so long */
#define NAME_BYTES 4000u

int attack_set_up(void **state)
{
    (void)state;
    if (geteuid() == 0 && getpwnam("nobody") && getpwnam("daemon"))
        return 0;
    puts("needs root, for a second user");
    exit(SKIPPED);
}

pid_t attack_start(const char *more)
{
    cluster_configure(4, 4, 0);
    char *path = xasprintf("%s/stoker.cfg", getenv("STOKER_HOME"));
    FILE *f = fopen(path, "a");
    assert_non_null(f);
    fprintf(f, "%s\n", more);
    fclose(f);
    free(path);
    pid_t pid = cluster_spawn(NULL);
    client_free(cluster_connect());
    let_all_reach_the_controller();
    return pid;
}

static void attack_become(const char *user)
{
    const struct passwd *p = getpwnam(user);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!p || initgroups(user, p->pw_gid) < 0 || setresgid(p->pw_gid, p->pw_gid, p->pw_gid) < 0 ||
        setresuid(p->pw_uid, p->pw_uid, p->pw_uid) < 0 || chdir("/") < 0)
        _exit(1);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

struct attacker attack_as(const char *user, void (*fn)(void))
{
    int told[2];
    assert_int_equal(pipe2(told, O_CLOEXEC), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        attack_become(user);
        fn();
        if (write(told[1], "", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    close(told[1]);
    return (struct attacker){.pid = pid, .told = told[0]};
}

void attack_await_done(struct attacker *a)
{
    char byte;
    assert_int_equal(read(a->told, &byte, 1), 1);
}

void attack_end(struct attacker *a)
{
    kill(a->pid, SIGKILL);
    assert_int_equal(waitpid(a->pid, NULL, 0), a->pid);
    close(a->told);
}

/* A failure of cmocka's would go on with the next test, in this process. */
void attack_expect(const struct answer *a, uint32_t refusal, const char *part)
{
    if (a->refusal == refusal && strstr(a->text, part))
        return;
    dprintf(2, "refusal %u, not %u, \"%s\" in \"%s\"\n", a->refusal, refusal, part, a->text);
    _exit(1);
}

int attack_connect(void)
{
    struct client *c = cluster_connect();
    int fd = dup(client_fd(c));
    client_free(c);
    assert_true(fd >= 0);
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    return fd;
}

size_t attack_write(int fd, const void *p, size_t n)
{
    size_t done = 0;
    while (done < n) {
        ssize_t r = write(fd, (const char *)p + done, n - done);
        struct pollfd ready = {.fd = fd, .events = POLLOUT};
        if (r > 0)
            done += (size_t)r;
        else if (errno != EAGAIN || poll(&ready, 1, WRITTEN_MS) <= 0)
            break;
    }
    return done;
}

struct msg_submit attack_large_job(const char *request_id, unsigned kib)
{
    struct msg_submit m = submission(JOB_KIND_STEPS, request_id);
    char path[NAME_BYTES + 1];
    m.hold = true;
    memset(path, 'x', NAME_BYTES);
    path[NAME_BYTES] = '\0';
    for (unsigned i = 0; i < kib * 1024 / NAME_BYTES; i++) {
        struct step *s = rec_list_push(&m.steps);
        plain_step_init(s);
        s->id = (int32_t)i;
        s->name = xasprintf("s%u", i);
        s->std_out = xstrdup(path);
        struct step_payload *p = rec_list_push(&m.step_payloads);
        p->argv = strv_split("true", " ");
    }
    return m;
}

uint64_t attack_rss_mib(pid_t pid)
{
    unsigned long size, rss;
    char *path = xasprintf("/proc/%d/statm", (int)pid);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%lu %lu", &size, &rss), 2);
    fclose(f);
    free(path);
    return (uint64_t)rss * (uint64_t)sysconf(_SC_PAGESIZE) >> 20;
}

uint64_t attack_peak_mib(pid_t pid)
{
    char *path = xasprintf("/proc/%d/status", (int)pid), line[256];
    unsigned long kib = 0;
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        sscanf(line, "VmHWM: %lu kB", &kib);
    fclose(f);
    free(path);
    assert_true(kib > 0);
    return kib >> 10;
}

static int bystander_n;
static int bystander_result;

static void as_bystander(void)
{
    int64_t slowest = 0;
    struct client *c = cluster_connect();
    for (int i = 0; i < bystander_n; i++) {
        char *id = client_request_id();
        struct msg_submit m = submission(JOB_KIND_BATCH, id);
        int64_t start = cluster_now_ms();
        m.hold = true;
        struct answer a = ask_submit(c, &m);
        if (a.refusal != REFUSAL_NONE)
            dprintf(2, "the bystander's job is refused: %s\n", a.text);
        slowest = cluster_now_ms() - start > slowest ? cluster_now_ms() - start : slowest;
        if (a.refusal != REFUSAL_NONE)
            slowest = INT32_MAX;
        free(id);
    }
    struct model m;
    cluster_fetch(c, &m);
    model_fini(&m);
    client_free(c);
    if (write(bystander_result, &slowest, sizeof slowest) != sizeof slowest)
        _exit(1);
}

int64_t attack_bystander_ms(int n)
{
    int result[2];
    int64_t ms = -1;
    assert_int_equal(pipe2(result, O_CLOEXEC), 0);
    bystander_n = n;
    bystander_result = result[1];
    struct attacker b = attack_as("daemon", as_bystander);
    close(result[1]);
    assert_int_equal(read(result[0], &ms, sizeof ms), sizeof ms);
    attack_end(&b);
    close(result[0]);
    assert_true(ms >= 0 && ms < INT32_MAX);
    return ms;
}
