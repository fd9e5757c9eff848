/* test_disk_full.c - one user fills the controller's disk with jobs that are held; then nobody could
 * submit, and not even a cancel could be written. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "tests/lib/attack.h"
#include "tests/lib/check.h"
#include "tests/lib/cluster.h"

#define DISK_MIB   160
#define SCRIPT     (4u << 20)
#define MANY       60 /* jobs: more than fit */
#define PAUSE_MS   20
#define ENDLESS_MS 20000
#define FIRST_JOB  1

static char *state_dir(void)
{
    return xasprintf("%s/state", getenv("STOKER_HOME"));
}

/* The state gets a small disk of its own, which only this test's processes see. False: that is not allowed
 * here. */
static bool give_small_disk(void)
{
    static bool own;
    own = own || (unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
    if (!own)
        return false;
    char *dir = state_dir(), *options = xasprintf("size=%dm,mode=700", DISK_MIB);
    mkdir(getenv("STOKER_HOME"), 0700);
    mkdir(dir, 0700);
    int r = mount("attack", dir, "tmpfs", MS_NOSUID | MS_NODEV, options);
    free(options);
    free(dir);
    return r == 0;
}

static void take_disk_away(void)
{
    char *dir = state_dir();
    assert_int_equal(umount2(dir, MNT_DETACH), 0);
    free(dir);
}

static struct answer submit_script(struct client *c)
{
    char *id = client_request_id();
    struct msg_submit m = submission(JOB_KIND_BATCH, id);
    m.hold = true;
    m.payload.script = (struct blob){.p = xmalloc(SCRIPT), .n = SCRIPT};
    memset(m.payload.script.p, '#', SCRIPT);
    free(id);
    return ask_submit(c, &m);
}

static void submits_until_refused(void)
{
    struct client *c = cluster_connect();
    struct answer a = {.refusal = REFUSAL_NONE};
    for (int i = 0; i < MANY && a.refusal == REFUSAL_NONE; i++)
        a = submit_script(c);
    attack_expect(&a, REFUSAL_POLICY, "user_disk");
}

static void can_only_cancel_the_first(void)
{
    struct client *c = cluster_connect();
    struct answer a = ask_act(c, ACT_HOLD, FIRST_JOB); /* adds to the log as well */
    attack_expect(&a, REFUSAL_POLICY, "user_disk");
    a = ask_act(c, ACT_CANCEL, FIRST_JOB);
    attack_expect(&a, REFUSAL_NONE, "");
}

static void do_as_attacker(void (*fn)(void))
{
    struct attacker a = attack_as("nobody", fn);
    attack_await_done(&a);
    attack_end(&a);
}

static void one_user_leaves_room_for_others(void **unused)
{
    (void)unused;
    if (!give_small_disk())
        skip();
    pid_t controller = attack_start("");
    do_as_attacker(submits_until_refused);
    attack_bystander_ms(20);
    /* What was counted is counted again after a restart. */
    controller = cluster_restart(controller);
    let_all_reach_the_controller();
    do_as_attacker(submits_until_refused);
    do_as_attacker(can_only_cancel_the_first);
    attack_bystander_ms(20);
    cluster_stop(controller);
    take_disk_away();
}

static bool is_file(void *path)
{
    return access(path, F_OK) == 0;
}

/* Another program takes the rest of the disk. */
static char *fill_disk(void)
{
    char *dir = state_dir(), *path = xasprintf("%s/other", dir), block[4096] = {1};
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    while (write(fd, block, sizeof block) > 0)
        ;
    assert_int_equal(errno, ENOSPC);
    close(fd);
    free(dir);
    return path;
}

static bool is_cancelled(void *ctx)
{
    struct client *c = cluster_connect();
    struct answer a = ask_act(c, ACT_CANCEL, *(const uint32_t *)ctx);
    client_free(c);
    return a.refusal == REFUSAL_NONE || a.refusal == REFUSAL_ENDED || a.refusal == REFUSAL_NO_JOB;
}

static struct answer submit_small(void)
{
    struct client *c = cluster_connect();
    char *id = client_request_id();
    struct msg_submit m = submission(JOB_KIND_BATCH, id);
    m.hold = true;
    struct answer a = ask_submit(c, &m);
    free(id);
    client_free(c);
    return a;
}

static bool is_refused_for_disk(void *unused)
{
    (void)unused;
    struct answer a = submit_small();
    return a.refusal == REFUSAL_POLICY && strstr(a.text, "nearly full");
}

static bool is_accepted(void *unused)
{
    (void)unused;
    return submit_small().refusal == REFUSAL_NONE;
}

static void submits_the_first_job(void)
{
    struct answer a = submit_small();
    attack_expect(&a, REFUSAL_NONE, "");
}

static void can_only_cancel(void)
{
    uint32_t job = FIRST_JOB;
    if (!cluster_eventually(ENDLESS_MS, PAUSE_MS, is_refused_for_disk, NULL) ||
        !cluster_eventually(ENDLESS_MS, PAUSE_MS, is_cancelled, &job))
        _exit(1);
}

static void submits_again(void)
{
    if (!cluster_eventually(ENDLESS_MS, PAUSE_MS, is_accepted, NULL))
        _exit(1);
}

static void a_full_disk_leaves_room_for_cancels(void **unused)
{
    (void)unused;
    if (!give_small_disk())
        skip();
    pid_t controller = attack_start("");
    char *reserve = xasprintf("%s/state/reserve", getenv("STOKER_HOME"));
    assert_true(cluster_eventually(ENDLESS_MS, PAUSE_MS, is_file, reserve));
    do_as_attacker(submits_the_first_job);
    char *other = fill_disk();
    do_as_attacker(can_only_cancel);
    assert_int_equal(unlink(other), 0);
    do_as_attacker(submits_again);
    assert_true(cluster_eventually(ENDLESS_MS, PAUSE_MS, is_file, reserve));
    free(other);
    free(reserve);
    cluster_stop(controller);
    take_disk_away();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_user_leaves_room_for_others),
        cmocka_unit_test(a_full_disk_leaves_room_for_cancels),
    };
    return cmocka_run_group_tests(tests, attack_set_up, NULL);
}
