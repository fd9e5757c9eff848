/* use_graphs.c - what a running job uses.
 *
 *      CPU 38% 18.2 of 48         memory 47% 120G of 256G        4 GPUs 93% 288G of 320G
 *      <dots of the last minutes> <dots of the last minutes>     <dots of the last minutes>
 */
#include "ui/jobs/use_graphs.h"

#include <stdio.h>
#include <stdlib.h>

#include "src/lang/lang.h"
#include "ui/frame/job_load.h"
#include "ui/text/view_text.h"
#include "ui/widget/graph.h"

#define ROWS_MAX     3
#define BESIDE_MIN   25 /* cells of a graph with its numbers above it */
#define BESIDE_LINES 3
#define NUMBERS      28 /* cells of the numbers of a line */
#define NODES_MAX    16 /* lines */
#define FULL         90 /* percent of the memory that are worth a warning */

struct use_row {
    char label[24];
    struct rich text;
    struct recent past;
    enum role role;
};

struct use_rows {
    struct use_row v[ROWS_MAX];
    size_t n;
};

static bool use_is_live(const struct job *j)
{
    return j->state == JOB_RUNNING || j->state == JOB_COMPLETING;
}

static void use_rows_fini(struct use_rows *u)
{
    for (size_t i = 0; i < u->n; i++)
        rich_fini(&u->v[i].text);
}

static struct use_row *use_row_add(struct use_rows *u, const char *label, const struct recent *past)
{
    struct use_row *row = &u->v[u->n++];
    *row = (struct use_row){.past = *past, .role = ROLE_BAR_USED};
    snprintf(row->label, sizeof row->label, "%s", label);
    rich_init(&row->text);
    return row;
}

static void use_of_cpus(struct rich *r, const struct live_load *l, unsigned cpus)
{
    if (cpus)
        rich_addf(r, ROLE_STRONG, "%u%%", l->cpu_permille / 10 / cpus);
    rich_addf(r, ROLE_NORMAL, cpus ? tr(" %.1f of %u") : " %.1f", l->cpu_permille / 1000.0, cpus);
}

/* "35% 135G of 384G". Returns how full it is. */
static uint64_t use_of_memory(struct rich *r, uint64_t used_mib, uint64_t mib)
{
    struct str used = STR_INIT, all = STR_INIT;
    uint64_t percent = mib ? used_mib * 100 / mib : 0;
    mem_text(&used, used_mib);
    mem_text(&all, mib);
    if (mib)
        rich_addf(r, percent >= FULL ? ROLE_HOT : ROLE_STRONG, "%llu%%", (unsigned long long)percent);
    rich_addf(r, ROLE_NORMAL, mib ? tr(" %s of %s") : "%s", used.s, all.s);
    str_fini(&used);
    str_fini(&all);
    return percent;
}

static void use_of_gpus(struct rich *r, const struct live_load *l)
{
    struct str used = STR_INIT, all = STR_INIT;
    mem_text(&used, l->gpu_used_mib);
    mem_text(&all, l->gpu_mib);
    rich_addf(r, ROLE_STRONG, "%u%%", l->gpu_percent);
    rich_addf(r, ROLE_NORMAL, tr(" %s of %s"), used.s, all.s);
    str_fini(&used);
    str_fini(&all);
}

static void use_rows_get(struct use_rows *u, const struct ui *ui, const struct job *j)
{
    struct live_load now;
    struct load_past past;
    *u = (struct use_rows){.n = 0};
    bool known = job_load_now(ui, j, NULL, &now);
    bool kept = job_load_past(ui, j, NULL, &past);
    if (!known && !kept)
        return;
    struct use_row *row = use_row_add(u, tr("CPU"), &past.cpu);
    if (now.measured)
        use_of_cpus(&row->text, &now, job_cpus(j));
    row = use_row_add(u, tr("memory"), &past.mem);
    if (now.measured && use_of_memory(&row->text, now.mem_kib / 1024, job_mem_mib(j)) >= FULL)
        row->role = ROLE_BAR_IDLE;
    if (!now.n_gpus && recent_is_empty(&past.gpu, ui_mono(ui)))
        return;
    row = use_row_add(u, tr("GPU"), &past.gpu);
    if (now.n_gpus > 1)
        snprintf(row->label, sizeof row->label, tr("%u GPUs"), now.n_gpus);
    if (now.n_gpus)
        use_of_gpus(&row->text, &now);
}

static int use_columns(const struct job *j, int width)
{
    int n = job_gpus(j) ? 3 : 2;
    return width / n >= BESIDE_MIN ? n : 0;
}

int usegraphs_height(const struct job *j, int width, int room)
{
    int lines = job_gpus(j) ? 3 : 2;
    if (!use_is_live(j) || !job_cpus(j))
        return 0;
    if (use_columns(j, width))
        return room >= 36 ? 5 : room >= 24 ? 4 : BESIDE_LINES;
    return lines;
}

