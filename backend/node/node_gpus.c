/* node_gpus.c - the GPUs of this node: which there are, which must not be given, how busy they are.
 *
 * A process of its own looks (gpu_sampler.h) and is asked every few seconds, less often where a look takes
 * long; not at all where the machine has no such cards. What changes is told to the controller at once.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/agent/agent_private.h"
#include "backend/node/gpu_numbers.h"
#include "backend/node/gpu_sampler.h"
#include "src/base/log.h"
#include "src/base/spawn.h"
#include "src/base/utf8.h"
#include "src/base/xalloc.h"

#define LOOK_MS       5000
#define LOOK_FAST_MS  2000  /* while somebody watches */
#define LOOK_SHARE    20    /* of the time between looks, at most one part in so many is spent looking */
#define START_MS      3000  /* the first look is waited for so long */
#define SILENT_MS     60000 /* without an answer: the driver hangs */
#define SOON_MS       1000
#define AGAIN_MS      60000 /* after the helper has ended */
#define FILE_NAME     "gpus"
#define DEPTH_MAX     64
#define PID_NS_OF_ALL "pid:[4026531836]" /* the kernel's number of the outermost one */
#define LOOK_VARIABLE "STOKER_GPU_LOOK_MS"

extern char **environ;

struct gpus {
    struct agent *a;
    struct cards cards;
    pid_t pid; /* of the helper; 0: none */
    int in;    /* its standard input; -1 */
    struct loop_fd out;
    struct str text;
    struct loop_timer timer;
    struct mono asked_at;
    bool asked, watched, over;
    bool starting;      /* what runs here is not known yet */
    bool pids_are_ours; /* the driver's numbers of processes are those of this /proc */
    int64_t cost_ms, look_ms;
    unsigned failures; /* of helpers, since the last answer */
    uint32_t name_uid;
    char name[64]; /* of that user */
    struct gpu_look look;
    struct mono idle_since[GPU_CARDS_MAX]; /* by number; 0: it works, or is not seen */
    struct msg_agent told;                 /* only gpus, gpu_type, gpus_out, gpus_lost, gpu_notes */
};

/* --- whose is a process --- */

static struct atask *task_above(struct agent *a, struct proc *p)
{
    struct proc at = *p;
    for (int i = 0; i < DEPTH_MAX && at.pid > 1; i++) {
        struct atask *t = idmap_get(&a->by_pid, (uint64_t)at.pid);
        if (t)
            return t;
        if (proc_read(at.ppid, &at) < 0)
            break;
    }
    return NULL;
}

/* Tasks of a job share what it holds. What an earlier agent has launched is not known here: nothing is said
 * against it. */
static bool job_holds(const struct agent *a, uint32_t job, uint32_t card)
{
    list_for_each (t, &a->tasks, struct atask, link)
        if (!t->end && t->st.key.job == job && (!t->gpus_known || cpuset_has(&t->gpus, card)))
            return true;
    return false;
}

/* Of an escaped process at least its user holds the card: he disturbs nobody but himself. */
static bool user_holds(const struct agent *a, uint32_t uid, uint32_t card)
{
    list_for_each (t, &a->tasks, struct atask, link)
        if (a->root && !t->end && t->gpus_known && t->uid == uid && cpuset_has(&t->gpus, card))
            return true;
    return false;
}

