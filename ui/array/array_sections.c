/* array_sections.c - the sections of an array's page: what runs, how elements failed, how long they take,
 * what they use. */
#include <stdio.h>
#include <stdlib.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/model/jobeffective.h"
#include "src/text/jobtext.h"
#include "src/text/jobuse.h"
#include "src/values/units.h"
#include "ui/array/array_internal.h"
#include "ui/info/job_efficiency.h"
#include "ui/info/job_info.h"
#include "ui/text/view_text.h"
#include "ui/widget/bar.h"
#include "ui/widget/graph.h"

#define INDENT     2
#define RUN_BAR    10
#define TIME_CELLS 9 /* "1-02:03:04" and a blank are rare */
#define BIN_BAR    24
#define TRAIL      8  /* cells of the trail of a GPU */
#define TRAIL_FROM 84 /* cells of a row that has room for it */
#define USE_BAR    12
#define USE_LABEL  8
#define NODE_MOST  18  /* of a node's name */
#define USE_MOST   500 /* elements that are looked at */
#define LIST_MOST  120 /* bytes of a list of indices */

static struct rich *section(struct lines *l, enum role role, const char *title)
{
    if (l->n)
        lines_add(l);
    return lines_addf(l, role, "%s", title);
}

/* --- what runs --- */

struct run_columns {
    int index, node;
    uint32_t usual_s; /* of which the bars show a part; 0: no bars */
    bool trail;       /* the GPU of some has been measured, and there is room to show it */
};

/* How busy the job's first GPU was in the last minutes; NULL: that was not measured. */
static const struct recent *gpu_past(const struct array_screen *a, const struct job *j)
{
    const struct util_past *past = j->alloc.n ? ui_util_past(a->v.ui, j->alloc.v[0].node) : NULL;
    for (unsigned i = 0; past && i < past->n_gpus && i < CPUSET_MAX; i++)
        if (cpuset_has(&j->alloc.v[0].gpus, i))
            return recent_is_empty(&past->gpus[i], ui_mono(a->v.ui)) ? NULL : &past->gpus[i];
    return NULL;
}

static void node_text(struct str *out, const struct job *j)
{
    jobtext_nodes(out, j);
    if (j->alloc.n != 1 || cpuset_is_empty(&j->alloc.v[0].gpus))
        return;
    char *gpus = cpuset_format(&j->alloc.v[0].gpus);
    str_appendf(out, "/%s", gpus);
    free(gpus);
}

static int index_cells(const struct array_elements *e)
{
    char b[16];
    return e->v.n ? snprintf(b, sizeof b, "_%u", e->v.v[e->v.n - 1].index) : 2;
}

static struct run_columns run_columns(const struct array_screen *a, int width, size_t max)
{
    const struct array_elements *e = &a->e;
    struct run_columns c = {.index = index_cells(e), .usual_s = a->times.median_s};
    size_t n = 0;
    for (size_t i = 0; i < e->v.n && n < max; i++) {
        const struct job *j = e->v.v[i].job;
        if (e->v.v[i].is != ELEMENT_RUNNING)
            continue;
        struct str s = STR_INIT;
        node_text(&s, j);
        c.node = cell_width(s.s) > c.node ? cell_width(s.s) : c.node;
        str_fini(&s);
        c.trail |= width >= TRAIL_FROM && gpu_past(a, j);
        uint32_t limit = a->times.n ? 0 : job_limit_s(j, ui_model(a->v.ui));
        if (!a->times.n && limit < DURATION_NOT_SET && limit > c.usual_s)
            c.usual_s = limit;
        n++;
    }
    c.node = c.node > NODE_MOST ? NODE_MOST : c.node;
    return c;
}

static void add_padded(struct rich *r, enum role role, const char *text, int width)
{
    rich_add(r, role, text);
    for (int i = cell_width(text); i < width; i++)
        rich_add(r, role, " ");
}

/* A program's line in what is left of the row: lines that ran on would hide what stands below. */
static void add_cut(struct rich *r, enum role role, const char *text, int room)
{
    if (room < 1)
        return;
    cell_text(&r->text, text, room, true, false);
    rich_role(r, role);
}

