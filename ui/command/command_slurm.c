/* command_slurm.c - the commands that users know from Slurm: they open the screen that answers the same
 * question, or do the same by the command that has its name here. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "ui/command/commands.h"
#include "ui/dialogs/windows.h"
#include "ui/frame/stack.h"

/* An option that becomes a word of the filter. */
struct slurm_option {
    const char *brief, *whole, *column;
};

/* The words of a filter for those of the options that take a value; words without an option are ignored. */
static char *slurm_filter(const struct strv *args, const struct slurm_option *options, size_t n)
{
    struct str s = STR_INIT;
    for (size_t i = 0; i < args->n; i++)
        for (size_t k = 0; k < n; k++) {
            const char *word = args->v[i], *value = NULL;
            size_t whole = strlen(options[k].whole);
            if (str_eq(word, options[k].brief) || str_eq(word, options[k].whole))
                value = i + 1 < args->n ? args->v[i + 1] : NULL;
            else if (str_starts(word, options[k].brief) && word[1] != '-')
                value = word + strlen(options[k].brief);
            else if (strncmp(word, options[k].whole, whole) == 0 && word[whole] == '=')
                value = word + whole + 1;
            if (!str_is_empty(value))
                str_appendf(&s, "%s%s:%s", s.len ? " " : "", options[k].column, value);
        }
    return str_take(&s);
}

static void slurm_go(struct ui *ui, const char *screen, char *take_filter)
{
    ui_go(ui, screen, take_filter);
    free(take_filter);
}

void run_squeue(struct ui *ui, const struct strv *args, const char *rest)
{
    static const struct slurm_option options[] = {{"-u", "--user", "user"},
                                                  {"-p", "--partition", "part"},
                                                  {"-n", "--name", "name"},
                                                  {"-A", "--account", "account"},
                                                  {"-j", "--jobs", "job"}};
    (void)rest;
    slurm_go(ui, "jobs", slurm_filter(args, options, sizeof options / sizeof options[0]));
    bool *mine = ui_view(ui)->ops->mine ? ui_view(ui)->ops->mine(ui_view(ui)) : NULL;
    if (mine && (strv_has(args, "--me") || strv_has(args, "--mine")) && !*mine) {
        *mine = true;
        ui_view(ui)->ops->sync(ui_view(ui));
    }
}

void run_sinfo(struct ui *ui, const struct strv *args, const char *rest)
{
    static const struct slurm_option nodes[] = {{"-n", "--nodes", "node"}},
                                     parts[] = {{"-p", "--partition", "partition"}};
    (void)rest;
    bool by_node = strv_has(args, "-N") || strv_has(args, "--Node") || strv_has(args, "-R");
    char *filter = slurm_filter(args, nodes, 1);
    if (by_node || *filter) {
        slurm_go(ui, "nodes", filter);
        return;
    }
    free(filter);
    slurm_go(ui, "partitions", slurm_filter(args, parts, 1));
}

void run_sacct(struct ui *ui, const struct strv *args, const char *rest)
{
    static const struct slurm_option options[] = {
        {"-j", "--jobs", "job"}, {"-u", "--user", "user"}, {"-A", "--accounts", "account"}};
    (void)rest;
    slurm_go(ui, "history", slurm_filter(args, options, sizeof options / sizeof options[0]));
}

/* --- scontrol --- */

/* The words from the nth on. */
static struct strv slurm_words_from(const struct strv *args, size_t nth)
{
    struct strv list = {0};
    for (size_t i = nth; i < args->n; i++)
        strv_push(&list, args->v[i]);
    return list;
}

static void scontrol_show(struct ui *ui, const struct strv *args)
{
    const char *what = args->n ? args->v[0] : "";
    struct strv names = slurm_words_from(args, 1);
    const char *name = names.n ? names.v[0] : "";
    size_t n = strlen(what);
    const struct window *w = *name ? model_get_window(ui_model(ui), name) : NULL;
    if (n && strncasecmp(what, "reservations", n) == 0 && w)
        windows_show(ui, w);
    else if (n && strncasecmp(what, "reservations", n) == 0)
        windows_open(ui, NULL);
    else if (n && strncasecmp(what, "partitions", n) == 0)
        slurm_go(ui, "partitions", *name ? xasprintf("partition:=%s", name) : xstrdup(""));
    else if (n && strncasecmp(what, "nodes", n) == 0 && !names.n)
        slurm_go(ui, "nodes", xstrdup(""));
    else if (n && strncasecmp(what, "jobs", n) == 0 && !names.n)
        slurm_go(ui, "jobs", xstrdup(""));
    else if (n && (strncasecmp(what, "nodes", n) == 0 || strncasecmp(what, "jobs", n) == 0))
        run_show(ui, &names, name);
    else
        complain(ui, tr("scontrol show job ID, node NAME, partition NAME or reservation NAME"));
    strv_fini(&names);
}

/* Of "NodeName=n01 State=DRAIN Reason=fan is loud" a drain or a resume; the reason goes to the end. */
static void scontrol_update_nodes(struct ui *ui, const char *names, const char *rest)
{
    const char *reason = strcasestr(rest, "reason="), *state = strcasestr(rest, "state=");
    struct strv args = {0};
    char *text = NULL;
    strv_push(&args, names);
    if (state && strncasecmp(state + strlen("state="), "drain", 5) == 0) {
        text = xasprintf("%s %s", names, reason ? reason + strlen("reason=") : "");
        run_drain(ui, &args, text);
    } else if (state && strncasecmp(state + strlen("state="), "resume", 6) == 0) {
        run_resume(ui, &args, names);
    } else {
        complain(ui, tr("here nodes are drained and resumed: State=DRAIN Reason=TEXT, State=RESUME"));
    }
    free(text);
    strv_fini(&args);
}

static void scontrol_update(struct ui *ui, const struct strv *args, const char *rest)
{
    struct strv list = {0};
    const char *nodes = NULL;
    for (size_t i = 0; i < args->n; i++) {
        if (strncasecmp(args->v[i], "nodename=", strlen("nodename=")) == 0)
            nodes = args->v[i] + strlen("nodename=");
        else if (strncasecmp(args->v[i], "jobid=", strlen("jobid=")) == 0)
            strv_push(&list, args->v[i] + strlen("jobid="));
        else
            strv_push(&list, args->v[i]);
    }
    if (nodes)
        scontrol_update_nodes(ui, nodes, rest);
    else
        run_update(ui, &list, rest);
    strv_fini(&list);
}

void run_scontrol(struct ui *ui, const struct strv *args, const char *rest)
{
    static const struct {
        const char *name;
        command_fn *run;
    } verbs[] = {
        {"hold", run_hold}, {"uhold", run_hold}, {"release", run_release}, {"requeue", run_requeue}};
    const char *verb = args->n ? args->v[0] : "";
    struct strv list = slurm_words_from(args, 1);
    bool found = true;
    if (str_ieq(verb, "show"))
        scontrol_show(ui, &list);
    else if (str_ieq(verb, "update"))
        scontrol_update(ui, &list, behind(args, rest));
    else
        found = false;
    for (size_t i = 0; !found && i < sizeof verbs / sizeof verbs[0]; i++)
        if (str_ieq(verb, verbs[i].name)) {
            verbs[i].run(ui, &list, behind(args, rest));
            found = true;
        }
    if (!found)
        complain(ui, tr("here scontrol knows show, hold, release, requeue and update"));
    strv_fini(&list);
}