/* NVIDIA's own servants keep cards open for everybody. */
static bool is_servant(uint32_t uid, const char *name)
{
    static const char *const names[] = {"nvidia-cuda-mps", "nv-hostengine", "nvidia-persiste"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (uid == 0 && strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* The name service may be slow: it is not asked for the same user at each look. */
static const char *name_of(struct gpus *g, uint32_t uid)
{
    if (g->name[0] && g->name_uid == uid)
        return g->name;
    const struct passwd *pw = getpwuid(uid);
    g->name_uid = uid;
    if (pw)
        snprintf(g->name, sizeof g->name, "%s", pw->pw_name);
    else
        snprintf(g->name, sizeof g->name, "uid %u", uid);
    return g->name;
}

static bool is_stranger(void *ctx, uint32_t card, int32_t pid, char *text, size_t size)
{
    struct agent *a = ctx;
    struct proc p;
    struct stat st;
    char path[64], name[64];
    snprintf(path, sizeof path, "/proc/%d", pid);
    if (a->gpus->starting || !a->gpus->pids_are_ours || proc_read(pid, &p) < 0 || p.state == 'Z' ||
        stat(path, &st) < 0)
        return false;
    const struct atask *t = task_above(a, &p);
    if (t && job_holds(a, t->st.key.job, card))
        return false;
    if (t) {
        snprintf(text, size, "job %u, which does not hold it", t->st.key.job);
        return true;
    }
    snprintf(path, sizeof path, "/proc/%d/comm", pid);
    if (proc_read_file(path, name, sizeof name) <= 0)
        return false;
    name[strcspn(name, "\n")] = '\0';
    if (user_holds(a, st.st_uid, card) || is_servant(st.st_uid, name))
        return false;
    struct str shown = STR_INIT;
    cell_text(&shown, name, -1, false, false);
    snprintf(text, size, "process %d of %s (%s), not of the queue", pid, name_of(a->gpus, st.st_uid),
             shown.s);
    str_fini(&shown);
    return true;
}

/* --- what is told --- */

static void settle(struct gpus *g, struct msg_agent *m)
{
    const struct agent *a = g->a;
    bool believed = a->has_spec && !a->spec.detect;
    uint32_t n = a->has_spec && a->spec.gpus != UINT32_MAX ? a->spec.gpus : m->gpus;
    if (!believed)
        cards_out(&g->cards, n, &m->gpus_out, &m->gpus_lost, &m->gpu_notes);
}

static bool same_texts(const struct strv *a, const struct strv *b)
{
    bool same = a->n == b->n;
    for (size_t i = 0; i < a->n && same; i++)
        same = strcmp(a->v[i], b->v[i]) == 0;
    return same;
}

static bool is_news(const struct msg_agent *a, const struct msg_agent *b)
{
    return a->gpus != b->gpus || !str_eq(a->gpu_type, b->gpu_type) ||
           !cpuset_eq(&a->gpus_out, &b->gpus_out) || !cpuset_eq(&a->gpus_lost, &b->gpus_lost) ||
           !same_texts(&a->gpu_notes, &b->gpu_notes);
}

void gpus_describe(struct agent *a, struct msg_agent *m)
{
    struct gpus *g = a->gpus;
    if (!g)
        return;
    settle(g, m);
    rec_fini(&msg_agent_rec, &g->told);
    g->told = (struct msg_agent){.gpus = m->gpus,
                                 .gpu_type = xstrdup(m->gpu_type),
                                 .gpus_out = m->gpus_out,
                                 .gpus_lost = m->gpus_lost,
                                 .gpu_notes = strv_copy(&m->gpu_notes)};
    if (g->cards.way[0])
        strv_push_take(&m->notes, xasprintf("gpus: %s", g->cards.way));
    else if (g->cards.trouble[0])
        strv_push_take(&m->notes, xasprintf("gpus: not watched (%s)", g->cards.trouble));
    if (g->cards.trouble[0] && g->cards.way[0] && !g->cards.n)
        strv_push_take(&m->notes, xasprintf("gpus: %s", g->cards.trouble));
    if (g->cards.unnamed)
        strv_push_take(&m->notes, xasprintf("gpus: %u more that do not answer", g->cards.unnamed));
    if (!g->pids_are_ours && g->cards.way[0])
        strv_push(&m->notes, "gpus: processes of others cannot be told from jobs (in a container)");
}

static void store(struct gpus *g)
{
    struct str text = STR_INIT;
    cards_save(&g->cards, g->a->probe.boot_id, &text);
    int fd = openat(g->a->dir_fd, FILE_NAME ".tmp", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool ok = fd >= 0 && write(fd, text.s, text.len) == (ssize_t)text.len;
    if (fd >= 0)
        close(fd);
    if (!ok || renameat(g->a->dir_fd, FILE_NAME ".tmp", g->a->dir_fd, FILE_NAME) < 0)
        log_warn("the numbers of the GPUs cannot be kept: %s", strerror(errno));
    str_fini(&text);
}

static void load(struct gpus *g)
{
    int fd = openat(g->a->dir_fd, FILE_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return;
    char *text = xmalloc(GPU_TEXT_MAX);
    ssize_t n = read(fd, text, GPU_TEXT_MAX - 1);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    cards_load(&g->cards, g->a->probe.boot_id, text);
    free(text);
}

static void set_probe(struct gpus *g)
{
    struct probe *p = &g->a->probe;
    if (!g->cards.n && !g->cards.answered)
        return;
    p->gpus = g->cards.n;
    p->gpu_type[0] = '\0';
    for (uint32_t i = 0; i < g->cards.n && !p->gpu_type[0]; i++)
        probe_gpu_type(g->cards.v[i].is.name, p->gpu_type, sizeof p->gpu_type);
}

/* Looks are samples: a card that works now and then between them is not told from one that never does, but
 * over many minutes it would be seen working. Nobody knows what was while the driver did not answer. */
static void note_idle(struct gpus *g)
{
    for (uint32_t i = 0; i < g->cards.n; i++) {
        const struct card *c = &g->cards.v[i];
        if (c->lost || c->is.busy_pct >= GPU_IDLE_PERCENT)
            g->idle_since[i] = (struct mono){0};
        else if (!g->idle_since[i].ns)
            g->idle_since[i] = mono_read();
    }
}

static uint32_t idle_s(const struct gpus *g, uint32_t i)
{
    int64_t ns = g->idle_since[i].ns ? mono_read().ns - g->idle_since[i].ns : 0;
    return (uint32_t)(ns / NS_PER_S);
}

static void take(struct gpus *g, const struct gpu_look *look)
{
    if (cards_take(&g->cards, look, is_stranger, g->a))
        store(g);
    note_idle(g);
    set_probe(g);
    struct msg_agent m = {0};
    agent_describe_gpus(g->a, &m);
    settle(g, &m);
    bool news = is_news(&m, &g->told);
    for (size_t i = 0; news && i < m.gpu_notes.n; i++)
        if (!strv_has(&g->told.gpu_notes, m.gpu_notes.v[i]))
            log_warn("%s", m.gpu_notes.v[i]);
    for (size_t i = 0; news && i < g->told.gpu_notes.n; i++)
        if (!strv_has(&m.gpu_notes, g->told.gpu_notes.v[i]))
            log_info("over: %s", g->told.gpu_notes.v[i]);
    if (news && g->a->controller)
        agent_tell(g->a);
    rec_fini(&msg_agent_rec, &m);
}

/* --- the helper --- */

static void take_trouble(struct gpus *g, const char *text)
{
    memset(&g->look, 0, sizeof g->look);
    memcpy(g->look.way, g->cards.way, sizeof g->look.way);
    snprintf(g->look.trouble, sizeof g->look.trouble, "%s", text);
    take(g, &g->look);
}

static void close_pipes(struct gpus *g)
{
    loop_unwatch(g->a->loop, &g->out);
    if (g->in >= 0)
        close(g->in);
    if (g->out.fd >= 0)
        close(g->out.fd);
    g->in = g->out.fd = -1;
    g->asked = false;
    str_clear(&g->text);
}

static int spawn(struct gpus *g)
{
    static char option[] = GPUWATCH_OPTION, name[] = "stoker-gpuwatch";
    char *argv[] = {name, option, NULL};
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) < 0)
        return -errno;
    if (pipe2(out, O_CLOEXEC) < 0) {
        close(in[0]);
        close(in[1]);
        return -EMFILE;
    }
    int r = spawn_program(
        &(struct spawn){
            .path = "/proc/self/exe", .argv = argv, .fds = {{in[0], 0}, {out[1], 1}}, .n_fds = 2},
        &g->pid);
    close(in[0]);
    close(out[1]);
    if (r) {
        g->pid = 0;
        close(in[1]);
        close(out[0]);
        return r;
    }
    g->in = in[1];
    g->out.fd = out[0];
    fcntl(g->in, F_SETFL, O_NONBLOCK);
    fcntl(g->out.fd, F_SETFL, O_NONBLOCK);
    return 0;
}

/* False where there is nobody to ask now. */
static bool ask(struct gpus *g)
{
    if (g->in < 0 && (g->pid || spawn(g) < 0))
        return false;
    if (write(g->in, "l", 1) != 1)
        return false;
    g->asked = true;
    g->asked_at = mono_read();
    return true;
}

static void plan(struct gpus *g)
{
    int64_t ms = g->watched && g->look_ms > LOOK_FAST_MS ? LOOK_FAST_MS : g->look_ms;
    loop_timer_set(g->a->loop, &g->timer, ms > g->cost_ms * LOOK_SHARE ? ms : g->cost_ms * LOOK_SHARE);
}

static bool is_whole(const struct str *s)
{
    return (s->len == 2 && strcmp(s->s, ".\n") == 0) ||
           (s->len > 2 && strcmp(s->s + s->len - 3, "\n.\n") == 0);
}

/* Reads what there is. 1: an answer has been taken; 0: not yet; negative: the helper has ended. */
static int read_some(struct gpus *g)
{
    char buf[4096];
    ssize_t n = read(g->out.fd, buf, sizeof buf);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (n <= 0 || g->text.len > GPU_TEXT_MAX)
        return -EPIPE;
    str_append_n(&g->text, buf, (size_t)n);
    if (!is_whole(&g->text))
        return 0;
    g->cost_ms = (mono_read().ns - g->asked_at.ns) / NS_PER_MS;
    g->asked = false;
    g->failures = 0;
    if (gpulook_parse(g->text.s, &g->look) < 0)
        return -EBADMSG;
    str_clear(&g->text);
    take(g, &g->look);
    return 1;
}

/* One that has found neither library nor program ends by itself, and no other is started. After one that
 * ended without an answer another is tried soon: it may have been killed by mistake. */
static void helper_over(struct gpus *g)
{
    bool silent = g->asked;
    close_pipes(g);
    g->over = !silent && !g->cards.way[0] && !g->cards.n;
    g->failures += silent;
    if (silent && g->failures > 1)
        take_trouble(g, "nobody who asks it comes back");
    if (!g->over)
        loop_timer_set(g->a->loop, &g->timer, g->failures == 1 ? SOON_MS : AGAIN_MS);
}

static void on_out(void *ctx, unsigned ready)
{
    (void)ready;
    struct gpus *g = ctx;
    int r = read_some(g);
    if (r < 0)
        helper_over(g);
    else if (r > 0)
        plan(g);
}

static void on_timer(void *ctx)
{
    struct gpus *g = ctx;
    if (g->asked) { /* it may not die of it either: until it does there is no other */
        kill(g->pid, SIGKILL);
        close_pipes(g);
        take_trouble(g, "no answer for a minute");
        loop_timer_set(g->a->loop, &g->timer, AGAIN_MS);
    } else if (ask(g)) {
        if (!g->out.watched)
            loop_watch(g->a->loop, &g->out, LOOP_READ);
        loop_timer_set(g->a->loop, &g->timer, SILENT_MS);
    } else {
        loop_timer_set(g->a->loop, &g->timer, AGAIN_MS);
    }
}

bool gpus_child_ended(struct agent *a, pid_t pid)
{
    if (!gpus_is_child(a, pid))
        return false;
    a->gpus->pid = 0;
    return true;
}

bool gpus_is_child(const struct agent *a, pid_t pid)
{
    return a->gpus && a->gpus->pid && a->gpus->pid == pid;
}

/* --- for the others --- */

void gpus_util(struct agent *a, struct msg_util *u)
{
    const struct gpus *g = a->gpus;
    for (uint32_t i = 0; g && i < g->cards.n; i++) {
        const struct card *c = &g->cards.v[i];
        if (!c->lost)
            *rec_list_push(&u->gpus) = (struct gpu_util){.index = i,
                                                         .busy_pct = c->is.busy_pct,
                                                         .mem_used_mib = c->is.used_mib,
                                                         .mem_mib = c->is.mib,
                                                         .foreign = c->strangers,
                                                         .idle_s = idle_s(g, i)};
    }
}

void gpus_watch(struct agent *a, bool on)
{
    struct gpus *g = a->gpus;
    if (!g || g->watched == on)
        return;
    g->watched = on;
    if (on && !g->asked && !g->over)
        loop_timer_set(a->loop, &g->timer, 0);
}

void gpus_names(struct agent *a, bool always, struct strv *ret)
{
    if (a->gpus)
        cards_names(&a->gpus->cards, always, ret);
}

size_t gpus_minors(const struct agent *a, const struct cpuset *held, uint32_t *ret, size_t max)
{
    const struct cards *c = a->gpus ? &a->gpus->cards : NULL;
    size_t n = 0;
    for (uint32_t i = 0; c && i < c->n && n < max; i++)
        if (!cpuset_has(held, i) && c->v[i].is.minor != UINT32_MAX)
            ret[n++] = c->v[i].is.minor;
    return n;
}

/* --- start and end --- */

static void first_look(struct gpus *g)
{
    if (!ask(g)) {
        loop_timer_set(g->a->loop, &g->timer, AGAIN_MS);
        return;
    }
    int r = 0;
    for (int64_t left; r == 0 && (left = START_MS - (mono_read().ns - g->asked_at.ns) / NS_PER_MS) > 0;) {
        struct pollfd p = {.fd = g->out.fd, .events = POLLIN};
        if (poll(&p, 1, (int)left) > 0)
            r = read_some(g);
    }
    if (r < 0) {
        helper_over(g);
        return;
    }
    loop_watch(g->a->loop, &g->out, LOOP_READ);
    if (r > 0)
        plan(g);
    else
        loop_timer_set(g->a->loop, &g->timer, SILENT_MS);
}

void gpus_start(struct agent *a)
{
    if (!gpuwatch_is_needed())
        return;
    struct gpus *g = xcalloc(1, sizeof *g);
    char ns[64];
    ssize_t n = readlink("/proc/self/ns/pid", ns, sizeof ns - 1);
    ns[n > 0 ? n : 0] = '\0';
    const char *ms = getenv(LOOK_VARIABLE);
    a->gpus = g;
    g->a = a;
    g->in = -1;
    g->out = (struct loop_fd){.fd = -1, .fn = on_out, .ctx = g};
    g->timer = (struct loop_timer){.fn = on_timer, .ctx = g};
    g->text = (struct str)STR_INIT;
    g->pids_are_ours = strcmp(ns, PID_NS_OF_ALL) == 0 || getenv(GPUWATCH_NVML);
    g->look_ms = ms && atoi(ms) > 0 ? atoi(ms) : LOOK_MS;
    load(g);
    set_probe(g);
    g->starting = true;
    first_look(g);
    g->starting = false;
}

void gpus_stop(struct agent *a)
{
    struct gpus *g = a->gpus;
    if (!g)
        return;
    close_pipes(g); /* which ends the helper */
    loop_timer_cancel(a->loop, &g->timer);
    rec_fini(&msg_agent_rec, &g->told);
    str_fini(&g->text);
    free(g);
    a->gpus = NULL;
}
