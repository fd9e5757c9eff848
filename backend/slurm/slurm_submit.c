#include "backend/slurm/slurm_submit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/slurm/slurm_act.h"
#include "backend/slurm/slurm_intent.h"
#include "backend/slurm/slurm_sbatch.h"
#include "backend/slurm/slurm_table.h"
#include "backend/slurm/slurm_trial.h"
#include "backend/slurm/slurm_word.h"
#include "src/base/xalloc.h"
#include "src/os/file.h"
#include "src/os/spawn.h"
#include "src/os/ulimit.h"

#define LOOK_AGAIN_MS 200   /* whether an sbatch of an earlier server has ended */
#define SQUEUE_MS     2000  /* between questions whether the job is there, at most */
#define SETTLE_MS     10000 /* usually; see slurm_submits_settings */
#define DOUBT_MS      30000 /* then the client is told that it is not known */
#define KEPT_S        3600  /* for a client that asks again */
#define TEST_LEAST_MS 2000  /* between two tests */
#define TEST_FACTOR   50    /* as for the lists: 2 % of slurmctld's time */
#define TEST_WAIT_MS  60000

/* One submission that is not answered yet. */
struct slurm_pending {
    struct list link;
    struct slurm_submits *all;
    char *number;
    uint64_t session, tag; /* who waits; session 0: no client */
    struct msg_submit m;
    bool has_message; /* else it is of an earlier server, which took it along */
    pid_t pid;        /* of its sbatch; 0: none of ours */
    struct loop_fd process;
    struct loop_timer timer;
    struct mono asked_since; /* ns 0: squeue has not been asked yet */
    bool looks;              /* a squeue runs for it */
    unsigned attempts;
};

struct slurm_submits {
    struct slurm_submits_settings with;
    char *root;
    struct list open;
};

static void submit_go_on(struct slurm_pending *s);

static int64_t ms_of(const struct slurm_submits *l, struct mono since)
{
    return (loop_now(l->with.hub->loop).ns - since.ns) / NS_PER_MS;
}

/* --- answers --- */

static void submit_free(struct slurm_pending *s)
{
    list_unlink(&s->link);
    if (s->pid)
        loop_unwatch(s->all->with.hub->loop, &s->process);
    if (s->pid)
        close(s->process.fd);
    loop_timer_cancel(s->all->with.hub->loop, &s->timer);
    rec_fini(&msg_submit_rec, &s->m);
    free(s->number);
    free(s);
}

/* It is over: a job, or a refusal with its text. */
static void submit_end(struct slurm_pending *s, uint32_t job, const char *says)
{
    struct slurm_submits *l = s->all;
    struct slurm_session *client = slurm_hub_find(l->with.hub, s->session);
    struct msg_result r = {.job = job, .count = job != 0};
    if (client && job)
        slurm_session_send(client, MSG_RESULT, s->tag, &r);
    else if (client)
        slurm_session_refuse(client, s->tag, slurm_refusal_of(says), says);
    if (job)
        slurm_poll_look_at(l->with.poll, &job, 1);
    submit_free(s);
    l->with.hub->changed(l->with.hub->ctx);
}

/* Not answered for certain: it stays on disk, and the same number is looked for first. */
static void submit_end_doubt(struct slurm_pending *s, const char *says)
{
    char *text =
        xasprintf("Slurm does not say whether it has the job (%s); submit it again: it will not be "
                  "queued twice",
                  str_is_empty(says) ? "sbatch has ended without an answer" : says);
    submit_end(s, 0, text);
    free(text);
}

bool slurm_submit_is_doubtful(const char *says)
{
    static const char *const words[] = {"timed out", "ontact",    "onnect",  "onnection",
                                        "ransmi",    "Zero Byte", "rotocol", "ommunication"};
    if (str_is_empty(says))
        return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(says, words[i]))
            return true;
    return false;
}

/* --- looking for it in Slurm --- */

/* Whether the row is the job of that number: its script or its comment names it. */
static bool row_has_mark(const struct slurm_row *row, const char *number)
{
    const struct slurm_span *command = &row->columns[SLURM_COLUMN_COMMAND],
                            *comment = &row->columns[SLURM_COLUMN_COMMENT];
    char *path = xasprintf("/%s/", number), *mark = xasprintf(SLURM_INTENT_MARK "%s", number);
    bool found = memmem(command->p, command->n, path, strlen(path)) ||
                 memmem(comment->p, comment->n, mark, strlen(mark));
    free(path);
    free(mark);
    return found;
}

