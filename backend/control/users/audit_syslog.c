#include "backend/control/users/audit_syslog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "src/base/list.h"
#include "src/base/xalloc.h"
#include "src/os/log.h"

#define PRIORITY  (10 << 3 | 5) /* authpriv, notice */
#define LINES_MAX 10000u
#define AGAIN_MS  1000

struct syslog_line {
    struct list link;
    uint64_t ticket;
    struct str text;
};

struct audit_syslog {
    struct loop *loop;
    struct loop_timer again;
    char *path;
    int fd; /* -1 */
    struct list lines;
    size_t n;
    uint64_t committed;
    uint64_t n_dropped; /* and not said yet */
};

static void syslog_free_line(struct audit_syslog *a, struct syslog_line *l)
{
    list_unlink(&l->link);
    a->n--;
    str_fini(&l->text);
    free(l);
}

static void syslog_close(struct audit_syslog *a)
{
    if (a->fd >= 0)
        close(a->fd);
    a->fd = -1;
}

static int syslog_connect(struct audit_syslog *a)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    if (a->fd >= 0)
        return 0;
    if (strlen(a->path) >= sizeof to.sun_path)
        return -ENAMETOOLONG;
    memcpy(to.sun_path, a->path, strlen(a->path) + 1);
    a->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (a->fd < 0)
        return -errno;
    if (connect(a->fd, (const struct sockaddr *)&to, sizeof to) == 0)
        return 0;
    int r = -errno;
    syslog_close(a);
    return r;
}

/* 0, or why the line stays. The receiver may be another one than before. */
static int syslog_send(struct audit_syslog *a, const struct str *text)
{
    int r = 0;
    for (int i = 0; i < 2; i++) {
        r = syslog_connect(a);
        if (r < 0)
            return r;
        if (send(a->fd, text->s, text->len, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0)
            return 0;
        r = -errno;
        if (r == -EAGAIN || r == -ENOBUFS)
            return r;
        syslog_close(a);
    }
    return r;
}

static void syslog_send_all(void *ctx)
{
    struct audit_syslog *a = ctx;
    int r = 0;
    list_for_each (l, &a->lines, struct syslog_line, link) {
        if (l->ticket > a->committed || (r = syslog_send(a, &l->text)) < 0)
            break;
        syslog_free_line(a, l);
    }
    if (r == 0 && a->n_dropped) {
        log_warn("lines=%llu of the audit log were not sent to %s", (unsigned long long)a->n_dropped,
                 a->path);
        a->n_dropped = 0;
    }
    if (r < 0)
        loop_timer_set(a->loop, &a->again, AGAIN_MS);
}

struct audit_syslog *audit_syslog_new(struct loop *l, const char *path)
{
    struct audit_syslog *a = xcalloc(1, sizeof *a);
    a->loop = l;
    a->again = (struct loop_timer){.fn = syslog_send_all, .ctx = a};
    a->path = xstrdup(path ? path : "/dev/log");
    a->fd = -1;
    list_init(&a->lines);
    return a;
}

void audit_syslog_free(struct audit_syslog *a)
{
    syslog_send_all(a);
    loop_timer_cancel(a->loop, &a->again);
    list_for_each (l, &a->lines, struct syslog_line, link)
        syslog_free_line(a, l);
    syslog_close(a);
    free(a->path);
    free(a);
}

/* "<85>Nov 23 03:16:00 stokerd[12]: TEXT", as syslog(3) writes it. */
void audit_syslog_add(struct audit_syslog *a, const struct audit_line *line, uint64_t ticket)
{
    static const char months[][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    time_t t = (time_t)(line->t.ms / 1000);
    struct tm tm;
    localtime_r(&t, &tm);
    struct syslog_line *l = xcalloc(1, sizeof *l);
    l->ticket = ticket;
    str_init(&l->text);
    str_appendf(&l->text, "<%d>%s %2d %02d:%02d:%02d stokerd[%d]: ", PRIORITY, months[tm.tm_mon],
                tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, (int)getpid());
    audit_format(&l->text, line);
    list_init(&l->link);
    list_append(&a->lines, &l->link);
    if (++a->n > LINES_MAX) {
        syslog_free_line(a, list_first(&a->lines, struct syslog_line, link));
        a->n_dropped++;
    }
}

void audit_syslog_release(struct audit_syslog *a, uint64_t committed)
{
    a->committed = committed;
    if (a->n)
        syslog_send_all(a);
}

void audit_syslog_drop(struct audit_syslog *a)
{
    list_for_each (l, &a->lines, struct syslog_line, link)
        if (l->ticket > a->committed)
            syslog_free_line(a, l);
}
