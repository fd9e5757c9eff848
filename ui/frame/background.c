/* background.c - commands beside the screens. A thread waits for each, so that no process is left behind.
 */
#include "ui/frame/background.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/os/given_env.h"
#include "src/os/spawn.h"

#define SAID_MAX 400 /* bytes of its output that are told */

struct background {
    char *what, *text;
    struct strv env;
    bool told;
    int rc; /* of the start */
    int status;
    char said[SAID_MAX];
};

static void background_free(void *arg)
{
    struct background *b = arg;
    free(b->what);
    free(b->text);
    strv_fini(&b->env);
    free(b);
}

static void background_read(struct background *b, int fd)
{
    ssize_t n = pread(fd, b->said, sizeof b->said - 1, 0);
    b->said[n > 0 ? n : 0] = '\0';
    b->said[strcspn(b->said, "\n")] = '\0';
}

static void background_main(void *arg)
{
    struct background *b = arg;
    char sh[] = "sh", option[] = "-c";
    char *argv[] = {sh, option, b->text, NULL};
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC), said = memfd_create("stoker-said", MFD_CLOEXEC);
    struct spawn s = {.path = "/bin/sh",
                      .argv = argv,
                      .env = b->env.v,
                      .fds = {{null, STDIN_FILENO}, {said, STDOUT_FILENO}, {said, STDERR_FILENO}},
                      .n_fds = 3,
                      .session = true};
    pid_t pid = 0;
    b->rc = null < 0 || said < 0 ? -errno : spawn_program(&s, &pid);
    while (b->rc == 0 && waitpid(pid, &b->status, 0) < 0 && errno == EINTR)
        ;
    if (b->rc == 0)
        background_read(b, said);
    if (null >= 0)
        close(null);
    if (said >= 0)
        close(said);
}

static void background_done(struct ui *ui, struct view *owner, void *arg)
{
    (void)owner;
    const struct background *b = arg;
    struct str said = STR_INIT;
    cell_text(&said, b->said, -1, false, ui_ascii(ui));
    if (b->rc < 0)
        ui_toast(ui, ROLE_ERROR, "%s: %s", b->what, strerror(-b->rc));
    else if (WIFSIGNALED(b->status))
        ui_toast(ui, ROLE_ERROR, tr("%s was killed by signal %d"), b->what, WTERMSIG(b->status));
    else if (WEXITSTATUS(b->status) && said.len)
        ui_toast(ui, ROLE_ERROR, tr("%s exited with %d: %s"), b->what, WEXITSTATUS(b->status), said.s);
    else if (WEXITSTATUS(b->status))
        ui_toast(ui, ROLE_ERROR, tr("%s exited with %d"), b->what, WEXITSTATUS(b->status));
    else if (b->told && said.len)
        ui_toast(ui, ROLE_GOOD, "%s: %s", b->what, said.s);
    else if (b->told)
        ui_toast(ui, ROLE_GOOD, tr("%s: done"), b->what);
    str_fini(&said);
}

void ui_background(struct ui *ui, const char *what, const char *text, struct strv *take_env, bool told)
{
    struct background *b = xcalloc(1, sizeof *b);
    *b = (struct background){.what = xstrdup(what), .text = xstrdup(text), .told = told};
    for (char **e = given_env(); *e; e++)
        strv_push(&b->env, *e);
    for (size_t i = 0; i < take_env->n; i++) {
        char *name = xstrndup(take_env->v[i], strcspn(take_env->v[i], "="));
        strv_setenv(&b->env, name, take_env->v[i] + strlen(name) + 1);
        free(name);
    }
    strv_fini(take_env);
    ui_aside(ui, NULL, background_main, background_done, b, background_free);
}
