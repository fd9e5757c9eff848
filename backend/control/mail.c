/* mail.c - what users want to be told of their jobs, by the configured program.
 *
 *     event folded --> queued behind its gate --committed--> MAIL_PROGRAM -s SUBJECT USER
 *                                                            (at most 4 at once)
 *
 * Never waited for: a program of its own, which is ended after a minute. At most once: what was queued when
 * the controller died is not said. Subjects are Slurm's, as filters of mailboxes know them.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/control/private.h"
#include "src/base/log.h"
#include "src/base/spawn.h"
#include "src/base/units.h"
#include "src/base/utf8.h"
#include "src/jobenv/mailtype.h"

#define RUNNING_MAX   4
#define QUEUE_MAX     1000
#define PATIENCE_MS   60000
#define SUBJECT_MAX   300 /* cells */
#define MARKS_EACH_MS 5000

struct mail {
    struct list link;
    uint64_t gate;
    char *user, *subject;
    struct strv env;
};

struct mail_run {
    struct list link;
    struct mailer *mailer;
    pid_t pid;
    struct loop_fd fd; /* of the process */
    struct loop_timer patience;
};

struct mailer {
    struct control *c;
    struct list queue, running;
    unsigned n_queued, n_running;
    uint64_t n_dropped;
    struct loop_timer marks;
    struct idmap marked; /* job -> 1 + the highest of 50, 80, 90 that has been said */
    struct idmap begun;  /* arrays of which an element is known here to have begun -> no matter what */
};

static void mail_free(struct mail *m)
{
    list_unlink(&m->link);
    free(m->user);
    free(m->subject);
    strv_fini(&m->env);
    free(m);
}

/* --- programs --- */

static void start_some(struct mailer *q);

static void run_free(struct mail_run *r)
{
    loop_unwatch(r->mailer->c->loop, &r->fd);
    loop_timer_cancel(r->mailer->c->loop, &r->patience);
    close(r->fd.fd);
    list_unlink(&r->link);
    r->mailer->n_running--;
    free(r);
}

static void on_over(void *ctx, unsigned ready)
{
    (void)ready;
    struct mail_run *r = ctx;
    struct mailer *q = r->mailer;
    int status = 0;
    if (waitpid(r->pid, &status, WNOHANG) == 0)
        return;
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        log_warn("mail_program %s failed: status 0x%x", q->c->model.spec.mail_program, (unsigned)status);
    run_free(r);
    start_some(q);
}

static void on_patience(void *ctx)
{
    struct mail_run *r = ctx;
    kill(-r->pid, SIGKILL);
    kill(r->pid, SIGKILL);
}

