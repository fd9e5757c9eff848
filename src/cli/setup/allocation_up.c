#include "src/cli/setup/allocation_up.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/words.h"
#include "src/base/xalloc.h"
#include "src/cli/ask.h"
#include "src/lang/lang.h"
#include "src/os/exe_path.h"
#include "src/os/file.h"
#include "src/os/spawn.h"

#define TEXT_MAX   4096
#define WINDOW     "allocation"
#define BEFORE_MS  (30 * MS_PER_S) /* so long before the end of the allocation jobs have ended */
#define FOR_EVER_S (365 * 86400LL)

/* A directory for this job alone, which no other user may have made. */
static int make_home(const struct cli *cli, const char *job)
{
    const char *given = getenv("STOKER_HOME"), *tmp = getenv("TMPDIR");
    char *home = str_is_empty(given)
                     ? xasprintf("%s/stoker-slurm-%s", tmp && *tmp == '/' ? tmp : "/tmp", job)
                     : xstrdup(given);
    struct stat st;
    int rc = 0;
    if (mkdir(home, 0700) < 0 && errno != EEXIST) {
        cli_error(cli, tr("cannot make the directory %s: %s"), home, strerror(errno));
        rc = 1;
    } else if (lstat(home, &st) < 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
               (st.st_mode & 022)) {
        cli_error(cli, tr("%s is not a directory of yours alone"), home);
        rc = 1;
    }
    setenv("STOKER_HOME", home, 1);
    free(home);
    return rc;
}

/* Runs until it serves; what it has printed is the end of the allocation, or why it does not. */
static int start_agents(const struct cli *cli, const char *job, struct wall *ret_end)
{
    char *program = exe_path_program("stoker-slurm"), *home = xstrdup(getenv("STOKER_HOME"));
    char name[] = "stoker-slurm", mode[] = "--allocation", *the_job = xstrdup(job);
    char *argv[] = {name, mode, the_job, home, NULL};
    int fds[2], null = open("/dev/null", O_RDWR | O_CLOEXEC), status = 0;
    struct str text = STR_INIT;
    pid_t pid;
    bug_on(null < 0 || pipe2(fds, O_CLOEXEC) < 0);
    int r = spawn_program(&(struct spawn){.path = program,
                                          .argv = argv,
                                          .fds = {{null, 0}, {fds[1], 1}, {fds[1], 2}},
                                          .n_fds = 3,
                                          .session = true},
                          &pid);
    close(fds[1]);
    close(null);
    if (r == 0) {
        file_read_fd(fds[0], TEXT_MAX, &text);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
    }
    close(fds[0]);
    char *end = NULL, *said = text.len ? str_trim(text.s) : text.s;
    long long ms = strtoll(said, &end, 10);
    bool works = r == 0 && status == 0 && *said && !*end;
    if (works && ms > 0)
        ret_end->ms = ms;
    if (!works)
        cli_error_lines(cli, r < 0 ? strerror(-r) : *said ? said : tr("the agents could not be started"));
    str_fini(&text);
    free(program);
    free(home);
    free(the_job);
    return works ? 0 : EXIT_AWAY;
}

int allocation_prepare(const struct cli *cli, struct wall *ret_end)
{
    const char *job = getenv("SLURM_JOB_ID");
    struct client *c = NULL;
    *ret_end = (struct wall){0};
    if (str_is_empty(job) || getenv("STOKER_JOB_ID") || strspn(job, "0123456789") != strlen(job)) {
        cli_error(
            cli, tr("this is not the inside of a job of Slurm (SLURM_JOB_ID): use it in sbatch or salloc"));
        return 2;
    }
    int rc = make_home(cli, job);
    if (rc)
        return rc;
    if (client_connect(cli->name, 0, &c, NULL) == 0) { /* it runs already */
        client_free(c);
        return 0;
    }
    return start_agents(cli, job, ret_end);
}

static int allocation_set_window(const struct cli *cli, struct client *c, struct wall end)
{
    char name[] = WINDOW, reason[] = "the allocation of Slurm ends";
    struct msg_window_set body = {.window = {.name = name,
                                             .reason = reason,
                                             .kind = WINDOW_MAINTENANCE,
                                             .start = {end.ms - BEFORE_MS},
                                             .end = {end.ms + FOR_EVER_S * MS_PER_S}}};
    struct errtext err;
    enum refusal refusal;
    strv_push(&body.window.nodes, WINDOW_ALL_NODES);
    body.update = true; /* of an earlier start; Slurm may have moved the end since */
    struct msg_result *r = ask_call(c, MSG_WINDOW_SET, &body, MSG_RESULT, &refusal, &err);
    int rc = 0;
    body.update = false;
    if (r)
        msg_free(MSG_RESULT, r);
    else
        rc = ask_result(cli, c, MSG_WINDOW_SET, &body, NULL);
    strv_fini(&body.window.nodes);
    return rc;
}

int allocation_tell(const struct cli *cli, struct client *c, struct wall end)
{
    int rc = wall_is_set(end) ? allocation_set_window(cli, c, end) : 0;
    struct str home = STR_INIT;
    words_append(&home, getenv("STOKER_HOME"));
    printf("export STOKER_HOME=%s\n", home.s);
    str_fini(&home);
    return rc;
}
