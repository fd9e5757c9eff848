/* test_agent_users.c - an agent that is root: rights that are given up, files and groups of others.
 *
 * As root everything runs a second time as an ordinary user.
 *
 * test-user
 */
#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "tests/lib/agent_cases.h"

static void as_other(struct launch *l)
{
    l->uid = OTHER_UID;
    l->gid = OTHER_UID;
}

static void test_drops_privileges(void **state)
{
    struct driver *d = *state;
    if (geteuid() != 0)
        skip();
    char *work = xasprintf("%s/work", d->dir);
    chmod(work, 0777);
    struct launch l;
    driver_script_init(
        d, &l, 1,
        "#!/bin/sh\nid -u; id -g; id -G; grep -c '^Uid:.65534.65534.65534.65534$' /proc/self/status\n"
        "grep '^CapEff' /proc/self/status; kill -9 $PPID 2>/dev/null || echo refused\n");
    as_other(&l);
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    struct launch_end *e = driver_end(d, 1, true);
    if (e->end_kind != END_EXITED)
        fail_msg("ended by %u: %s", e->end_kind, e->message);
    driver_end_free(e);
    driver_check_output(d, "1.out", "65534\n65534\n65534\n1\nCapEff:\t0000000000000000\nrefused\n");
    char *path = xasprintf("%s/1.out", work);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_uid, OTHER_UID);
    free(path);
    /* The spool is out of the user's reach, the user's script in reach. */
    driver_launch_init(d, &l, 2, "ls ../agent 2>/dev/null || echo hidden; echo x >>/dev/stderr");
    as_other(&l);
    driver_send(d, MSG_LAUNCH, 0, &l);
    driver_end_free(driver_end(d, 2, true));
    driver_check_output(d, "2.out", "hidden\nx\n");
    /* An agent directory that the user cannot pass: the script comes from memory. */
    rec_fini(&launch_rec, &l);
    chmod(d->agent_dir, 0700);
    driver_script_init(d, &l, 3, "#!/bin/bash\necho from memory; sed -n 2p $0 | cut -c1-4\n");
    as_other(&l);
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    driver_end_free(driver_end(d, 3, true));
    driver_check_output(d, "3.out", "from memory\necho\n");
    free(work);
}

static void test_files_of_others(void **state)
{
    struct driver *d = *state;
    if (geteuid() != 0)
        skip();
    char *work = xasprintf("%s/work", d->dir), *secret = xasprintf("%s/secret", d->dir),
         *link = xasprintf("%s/link.out", work), *hidden = xasprintf("%s/hidden", d->dir);
    chmod(work, 0777);
    int fd = open(secret, O_CREAT | O_WRONLY, 0600);
    assert_int_equal(write(fd, "secret\n", 7), 7);
    close(fd);
    assert_int_equal(symlink("../secret", link), 0);
    assert_int_equal(mkdir(hidden, 0700), 0);
    const struct {
        const char *name, *out, *dir, *text;
    } cases[] = {
        {"link to a file of root", "link.out", work, "Permission denied"},
        {"file of root", secret, work, "Permission denied"},
        {"working directory of root", "x.out", hidden, "Permission denied"},
    };
    for (uint32_t i = 0; i < N_OF(cases); i++)
        for (uint32_t ranks = 1; ranks <= 2; ranks++) {
            struct launch l;
            uint32_t job = i * 2 + ranks;
            driver_step_init(d, &l, job, ranks, "echo overwritten");
            driver_outputs(&l, cases[i].out);
            free(l.workdir);
            l.workdir = xstrdup(cases[i].dir);
            as_other(&l);
            driver_send(d, MSG_LAUNCH, 0, &l);
            rec_fini(&launch_rec, &l);
            struct launch_end *e = driver_end(d, job, true);
            check_int(cases[i].name, e->end_kind, END_LAUNCH_FAILED);
            check_has(cases[i].name, e->message, cases[i].text);
            driver_end_free(e);
        }
    driver_check_output(d, "../secret", "secret\n");
    /* A symlink that another user has put there, to a file of the user. */
    char *own = xasprintf("%s/own", work), *trap = xasprintf("%s/trap", work);
    fd = open(own, O_CREAT | O_WRONLY, 0644);
    assert_int_equal(write(fd, "own\n", 4), 4);
    assert_int_equal(fchown(fd, OTHER_UID, OTHER_UID), 0);
    close(fd);
    assert_int_equal(symlink("own", trap), 0);
    assert_int_equal(lchown(trap, 1, 1), 0);
    struct launch l;
    driver_step_init(d, &l, 50, 1, "echo overwritten");
    driver_outputs(&l, "trap");
    as_other(&l);
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    struct launch_end *e = driver_end(d, 50, true);
    check_int("trap", e->end_kind, END_LAUNCH_FAILED);
    check_has("trap", e->message, "symbolic link of another user's");
    driver_end_free(e);
    driver_check_output(d, "own", "own\n");
    for (size_t i = 0; i < 6; i++)
        free((char *[]){work, secret, link, hidden, own, trap}[i]);
}

