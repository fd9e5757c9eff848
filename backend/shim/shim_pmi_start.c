#include "backend/shim/shim_pmi_start.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/pmi/pmi_setup.h"
#include "backend/shim/shim_files.h"
#include "backend/shim/shim_rank.h"
#include "src/os/exe_path.h"

#define END_WAIT_MS 100

int shim_pmi_open_program(void)
{
    char *path = exe_path_sibling(PMI_PROGRAM);
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    free(path);
    return fd;
}

/* The program becomes the user by itself (src/main_pmi.c). */
static _Noreturn void pmi_child(const struct shim *s, const int *ours, int shim_fd)
{
    char name[] = PMI_PROGRAM, uid[16], *argv[] = {name, uid, (char *)(uintptr_t)s->dir, NULL};
    snprintf(uid, sizeof uid, "%u", s->setup.drop ? s->l.uid : (unsigned)geteuid());
    shim_rank_unspare(s);
    if (shim_files_drop_groups(s) || dup2(shim_fd, PMI_SHIM_FD) < 0)
        _exit(126);
    close(1);
    shim_rank_close_the_rest();
    for (size_t i = 0; i < s->n_ranks; i++)
        fcntl(ours[i], F_SETFD, 0);
    fexecve(s->pmi_program, argv, environ);
    _exit(127);
}

static _Noreturn void pmi_parent(const struct shim *s, const int *ours, int shim_fd, pid_t shim)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pid_t pid = getppid() == shim ? fork() : -1;
    if (pid == 0)
        pmi_child(s, ours, shim_fd);
    closefrom(0); /* the sockets end with the server */
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    _exit(0);
}

pid_t shim_pmi_start_server(const struct shim *s, const int *ours, int shim_fd)
{
    pid_t shim = getpid();
    long pid = syscall(SYS_clone, 0, NULL, NULL, NULL, NULL);
    if (pid == 0)
        pmi_parent(s, ours, shim_fd, shim);
    return pid < 0 ? -errno : (pid_t)pid;
}

/* Never waits for a process that may be traced: it is not given to its parent while its tracer lives. */
bool shim_pmi_end_server(pid_t parent, int fd)
{
    kill(parent, SIGKILL);
    struct pollfd gone = {.fd = fd};
    if (fd >= 0)
        poll(&gone, 1, END_WAIT_MS); /* the server's last descriptor goes as it does */
    return waitpid(parent, NULL, (int)__WCLONE | WNOHANG) != 0;
}