static void running_line(const struct array_screen *a, const struct array_element *x,
                         const struct run_columns *c, struct lines *l, int width)
{
    struct rich *r = lines_add(l);
    struct str node = STR_INIT;
    char index[16], time[UNITS_TEXT_SIZE];
    uint32_t ran = job_run_s(x->job, ui_now(a->v.ui));
    bool slow = a->times.n && ran > a->times.slowest_s;
    snprintf(index, sizeof index, "_%u", x->index);
    node_text(&node, x->job);
    rich_addf(r, ROLE_DIM, "%*s%*s  ", INDENT, "", c->index, index);
    add_padded(r, ROLE_NORMAL, node.s, c->node);
    rich_add(r, ROLE_NORMAL, "  ");
    if (c->usual_s) {
        struct bar_part part = {.n = ran < c->usual_s ? ran : c->usual_s, .role = ROLE_BAR_RUN};
        bar_add(r, &part, 1, c->usual_s, RUN_BAR);
    }
    rich_addf(r, slow ? ROLE_WARM : ROLE_NORMAL, " %*s  ", TIME_CELLS - 1, duration_format(ran, time));
    const char *line = output_tails_line(a->tails, x->job->id);
    const struct recent *gpu = c->trail ? gpu_past(a, x->job) : NULL;
    int room = width - cell_width(r->text.s) - (c->trail ? TRAIL + 2 : 0);
    add_cut(r, ROLE_NORMAL, line ? line : "", room);
    if (gpu) {
        rich_addf(r, ROLE_NORMAL, "%*s", width - TRAIL - cell_width(r->text.s), "");
        graph_add(r, gpu, ui_mono(a->v.ui), TRAIL, 1, 0, ROLE_BAR_USED);
    }
    str_fini(&node);
}

void array_add_running(const struct array_screen *a, struct lines *l, int width, size_t max)
{
    const struct array_elements *e = &a->e;
    uint32_t running = e->counts[ELEMENT_RUNNING];
    if (!running)
        return;
    struct run_columns c = run_columns(a, width, max);
    char usual[UNITS_TEXT_SIZE];
    struct rich *r = section(l, ROLE_NODE_FULL, tr("Running"));
    rich_addf(r, ROLE_DIM, tr("  %u with their last lines"), running);
    if (c.usual_s)
        rich_addf(r, ROLE_DIM,
                  a->times.n ? tr(" \u00b7 bars: of the usual %s") : tr(" \u00b7 bars: of the limit of %s"),
                  duration_format(c.usual_s, usual));
    if (c.trail)
        rich_add(r, ROLE_DIM, tr(" \u00b7 dots: use of the GPU"));
    size_t n = 0;
    for (size_t i = 0; i < e->v.n && n < max; i++)
        if (e->v.v[i].is == ELEMENT_RUNNING) {
            running_line(a, &e->v.v[i], &c, l, width);
            n++;
        }
    if (running > n)
        lines_addf(l, ROLE_DIM, tr("%*sand %zu more"), INDENT + c.index + 2, "", running - n);
}

/* --- how they failed --- */

static void add_peaks(const struct array_screen *a, const struct array_failure *f, struct lines *l)
{
    struct job_use use;
    uint64_t failed = 0, others = 0, limit = 0;
    char b[UNITS_TEXT_SIZE];
    for (size_t i = 0; i < f->places.n && i < USE_MOST; i++) {
        job_use(&use, a->e.v.v[f->places.v[i]].job, ui_model(a->v.ui), ui_now(a->v.ui));
        failed = use.peak_kib > failed ? use.peak_kib : failed;
        limit = use.mem_mib;
    }
    for (size_t i = 0, n = 0; i < a->e.v.n && n < USE_MOST; i++)
        if (a->e.v.v[i].is == ELEMENT_DONE && a->e.v.v[i].job) {
            job_use(&use, a->e.v.v[i].job, ui_model(a->v.ui), ui_now(a->v.ui));
            others = use.peak_kib > others ? use.peak_kib : others;
            n++;
        }
    if (!failed)
        return;
    struct rich *r = lines_addf(l, ROLE_DIM, tr("    memory peaked at %s"), mem_format_words(failed, b));
    if (limit)
        rich_addf(r, ROLE_DIM, tr(" of %s"), mem_format_slurm(limit, b));
    if (others)
        rich_addf(r, ROLE_DIM, tr("; elements that succeeded at %s or less"), mem_format_words(others, b));
    r->hang = INDENT + 2;
}

static void failure_lines(const struct array_screen *a, const struct array_failure *f, struct lines *l)
{
    uint32_t *indices = xreallocarray(NULL, f->places.n, sizeof *indices);
    struct str list = STR_INIT;
    struct rich words, *r = lines_addf(l, ROLE_NORMAL, "%*s", INDENT, "");
    for (size_t i = 0; i < f->places.n; i++)
        indices[i] = a->e.v.v[f->places.v[i]].index;
    arraytext_indices(&list, indices, f->places.n, LIST_MOST);
    rich_init(&words);
    job_words(&words, f->like);
    rich_addf(r, ROLE_FAILED, "%zu", f->places.n);
    rich_addf(r, ROLE_ERROR, " %s", words.text.s);
    rich_addf(r, ROLE_NORMAL, trn("  element %s", "  elements %s", f->places.n), list.s);
    r->hang = INDENT + 2;
    rich_fini(&words);
    str_fini(&list);
    free(indices);
    if (!str_is_empty(f->line)) {
        r = lines_addf(l, ROLE_STRONG, "%*s%s", INDENT + 2, "", f->line);
        r->hang = INDENT + 2;
    }
    if (f->like->state == JOB_OUT_OF_MEMORY)
        add_peaks(a, f, l);
}

