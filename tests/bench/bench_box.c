/* bench_box.c - holds a whole system, daemons and jobs, so that it can be measured and ended as one.
 *
 *     bench_box run COMMAND [ARG...]   starts it and stays: daemons that lose their parent become its
 *                                       children and are reaped here, so that no CPU time gets lost.
 *                                       Prints "ready STATUS" once COMMAND itself has ended. SIGTERM
 *                                       ends all of it
 *     bench_box cpu PID                CPU seconds of the box PID so far, of the living and the dead
 *     bench_box rss PID NAME           resident KiB of the processes NAME in it
 */
#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/vec.h"

#define NAME_SIZE 16 /* the kernel keeps that much of a process's name */

struct member {
    int pid, ppid;
    char name[NAME_SIZE];
    unsigned long ticks; /* its own and those of the children it has waited for */
    long rss_pages;
};

typedef VEC(struct member) members;

static bool read_member(int pid, struct member *ret)
{
    char path[64], buf[1024], state;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(buf, 1, sizeof buf - 1, f) : 0;
    if (f)
        fclose(f);
    buf[n] = '\0';
    /* The name may hold anything, brackets too. */
    char *from = strchr(buf, '('), *to = strrchr(buf, ')');
    unsigned long utime, stime;
    long cutime, cstime;
    if (!from || !to)
        return false;
    *ret = (struct member){.pid = pid};
    snprintf(ret->name, sizeof ret->name, "%.*s", (int)(to - from - 1), from + 1);
    if (sscanf(to + 1,
               " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld %*d %*d %*d %*d %*u %*u %ld",
               &state, &ret->ppid, &utime, &stime, &cutime, &cstime, &ret->rss_pages) != 7)
        return false;
    ret->ticks = utime + stime + (unsigned long)cutime + (unsigned long)cstime;
    return true;
}

static bool has_pid(const members *tree, int pid)
{
    vec_for_each (tree, i)
        if (tree->v[i].pid == pid)
            return true;
    return false;
}

/* The process root and all its descendants. A parent may stand behind its child in /proc: hence the
 * rounds. */
static void find_tree(int root, members *ret)
{
    members all = VEC_INIT;
    struct member m;
    DIR *d = opendir("/proc");
    for (struct dirent *e; d && (e = readdir(d));)
        if (*e->d_name >= '1' && *e->d_name <= '9' && read_member(atoi(e->d_name), &m))
            vec_push(&all, m);
    if (d)
        closedir(d);
    vec_clear(ret);
    if (read_member(root, &m))
        vec_push(ret, m);
    for (size_t before = 0; before != ret->n;) {
        before = ret->n;
        vec_for_each (&all, i)
            if (has_pid(ret, all.v[i].ppid) && !has_pid(ret, all.v[i].pid))
                vec_push(ret, all.v[i]);
    }
    vec_fini(&all);
}

static int print_cpu(int root)
{
    members tree = VEC_INIT;
    unsigned long ticks = 0;
    find_tree(root, &tree);
    vec_for_each (&tree, i)
        ticks += tree.v[i].ticks;
    printf("%.2f\n", (double)ticks / (double)sysconf(_SC_CLK_TCK));
    vec_fini(&tree);
    return 0;
}

static int print_rss(int root, const char *name)
{
    members tree = VEC_INIT;
    long pages = 0;
    find_tree(root, &tree);
    vec_for_each (&tree, i)
        if (!strncmp(tree.v[i].name, name, NAME_SIZE - 1))
            pages += tree.v[i].rss_pages;
    printf("%ld\n", pages * (sysconf(_SC_PAGESIZE) / 1024));
    vec_fini(&tree);
    return pages ? 0 : 1;
}

/* Until none is left: what is killed may have been forking. */
static void kill_all(void)
{
    members tree = VEC_INIT;
    for (;;) {
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        find_tree(getpid(), &tree);
        if (tree.n <= 1)
            break;
        for (size_t i = 1; i < tree.n; i++)
            kill(tree.v[i].pid, SIGKILL);
        usleep(1000);
    }
    vec_fini(&tree);
}

static int run(char **argv)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t first = fork();
    if (first == 0) {
        sigprocmask(SIG_UNBLOCK, &set, NULL);
        execvp(argv[0], argv);
        _exit(127);
    }
    for (;;) {
        int status, sig = first < 0 ? SIGTERM : sigwaitinfo(&set, NULL);
        if (sig == SIGTERM || sig == SIGINT)
            break;
        for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
            if (pid == first) {
                printf("ready %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128);
                fflush(stdout);
            }
    }
    kill_all();
    return 0;
}

int main(int argc, char **argv)
{
    if (argc >= 3 && !strcmp(argv[1], "run"))
        return run(argv + 2);
    if (argc == 3 && !strcmp(argv[1], "cpu"))
        return print_cpu(atoi(argv[2]));
    if (argc == 4 && !strcmp(argv[1], "rss"))
        return print_rss(atoi(argv[2]), argv[3]);
    fprintf(stderr, "usage: bench_box run COMMAND [ARG...] | cpu PID | rss PID NAME\n");
    return 2;
}
