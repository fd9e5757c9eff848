#include "backend/mail/mail_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/list.h"
#include "src/base/xalloc.h"
#include "src/os/log.h"
#include "src/os/spawn.h"

#define RUNNING_MAX 4
#define QUEUE_MAX   1000
#define PATIENCE_MS 60000

struct mail_sender {  /* a user of whom mails wait */
    struct list link; /* whose turn comes first, first */
    uint32_t uid;
    struct list mails; /* oldest first */
    unsigned n;
};

struct mail {
    struct list link;
    struct mail_sender *of;
    uint64_t ticket;
    char *user, *subject;
    struct strv env;
};

struct mail_run {
    struct list link;
    struct mail_queue *queue;
    pid_t pid;
    struct loop_fd fd; /* of the process */
    struct loop_timer patience;
};

struct mail_queue {
    struct loop *loop;
    char *const *program;
    struct list senders, running;
    unsigned n_queued, n_running;
    uint64_t n_dropped;
    uint64_t committed;
};

static void mail_queue_start_some(struct mail_queue *q);

static void mail_free(struct mail_queue *q, struct mail *m)
{
    list_unlink(&m->link);
    q->n_queued--;
    if (!--m->of->n) {
        list_unlink(&m->of->link);
        free(m->of);
    }
    free(m->user);
    free(m->subject);
    strv_fini(&m->env);
    free(m);
}

static void mail_run_free(struct mail_run *r)
{
    loop_unwatch(r->queue->loop, &r->fd);
    loop_timer_cancel(r->queue->loop, &r->patience);
    close(r->fd.fd);
    list_unlink(&r->link);
    r->queue->n_running--;
    free(r);
}

static void mail_run_on_over(void *ctx, unsigned ready)
{
    (void)ready;
    struct mail_run *r = ctx;
    struct mail_queue *q = r->queue;
    int status = 0;
    if (waitpid(r->pid, &status, WNOHANG) == 0)
        return;
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        log_warn("mail_program %s failed: status 0x%x", *q->program, (unsigned)status);
    mail_run_free(r);
    mail_queue_start_some(q);
}

static void mail_run_on_patience(void *ctx)
{
    struct mail_run *r = ctx;
    kill(-r->pid, SIGKILL);
    kill(r->pid, SIGKILL);
}

/* Its descriptors are the null device; everything else of the controller's closes on exec. */
static pid_t mail_queue_spawn(const struct mail_queue *q, const struct mail *m)
{
    char dash_s[] = "-s";
    char *argv[] = {*q->program, dash_s, m->subject, m->user, NULL};
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0)
        return -errno;
    pid_t pid;
    int r = spawn_program(&(struct spawn){.path = argv[0],
                                          .argv = argv,
                                          .env = m->env.v,
                                          .fds = {{null, 0}, {null, 1}, {null, 2}},
                                          .n_fds = 3,
                                          .session = true},
                          &pid);
    close(null);
    return r < 0 ? r : pid;
}

static void mail_queue_start(struct mail_queue *q, struct mail *m)
{
    if (str_is_empty(*q->program))
        return;
    pid_t pid = mail_queue_spawn(q, m);
    if (pid < 0) {
        log_warn("mail_program %s cannot be started: %s", *q->program, strerror(-pid));
        return;
    }
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (fd < 0) { /* it is not watched then, and ends by itself */
        log_warn("mail_program cannot be watched: %s", strerror(errno));
        return;
    }
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    struct mail_run *r = xcalloc(1, sizeof *r);
    *r = (struct mail_run){.queue = q, .pid = pid};
    r->fd = (struct loop_fd){.fd = fd, .fn = mail_run_on_over, .ctx = r};
    r->patience = (struct loop_timer){.fn = mail_run_on_patience, .ctx = r};
    list_init(&r->link);
    list_append(&q->running, &r->link);
    q->n_running++;
    loop_watch(q->loop, &r->fd, LOOP_READ);
    loop_timer_set(q->loop, &r->patience, PATIENCE_MS);
}

/* Users take turns: hundreds of mails of one user do not delay those of others. */
static struct mail *mail_queue_take_turn(struct mail_queue *q)
{
    list_for_each (u, &q->senders, struct mail_sender, link) {
        struct mail *m = list_first(&u->mails, struct mail, link);
        if (m->ticket > q->committed)
            continue;
        list_move_to_end(&q->senders, &u->link);
        return m;
    }
    return NULL;
}

static void mail_queue_start_some(struct mail_queue *q)
{
    while (q->n_running < RUNNING_MAX) {
        struct mail *m = mail_queue_take_turn(q);
        if (!m)
            return;
        mail_queue_start(q, m);
        mail_free(q, m);
    }
}

void mail_queue_commit(struct mail_queue *q, uint64_t ticket)
{
    q->committed = ticket;
    mail_queue_start_some(q);
}

static struct mail_sender *mail_queue_sender(struct mail_queue *q, uint32_t uid)
{
    list_for_each (u, &q->senders, struct mail_sender, link)
        if (u->uid == uid)
            return u;
    struct mail_sender *u = xcalloc(1, sizeof *u);
    u->uid = uid;
    list_init(&u->mails);
    list_init(&u->link);
    list_append(&q->senders, &u->link);
    return u;
}

/* Drops the newest mail of the user with the most mails. */
static void mail_queue_drop_one(struct mail_queue *q)
{
    struct mail_sender *most = NULL;
    list_for_each (u, &q->senders, struct mail_sender, link)
        if (!most || u->n > most->n)
            most = u;
    if (!q->n_dropped++)
        log_warn("more than %d mails wait for mail_program: the newest of uid=%u are not sent", QUEUE_MAX,
                 most->uid);
    mail_free(q, container_of(most->mails.prev, struct mail, link));
}

void mail_queue_add(struct mail_queue *q, uint64_t ticket, uint32_t uid, const char *user,
                    const char *subject, struct strv *env)
{
    struct mail *m = xcalloc(1, sizeof *m);
    *m = (struct mail){.of = mail_queue_sender(q, uid),
                       .ticket = ticket,
                       .user = xstrdup(user),
                       .subject = xstrdup(subject),
                       .env = *env};
    *env = (struct strv){0};
    list_init(&m->link);
    list_append(&m->of->mails, &m->link);
    m->of->n++;
    if (q->n_queued++ >= QUEUE_MAX)
        mail_queue_drop_one(q);
    else
        q->n_dropped = 0;
    mail_queue_start_some(q);
}

static void mail_queue_drop(struct mail_queue *q, bool all)
{
    list_for_each (u, &q->senders, struct mail_sender, link) {
        unsigned left = u->n; /* the last one takes the sender with it */
        for (struct list *l = u->mails.prev, *before; left; left--, l = before) {
            struct mail *m = container_of(l, struct mail, link);
            before = l->prev;
            if (all || m->ticket > q->committed)
                mail_free(q, m);
        }
    }
}

void mail_queue_drop_uncommitted(struct mail_queue *q)
{
    mail_queue_drop(q, false);
}

struct mail_queue *mail_queue_new(struct loop *l, char *const *program)
{
    struct mail_queue *q = xcalloc(1, sizeof *q);
    q->loop = l;
    q->program = program;
    list_init(&q->senders);
    list_init(&q->running);
    return q;
}

void mail_queue_free(struct mail_queue *q)
{
    mail_queue_drop(q, true);
    list_for_each (r, &q->running, struct mail_run, link)
        mail_run_free(r);
    free(q);
}