/* The label, the numbers, and what stands there where nothing was measured. */
static void use_heading(const struct use_row *row, struct rich *out)
{
    rich_addf(out, ROLE_DIM, "%s ", row->label);
    if (row->text.text.len)
        rich_append(out, &row->text);
    else
        rich_add(out, ROLE_DIM, tr("not measured now"));
}

static void use_draw_beside(const struct use_rows *u, const struct ui *ui, struct canvas *c, struct rect r)
{
    int w = r.w / (int)u->n;
    for (size_t i = 0; i < u->n; i++) {
        struct rich line;
        struct rect at = rect_make(r.y, r.x + (int)i * w, r.h, w - 2);
        rich_init(&line);
        use_heading(&u->v[i], &line);
        rich_draw(&line, c, at.y, at.x, at.w);
        graph_draw(&u->v[i].past, ui_mono(ui), c, rect_make(at.y + 1, at.x, at.h - 1, at.w), u->v[i].role);
        rich_fini(&line);
    }
}

static void use_draw_lines(const struct use_rows *u, const struct ui *ui, struct canvas *c, struct rect r)
{
    for (size_t i = 0; i < u->n && (int)i < r.h; i++) {
        struct rich line;
        int at = NUMBERS < r.w ? NUMBERS : r.w, left = r.w - at;
        rich_init(&line);
        rich_addf(&line, ROLE_DIM, "%-8s", u->v[i].label);
        if (u->v[i].text.text.len)
            rich_append(&line, &u->v[i].text);
        else
            rich_add(&line, ROLE_DIM, tr("not measured now"));
        rich_draw(&line, c, r.y + (int)i, r.x, at);
        graph_draw(&u->v[i].past, ui_mono(ui), c, rect_make(r.y + (int)i, r.x + at, 1, left), u->v[i].role);
        rich_fini(&line);
    }
}

/* Another engine does not tell it: why. */
static void use_draw_lack(const struct ui *ui, const struct job *j, struct canvas *c, struct rect r)
{
    const struct msg_job_use *lack = job_load_lack(ui, j);
    struct str s = STR_INIT;
    if (!lack)
        str_append(&s, tr("CPU, memory and GPU use: not measured yet"));
    else if (lack->lack == USE_NOT_GATHERED)
        str_append(&s,
                   tr("use not measured: the accounting of this Slurm gathers nothing of running jobs"));
    else if (lack->lack == USE_NOT_YOURS)
        str_append(&s, tr("use not measured: Slurm tells it to the owner and to operators"));
    else
        str_appendf(&s, tr("use not measured: %s"), lack->says ? lack->says : "?");
    canvas_text(c, r.y, r.x, ROLE_DIM, s.s, r.w);
    str_fini(&s);
}

void usegraphs_draw(const struct ui *ui, const struct job *j, struct canvas *c, struct rect r)
{
    struct use_rows u;
    use_rows_get(&u, ui, j);
    if (!u.n && ui_engine(ui))
        use_draw_lack(ui, j, c, r);
    else if (!u.n)
        canvas_text(c, r.y, r.x, ROLE_DIM, tr("CPU, memory and GPU use: not measured yet"), r.w);
    else if (use_columns(j, r.w))
        use_draw_beside(&u, ui, c, r);
    else
        use_draw_lines(&u, ui, c, r);
    use_rows_fini(&u);
}

void usegraphs_nodes(struct lines *l, const struct ui *ui, const struct job *j)
{
    size_t shown = 0;
    for (size_t i = 0; i < j->alloc.n && j->alloc.n > 1; i++) {
        const struct alloc *a = &j->alloc.v[i];
        struct live_load now;
        struct load_past past;
        if (!job_load_now(ui, j, a->node, &now))
            continue;
        if (++shown > NODES_MAX)
            break;
        struct rich *r = lines_pair(l, a->node, 10);
        if (now.measured && cpuset_count(&a->cpus)) {
            rich_add(r, ROLE_DIM, tr("CPU "));
            rich_addf(r, ROLE_NORMAL, "%2u%%", now.cpu_permille / 10 / cpuset_count(&a->cpus));
        }
        if (now.measured && a->mem_mib) {
            rich_add(r, ROLE_DIM, tr("  memory "));
            rich_addf(r, ROLE_NORMAL, "%2llu%%",
                      (unsigned long long)(now.mem_kib * 100 / 1024 / a->mem_mib));
        }
        if (now.n_gpus) {
            rich_add(r, ROLE_DIM, tr("  GPU "));
            rich_addf(r, ROLE_NORMAL, "%2u%%", now.gpu_percent);
        }
        if (!job_load_past(ui, j, a->node, &past))
            continue;
        rich_add(r, ROLE_NORMAL, "  ");
        graph_add(r, now.n_gpus ? &past.gpu : &past.cpu, ui_mono(ui), 8, 1, 0, ROLE_BAR_USED);
    }
}
