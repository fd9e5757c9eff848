#include "backend/node/node_gpus.h"

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

#include "backend/node/gpu_numbers.h"
#include "backend/node/gpu_sampler.h"
#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/os/file.h"
#include "src/os/log.h"

#define LOOK_MS       5000
#define LOOK_FAST_MS  2000  /* while a client watches */
#define LOOK_SHARE    20    /* of the time between looks, at most one part in LOOK_SHARE is spent looking */
#define START_MS      3000  /* the longest wait for the first look */
#define SILENT_MS     60000 /* without an answer: the driver hangs */
#define SOON_MS       1000
#define AGAIN_MS      60000 /* after the helper has ended */
#define FILE_NAME     "gpus"
#define PID_NS_OF_ALL "pid:[4026531836]" /* the kernel's number of the outermost one */

struct node_gpus {
    struct node_gpus_config cfg;
    struct gpu_numbers numbers;
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
    struct gpu_sample look;
    struct mono idle_since[GPU_DEVICES_MAX]; /* by number; 0: it works, or is not seen */
    struct msg_agent told;                   /* only gpus, gpu_type, gpus_out, gpus_lost, gpu_notes */
};

/* NVIDIA's own services keep GPUs open for all users. */
static bool gpus_is_servant(uint32_t uid, const char *name)
{
    static const char *const names[] = {"nvidia-cuda-mps", "nv-hostengine", "nvidia-persiste"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (uid == 0 && strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* The name service may be slow: it is not asked for the same user at each look. */
static const char *gpus_name_of(struct node_gpus *g, uint32_t uid)
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

static bool gpus_is_stranger(void *ctx, uint32_t gpu, int32_t pid, char *text, size_t size)
{
    struct node_gpus *g = ctx;
    const struct node_gpus_ops *ops = g->cfg.ops;
    struct proc p;
    uint32_t job;
    struct stat st;
    char path[64], name[64];
    snprintf(path, sizeof path, "/proc/%d", pid);
    if (g->starting || !g->pids_are_ours || proc_read(pid, &p) < 0 || p.state == 'Z' || stat(path, &st) < 0)
        return false;
    if (ops->find_job(g->cfg.ctx, &p, &job)) {
        if (ops->job_holds(g->cfg.ctx, job, gpu))
            return false;
        snprintf(text, size, "job %u, which does not hold it", job);
        return true;
    }
    snprintf(path, sizeof path, "/proc/%d/comm", pid);
    if (proc_read_file(path, name, sizeof name) <= 0)
        return false;
    name[strcspn(name, "\n")] = '\0';
    if (ops->user_holds(g->cfg.ctx, st.st_uid, gpu) || gpus_is_servant(st.st_uid, name))
        return false;
    struct str shown = STR_INIT;
    cell_text(&shown, name, -1, false, false);
    snprintf(text, size, "process %d of %s (%s), not of the queue", pid, gpus_name_of(g, st.st_uid),
             shown.s);
    str_fini(&shown);
    return true;
}

/* --- what is told --- */

static void gpus_settle(struct node_gpus *g, struct msg_agent *m)
{
    const struct node_facts *facts = g->cfg.facts;
    bool believed = facts->has_spec && !facts->spec.detect;
    uint32_t n = facts->has_spec && facts->spec.gpus != UINT32_MAX ? facts->spec.gpus : m->gpus;
    if (!believed)
        gpu_numbers_out(&g->numbers, n, &m->gpus_out, &m->gpus_lost, &m->gpu_notes);
}

static bool gpus_same_texts(const struct strv *a, const struct strv *b)
{
    bool same = a->n == b->n;
    for (size_t i = 0; i < a->n && same; i++)
        same = strcmp(a->v[i], b->v[i]) == 0;
    return same;
}

static bool gpus_is_news(const struct msg_agent *a, const struct msg_agent *b)
{
    return a->gpus != b->gpus || !str_eq(a->gpu_type, b->gpu_type) ||
           !cpuset_eq(&a->gpus_out, &b->gpus_out) || !cpuset_eq(&a->gpus_lost, &b->gpus_lost) ||
           !gpus_same_texts(&a->gpu_notes, &b->gpu_notes);
}

void node_gpus_describe(struct node_gpus *g, struct msg_agent *m)
{
    if (!g)
        return;
    gpus_settle(g, m);
    rec_fini(&msg_agent_rec, &g->told);
    g->told = (struct msg_agent){.gpus = m->gpus,
                                 .gpu_type = xstrdup(m->gpu_type),
                                 .gpus_out = m->gpus_out,
                                 .gpus_lost = m->gpus_lost,
                                 .gpu_notes = strv_copy(&m->gpu_notes)};
    if (g->numbers.way[0])
        strv_push_take(&m->notes, xasprintf("gpus: %s", g->numbers.way));
    else if (g->numbers.trouble[0])
        strv_push_take(&m->notes, xasprintf("gpus: not watched (%s)", g->numbers.trouble));
    if (g->numbers.trouble[0] && g->numbers.way[0] && !g->numbers.n)
        strv_push_take(&m->notes, xasprintf("gpus: %s", g->numbers.trouble));
    if (g->numbers.unnamed)
        strv_push_take(&m->notes, xasprintf("gpus: %u more that do not answer", g->numbers.unnamed));
    if (!g->pids_are_ours && g->numbers.way[0])
        strv_push(&m->notes, "gpus: processes of others cannot be told from jobs (in a container)");
}

static void gpus_store(struct node_gpus *g)
{
    struct str text = STR_INIT;
    gpu_numbers_save(&g->numbers, g->cfg.facts->probe.boot_id, &text);
    int fd = openat(g->cfg.dir_fd, FILE_NAME ".tmp", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool ok = fd >= 0 && file_write_fd(fd, text.s, text.len) == 0;
    if (fd >= 0)
        close(fd);
    if (!ok || renameat(g->cfg.dir_fd, FILE_NAME ".tmp", g->cfg.dir_fd, FILE_NAME) < 0)
        log_warn("the numbers of the GPUs cannot be kept: %s", strerror(errno));
    str_fini(&text);
}

static void gpus_load(struct node_gpus *g)
{
    int fd = openat(g->cfg.dir_fd, FILE_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return;
    struct str text = STR_INIT;
    file_read_fd(fd, GPU_TEXT_MAX, &text);
    close(fd);
    gpu_numbers_load(&g->numbers, g->cfg.facts->probe.boot_id, text.s);
    str_fini(&text);
}

static void gpus_set_probe(struct node_gpus *g)
{
    struct probe *p = &g->cfg.facts->probe;
    if (!g->numbers.n && !g->numbers.answered)
        return;
    p->gpus = g->numbers.n;
    p->gpu_type[0] = '\0';
    for (uint32_t i = 0; i < g->numbers.n && !p->gpu_type[0]; i++)
        probe_gpu_type(g->numbers.v[i].is.name, p->gpu_type, sizeof p->gpu_type);
}

/* Looks are samples: a GPU that works now and then between them is not told from one that never does,
 * but over many minutes it would be seen working. What happened while the driver did not answer is not
 * known. */
static void gpus_note_idle(struct node_gpus *g)
{
    for (uint32_t i = 0; i < g->numbers.n; i++) {
        const struct gpu_device *c = &g->numbers.v[i];
        if (c->lost || c->is.busy_pct >= GPU_IDLE_PERCENT)
            g->idle_since[i] = (struct mono){0};
        else if (!g->idle_since[i].ns)
            g->idle_since[i] = mono_read();
    }
}

static uint32_t gpus_idle_s(const struct node_gpus *g, uint32_t i)
{
    int64_t ns = g->idle_since[i].ns ? mono_read().ns - g->idle_since[i].ns : 0;
    return (uint32_t)(ns / NS_PER_S);
}

static void gpus_take(struct node_gpus *g, const struct gpu_sample *look)
{
    if (gpu_numbers_take(&g->numbers, look, gpus_is_stranger, g))
        gpus_store(g);
    gpus_note_idle(g);
    gpus_set_probe(g);
    struct msg_agent m = {0};
    node_facts_describe_gpus(g->cfg.facts, &m);
    gpus_settle(g, &m);
    bool news = gpus_is_news(&m, &g->told);
    for (size_t i = 0; news && i < m.gpu_notes.n; i++)
        if (!strv_has(&g->told.gpu_notes, m.gpu_notes.v[i]))
            log_warn("%s", m.gpu_notes.v[i]);
    for (size_t i = 0; news && i < g->told.gpu_notes.n; i++)
        if (!strv_has(&m.gpu_notes, g->told.gpu_notes.v[i]))
            log_info("over: %s", g->told.gpu_notes.v[i]);
    if (news)
        g->cfg.ops->on_change(g->cfg.ctx);
    g->cfg.ops->on_sample(g->cfg.ctx);
    rec_fini(&msg_agent_rec, &m);
}

/* --- the helper --- */

static void gpus_take_trouble(struct node_gpus *g, const char *text)
{
    memset(&g->look, 0, sizeof g->look);
    memcpy(g->look.way, g->numbers.way, sizeof g->look.way);
    snprintf(g->look.trouble, sizeof g->look.trouble, "%s", text);
    gpus_take(g, &g->look);
}

static void gpus_close_pipes(struct node_gpus *g)
{
    loop_unwatch(g->cfg.loop, &g->out);
    if (g->in >= 0)
        close(g->in);
    if (g->out.fd >= 0)
        close(g->out.fd);
    g->in = g->out.fd = -1;
    g->asked = false;
    str_clear(&g->text);
}

static int gpus_spawn(struct node_gpus *g)
{
    static char option[] = GPU_SAMPLER_OPTION, name[] = "stoker-gpuwatch";
    char *argv[] = {name, option, NULL};
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) < 0)
        return -errno;
    if (pipe2(out, O_CLOEXEC) < 0) {
        close(in[0]);
        close(in[1]);
        return -EMFILE;
    }
    int r = spawner_start(
        &g->cfg.spawner,
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

/* False where no helper can be asked now. */
static bool gpus_ask(struct node_gpus *g)
{
    if (g->in < 0 && (g->pid || gpus_spawn(g) < 0))
        return false;
    if (write(g->in, "l", 1) != 1)
        return false;
    g->asked = true;
    g->asked_at = mono_read();
    return true;
}

static void gpus_plan(struct node_gpus *g)
{
    int64_t ms = g->watched && g->look_ms > LOOK_FAST_MS ? LOOK_FAST_MS : g->look_ms;
    loop_timer_set(g->cfg.loop, &g->timer, ms > g->cost_ms * LOOK_SHARE ? ms : g->cost_ms * LOOK_SHARE);
}

static bool gpus_is_whole(const struct str *s)
{
    return (s->len == 2 && strcmp(s->s, ".\n") == 0) ||
           (s->len > 2 && strcmp(s->s + s->len - 3, "\n.\n") == 0);
}

/* Reads what there is. 1: an answer has been taken; 0: not yet; negative: the helper has ended. */
static int gpus_read_some(struct node_gpus *g)
{
    char buf[4096];
    ssize_t n = read(g->out.fd, buf, sizeof buf);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (n <= 0 || g->text.len > GPU_TEXT_MAX)
        return -EPIPE;
    str_append_n(&g->text, buf, (size_t)n);
    if (!gpus_is_whole(&g->text))
        return 0;
    g->cost_ms = (mono_read().ns - g->asked_at.ns) / NS_PER_MS;
    g->asked = false;
    g->failures = 0;
    if (gpu_sample_parse(g->text.s, &g->look) < 0)
        return -EBADMSG;
    str_clear(&g->text);
    gpus_take(g, &g->look);
    return 1;
}

/* One that has found neither library nor program ends by itself, and no other is started. After one that
 * ended without an answer another is tried soon: it may have been killed by mistake. */
static void gpus_helper_over(struct node_gpus *g)
{
    bool silent = g->asked;
    gpus_close_pipes(g);
    g->over = !silent && !g->numbers.way[0] && !g->numbers.n;
    g->failures += silent;
    if (silent && g->failures > 1)
        gpus_take_trouble(g, "two samplers in a row ended without an answer");
    if (!g->over)
        loop_timer_set(g->cfg.loop, &g->timer, g->failures == 1 ? SOON_MS : AGAIN_MS);
}

static void gpus_on_out(void *ctx, unsigned ready)
{
    (void)ready;
    struct node_gpus *g = ctx;
    int r = gpus_read_some(g);
    if (r < 0)
        gpus_helper_over(g);
    else if (r > 0)
        gpus_plan(g);
}

static void gpus_on_timer(void *ctx)
{
    struct node_gpus *g = ctx;
    if (g->asked) { /* it may not die of it either: until it does there is no other */
        kill(g->pid, SIGKILL);
        gpus_close_pipes(g);
        gpus_take_trouble(g, "no answer for a minute");
        loop_timer_set(g->cfg.loop, &g->timer, AGAIN_MS);
    } else if (gpus_ask(g)) {
        if (!g->out.watched)
            loop_watch(g->cfg.loop, &g->out, LOOP_READ);
        loop_timer_set(g->cfg.loop, &g->timer, SILENT_MS);
    } else {
        loop_timer_set(g->cfg.loop, &g->timer, AGAIN_MS);
    }
}

bool node_gpus_is_child(const struct node_gpus *g, pid_t pid)
{
    return g && g->pid && g->pid == pid;
}

bool node_gpus_child_ended(struct node_gpus *g, pid_t pid)
{
    if (!node_gpus_is_child(g, pid))
        return false;
    g->pid = 0;
    return true;
}

/* --- figures --- */

void node_gpus_usage(const struct node_gpus *g, struct msg_util *u)
{
    for (uint32_t i = 0; g && i < g->numbers.n; i++) {
        const struct gpu_device *c = &g->numbers.v[i];
        if (!c->lost)
            *rec_list_push(&u->gpus) = (struct gpu_util){.index = i,
                                                         .busy_pct = c->is.busy_pct,
                                                         .mem_used_mib = c->is.used_mib,
                                                         .mem_mib = c->is.mib,
                                                         .foreign = c->strangers,
                                                         .idle_s = gpus_idle_s(g, i)};
    }
}

void node_gpus_watch(struct node_gpus *g, bool on)
{
    if (!g || g->watched == on)
        return;
    g->watched = on;
    if (on && !g->asked && !g->over)
        loop_timer_set(g->cfg.loop, &g->timer, 0);
}

void node_gpus_names(const struct node_gpus *g, bool always, struct strv *ret)
{
    if (g)
        gpu_numbers_names(&g->numbers, always, ret);
}

size_t node_gpus_minors(const struct node_gpus *g, const struct cpuset *held, uint32_t *ret, size_t max)
{
    const struct gpu_numbers *c = g ? &g->numbers : NULL;
    size_t n = 0;
    for (uint32_t i = 0; c && i < c->n && n < max; i++)
        if (!cpuset_has(held, i) && c->v[i].is.minor != UINT32_MAX)
            ret[n++] = c->v[i].is.minor;
    return n;
}

/* --- start and end --- */

static void gpus_first_look(struct node_gpus *g)
{
    if (!gpus_ask(g)) {
        loop_timer_set(g->cfg.loop, &g->timer, AGAIN_MS);
        return;
    }
    int r = 0;
    for (int64_t left; r == 0 && (left = START_MS - (mono_read().ns - g->asked_at.ns) / NS_PER_MS) > 0;) {
        struct pollfd p = {.fd = g->out.fd, .events = POLLIN};
        if (poll(&p, 1, (int)left) > 0)
            r = gpus_read_some(g);
    }
    if (r < 0) {
        gpus_helper_over(g);
        return;
    }
    loop_watch(g->cfg.loop, &g->out, LOOP_READ);
    if (r > 0)
        gpus_plan(g);
    else
        loop_timer_set(g->cfg.loop, &g->timer, SILENT_MS);
}

struct node_gpus *node_gpus_new(const struct node_gpus_config *cfg)
{
    if (!cfg->test_nvml && !gpu_sampler_is_needed())
        return NULL;
    struct node_gpus *g = xcalloc(1, sizeof *g);
    char ns[64];
    ssize_t n = readlink("/proc/self/ns/pid", ns, sizeof ns - 1);
    ns[n > 0 ? n : 0] = '\0';
    g->cfg = *cfg;
    g->in = -1;
    g->out = (struct loop_fd){.fd = -1, .fn = gpus_on_out, .ctx = g};
    g->timer = (struct loop_timer){.fn = gpus_on_timer, .ctx = g};
    g->text = (struct str)STR_INIT;
    g->pids_are_ours = strcmp(ns, PID_NS_OF_ALL) == 0 || cfg->test_nvml;
    g->look_ms = cfg->look_ms ? cfg->look_ms : LOOK_MS;
    gpus_load(g);
    gpus_set_probe(g);
    g->starting = true;
    gpus_first_look(g);
    g->starting = false;
    return g;
}

void node_gpus_free(struct node_gpus *g)
{
    if (!g)
        return;
    gpus_close_pipes(g); /* which ends the helper */
    loop_timer_cancel(g->cfg.loop, &g->timer);
    rec_fini(&msg_agent_rec, &g->told);
    str_fini(&g->text);
    free(g);
}
