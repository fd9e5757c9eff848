/* guard.c - runs one test and lets nothing of it live on.
 *
 *     guard SECONDS PROGRAM [ARG...]
 *
 * It is the subreaper of the test: whatever daemon or job a test starts and loses comes back here as a
 * child, whatever session or process group it has moved to. When the test has ended, what is still there
 * gets a moment to finish; then it is named, killed, and the test has failed.
 *
 *     guard (subreaper)
 *      +- test            own session and process group
 *      |   +- stokerd ... may leave the session: still a descendant
 *      +- orphan          re-parented here when its parent died
 *
 * Exit: the test's status; 124 it ran out of time; 125 it left processes behind; 128 + n signal n ended it.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LEFTOVER_GRACE_MS 30000
#define KILL_GRACE_MS     5000

static int64_t now_ms(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

/* Collects one ended child, waiting until the deadline at most. Returns its pid, 0 at the deadline, -1 when
 * none is left. SIGCHLD is blocked: it ends sigtimedwait, or is pending when it begins. */
static pid_t reap(int64_t deadline_ms, int *ret_status)
{
    sigset_t chld;
    sigemptyset(&chld);
    sigaddset(&chld, SIGCHLD);
    for (;;) {
        pid_t pid = waitpid(-1, ret_status, WNOHANG);
        if (pid != 0)
            return pid > 0 ? pid : -1;
        int64_t left = deadline_ms - now_ms();
        if (left <= 0)
            return 0;
        struct timespec ts = {.tv_sec = left / 1000, .tv_nsec = left % 1000 * 1000000};
        sigtimedwait(&chld, NULL, &ts);
    }
}

/* The command line of pid for a message; its name where it has none. */
static void print_process(pid_t pid)
{
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)pid);
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    for (size_t i = 0; i + 1 < n; i++)
        if ((unsigned char)text[i] < ' ')
            text[i] = ' ';
    fprintf(stderr, "guard: left behind: %d %s\n", (int)pid, text);
}

/* Parent of pid; -1 where it is gone. The name in /proc/PID/stat may hold anything: its last ')' ends
 * it. */
static pid_t parent_of(pid_t pid)
{
    char path[64], text[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "r");
    if (!f)
        return -1;
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = '\0';
    char *end = strrchr(text, ')'), state;
    int ppid;
    return end && sscanf(end + 1, " %c %d", &state, &ppid) == 2 && state != 'Z' ? ppid : -1;
}

/* Kills every child of ours; their children come to us by that, and go in the next round. */
static int kill_children(bool name_them)
{
    int n = 0;
    DIR *d = opendir("/proc");
    if (!d)
        return 0;
    for (struct dirent *e; (e = readdir(d));) {
        pid_t pid = (pid_t)atoi(e->d_name);
        if (pid <= 0 || parent_of(pid) != getpid())
            continue;
        if (name_them)
            print_process(pid);
        kill(pid, SIGKILL);
        n++;
    }
    closedir(d);
    return n;
}

static void kill_all(bool name_them)
{
    int64_t deadline = now_ms() + KILL_GRACE_MS;
    int status;
    pid_t pid;
    do {
        kill_children(name_them);
        pid = reap(now_ms() + 50, &status);
    } while (pid >= 0 && now_ms() < deadline);
}

/* True where every child ended by itself before the deadline. */
static bool all_gone_by(int64_t deadline_ms)
{
    int status;
    pid_t pid;
    while ((pid = reap(deadline_ms, &status)) > 0)
        ;
    return pid < 0;
}

static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
    interrupted = sig;
}

/* A shell's background process ignores some signals, nohup another, and no process below could tell: a test
 * begins as from a terminal. */
static void default_signals(void)
{
    sigset_t none;
    for (int s = 1; s < NSIG; s++)
        signal(s, SIG_DFL); /* of those that have none EINVAL */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static pid_t spawn(char **argv)
{
    pid_t pid = fork();
    if (pid == 0) {
        setsid();
        default_signals();
        execvp(argv[0], argv);
        fprintf(stderr, "guard: %s: %s\n", argv[0], strerror(errno));
        _exit(127);
    }
    return pid;
}

int main(int argc, char **argv)
{
    if (argc < 3 || atoi(argv[1]) <= 0) {
        fprintf(stderr, "usage: guard SECONDS PROGRAM [ARG...]\n");
        return 2;
    }
    sigset_t chld;
    sigemptyset(&chld);
    sigaddset(&chld, SIGCHLD);
    sigprocmask(SIG_BLOCK, &chld, NULL);
    struct sigaction sa = {.sa_handler = on_signal};
    sigaction(SIGINT, &sa, NULL);
    sigaction(SIGTERM, &sa, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);

    int64_t deadline = now_ms() + atoi(argv[1]) * 1000LL;
    pid_t test = spawn(argv + 2), pid = 0;
    if (test < 0) {
        perror("guard: fork");
        return 127;
    }
    int status = 0;
    while (pid != test && !interrupted && now_ms() < deadline)
        pid = reap(now_ms() + 200 < deadline ? now_ms() + 200 : deadline, &status);
    if (pid != test) {
        fprintf(stderr, "guard: %s\n", interrupted ? "interrupted" : "out of time");
        kill_all(true);
        return interrupted ? 130 : 124;
    }
    if (!all_gone_by(now_ms() + LEFTOVER_GRACE_MS)) {
        kill_all(true);
        return 125;
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