/* 0: it is not there. -EBADMSG: the answer cannot be read. */
static int64_t find_job(const struct slurm_output *o, const char *word, const char *number)
{
    struct slurm_span rest = {o->out.s, o->out.len};
    struct slurm_row row;
    int64_t job = 0;
    int r;
    while ((r = slurm_table_next(&rest, word, &row, NULL)) > 0) {
        uint32_t array = slurm_u32(&row.columns[SLURM_COLUMN_ARRAY], 0);
        if (row_has_mark(&row, number))
            job = array ? array : slurm_u32(&row.columns[SLURM_COLUMN_ID], 0);
    }
    return r < 0 ? r : job;
}

static struct slurm_pending *submits_find(struct slurm_submits *l, const char *number)
{
    list_for_each (s, &l->open, struct slurm_pending, link)
        if (str_eq(s->number, number))
            return s;
    return NULL;
}

static void submit_start(struct slurm_pending *s);

/* For how long a job that has ended is still in squeue; 0 in the configuration: for ever. */
static int64_t submits_job_age_s(const struct slurm_submits *l)
{
    uint32_t age_s = slurm_mirror_model(l->with.mirror)->spec.min_job_age_s;
    return age_s ? age_s : INT64_MAX;
}

/* It is not in squeue, and had time to get there. */
static void submit_take_absence(struct slurm_pending *s, const struct slurm_intent_state *is)
{
    struct slurm_submits *l = s->all;
    bool may_have_left = wall_elapsed_s(is->begun, loop_wall(l->with.hub->loop)) >= submits_job_age_s(l);
    char *says = slurm_sbatch_says(is->says);
    if (may_have_left && slurm_submit_is_doubtful(is->says))
        submit_end(s, 0,
                   "it is not known whether this was submitted: jobs that have ended have left squeue "
                   "since; look before you submit it again");
    else if (*says || !s->has_message || s->attempts > 1) {
        slurm_intent_forget(l->root, s->number);
        submit_end(s, 0, *says ? says : "Slurm has not got it: sbatch has ended without an answer");
    } else {
        submit_start(s);
    }
    free(says);
}

struct submit_look { /* a squeue that looks for a submission, which may be answered meanwhile */
    struct slurm_submits *all;
    char *number;
    char word[SLURM_WORD_SIZE];
};

static void submit_take_look(struct slurm_pending *s, const struct slurm_output *o, const char *word)
{
    struct slurm_submits *l = s->all;
    int64_t job = o->exit_code == 0 ? find_job(o, word, s->number) : -EIO, asked = ms_of(l, s->asked_since);
    struct slurm_intent_state is;
    slurm_intent_read(l->root, s->number, &is);
    if (job > 0) {
        slurm_intent_note(l->root, s->number, (uint32_t)job);
        submit_end(s, (uint32_t)job, NULL);
    } else if (job == 0 && asked >= l->with.settle_ms && slurm_mirror_release(l->with.mirror)) {
        submit_take_absence(s, &is);
    } else if (asked >= DOUBT_MS || (job < 0 && strstr(is.says, "connect failure"))) {
        char *says = slurm_sbatch_says(is.says);
        submit_end_doubt(s, *says ? says : o->says.s);
        free(says);
    } else {
        loop_timer_set(l->with.hub->loop, &s->timer,
                       l->with.settle_ms < SQUEUE_MS ? l->with.settle_ms : SQUEUE_MS);
    }
    slurm_intent_state_fini(&is);
}

static void submit_on_squeue(struct slurm_session *client, uint64_t tag, const struct slurm_output *o,
                             void *arg)
{
    (void)client;
    (void)tag;
    struct submit_look *look = arg;
    struct slurm_pending *s = submits_find(look->all, look->number);
    if (s) {
        s->looks = false;
        submit_take_look(s, o, look->word);
    }
    free(look->number);
    free(look);
}

static void submit_look(struct slurm_pending *s)
{
    struct slurm_submits *l = s->all;
    struct submit_look *look = xcalloc(1, sizeof *look);
    struct strv argv = {0};
    if (!s->asked_since.ns) {
        s->asked_since = loop_now(l->with.hub->loop);
        l->with.hub->changed(l->with.hub->ctx); /* the configuration says for how long jobs stay */
    }
    s->looks = true;
    *look = (struct submit_look){.all = l, .number = xstrdup(s->number)};
    slurm_word_make(look->word);
    slurm_table_ask(&argv, look->word);
    strv_push(&argv, "-u");
    strv_push_take(&argv, xasprintf("%u", (unsigned)geteuid()));
    slurm_hub_run(l->with.hub, &argv, submit_on_squeue, look);
    strv_fini(&argv);
}

/* --- sbatch --- */

