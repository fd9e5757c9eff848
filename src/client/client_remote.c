/* client_remote.c - starts ssh, brings stoker-slurm to the other end, and lets frames through. */
#include "src/client/client_remote.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/str.h"
#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/carry/boot.h"
#include "src/lang/lang.h"
#include "src/os/clock.h"
#include "src/os/exe_path.h"
#include "src/os/spawn.h"

#define SILENT_MS     60000 /* without progress, where ssh may not ask */
#define SPEAK_MS      500   /* what ssh has said is shown after this long: it may be waiting for the user */
#define LEAVE_MS      500
#define KILL_MS       2000
#define SAYS_MAX      16384u /* kept of what ssh says */
#define SAYS_LAST_MAX 400    /* bytes of it in a text */
#define READ_SIZE     4096u
#define ENV_TEXT_MAX  512u

struct client_remote {
    char *host;
    struct strv env;
    pid_t pid; /* 0: it has been waited for */
    int says_fd;
    struct str says; /* what ssh and the shell there have said; "" once it has been shown */
};

/* --- which machine --- */

const char *client_remote_host(void)
{
    const char *host = getenv(CLIENT_HOST_VARIABLE);
    return str_is_empty(host) || getenv("STOKER_SOCKET") ? NULL : host;
}

/* An option, or a second word for the shell, is not a machine. */
static bool is_host(const char *s, size_t n)
{
    if (!n || *s == '-')
        return false;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)s[i] <= ' ' || s[i] == 0x7f)
            return false;
    return true;
}

bool client_remote_is_host(const char *word)
{
    size_t n = strlen(word);
    return str_starts(word, "ssh://") || (*word != '-' && strchr(word, '@')) ||
           (n > 1 && word[n - 1] == ':' && is_host(word, n - 1));
}

int client_remote_choose(const char *host, struct errtext *err)
{
    size_t n = strlen(host);
    if (n && host[n - 1] == ':')
        n--;
    if (!is_host(host, n))
        return err_set(err, -EINVAL, tr("'%s' is not a machine for ssh: user@host, host: or ssh://host"),
                       host);
    char *plain = xasprintf("%.*s", (int)n, host);
    setenv(CLIENT_HOST_VARIABLE, plain, 1);
    unsetenv("STOKER_SOCKET");
    free(plain);
    return 0;
}

/* --- what ssh says --- */

static void remote_hear(struct client_remote *r)
{
    char buf[READ_SIZE];
    for (ssize_t n; (n = read(r->says_fd, buf, sizeof buf)) > 0;)
        if (r->says.len + (size_t)n <= SAYS_MAX)
            str_append_n(&r->says, buf, (size_t)n);
}

/* Each line that is whole, and the rest too: questions end without a newline. */
static void remote_show(struct client_remote *r)
{
    struct strv lines = strv_split(r->says.s, "\r\n");
    struct str out = STR_INIT;
    for (size_t i = 0; i < lines.n; i++) {
        cell_text(&out, lines.v[i], -1, false, false);
        str_append_char(&out, '\n');
    }
    if (out.len)
        fputs(out.s, stderr);
    str_fini(&out);
    strv_fini(&lines);
    str_clear(&r->says);
}

/* The last line; "" where there is none. */
static const char *remote_last_words(const struct client_remote *r, char *buf, size_t size)
{
    struct strv lines = strv_split(r->says.s, "\r\n");
    struct str out = STR_INIT;
    for (size_t i = lines.n; i-- > 0 && !out.len;)
        cell_text(&out, str_trim(lines.v[i]), -1, false, false);
    snprintf(buf, size, "%s", out.s);
    str_fini(&out);
    strv_fini(&lines);
    return buf;
}

/* --- ssh --- */

/* Keys that the user types for a program of the screens (Ctrl-C, Ctrl-Z) must not end or stop the
 * connection: the shell sees to that. STOKER_SSH: another command, as words for the shell. */
static char start_ssh[] = "trap '' INT QUIT TSTP; exec ${STOKER_SSH:-ssh} \"$@\"";

