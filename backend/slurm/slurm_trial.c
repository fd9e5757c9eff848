#include "backend/slurm/slurm_trial.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backend/slurm/slurm_act.h"
#include "backend/slurm/slurm_sbatch.h"
#include "backend/slurm/slurm_value.h"
#include "src/base/xalloc.h"
#include "src/os/file.h"

#define TRIAL_LEAST_MS 2000 /* between two of them */
#define TRIAL_FACTOR   50   /* as for the lists: 2 % of slurmctld's time */
#define TRIAL_WAIT_MS  60000

struct trial_ask { /* waits for its turn */
    struct list link;
    uint64_t session, tag;
    struct msg_submit m;
};

struct slurm_trials {
    struct slurm_hub *hub;
    struct list waiting;
    struct slurm_command *running;
    struct trial_ask *asked; /* by the one that runs */
    struct mono next;
    struct loop_timer timer;
};

/* "Job 12 to start at 2026-11-23T06:30:00 using 4 processors on nodes n[1-2] in partition main" */
void slurm_trial_read(const char *says, struct wall now, struct msg_result *ret)
{
    const char *begins = strstr(says, "to start at "),
               *nodes = begins ? strstr(begins, " on nodes ") : NULL,
               *part = nodes ? strstr(nodes, " in partition ") : NULL;
    struct wall start = {0};
    *ret = (struct msg_result){0};
    if (!begins) {
        ret->text = slurm_sbatch_says(says);
        ret->refusal = slurm_refusal_of(ret->text);
        return;
    }
    const char *time = begins + strlen("to start at ");
    struct slurm_span when = {time, strcspn(time, " \n")};
    start = slurm_time(&when);
    ret->count = wall_is_set(start) && start.ms <= now.ms + MS_PER_S ? 1 : 0;
    if (!ret->count || !part) {
        ret->text = xstrndup(begins, strcspn(begins, "\n"));
        return;
    }
    nodes += strlen(" on nodes ");
    const char *name = part + strlen(" in partition ");
    ret->cause = (struct cause){.code = CAUSE_WOULD_START,
                                .at = start,
                                .nodes = xstrndup(nodes, (size_t)(part - nodes)),
                                .part = xstrndup(name, strcspn(name, " \n"))};
}

static void trial_ask_free(struct trial_ask *t)
{
    list_unlink(&t->link);
    rec_fini(&msg_submit_rec, &t->m);
    free(t);
}

static void trials_next(struct slurm_trials *l);

static void trial_on_answer(void *ctx, const struct slurm_output *o)
{
    struct slurm_trials *l = ctx;
    struct trial_ask *t = l->asked;
    struct slurm_session *client = slurm_hub_find(l->hub, t->session);
    struct msg_result r;
    slurm_trial_read(o->says.s, loop_wall(l->hub->loop), &r);
    if (o->exit_code != 0 && !r.refusal)
        r.refusal = REFUSAL_BAD_REQUEST;
    if (client)
        slurm_session_send(client, MSG_RESULT, t->tag, &r);
    rec_fini(&msg_result_rec, &r);
    int64_t pause = o->ms * TRIAL_FACTOR;
    l->next = mono_add_ms(loop_now(l->hub->loop), pause > TRIAL_LEAST_MS ? pause : TRIAL_LEAST_MS);
    slurm_command_free(l->running);
    l->running = NULL;
    l->asked = NULL;
    trial_ask_free(t);
    trials_next(l);
    l->hub->changed(l->hub->ctx);
}

static void trial_start(struct slurm_trials *l, struct trial_ask *t)
{
    struct strv argv = {0}, env = slurm_sbatch_env(&t->m, &l->hub->env);
    int fd = memfd_create("script", MFD_CLOEXEC);
    slurm_sbatch_words(&t->m, &argv);
    if (fd < 0 || file_write_fd(fd, t->m.payload.script.p, t->m.payload.script.n) < 0 ||
        lseek(fd, 0, SEEK_SET) < 0)
        strv_push(&argv, "/dev/null"); /* which sbatch refuses by its name */
    l->asked = t;
    l->running = slurm_command_new(l->hub->loop,
                                   &(struct slurm_command_spec){.dir = l->hub->dir,
                                                                .argv = &argv,
                                                                .env = &env,
                                                                .timeout_ms = TRIAL_WAIT_MS,
                                                                .in_fd = fd,
                                                                .begins_in = slurm_sbatch_dir(&t->m)},
                                   trial_on_answer, l);
    if (fd >= 0)
        close(fd);
    strv_fini(&argv);
    strv_fini(&env);
}

static void trials_on_timer(void *ctx)
{
    trials_next(ctx);
}

/* One at a time, with a pause: slurmctld holds its locks meanwhile. */
static void trials_next(struct slurm_trials *l)
{
    if (l->running)
        return;
    list_for_each (t, &l->waiting, struct trial_ask, link) {
        int64_t wait_ms = (l->next.ns - loop_now(l->hub->loop).ns) / NS_PER_MS;
        if (!slurm_hub_find(l->hub, t->session)) {
            trial_ask_free(t);
            continue;
        }
        if (wait_ms > 0)
            loop_timer_set(l->hub->loop, &l->timer, wait_ms);
        else
            trial_start(l, t);
        return;
    }
}

void slurm_trial(struct slurm_session *s, uint64_t tag, const struct msg_submit *m)
{
    struct slurm_trials *l = s->trials;
    struct trial_ask *t = xcalloc(1, sizeof *t);
    *t = (struct trial_ask){.session = s->number, .tag = tag};
    rec_copy(&msg_submit_rec, &t->m, m);
    list_init(&t->link);
    list_append(&l->waiting, &t->link);
    trials_next(l);
}

struct slurm_trials *slurm_trials_new(struct slurm_hub *hub)
{
    struct slurm_trials *l = xcalloc(1, sizeof *l);
    l->hub = hub;
    l->timer = (struct loop_timer){.fn = trials_on_timer, .ctx = l};
    list_init(&l->waiting);
    return l;
}

void slurm_trials_free(struct slurm_trials *l)
{
    slurm_command_free(l->running);
    list_for_each (t, &l->waiting, struct trial_ask, link)
        trial_ask_free(t);
    loop_timer_cancel(l->hub->loop, &l->timer);
    free(l);
}