void array_add_failed(const struct array_screen *a, struct lines *l, int width)
{
    const struct array_failures *f = &a->failures;
    (void)width;
    if (!f->n && !f->unknown)
        return;
    struct rich *r = section(l, ROLE_FAILED, tr("Failed"));
    struct str key = STR_INIT;
    if (f->v.n == 1 && f->n > 1)
        rich_addf(r, ROLE_DIM, tr("  %u elements, all in the same way"), f->n);
    else if (f->v.n > 1)
        rich_addf(r, ROLE_DIM, tr("  %u elements in %zu ways"), f->n, f->v.n);
    keymap_format(ui_keymap(a->v.ui), ACTION_FAILED_ONLY, true, &key);
    if (key.len) {
        rich_add(r, ROLE_DIM, "   ");
        rich_add(r, ROLE_KEY, key.s);
        rich_add(r, ROLE_DIM, tr(" runs them again"));
    }
    str_fini(&key);
    vec_for_each (&f->v, i)
        failure_lines(a, &f->v.v[i], l);
    if (f->unknown)
        lines_addf(l, ROLE_DIM, tr("%*s%u more have left the queue"), INDENT, "", f->unknown);
}

/* --- how long they take --- */

static void add_time(const struct array_screen *a, struct rich *r, const char *word, uint32_t s,
                     size_t place)
{
    char b[UNITS_TEXT_SIZE];
    rich_addf(r, ROLE_STRONG, "%s", duration_format(s, b));
    rich_addf(r, ROLE_LABEL, " %s", word);
    if (place < a->e.v.n)
        rich_addf(r, ROLE_LABEL, " _%u", a->e.v.v[place].index);
}

static void time_bins(const struct array_times *t, struct lines *l, int width)
{
    char from[UNITS_TEXT_SIZE], count[16];
    uint32_t most = 1;
    for (uint32_t i = 0; i < t->n_bins; i++)
        most = t->bins[i] > most ? t->bins[i] : most;
    int room = width - INDENT - TIME_CELLS - 2 - snprintf(count, sizeof count, "%u", most);
    room = room > BIN_BAR ? BIN_BAR : room < 1 ? 1 : room;
    for (uint32_t i = 0; i < t->n_bins; i++) {
        struct rich *r = lines_addf(l, ROLE_LABEL, "%*s%*s ", INDENT, "", TIME_CELLS - 1,
                                    duration_format(t->first_s + i * t->bin_s, from));
        struct bar_part part = {.n = 1, .role = ROLE_BAR_USED};
        bar_add(r, &part, 1, 1, (int)(((uint64_t)t->bins[i] * (uint64_t)room + most - 1) / most));
        rich_addf(r, ROLE_NORMAL, t->bins[i] ? " %u" : "%u", t->bins[i]);
    }
}

void array_add_times(const struct array_screen *a, struct lines *l, int width)
{
    const struct array_times *t = &a->times;
    if (!t->n)
        return;
    struct rich *r = section(l, ROLE_TITLE, tr("Run times"));
    rich_addf(r, ROLE_DIM, trn("  of %u element that is done", "  of %u elements that are done", t->n),
              t->n);
    r = lines_addf(l, ROLE_NORMAL, "%*s", INDENT, "");
    add_time(a, r, tr("fastest"), t->fastest_s, t->fastest);
    rich_add(r, ROLE_LABEL, "   ");
    add_time(a, r, tr("median"), t->median_s, SIZE_MAX);
    rich_add(r, ROLE_LABEL, "   ");
    add_time(a, r, tr("slowest"), t->slowest_s, t->slowest);
    r->hang = INDENT;
    if (t->n_bins > 1)
        time_bins(t, l, width);
}

/* --- what they use --- */

struct use_sum {
    uint64_t cpu_ms, had_ms, peak_kib, mem_mib;
    uint64_t gpu_s, gpu_busy; /* GPU seconds that were measured; the same times percent busy */
    uint32_t n, cpus;
};

