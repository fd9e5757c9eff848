/* welcome.c - the first page of a new cluster. */
#include "ui/jobs/welcome.h"

#include <stdlib.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/os/exe_path.h"
#include "ui/text/view_text.h"

#define KEY_CELLS 7

struct welcome_sums {
    uint32_t nodes, out;
    uint64_t cpus, gpus, mem_mib;
    const struct node *first;
    bool gpu_types_differ;
};

static void welcome_count(const struct model *m, struct welcome_sums *ret)
{
    *ret = (struct welcome_sums){0};
    for (size_t i = 0; i < m->n_nodes; i++) {
        const struct node *n = m->nodes[i];
        if (str_eq(n->spec.role, "login"))
            continue;
        if (node_is_out(n)) {
            ret->out++;
            continue;
        }
        ret->gpu_types_differ |= ret->first && n->gpus && !str_eq(n->gpu_type, ret->first->gpu_type);
        ret->first = ret->first && (ret->first->gpus || !n->gpus) ? ret->first : n;
        ret->nodes++;
        ret->cpus += n->cpus;
        ret->gpus += n->gpus;
        ret->mem_mib += n->mem_mib;
    }
}

/* "3 nodes are free: 96 CPUs, 8 a100 GPUs, 384G of memory". */
static void welcome_state(struct lines *l, const struct model *m)
{
    struct welcome_sums s;
    struct rich *r = lines_add(l);
    welcome_count(m, &s);
    if (!s.nodes) {
        rich_add(r, ROLE_WARN, tr("No node takes jobs now: 2 shows why."));
        return;
    }
    struct str what = STR_INIT;
    count_text(&what, s.cpus, "%llu CPU", "%llu CPUs");
    if (s.gpus && !s.gpu_types_differ && !str_is_empty(s.first->gpu_type))
        str_appendf(&what, trn(", %llu %s GPU", ", %llu %s GPUs", s.gpus), (unsigned long long)s.gpus,
                    s.first->gpu_type);
    else if (s.gpus)
        str_appendf(&what, trn(", %llu GPU", ", %llu GPUs", s.gpus), (unsigned long long)s.gpus);
    struct str mem = STR_INIT;
    mem_text(&mem, s.mem_mib);
    if (s.nodes == 1)
        rich_addf(r, ROLE_STRONG, tr("%s is free: "), s.first->spec.name);
    else
        rich_addf(r, ROLE_STRONG, trn("%u node is free: ", "%u nodes are free: ", s.nodes), s.nodes);
    rich_addf(r, ROLE_NORMAL, tr("%s, %s of memory"), what.s, mem.s);
    str_fini(&what);
    str_fini(&mem);
    rich_role(r, ROLE_NORMAL);
    if (s.out)
        rich_addf(
            lines_add(l), ROLE_WARN,
            trn("%u more takes no jobs now: 2 shows why.", "%u more take no jobs now: 2 shows why.", s.out),
            s.out);
}

static void welcome_key(struct lines *l, const struct ui *ui, enum action a, const char *what)
{
    struct rich *r = lines_add(l);
    keymap_format(ui_keymap(ui), a, true, &r->text);
    int used = (int)r->text.len;
    rich_role(r, ROLE_KEY);
    rich_addf(r, ROLE_NORMAL, "%*s%s", used < KEY_CELLS ? KEY_CELLS - used : 1, "", what);
}

/* The queue of another engine: the other jobs are not read until they are asked for. */
static void welcome_engine_lines(struct lines *l, const struct ui *ui)
{
    lines_addf(l, ROLE_STRONG, tr("You have no jobs in the queue of %s."), ui_engine(ui));
    lines_add(l);
    welcome_key(l, ui, ACTION_MINE, tr("the jobs of all users"));
    welcome_key(l, ui, ACTION_SCREEN_NODES, tr("the nodes"));
    welcome_key(l, ui, ACTION_HELP, tr("all keys"));
    lines_add(l);
    lines_addf(l, ROLE_DIM, tr("From a shell:"));
    lines_addf(l, ROLE_KEY, "  sbatch --wrap 'echo hello'");
    lines_add(l);
    lines_addf(l, ROLE_DIM, tr("New jobs appear here within some seconds."));
}

void welcome_lines(struct lines *l, const struct ui *ui)
{
    if (ui_engine(ui)) {
        welcome_engine_lines(l, ui);
        return;
    }
    lines_addf(l, ROLE_STRONG, tr("No jobs are queued."));
    welcome_state(l, ui_model(ui));
    lines_add(l);
    welcome_key(l, ui, ACTION_SUBMIT, tr("submit a job: the form"));
    welcome_key(l, ui, ACTION_TRY_SAMPLES,
                tr("submit the samples: an array, a job in steps, one that waits"));
    welcome_key(l, ui, ACTION_TRY_DEMO, tr("the demo: a made-up cluster, nothing is run"));
    welcome_key(l, ui, ACTION_HELP, tr("all keys"));
    lines_add(l);
    lines_addf(l, ROLE_DIM, tr("From a shell:"));
    lines_addf(l, ROLE_KEY, "  sbatch --wrap 'echo hello'");
    lines_addf(l, ROLE_KEY, "  stoker submit -- python3 train.py");
    lines_add(l);
    lines_addf(l, ROLE_DIM, tr("New jobs appear here at once."));
}

/* Where the samples lie: beside the programs in the build, and where they are installed. NULL: nowhere. */
static char *welcome_samples(void)
{
    static const char *const places[] = {"../share/doc/stoker/examples/run-samples.sh",
                                         "../../docs/examples/run-samples.sh"};
    char *here = exe_path_dir();
    for (size_t i = 0; here && i < sizeof places / sizeof *places; i++) {
        char *path = xasprintf("%s/%s", here, places[i]);
        if (access(path, X_OK) == 0) {
            free(here);
            return path;
        }
        free(path);
    }
    free(here);
    return NULL;
}

bool welcome_act(struct ui *ui, enum action a)
{
    struct strv argv = {0};
    if (a != ACTION_TRY_SAMPLES && a != ACTION_TRY_DEMO)
        return false;
    if (a == ACTION_TRY_DEMO) {
        strv_push(&argv, "stoker");
        strv_push(&argv, "--demo");
        ui_run(ui, tr("The demo: back on the screens when it ends"), &argv);
    } else if (!ui_read_only(ui, true)) {
        char *path = welcome_samples();
        if (!path) {
            ui_toast(ui, ROLE_ERROR, tr("the samples are not installed (docs/examples/run-samples.sh)"));
            return true;
        }
        char *here = exe_path_dir();
        const char *known = getenv("PATH");
        strv_push(&argv, "env"); /* the script calls the programs of this release */
        strv_push_take(&argv, xasprintf("PATH=%s:%s", here ? here : "", known ? known : ""));
        free(here);
        strv_push_take(&argv, path);
        strv_push(&argv, "--submit");
        ui_run(ui, tr("The samples: back on the screens when they end"), &argv);
    }
    strv_fini(&argv);
    return true;
}