static void test_identity_mismatch(void **state)
{
    struct driver *d = *state;
    struct launch l;
    driver_launch_init(d, &l, 1, "true");
    if (geteuid() == 0) {
        as_other(&l);
        l.user = xstrdup("somebodyelse");
    } else {
        l.uid = 0;
    }
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    struct launch_end *e = driver_end(d, 1, false);
    check_int("kind", e->end_kind, END_LAUNCH_FAILED);
    check_has("message", e->message, geteuid() == 0 ? "identity mismatch" : "runs jobs of uid");
    driver_end_free(e);
}

static void test_group_of_others(void **state)
{
    struct driver *d = *state;
    if (geteuid() != 0)
        skip();
    struct launch l;
    driver_launch_init(d, &l, 1, "id -g >gid");
    as_other(&l);
    l.gid = 0;
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    struct launch_end *e = driver_end(d, 1, false);
    check_int("kind", e->end_kind, END_LAUNCH_FAILED);
    check_has("message", e->message, "is not in the group with gid 0");
    driver_end_free(e);
}

static struct msg_output_data *read_file(struct driver *d, unsigned nth, uid_t uid)
{
    const struct passwd *pw = getpwuid(uid);
    assert_non_null(pw);
    struct msg_output_read m = {.key = {.job = 1, .step = STEP_BATCH},
                                .stream = 1,
                                .path = xasprintf("%s/work/read-me.%u", d->dir, nth),
                                .uid = uid,
                                .gid = pw->pw_gid,
                                .user = xstrdup(pw->pw_name)};
    int fd = open(m.path, O_CREAT | O_WRONLY, 0644);
    assert_int_equal(write(fd, "x", 1), 1);
    close(fd);
    driver_send(d, MSG_OUTPUT_READ, nth + 1, &m);
    rec_fini(&msg_output_read_rec, &m);
    struct msg_output_data *o = driver_wait(d, MSG_OUTPUT_DATA, NULL, NULL, DRIVER_WAIT_MS);
    assert_non_null(o);
    return o;
}

/* Each file that is read needs a process for a while: one user cannot use up all of them. */
static void test_readers_of_one_user(void **state)
{
    struct driver *d = *state;
    enum { FILES = 63 };
    if (geteuid() != 0)
        skip();
    char *work = xasprintf("%s/work", d->dir);
    chmod(work, 0755);
    free(work);
    struct msg_output_data *o = NULL;
    unsigned n = 0;
    time_t end = time(NULL) + DRIVER_WAIT_MS / 1000;
    for (; (!o || !o->error) && (n < FILES || time(NULL) < end); n++) { /* the first may have gone again */
        msg_free(MSG_OUTPUT_DATA, o);
        o = read_file(d, n % FILES, OTHER_UID);
    }
    check_has("the last one", o->error ? o->error : "", "too many files of this node are being read");
    msg_free(MSG_OUTPUT_DATA, o);
    assert_true(n > 16);
    o = read_file(d, FILES, 0);
    if (o->error || o->data.n != 1)
        fail_msg("another user reads nothing: %s", o->error ? o->error : "no bytes");
    msg_free(MSG_OUTPUT_DATA, o);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        AGENT_CASE(test_drops_privileges),    AGENT_CASE(test_files_of_others),
        AGENT_CASE(test_identity_mismatch),   AGENT_CASE(test_group_of_others),
        AGENT_CASE(test_readers_of_one_user),
    };
    return agent_cases(tests, argc, argv);
}