/* Its descriptors are the null device; everything else of the controller's closes on exec. */
static pid_t spawn(const struct control *c, const struct mail *m)
{
    char dash_s[] = "-s";
    char *argv[] = {c->model.spec.mail_program, dash_s, m->subject, m->user, NULL};
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

static void start(struct mailer *q, struct mail *m)
{
    struct control *c = q->c;
    if (str_is_empty(c->model.spec.mail_program))
        return;
    pid_t pid = spawn(c, m);
    if (pid < 0) {
        log_warn("mail_program %s cannot be started: %s", c->model.spec.mail_program, strerror(-pid));
        return;
    }
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (fd < 0) { /* it is not watched then, and ends by itself */
        log_warn("mail_program cannot be watched: %s", strerror(errno));
        return;
    }
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    struct mail_run *r = xcalloc(1, sizeof *r);
    *r = (struct mail_run){.mailer = q, .pid = pid};
    r->fd = (struct loop_fd){.fd = fd, .fn = on_over, .ctx = r};
    r->patience = (struct loop_timer){.fn = on_patience, .ctx = r};
    list_init(&r->link);
    list_append(&q->running, &r->link);
    q->n_running++;
    loop_watch(c->loop, &r->fd, LOOP_READ);
    loop_timer_set(c->loop, &r->patience, PATIENCE_MS);
}

static void start_some(struct mailer *q)
{
    while (q->n_running < RUNNING_MAX) {
        struct mail *m = list_first(&q->queue, struct mail, link);
        if (!m || m->gate > store_committed(q->c->store))
            return;
        start(q, m);
        q->n_queued--;
        mail_free(m);
    }
}

void ctl_mail_committed(struct control *c)
{
    if (c->mailer)
        start_some(c->mailer);
}

/* --- arrays as a whole --- */

struct array_end {        /* what its elements came to */
    uint32_t types;       /* enum mail_type, by bit: FAIL and what else some of them would be told as */
    enum job_state state; /* of all of them, unless mixed */
    bool any, mixed;
    int32_t code_min, code_max, signal_max;
};

static bool has_failed(const struct job *j)
{
    return j->state != JOB_COMPLETED && j->state != JOB_CANCELLED;
}

static void add_element(struct array_end *a, const struct job *j)
{
    enum job_state state = (enum job_state)j->state;
    a->types |= has_failed(j) ? 1u << MAIL_FAIL : 0;
    a->types |= state == JOB_TIMEOUT ? 1u << MAIL_TIME_LIMIT : 0;
    a->types |= j->reason == REASON_DEPENDENCY_NEVER ? 1u << MAIL_INVALID_DEPEND : 0;
    a->mixed = a->mixed || (a->any && state != a->state);
    a->state = state;
    a->code_min = !a->any || j->exit_code < a->code_min ? j->exit_code : a->code_min;
    a->code_max = j->exit_code > a->code_max ? j->exit_code : a->code_max;
    a->signal_max = j->exit_signal > a->signal_max ? j->exit_signal : a->signal_max;
    a->any = true;
}

/* Reads the whole queue, once for an array. Of elements that have left it is known whether they succeeded.
 */
static struct array_end sum_up(const struct control *c, uint32_t array)
{
    struct array_end a = {0};
    const struct job *record = model_get_job(&c->model, array);
    list_for_each (j, &c->model.all, struct job, in_all)
        if (j->array_job == array && job_state_is_final((enum job_state)j->state))
            add_element(&a, j);
    if (record && job_rare(record)->array_failed.n) {
        a.types |= 1u << MAIL_FAIL;
        a.mixed = true;
    }
    return a;
}

/* --- words --- */

static void append_array_end(struct str *s, const struct array_end *a)
{
    bool mixed = a->mixed || a->code_min != a->code_max;
    str_appendf(s, ", %s", mixed ? "Mixed" : job_state_long(a->state));
    if (a->signal_max)
        str_appendf(s, ", MaxSignal [%d]", a->signal_max);
    else
        str_appendf(s, ", ExitCode [%d-%d]", a->code_min, a->code_max);
}

static void append_name(struct str *s, const struct job *j, bool array)
{
    if (array)
        str_appendf(s, "Slurm Array Summary Job_id=%u_* (%u) Name=", j->array_job, j->array_job);
    else if (j->array_index != ARRAY_NONE && j->array_job)
        str_appendf(s, "Slurm Array Task Job_id=%u_%u (%u) Name=", j->array_job, j->array_index, j->id);
    else
        str_appendf(s, "Slurm Job_id=%u Name=", j->id);
    str_append(s, j->req.name ? j->req.name : "");
}

static void append_time(struct str *s, const char *what, int64_t seconds)
{
    char buf[UNITS_TEXT_SIZE];
    str_appendf(s, ", %s time %s", what, duration_format_padded((uint32_t)seconds, buf));
}

static void append_words(struct str *s, const struct job *j, const struct array_end *array,
                         enum mail_type type, struct wall now)
{
    switch (type) {
    case MAIL_BEGIN:
        str_append(s, " Began");
        append_time(s, "Queued", wall_elapsed_s(j->t_submit, j->t_start));
        return;
    case MAIL_END:
    case MAIL_FAIL:
        str_append(s, type == MAIL_END ? " Ended" : " Failed");
        append_time(s, "Run", job_run_s(j, now));
        if (array) {
            append_array_end(s, array);
            return;
        }
        str_appendf(s, ", %s, ExitCode %d", job_state_long((enum job_state)j->state),
                    j->exit_signal ? 128 + j->exit_signal : j->exit_code);
        return;
    case MAIL_REQUEUE: str_append(s, " Requeued"); return;
    case MAIL_INVALID_DEPEND: str_append(s, " Invalid dependency"); return;
    case MAIL_TIME_LIMIT: str_append(s, " Reached time limit"); break;
    case MAIL_TIME_LIMIT_90: str_append(s, " Reached 90% of time limit"); break;
    case MAIL_TIME_LIMIT_80: str_append(s, " Reached 80% of time limit"); break;
    case MAIL_TIME_LIMIT_50: str_append(s, " Reached 50% of time limit"); break;
    case MAIL_STAGE_OUT:
    case MAIL_ARRAY_TASKS:
    case MAIL_N_TYPES: return;
    }
    append_time(s, "Run", job_run_s(j, now));
}

static void set_env(const struct control *c, const struct job *j, struct strv *env)
{
    const char *path = getenv("PATH");
    strv_setenv(env, "PATH", path ? path : "/usr/local/bin:/usr/bin:/bin");
    strv_setenv(env, "LC_ALL", "C.UTF-8");
    strv_setenvf(env, "SLURM_JOB_ID", "%u", j->id);
    strv_setenv(env, "SLURM_JOB_NAME", j->req.name ? j->req.name : "");
    strv_setenv(env, "SLURM_JOB_USER", j->user ? j->user : "");
    strv_setenv(env, "SLURM_JOB_STATE", job_state_long((enum job_state)j->state));
    strv_setenv(env, "SLURM_CLUSTER_NAME", c->model.spec.name ? c->model.spec.name : "");
}

/* Mail programs take some words for something else than an address: an option, a pipe, a file, more words.
 */
static bool is_address(const char *s)
{
    return !strchr("-+|", *s) && !s[strcspn(s, "|/<>;&`$\"'\\() \t")];
}

/* end: of the array that j is the last of; NULL: none has ended. */
static void say(struct control *c, const struct job *j, enum mail_type type, bool array,
                const struct array_end *end)
{
    struct mailer *q = c->mailer;
    bool chosen = !str_is_empty(req_rare(&j->req)->mail_user);
    const char *user = chosen ? req_rare(&j->req)->mail_user : j->user;
    struct str subject = STR_INIT;
    if (str_is_empty(user) || (chosen && !is_address(user)))
        return;
    if (q->n_queued >= QUEUE_MAX) {
        if (!q->n_dropped++)
            log_warn("more than %d mails wait for mail_program: those that follow are not sent", QUEUE_MAX);
        return;
    }
    q->n_dropped = 0;
    append_name(&subject, j, array);
    append_words(&subject, j, end, type, loop_wall(c->loop));
    struct mail *m = xcalloc(1, sizeof *m);
    struct str shown = STR_INIT;
    cell_text(&shown, subject.s, SUBJECT_MAX, true, false);
    m->subject = str_take(&shown);
    m->user = xstrdup(user);
    m->gate = ctl_gate(c);
    set_env(c, j, &m->env);
    list_init(&m->link);
    list_append(&q->queue, &m->link);
    q->n_queued++;
    str_fini(&subject);
}

/* --- when --- */

static bool has_begun_before(const struct control *c, const struct job *j)
{
    list_for_each (e, &c->model.all, struct job, in_all)
        if (e != j && e->array_job == j->array_job && wall_is_set(e->t_start))
            return true;
    return false;
}

static bool is_last(struct control *c, const struct job *j)
{
    const struct array_tally *t = model_get_tally(&c->model, j->array_job);
    bool last = !t || (!t->pending && !t->active);
    if (last)
        idmap_remove(&c->mailer->begun, j->array_job);
    return last;
}

/* Of an array without ARRAY_TASKS the whole counts: its first start, its last end. The whole queue is read
 * no more than once for an array, not at the start of each of its elements. */
static bool is_first(struct control *c, const struct job *j, enum mail_type type)
{
    const struct array_tally *t = model_get_tally(&c->model, j->array_job);
    struct idmap *begun = &c->mailer->begun;
    bool begins = type == MAIL_BEGIN;
    bool before = (begins && idmap_get(begun, j->array_job)) || (t && t->active > (begins ? 1 : 0)) ||
                  has_begun_before(c, j);
    if (begins)
        idmap_set(begun, j->array_job, begun);
    return !before;
}

static bool is_told_as_array(const struct job *j, uint32_t types)
{
    return j->array_job && !(types & 1u << MAIL_ARRAY_TASKS);
}

static void tell(struct control *c, const struct job *j, uint32_t types, enum mail_type type)
{
    bool array = is_told_as_array(j, types);
    if (types & 1u << type && (!array || is_first(c, j, type)))
        say(c, j, type, array, NULL);
}

static void tell_end(struct control *c, const struct job *j, uint32_t types)
{
    bool array = is_told_as_array(j, types);
    if (array && !is_last(c, j))
        return;
    struct array_end end = {0};
    if (array)
        end = sum_up(c, j->array_job);
    else
        add_element(&end, j);
    const struct array_end *sum = array ? &end : NULL;
    if (end.types & types & 1u << MAIL_TIME_LIMIT)
        say(c, j, MAIL_TIME_LIMIT, array, sum);
    if (end.types & types & 1u << MAIL_INVALID_DEPEND)
        say(c, j, MAIL_INVALID_DEPEND, array, sum);
    enum mail_type type = end.types & types & 1u << MAIL_FAIL ? MAIL_FAIL : MAIL_END;
    if (types & 1u << type)
        say(c, j, type, array, sum);
}

void ctl_mail_change(struct control *c, const struct job *j, enum job_state before)
{
    uint32_t types = 0;
    if (!c->mailer || str_is_empty(c->model.spec.mail_program) ||
        str_is_empty(req_rare(&j->req)->mail_type) || j->state == before ||
        !mail_types_parse(req_rare(&j->req)->mail_type, &types))
        return;
    if (j->state == JOB_PENDING) {
        tell(c, j, types, MAIL_REQUEUE);
    } else if (before == JOB_PENDING && j->state == JOB_RUNNING) {
        idmap_remove(&c->mailer->marked, j->id);
        tell(c, j, types, MAIL_BEGIN);
    } else if (job_state_is_final(j->state)) {
        idmap_remove(&c->mailer->marked, j->id);
        tell_end(c, j, types);
    }
}

/* Half, four fifths, nine tenths of the limit: looked at now and then. */
static void look_at(struct mailer *q, const struct job *j)
{
    static const struct {
        uint32_t percent;
        enum mail_type type;
    } marks[] = {{50, MAIL_TIME_LIMIT_50}, {80, MAIL_TIME_LIMIT_80}, {90, MAIL_TIME_LIMIT_90}};
    uint32_t types = 0;
    if (j->state != JOB_RUNNING || j->time_limit_s >= DURATION_NOT_SET ||
        !mail_types_parse(req_rare(&j->req)->mail_type, &types))
        return;
    uint64_t ran = job_run_s(j, loop_wall(q->c->loop));
    uintptr_t said = (uintptr_t)idmap_get(&q->marked, j->id);
    for (size_t i = sizeof marks / sizeof marks[0]; i-- > said;)
        if (ran * 100 >= (uint64_t)j->time_limit_s * marks[i].percent) {
            idmap_set(&q->marked, j->id, (void *)(uintptr_t)(i + 1));
            if (types & 1u << marks[i].type)
                say(q->c, j, marks[i].type, false, NULL);
            return;
        }
}

static void on_marks(void *ctx)
{
    struct mailer *q = ctx;
    if (!str_is_empty(q->c->model.spec.mail_program))
        list_for_each (j, &q->c->model.active, struct job, in_queue)
            if (!str_is_empty(req_rare(&j->req)->mail_type))
                look_at(q, j);
    start_some(q);
    loop_timer_set(q->c->loop, &q->marks, MARKS_EACH_MS);
}

void ctl_mail_init(struct control *c)
{
    struct mailer *q = c->mailer = xcalloc(1, sizeof *q);
    q->c = c;
    list_init(&q->queue);
    list_init(&q->running);
    q->marks = (struct loop_timer){.fn = on_marks, .ctx = q};
    loop_timer_set(c->loop, &q->marks, MARKS_EACH_MS);
}

void ctl_mail_drop(struct control *c)
{
    struct mailer *q = c->mailer;
    idmap_fini(&q->begun);
    q->begun = (struct idmap){0};
    list_for_each (m, &q->queue, struct mail, link)
        if (m->gate > store_committed(c->store)) {
            mail_free(m);
            q->n_queued--;
        }
}

void ctl_mail_free(struct control *c)
{
    struct mailer *q = c->mailer;
    if (!q)
        return;
    loop_timer_cancel(c->loop, &q->marks);
    list_for_each (m, &q->queue, struct mail, link)
        mail_free(m);
    list_for_each (r, &q->running, struct mail_run, link)
        run_free(r);
    idmap_fini(&q->marked);
    idmap_fini(&q->begun);
    free(q);
    c->mailer = NULL;
}