/* Of very many elements some of each part are enough. */
static struct use_sum sum_use(const struct array_screen *a)
{
    const struct array_elements *e = &a->e;
    struct use_sum sum = {.n = 0};
    size_t step = e->v.n / USE_MOST + 1;
    for (size_t i = 0; i < e->v.n; i += step) {
        struct job_use use;
        const struct job *j = e->v.v[i].job;
        if (!j || e->v.v[i].is == ELEMENT_WAITING || e->v.v[i].is == ELEMENT_RUNNING)
            continue;
        job_use(&use, j, ui_model(a->v.ui), ui_now(a->v.ui));
        if (use.cpu_measured) {
            sum.cpu_ms += use.cpu_ms;
            sum.had_ms += (uint64_t)use.ran_s * job_cpus(j) * 1000;
        }
        if (use.gpu_percent >= 0) {
            sum.gpu_s += (uint64_t)use.ran_s * job_gpus(j);
            sum.gpu_busy += (uint64_t)use.ran_s * job_gpus(j) * (unsigned)use.gpu_percent;
        }
        sum.peak_kib = use.peak_kib > sum.peak_kib ? use.peak_kib : sum.peak_kib;
        sum.mem_mib = use.mem_mib ? use.mem_mib : sum.mem_mib;
        sum.cpus = job_cpus(j);
        sum.n++;
    }
    return sum;
}

/* The mean of the GPUs that running elements have; -1: none was measured just now. */
static int gpus_busy(const struct array_screen *a, unsigned *ret_n)
{
    unsigned sum = 0;
    *ret_n = 0;
    for (size_t i = 0; i < a->e.v.n; i++) {
        const struct array_element *x = &a->e.v.v[i];
        for (size_t k = 0; x->is == ELEMENT_RUNNING && k < x->job->alloc.n; k++) {
            const struct alloc *on = &x->job->alloc.v[k];
            const struct msg_util *u = ui_util(a->v.ui, on->node);
            for (size_t g = 0; u && g < u->gpus.n; g++)
                if (cpuset_has(&on->gpus, u->gpus.v[g].index)) {
                    sum += u->gpus.v[g].busy_pct;
                    ++*ret_n;
                }
        }
    }
    return *ret_n ? (int)(sum / *ret_n) : -1;
}

static struct rich *array_use_line(struct lines *l, const char *label, int percent)
{
    struct rich *r = lines_addf(l, ROLE_LABEL, "%*s%-*s", INDENT, "", USE_LABEL, label);
    struct bar_part part = {.n = (uint64_t)(percent > 100 ? 100 : percent), .role = ROLE_BAR_USED};
    bar_add(r, &part, 1, 100, USE_BAR);
    rich_addf(r, ROLE_NORMAL, " %3d%%  ", percent);
    r->hang = INDENT + USE_LABEL;
    return r;
}

void array_add_use(const struct array_screen *a, struct lines *l, int width)
{
    (void)width;
    struct use_sum sum = sum_use(a);
    unsigned gpus;
    char b[UNITS_TEXT_SIZE];
    int busy = gpus_busy(a, &gpus);
    bool cpus = sum.had_ms > 0, memory = sum.peak_kib && sum.mem_mib;
    if (busy < 0 && !cpus && !memory && !sum.gpu_s)
        return;
    section(l, ROLE_TITLE, tr("Use"));
    if (busy >= 0)
        rich_addf(array_use_line(l, tr("GPU"), busy), ROLE_DIM,
                  gpus == 1 ? tr("now, %u GPU") : tr("now, mean of %u GPUs"), gpus);
    else if (sum.gpu_s)
        rich_add(array_use_line(l, tr("GPU"), (int)(sum.gpu_busy / sum.gpu_s)), ROLE_DIM,
                 tr("of the GPUs of elements that have ended"));
    if (cpus)
        rich_addf(array_use_line(l, tr("CPU"), (int)(sum.cpu_ms * 100 / sum.had_ms)), ROLE_DIM,
                  trn("of %u CPU each", "of %u CPUs each", sum.cpus), sum.cpus);
    if (memory) {
        struct rich *r = array_use_line(l, tr("memory"), (int)(sum.peak_kib * 100 / (sum.mem_mib * 1024)));
        rich_add(r, ROLE_DIM, mem_format_words(sum.peak_kib, b));
        rich_addf(r, ROLE_DIM, tr(" of %s"), mem_format_slurm(sum.mem_mib, b));
        uint64_t enough = job_use_mem_enough(sum.peak_kib);
        if (enough < sum.mem_mib / 2)
            rich_addf(r, ROLE_GOOD, tr(": %s is enough"), mem_format_slurm(enough, b));
    }
}