/* The script's own file, where it still holds what is submitted, so that the job shows whence it came. */
static bool is_own_file(const struct msg_submit *m)
{
    struct stat st;
    struct str text = STR_INIT;
    int fd = m->command && *m->command == '/' ? open(m->command, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    bool same = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
                (size_t)st.st_size == m->payload.script.n &&
                file_read_fd(fd, m->payload.script.n, &text) == 0 && text.len == m->payload.script.n &&
                memcmp(text.s, m->payload.script.p, text.len) == 0;
    str_fini(&text);
    if (fd >= 0)
        close(fd);
    return same;
}

/* What sbatch calls the script that has no file of its own. */
static char *script_name(const struct msg_submit *m)
{
    const char *slash = m->command ? strrchr(m->command, '/') : NULL, *name = slash ? slash + 1 : "";
    bool plain =
        *name &&
        strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") == strlen(name);
    return plain && *name != '.' && *name != '-' && strchr(name, '.') ? xstrdup(name) : xstrdup("job.sh");
}

/* Without a comment of its own the job is marked by one, and its script keeps its path; else by a path. */
static struct strv submit_words(const struct slurm_pending *s, const struct slurm_intent *intent)
{
    struct strv argv = {0};
    bool own_file = !req_rare(&s->m.req)->comment && is_own_file(&s->m);
    slurm_sbatch_words(&s->m, &argv);
    if (own_file)
        strv_push_take(&argv, xasprintf("--comment=" SLURM_INTENT_MARK "%s", s->number));
    strv_push(&argv, own_file ? s->m.command : intent->script);
    for (size_t i = 0; i < s->m.payload.argv.n; i++)
        strv_push(&argv, s->m.payload.argv.v[i]);
    return argv;
}

/* sbatch takes along the limits of the client, not of this process. before: what they were. */
static void swap_limits(const struct msg_submit *m, uint64_t before[static ULIMIT_N], bool back)
{
    for (size_t i = 0; i < m->payload.limits.n; i++) {
        const struct resource_limit *l = &m->payload.limits.v[i];
        if (l->kind >= ULIMIT_N)
            continue;
        if (back)
            (void)ulimit_set((enum ulimit_kind)l->kind, before[l->kind]);
        else if (ulimit_get((enum ulimit_kind)l->kind, &before[l->kind]))
            (void)ulimit_set((enum ulimit_kind)l->kind, l->soft);
    }
}

static int submit_spawn(struct slurm_pending *s, const struct slurm_intent *intent, struct errtext *err)
{
    struct slurm_submits *l = s->all;
    struct strv argv = submit_words(s, intent), env = slurm_sbatch_env(&s->m, &l->with.hub->env);
    char *path = xasprintf("%s/sbatch", l->with.hub->dir);
    const char *dir = slurm_sbatch_dir(&s->m);
    uint64_t limits[ULIMIT_N] = {0};
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    mode_t mask = umask((mode_t)s->m.payload.umask & 0777);
    swap_limits(&s->m, limits, false);
    int r =
        slurm_command_spawn(dir,
                            &(struct spawn){.path = path,
                                            .argv = argv.v,
                                            .env = env.v,
                                            .fds = {{null, 0}, {intent->out_fd, 1}, {intent->says_fd, 2}},
                                            .n_fds = 3,
                                            .session = true},
                            &s->pid);
    swap_limits(&s->m, limits, true);
    umask(mask);
    if (r < 0) {
        s->pid = 0;
        err_set(err, r, "%s cannot be started%s%s: %s", path, dir ? " in " : "", dir ? dir : "",
                strerror(-r));
    }
    if (null >= 0)
        close(null);
    free(path);
    strv_fini(&argv);
    strv_fini(&env);
    return r;
}

static void submit_on_over(void *ctx, unsigned ready)
{
    (void)ready;
    struct slurm_pending *s = ctx;
    int status;
    if (waitpid(s->pid, &status, WNOHANG) == 0)
        return;
    loop_unwatch(s->all->with.hub->loop, &s->process);
    close(s->process.fd);
    s->pid = 0;
    submit_go_on(s);
}

static void submit_start(struct slurm_pending *s)
{
    struct slurm_submits *l = s->all;
    struct slurm_intent intent;
    struct errtext err;
    char *name = script_name(&s->m);
    s->attempts++;
    s->asked_since = (struct mono){0};
    int r = slurm_intent_begin(l->root, s->number, name, &s->m.payload.script, &intent, &err);
    free(name);
    if (r < 0) {
        submit_end(s, 0, err.s);
        return;
    }
    r = submit_spawn(s, &intent, &err);
    slurm_intent_fini(&intent); /* the lock is sbatch's alone now */
    if (r < 0) {
        slurm_intent_forget(l->root, s->number);
        submit_end(s, 0, err.s);
        return;
    }
    s->process.fd = (int)syscall(SYS_pidfd_open, s->pid, 0);
    bug_on(s->process.fd < 0);
    loop_watch(l->with.hub->loop, &s->process, LOOP_READ);
}

static void submit_on_timer(void *ctx)
{
    submit_go_on(ctx);
}

static void submit_go_on(struct slurm_pending *s)
{
    struct slurm_submits *l = s->all;
    struct slurm_intent_state is;
    if (s->pid || s->looks)
        return;
    slurm_intent_read(l->root, s->number, &is);
    if (is.job) {
        submit_end(s, is.job, NULL);
    } else if (!is.is_there && s->has_message) {
        submit_start(s);
    } else if (!is.is_there) {
        submit_free(s);
    } else if (is.runs) {
        loop_timer_set(l->with.hub->loop, &s->timer, LOOK_AGAIN_MS);
    } else if (!slurm_submit_is_doubtful(is.says)) {
        char *says = slurm_sbatch_says(is.says);
        slurm_intent_forget(l->root, s->number);
        submit_end(s, 0, says);
        free(says);
    } else {
        submit_look(s);
    }
    slurm_intent_state_fini(&is);
}

static struct slurm_pending *submit_new(struct slurm_submits *l, const char *number)
{
    struct slurm_pending *s = xcalloc(1, sizeof *s);
    *s = (struct slurm_pending){.all = l, .number = xstrdup(number)};
    s->process = (struct loop_fd){.fd = -1, .fn = submit_on_over, .ctx = s};
    s->timer = (struct loop_timer){.fn = submit_on_timer, .ctx = s};
    list_init(&s->link);
    list_append(&l->open, &s->link);
    return s;
}

/* --- for the sessions --- */

void slurm_submit(struct slurm_session *s, uint64_t tag, const struct msg_submit *m)
{
    struct slurm_submits *l = s->submits;
    if (m->kind != JOB_KIND_BATCH) {
        slurm_session_refuse(
            s, tag, REFUSAL_NOT_SUPPORTED,
            "Slurm takes batch scripts; a job file with steps runs in a cluster of Stoker's "
            "own");
        return;
    }
    if (m->test_only) {
        slurm_trial(s, tag, m);
        return;
    }
    if (!slurm_intent_is_number(m->request_id)) {
        slurm_session_refuse(s, tag, REFUSAL_BAD_REQUEST, "the submission has no number of its own");
        return;
    }
    struct slurm_pending *job = submits_find(l, m->request_id);
    job = job ? job : submit_new(l, m->request_id);
    job->session = s->number;
    job->tag = tag;
    rec_fini(&msg_submit_rec, &job->m);
    rec_copy(&msg_submit_rec, &job->m, m);
    job->has_message = true;
    submit_go_on(job);
}

bool slurm_submits_look(const struct slurm_submits *l)
{
    list_for_each (s, &l->open, struct slurm_pending, link)
        if (s->asked_since.ns)
            return true;
    return false;
}

bool slurm_submits_are_busy(const struct slurm_submits *l)
{
    list_for_each (s, &l->open, struct slurm_pending, link)
        if (s->pid)
            return true;
    return false;
}

/* Those that are answered are kept for a while; those that are not are looked for. */
static void submits_take_up(struct slurm_submits *l)
{
    struct strv numbers;
    struct wall now = loop_wall(l->with.hub->loop);
    slurm_intent_list(l->root, &numbers);
    for (size_t i = 0; i < numbers.n; i++) {
        struct slurm_intent_state is;
        slurm_intent_read(l->root, numbers.v[i], &is);
        if (!is.job && is.is_there)
            submit_go_on(submit_new(l, numbers.v[i]));
        else if (!is.runs && wall_elapsed_s(is.begun, now) > KEPT_S)
            slurm_intent_forget(l->root, numbers.v[i]);
        slurm_intent_state_fini(&is);
    }
    strv_fini(&numbers);
}

struct slurm_submits *slurm_submits_new(const struct slurm_submits_settings *settings)
{
    struct slurm_submits *l = xcalloc(1, sizeof *l);
    *l = (struct slurm_submits){.with = *settings, .root = xstrdup(settings->root)};
    l->with.settle_ms = l->with.settle_ms ? l->with.settle_ms : SETTLE_MS;
    list_init(&l->open);
    submits_take_up(l);
    return l;
}

void slurm_submits_free(struct slurm_submits *l)
{
    if (!l)
        return;
    list_for_each (s, &l->open, struct slurm_pending, link)
        submit_free(s);
    free(l->root);
    free(l);
}
