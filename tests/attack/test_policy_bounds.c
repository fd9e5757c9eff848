/* test_policy_bounds.c - what a node's policy promises to its owner: a working directory was bounded by its
 * name alone, which a symbolic link leaves; members of groups that are as good as root could not be turned
 * away; a service whose policy does not say so ran tasks of root. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/node/node_policy.h"
#include "src/base/xalloc.h"
#include "tests/lib/agent_cases.h"

static struct launch_end *run_in(struct driver *d, uint32_t job, const char *dir)
{
    struct launch l;
    driver_launch_init(d, &l, job, "pwd -P");
    xstrset(&l.workdir, dir);
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    return driver_end(d, job, true);
}

static void workdirs_are_where_links_lead(void **state)
{
    struct driver *d = *state;
    char *inside = xasprintf("%s/work/inside", d->dir), *outside = xasprintf("%s/outside", d->dir),
         *link = xasprintf("%s/work/link", d->dir), *alias = xasprintf("%s/alias", d->dir),
         *work = xasprintf("%s/work", d->dir), *policy = xasprintf("workdirs = %s/work\n", d->dir);
    assert_int_equal(mkdir(inside, 0755) | mkdir(outside, 0755), 0);
    assert_int_equal(symlink(outside, link) | symlink(work, alias), 0);
    driver_restart(d, policy);
    struct launch_end *e = run_in(d, 1, inside);
    check_int("a directory inside", e->end_kind, END_EXITED);
    driver_end_free(e);
    e = run_in(d, 2, link);
    check_int("a link that leads outside", e->end_kind, END_LAUNCH_FAILED);
    check_has("why", e->message, "policy allows no work where");
    driver_end_free(e);
    /* A root that is itself a link is where it leads. */
    free(policy);
    policy = xasprintf("workdirs = %s\n", alias);
    driver_restart(d, policy);
    char *through = xasprintf("%s/inside", alias);
    e = run_in(d, 3, through);
    check_int("through a root that is a link", e->end_kind, END_EXITED);
    driver_end_free(e);
    e = run_in(d, 4, inside);
    check_int("by the name of what it leads to", e->end_kind, END_EXITED);
    driver_end_free(e);
    char *all[] = {inside, outside, link, alias, work, policy, through};
    for (size_t i = 0; i < N_OF(all); i++)
        free(all[i]);
}

static void groups_are_denied(void **state)
{
    struct driver *d = *state;
    const struct group *gr = getgrgid(getegid());
    if (!gr)
        skip();
    char *policy = xasprintf("deny_groups = %s\n", gr->gr_name);
    driver_restart(d, policy);
    driver_run(d, 1, "true");
    struct launch_end *e = driver_end(d, 1, true);
    check_int("kind", e->end_kind, END_LAUNCH_FAILED);
    check_has("message", e->message, "denies a group");
    driver_end_free(e);
    free(policy);
}

static void root_runs_nothing_where_a_service_does_not_say_so(void **state)
{
    struct driver *d = *state;
    char *path = xasprintf("%s/policy-of-a-service", d->dir);
    struct node_policy p;
    struct errtext err = {""};
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    assert_int_equal(write(fd, "max_tasks = 5\n", 14), 14);
    close(fd);
    if (node_policy_load(&p, -1, path, &err) < 0) /* where the directories above are others' */
        skip();
    struct launch l = {.uid = 0};
    assert_int_equal(node_policy_check(&p, &l, 0, NULL, &err), -EPERM);
    node_policy_fini(&p);
    free(path);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {AGENT_CASE(workdirs_are_where_links_lead),
                                       AGENT_CASE(groups_are_denied),
                                       AGENT_CASE(root_runs_nothing_where_a_service_does_not_say_so)};
    return agent_cases(tests, argc, argv);
}