static int remote_start_ssh(struct client_remote *r, const char *command, bool silent, int theirs, int says,
                            struct errtext *err)
{
    struct strv argv = {0};
    const char *const words[] = {"sh",
                                 "-c",
                                 start_ssh,
                                 "ssh",
                                 "-T",
                                 "-x",
                                 "-a",
                                 "-o",
                                 "ClearAllForwardings=yes",
                                 "-o",
                                 "PermitLocalCommand=no",
                                 "-o",
                                 "RemoteCommand=none",
                                 "-o",
                                 "EscapeChar=none"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        strv_push(&argv, words[i]);
    if (silent) {
        strv_push(&argv, "-oBatchMode=yes");
        strv_push(&argv, "-oConnectTimeout=20");
    }
    strv_push(&argv, "--");
    strv_push(&argv, r->host);
    strv_push(&argv, command);
    int rc = spawn_program(&(struct spawn){.path = "/bin/sh",
                                           .argv = argv.v,
                                           .fds = {{theirs, 0}, {theirs, 1}, {says, 2}},
                                           .n_fds = 3,
                                           .session = silent},
                           &r->pid);
    strv_fini(&argv);
    return rc < 0 ? err_set(err, rc, tr("ssh cannot be started: %s"), strerror(-rc)) : 0;
}

/* Returns its wait status, or -1 where it does not end in time. */
static int remote_wait(struct client_remote *r, int wait_ms)
{
    int status = 0;
    for (int64_t end = mono_ms() + wait_ms; r->pid; poll(NULL, 0, 5)) {
        pid_t pid = waitpid(r->pid, &status, WNOHANG);
        if (pid == r->pid || (pid < 0 && errno != EINTR))
            r->pid = 0;
        else if (mono_ms() >= end)
            return -1;
    }
    return status;
}

/* --- the first words --- */

struct remote_start {
    struct client_remote *r;
    int fd;
    bool silent;
    struct boot boot;
    struct bundle bundle;
    const struct bundle_file *sending; /* NULL: nothing */
    size_t sent;
    int64_t moved; /* when something has gone on */
    bool up;
};

/* It is over before frames flowed: ssh's words are the reason. */
static int say_ended(struct remote_start *s, struct errtext *err)
{
    char words[SAYS_LAST_MAX];
    int status = remote_wait(s->r, KILL_MS);
    remote_hear(s->r);
    remote_last_words(s->r, words, sizeof words);
    if (*words)
        return err_set(err, -EHOSTUNREACH, "%s: %s", s->r->host, words);
    if (status > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 255)
        return err_set(err, -EHOSTUNREACH, tr("ssh has not reached %s"), s->r->host);
    return err_set(err, -EHOSTUNREACH, tr("ssh to %s has ended before stoker-slurm answered there"),
                   s->r->host);
}

static int take_request(struct remote_start *s, struct errtext *err)
{
    const struct boot *b = &s->boot;
    if (!str_eq(b->arch, s->bundle.arch))
        return err_set(
            err, -ENOEXEC,
            tr("%s is a machine of type %s, and stoker-slurm here is for %s: install Stoker there, "
               "and run it there"),
            s->r->host, b->arch, s->bundle.arch);
    s->sending = bundle_find(&s->bundle, b->name);
    s->sent = 0;
    if (!s->sending)
        return err_set(err, -EPROTO, tr("%s asks for a file that there is not"), s->r->host);
    if (!s->silent && isatty(STDERR_FILENO))
        fprintf(stderr, tr("stoker: copying stoker-slurm (%.1f MB) to %s\n"), (double)s->sending->n / 1e6,
                s->r->host);
    return 0;
}

/* Takes what has come up to a line that says something, and not a byte of what is behind it. */
static int read_start(struct remote_start *s, struct errtext *err)
{
    char buf[READ_SIZE];
    ssize_t n = recv(s->fd, buf, sizeof buf, MSG_PEEK | MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (n <= 0)
        return say_ended(s, err);
    size_t used = 0;
    enum boot_event e = boot_feed(&s->boot, buf, (size_t)n, &used);
    if (recv(s->fd, buf, used, 0) != (ssize_t)used)
        return err_set(err, -EIO, tr("the socket of ssh: %s"), strerror(errno));
    s->moved = mono_ms();
    utf8_clean(s->boot.text, sizeof s->boot.text - 1);
    utf8_clean(s->boot.arch, sizeof s->boot.arch - 1);
    switch (e) {
    case BOOT_MORE: return 0;
    case BOOT_SEND: return take_request(s, err);
    case BOOT_FAILED: return err_set(err, -EHOSTUNREACH, "%s: %s", s->r->host, s->boot.text);
    case BOOT_UP: s->up = true; return 0;
    }
    return 0;
}

static int write_start(struct remote_start *s, struct errtext *err)
{
    const struct bundle_file *f = s->sending;
    ssize_t n = send(s->fd, f->p + s->sent, f->n - s->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno != EAGAIN && errno != EINTR)
        return say_ended(s, err);
    s->sent += n > 0 ? (size_t)n : 0;
    s->moved = mono_ms();
    if (s->sent == f->n)
        s->sending = NULL;
    return 0;
}

static int remote_greet(struct remote_start *s, struct errtext *err)
{
    int r = 0;
    s->moved = mono_ms();
    while (r == 0 && !s->up) {
        bool shows = !s->silent && s->r->says.len;
        int64_t left = s->silent ? s->moved + SILENT_MS - mono_ms() : shows ? SPEAK_MS : -1;
        struct pollfd p[2] = {{.fd = s->fd, .events = (short)(POLLIN | (s->sending ? POLLOUT : 0))},
                              {.fd = s->r->says_fd, .events = POLLIN}};
        int n = poll(p, 2, left > 0 ? (int)left : left < 0 && !s->silent ? -1 : 0);
        if (n == 0 && s->silent)
            return err_set(err, -ETIMEDOUT, tr("%s does not answer"), s->r->host);
        if (n == 0)
            remote_show(s->r);
        if (n <= 0)
            continue;
        if (p[1].revents & POLLIN)
            remote_hear(s->r);
        else if (p[1].revents)
            poll(NULL, 0, 5); /* closed: the end of ssh is near */
        if (p[0].revents & POLLOUT && s->sending)
            r = write_start(s, err);
        if (r == 0 && p[0].revents & (POLLIN | POLLHUP | POLLERR))
            r = read_start(s, err);
    }
    return r;
}

/* "USER HOME SHELL". */
static void take_env(struct client_remote *r, const char *rest)
{
    static const char *const names[] = {"USER", "HOME", "SHELL"};
    struct strv words = strv_split(rest, " ");
    for (size_t i = 0; i < words.n && i < sizeof names / sizeof *names; i++)
        if (utf8_is_clean_name(words.v[i], ENV_TEXT_MAX) && (i == 0 || *words.v[i] == '/'))
            strv_setenv(&r->env, names[i], words.v[i]);
    if (strv_getenv(&r->env, "USER"))
        strv_setenv(&r->env, "LOGNAME", strv_getenv(&r->env, "USER"));
    strv_setenv(&r->env, "PATH", "/usr/local/bin:/usr/bin:/bin");
    strv_fini(&words);
}

/* --- the connection --- */

static int remote_open_bundle(struct bundle *k, struct errtext *err)
{
    static const char *const programs[] = {"stoker-slurm", NULL};
    char *dir = exe_path_dir();
    int r = dir ? bundle_open(k, dir, programs, err)
                : err_set(err, -ENOENT, tr("it is not known where the programs of Stoker lie"));
    free(dir);
    return r;
}

static int open_pair(int fds[2], int says[2], struct errtext *err)
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
        return err_set(err, -errno, tr("no socket can be made: %s"), strerror(errno));
    if (pipe2(says, O_CLOEXEC) == 0) {
        fcntl(says[0], F_SETFL, O_NONBLOCK);
        return 0;
    }
    int r = err_set(err, -errno, tr("no pipe can be made: %s"), strerror(errno));
    close(fds[0]);
    close(fds[1]);
    return r;
}

static void remote_free(struct client_remote *r)
{
    close(r->says_fd);
    str_fini(&r->says);
    free(r->host);
    strv_fini(&r->env);
    free(r);
}

/* In a minute at most, where ssh does not listen to signals. */
static void remote_end(struct client_remote *r)
{
    if (r->pid)
        kill(r->pid, SIGTERM);
    if (remote_wait(r, KILL_MS) == -1 && r->pid) {
        kill(r->pid, SIGKILL);
        remote_wait(r, SILENT_MS);
    }
}

int client_remote_open(const char *host, bool silent, struct client_remote **ret, struct errtext *err)
{
    struct remote_start s = {.silent = silent};
    struct str command = STR_INIT;
    int fds[2], says[2];
    if (!is_host(host, strlen(host)))
        return err_set(err, -EINVAL, CLIENT_HOST_VARIABLE " is not the name of a machine for ssh");
    int r = remote_open_bundle(&s.bundle, err);
    if (r < 0)
        return r;
    r = open_pair(fds, says, err);
    if (r < 0) {
        bundle_close(&s.bundle);
        return r;
    }
    s.fd = fds[0];
    s.r = xcalloc(1, sizeof *s.r);
    *s.r = (struct client_remote){.host = xstrdup(host), .says_fd = says[0], .says = STR_INIT};
    boot_init(&s.boot);
    boot_command_user(&command, &s.bundle);
    r = remote_start_ssh(s.r, command.s, s.silent, fds[1], says[1], err);
    close(fds[1]);
    close(says[1]);
    r = r < 0 ? r : remote_greet(&s, err);
    str_fini(&command);
    bundle_close(&s.bundle);
    if (r == 0 && !s.silent)
        remote_show(s.r);
    if (r == 0) {
        take_env(s.r, s.boot.rest);
        *ret = s.r;
    } else {
        close(s.fd);
        remote_end(s.r);
        if (!s.silent && s.r->says.len && strchr(str_trim(s.r->says.s), '\n'))
            remote_show(s.r); /* more than the line that is in the text */
        remote_free(s.r);
    }
    boot_fini(&s.boot);
    return r < 0 ? r : s.fd;
}

void client_remote_close(struct client_remote *r, int fd)
{
    char buf[READ_SIZE];
    struct pollfd p = {.fd = fd, .events = POLLIN};
    shutdown(fd, SHUT_WR);
    for (int64_t end = mono_ms() + LEAVE_MS, left; (left = end - mono_ms()) > 0;)
        if (poll(&p, 1, (int)left) > 0 && recv(fd, buf, sizeof buf, MSG_DONTWAIT) <= 0)
            break;
    close(fd);
    remote_end(r);
    remote_free(r);
}

int client_remote_lost(struct client_remote *r, struct errtext *err)
{
    char words[SAYS_LAST_MAX];
    remote_hear(r);
    if (*remote_last_words(r, words, sizeof words))
        return err_set(err, -ECONNRESET, tr("the connection to %s is lost: %s"), r->host, words);
    return err_set(err, -ECONNRESET, tr("the connection to %s is lost"), r->host);
}

const struct strv *client_remote_env(const struct client_remote *r)
{
    return &r->env;
}
