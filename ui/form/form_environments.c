/* form_environments.c - what can be loaded before a command. */
#include "ui/form/form_environments.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/os/clock.h"
#include "src/os/file.h"
#include "src/os/spawn.h"

#define OUTPUT_MAX  (1u << 20) /* bytes of `module avail` */
#define MODULES_MAX 2000
#define MODULE_LOAD "module load "

void formenvironments_fini(struct form_environments *e)
{
    strv_fini(&e->lines);
    strv_fini(&e->notes);
}

static void environments_push(struct form_environments *e, char *take_line, const char *note)
{
    strv_push_take(&e->lines, take_line);
    strv_push(&e->notes, note);
}

/* --- modules --- */

/* Reads what comes until the end, the limit or the time. */
static void read_for_a_time(int fd, int wait_ms, struct str *out)
{
    int64_t until = mono_ms() + wait_ms;
    char buf[4096];
    for (;;) {
        int64_t left = until - mono_ms();
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (left <= 0 || out->len >= OUTPUT_MAX || poll(&p, 1, (int)left) <= 0)
            return;
        ssize_t n = read(fd, buf, sizeof buf);
        if (n <= 0)
            return;
        str_append_n(out, buf, (size_t)n);
    }
}

/* `module` is a function of login shells. It writes its list to standard error. */
static void run_module_avail(struct str *out)
{
    char shell[] = "bash", login[] = "-lc", command[] = "module -t avail 2>&1";
    char *const argv[] = {shell, login, command, NULL};
    int io[2], null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0 || pipe2(io, O_CLOEXEC) < 0) {
        if (null >= 0)
            close(null);
        return;
    }
    struct spawn s = {.path = shell,
                      .argv = argv,
                      .fds = {{null, 0}, {io[1], 1}, {null, 2}},
                      .n_fds = 3,
                      .session = true};
    pid_t pid;
    int rc = spawn_program(&s, &pid);
    close(io[1]);
    close(null);
    if (rc == 0) {
        read_for_a_time(io[0], ENVIRONMENTS_WAIT_MS, out);
        kill(-pid, SIGKILL); /* it has ended, or hangs */
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    close(io[0]);
}

/* "cuda/12.2(default)" and "gcc/13 <aL>" end before their marks; what has other characters is a heading, or
 * a message. */
static bool environments_is_module(const char *line, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)line[i]) && !strchr("/._+-", line[i]))
            return false;
    return n > 0 && line[n - 1] != '/' && line[0] != '/';
}

void formenvironments_read_modules(const char *output, struct strv *ret)
{
    for (const char *at = output; *at && ret->n < MODULES_MAX;) {
        size_t n = strcspn(at, "\n"), name = strcspn(at, "(<\r\n \t");
        bool marked = at[name] == '(' || at[name] == '<' || at[name + strspn(at + name, " \t")] == '<';
        if ((name == n || marked || at[name] == '\r') && environments_is_module(at, name)) {
            char *module = xstrndup(at, name);
            if (!strv_has(ret, module))
                strv_push(ret, module);
            free(module);
        }
        at += n + (at[n] == '\n');
    }
}

static void list_modules(struct form_environments *e)
{
    struct str output = STR_INIT;
    struct strv modules = {0};
    run_module_avail(&output);
    formenvironments_read_modules(output.s, &modules);
    for (size_t i = 0; i < modules.n; i++)
        environments_push(e, xasprintf(MODULE_LOAD "%s", modules.v[i]), "");
    strv_fini(&modules);
    str_fini(&output);
}

/* --- Python --- */

/* An environment is activated by the script of the installation that it lies in. */
static void add_conda(struct form_environments *e, const char *path)
{
    const char *name = strstr(path, "/envs/");
    char *script = name ? xasprintf("%.*s/bin/activate", (int)(name - path), path)
                        : xasprintf("%s/bin/activate", path);
    if (access(script, R_OK) == 0)
        environments_push(
            e, name ? xasprintf(". %s %s", script, name + strlen("/envs/")) : xasprintf(". %s", script),
            "conda");
    free(script);
}

static void list_conda(struct form_environments *e)
{
    const char *home = getenv("HOME");
    char *path = xasprintf("%s/.conda/environments.txt", home ? home : "");
    struct str text = STR_INIT;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && file_read_fd(fd, OUTPUT_MAX, &text) == 0) {
        struct strv lines = strv_split(text.s, "\n");
        for (size_t i = 0; i < lines.n && i < MODULES_MAX; i++)
            add_conda(e, lines.v[i]);
        strv_fini(&lines);
    }
    if (fd >= 0)
        close(fd);
    str_fini(&text);
    free(path);
}

static void list_venvs(struct form_environments *e, const char *dir)
{
    static const char *const names[] = {".venv", "venv", "env"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *path = xasprintf("%s/%s/bin/activate", dir, names[i]);
        if (access(path, R_OK) == 0)
            environments_push(e, xasprintf(". %s/bin/activate", names[i]), "Python");
        free(path);
    }
}

void formenvironments_list(struct form_environments *ret, const char *dir)
{
    *ret = (struct form_environments){0};
    if (dir)
        list_venvs(ret, dir);
    list_conda(ret);
    list_modules(ret);
}

char *formenvironments_add(const char *value, const char *line)
{
    if (str_is_empty(value))
        return xstrdup(line);
    if (str_starts(value, MODULE_LOAD) && str_starts(line, MODULE_LOAD) && !strpbrk(value, ";&|"))
        return xasprintf("%s %s", value, line + strlen(MODULE_LOAD));
    return xasprintf("%s; %s", value, line);
}
