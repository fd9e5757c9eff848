/* sinfo.c - Slurm's view of partitions and nodes: its options, what it asks, how it prints. */
#include "src/cli/slurm/sinfo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/cli/ask.h"
#include "src/cli/listing/jobjson.h"
#include "src/lang/lang.h"
#include "src/text/nodetext.h"
#include "src/values/hostlist.h"
#include "src/values/units.h"

/* Source: sinfo(1), the default formats of the options. */
#define FORMAT_DEFAULT     "%#P %.5a %.10l %.6D %.6t %N"
#define FORMAT_LONG        "%#P %.5a %.10l %.10s %.4r %.8h %.10g %.6D %.11T %.11i %N"
#define FORMAT_SUMMARY     "%#P %.5a %.10l %.16F %N"
#define FORMAT_NODE        "%#N %.6D %.#P %6t"
#define FORMAT_NODE_LONG   "%#N %.6D %.#P %.11T %4c %.8z %.6m %.8d %.6w %.8f %20E"
#define FORMAT_REASON      "%20E %9u %19H %N"
#define FORMAT_REASON_LONG "%20E %12U %19H %6t %N"

enum {
    O_FORMAT = 1,
    O_NAMES,
    O_ITERATE,
    O_NODES,
    O_STATES,
    O_IGNORED,
};

static const struct opt table[] = {
    /* clang-format off */
    {.id = O_IGNORED, .name = "all", .letter = 'a', .env = "SINFO_ALL", .help = "hidden partitions too: there are none"},
    {OPT_TEXT(struct sinfo, cluster), .name = "clusters", .letter = 'M', .meta = "NAME", .env = "SLURM_CLUSTERS", .help = "of this cluster: there is one"},
    {OPT_SETS(struct sinfo, dead), .name = "dead", .letter = 'd', .help = "only nodes that do not respond"},
    {OPT_SETS(struct sinfo, exact), .name = "exact", .letter = 'e', .help = "no groups of nodes of different sizes"},
    {.id = O_IGNORED, .name = "federation"},
    {.id = O_IGNORED, .name = "future", .letter = 'F'},
    {.id = O_FORMAT, .name = "format", .letter = 'o', .arg = OPT_REQUIRED, .meta = "FORMAT", .env = "SINFO_FORMAT", .help = "what to print, as %[[.]width]letter"},
    {.id = O_NAMES, .name = "Format", .letter = 'O', .arg = OPT_REQUIRED, .meta = "NAMES", .help = "what to print, as name[:[.][width][suffix]],..."},
    {.id = O_IGNORED, .name = "hide"},
    {.id = O_ITERATE, .name = "iterate", .letter = 'i', .arg = OPT_REQUIRED, .meta = "SECONDS", .help = "print again every SECONDS"},
    {OPT_SETS(struct sinfo, json), .name = "json", .arg = OPT_OPTIONAL, .meta = "FORM", .help = "print JSON"},
    {.id = O_IGNORED, .name = "local"},
    {OPT_SETS(struct sinfo, long_form), .name = "long", .letter = 'l', .help = "more columns"},
    {OPT_SETS(struct sinfo, reasons), .name = "list-reasons", .letter = 'R', .help = "why nodes are out of use"},
    {.id = O_NODES, .name = "nodes", .letter = 'n', .arg = OPT_REQUIRED, .meta = "NODES", .help = "only these nodes"},
    {OPT_SETS(struct sinfo, by_node), .name = "Node", .letter = 'N', .help = "one line for each node and partition"},
    {.id = O_IGNORED, .name = "noconvert"},
    {OPT_SETS(struct sinfo, no_header), .name = "noheader", .letter = 'h', .help = "no header line"},
    {OPT_NAMES(struct sinfo, parts), .name = "partition", .letter = 'p', .meta = "LIST", .env = "SINFO_PARTITION", .help = "only these partitions"},
    {OPT_SETS(struct sinfo, reservations), .name = "reservation", .letter = 'T', .help = "reservations and windows instead of nodes"},
    {OPT_SETS(struct sinfo, responding), .name = "responding", .letter = 'r', .help = "only nodes that respond"},
    {OPT_TEXT(struct sinfo, sort), .name = "sort", .letter = 'S', .meta = "LETTERS", .env = "SINFO_SORT", .help = "sort by these columns"},
    {.id = O_STATES, .name = "states", .letter = 't', .arg = OPT_REQUIRED, .meta = "LIST", .help = "only nodes in these states"},
    {OPT_SETS(struct sinfo, summary), .name = "summarize", .letter = 's', .help = "one line for each partition"},
    {.id = O_IGNORED, .name = "verbose", .letter = 'v', .help = "say more"},
    {OPT_SETS(struct sinfo, json), .name = "yaml", .arg = OPT_OPTIONAL},
    /* clang-format on */
};

static void sinfo_set_list(struct strv *list, const char *text)
{
    strv_fini(list);
    *list = strv_split(text, ",");
}

static int sinfo_set_states(struct sinfo *s, const char *arg, struct errtext *err)
{
    sinfo_set_list(&s->states, arg);
    if (s->states.n == 1 && str_ieq(s->states.v[0], "all"))
        sinfo_set_list(&s->states, "");
    for (size_t i = 0; i < s->states.n; i++)
        if (!node_state_is_known(s->states.v[i]))
            return err_set(err, -EINVAL,
                           "Bad state string: \"%s\"\nvalid states: "
                           "unknown,down,idle,allocated,?,mixed,future,drain,drained,draining,no_respond,"
                           "reserved,perfctrs,cloud,completing,powering_down,powered_down,power_down,"
                           "powering_up,fail,maint,reboot,reboot^,unknown",
                           s->states.v[i]);
    return 0;
}

static int sinfo_set_nodes(struct sinfo *s, const char *arg, struct errtext *err)
{
    struct strv nodes = {0};
    int rc = hostlist_expand(arg, &nodes, err);
    if (rc == 0) {
        strv_fini(&s->nodes);
        s->nodes = nodes;
    }
    return rc;
}

static int sinfo_set_option(void *ctx, const struct opt *o, const char *arg, struct errtext *err)
{
    struct sinfo *s = ctx;
    int64_t n;
    switch (o->id) {
    case O_FORMAT:
        xstrset(&s->letters, arg);
        xstrset(&s->names, NULL);
        break;
    case O_NAMES:
        xstrset(&s->names, arg);
        xstrset(&s->letters, NULL);
        break;
    case O_ITERATE:
        if (int_parse(arg, 1, 1 << 30, &n, NULL) < 0)
            return err_set(err, -EINVAL, "Error: invalid entry for --iterate=%s", arg);
        s->iterate_s = (uint32_t)n;
        break;
    case O_NODES: return sinfo_set_nodes(s, arg, err);
    case O_STATES: return sinfo_set_states(s, arg, err);
    default: break;
    }
    return 0;
}

static const struct opts options = OPTS(table, sinfo_set_option);

static void sinfo_fini(struct sinfo *s)
{
    free(s->letters);
    free(s->names);
    free(s->sort);
    free(s->cluster);
    strv_fini(&s->parts);
    strv_fini(&s->nodes);
    strv_fini(&s->states);
}

/* --- printing --- */

static const char *sinfo_usual_format(const struct sinfo *s)
{
    if (s->reasons)
        return s->long_form ? FORMAT_REASON_LONG : FORMAT_REASON;
    if (s->by_node)
        return s->long_form ? FORMAT_NODE_LONG : FORMAT_NODE;
    if (s->summary)
        return FORMAT_SUMMARY;
    return s->long_form ? FORMAT_LONG : FORMAT_DEFAULT;
}

static void sinfo_make_format(const struct sinfo *s, const struct cli *cli, struct format *f)
{
    struct strv unknown = {0};
    if (s->names)
        format_parse_names(f, &node_columns, s->names, &unknown);
    else
        format_parse_letters(f, &node_columns, s->letters ? s->letters : sinfo_usual_format(s), &unknown);
    for (size_t i = 0; i < unknown.n && s->names; i++)
        cli_error(cli, "Invalid job format specification: %s", unknown.v[i]);
    for (size_t i = 0; i < unknown.n && !s->names; i++)
        fprintf(stderr, "Invalid node format specification: %s\n", unknown.v[i]);
    strv_fini(&unknown);
}

static void print_groups(const struct sinfo *s, struct format *f, const struct node_groups *gs,
                         const struct node_cx *cx)
{
    struct str out = STR_INIT;
    const void *const *rows = (const void *const *)(const void *)gs->v.v;
    format_fix_widths(f, rows, gs->v.n, cx);
    if (s->cluster && !s->no_header)
        str_appendf(&out, "CLUSTER: %s\n", cx->m->spec.name);
    if (!s->no_header) {
        if (s->long_form || s->iterate_s)
            timetext_append_date_line(&out, cx->m->now);
        format_header(&out, f);
        str_append_char(&out, '\n');
    }
    vec_for_each (&gs->v, i) {
        format_row(&out, f, gs->v.v[i], cx);
        str_append_char(&out, '\n');
    }
    out_flush(&out);
    str_fini(&out);
}

static void node_to_json(struct str *out, const struct node *n, const struct node_cx *cx)
{
    struct str text = STR_INIT;
    json_begin_object(out, NULL);
    json_text(out, "name", n->spec.name);
    json_text(out, "hostname", n->spec.name);
    json_text(out, "address", n->spec.address ? n->spec.address : n->spec.name);
    node_append_state_full(&text, n, cx);
    json_text(out, "state", text.s);
    json_int(out, "cpus", n->cpus);
    json_int(out, "alloc_cpus", cpuset_count(&n->cpus_used));
    json_int(out, "idle_cpus", (int64_t)n->cpus - cpuset_count(&n->cpus_used));
    json_int(out, "real_memory", (int64_t)n->mem_mib);
    json_int(out, "alloc_memory", (int64_t)n->mem_used_mib);
    str_clear(&text);
    nodetext_gres(&text, n);
    json_text(out, "gres", n->gpus ? text.s : "");
    str_clear(&text);
    nodetext_gres_used(&text, n);
    json_text(out, "gres_used", n->gpus ? text.s : "");
    json_text(out, "architecture", n->arch);
    json_text(out, "operating_system", n->os);
    json_text(out, "version", n->version);
    json_int(out, "weight", n->spec.weight);
    json_int(out, "boot_time", n->t_boot.ms / MS_PER_S);
    json_text(out, "reason", n->drain ? n->drain_reason : NULL);
    json_text(out, "reason_set_by_user", n->drain ? n->drain_user : NULL);
    json_int(out, "reason_changed_at", n->drain ? n->t_drain.ms / MS_PER_S : 0);
    json_begin_array(out, "partitions");
    for (size_t i = 0; i < cx->m->spec.parts.n; i++)
        if (strv_has(&cx->m->spec.parts.v[i].nodes, n->spec.name))
            json_text(out, NULL, cx->m->spec.parts.v[i].name);
    json_end_array(out);
    json_end_object(out);
    str_fini(&text);
}

static void sinfo_print_json(const struct sinfo *s, const struct node_cx *cx)
{
    struct str out = STR_INIT;
    slurm_json_begin(&out);
    json_begin_array(&out, "nodes");
    for (size_t i = 0; i < cx->m->n_nodes; i++)
        if (sinfo_takes_node(s, cx, cx->m->nodes[i]))
            node_to_json(&out, cx->m->nodes[i], cx);
    json_end_array(&out);
    slurm_json_end(&out);
    out_flush(&out);
    str_fini(&out);
}

static int sinfo_show(const struct sinfo *s, const struct cli *cli, struct node_cx *cx)
{
    struct format f = {.items = VEC_INIT};
    struct node_groups gs = {.v = VEC_INIT, .keys = VEC_INIT};
    sinfo_make_format(s, cli, &f);
    node_groups_collect(&gs, s, &f, cx);
    int rc = node_groups_sort(&gs, s, cli, cx);
    if (rc == 0)
        print_groups(s, &f, &gs, cx);
    node_groups_fini(&gs);
    format_fini(&f);
    return rc;
}

/* --- asking --- */

static void note_completing(const struct model *m, struct idmap *ret)
{
    static char yes;
    list_for_each (j, &m->active, struct job, in_queue)
        for (size_t i = 0; j->state == JOB_COMPLETING && i < j->alloc.n; i++)
            idmap_set(ret, hash_bytes(j->alloc.v[i].node, strlen(j->alloc.v[i].node)), &yes);
}

static int sinfo_failed(const char *what)
{
    fprintf(stderr, "slurm_load_partitions: %s\n", what);
    return 1;
}

/* By name, all of them too. Caller frees. */
static char *sinfo_window_nodes(const struct window *w, const struct model *m)
{
    struct strv names = {0};
    for (size_t i = 0; i < m->n_nodes; i++)
        if (window_has_node(w, m->nodes[i]->spec.name))
            strv_push(&names, m->nodes[i]->spec.name);
    char *text = hostlist_compress(&names);
    strv_fini(&names);
    return text;
}

/* sinfo -T. Source: sinfo(1), --reservation. */
static void print_reservations(const struct sinfo *s, const struct model *m)
{
    int width = (int)strlen("RESV_NAME");
    struct str out = STR_INIT;
    for (size_t i = 0; i < m->windows.n; i++)
        width = cell_width(m->windows.v[i].name) > width ? cell_width(m->windows.v[i].name) : width;
    if (!m->windows.n)
        str_append(&out, "No reservations in the system\n");
    else if (!s->no_header)
        str_appendf(&out, "%-*s  %8s  %19s  %19s  %11s  %s\n", width, "RESV_NAME", "STATE", "START_TIME",
                    "END_TIME", "DURATION", "NODELIST");
    for (size_t i = 0; i < m->windows.n; i++) {
        const struct window *w = &m->windows.v[i];
        char start[WALL_TEXT_SIZE], end[WALL_TEXT_SIZE], length[UNITS_TEXT_SIZE];
        char *nodes = sinfo_window_nodes(w, m);
        str_append(&out, w->name);
        str_appendf(&out, "%*s  %8s  %19s  %19s  %11s  %s\n", width - cell_width(w->name), "",
                    w->start.ms <= m->now.ms ? "ACTIVE" : "INACTIVE", wall_format_iso(w->start, start),
                    wall_format_iso(w->end, end),
                    duration_format_padded((uint32_t)wall_elapsed_s(w->start, w->end), length), nodes);
        free(nodes);
    }
    out_flush(&out);
    str_fini(&out);
}

static int sinfo_ask_once(const struct sinfo *s, const struct cli *cli)
{
    const char *away = NULL;
    struct client *c = ask_connect_slurm(cli, &away);
    if (!c)
        return sinfo_failed(away);
    struct msg_get get = {.what = s->reservations ? GET_WINDOWS | GET_NODES
                                                  : GET_SPEC | GET_NODES | GET_JOBS | GET_WINDOWS,
                          .states = 1u << JOB_COMPLETING};
    struct model m;
    struct idmap completing = {0};
    model_init(&m);
    int rc = client_fetch(c, &get, &m, NULL) < 0 ? sinfo_failed(SLURM_TIMEOUT) : 0;
    if (rc == 0 && s->reservations) {
        print_reservations(s, &m);
    } else if (rc == 0) {
        struct node_cx cx = {.m = &m, .completing = &completing, .exact = s->exact};
        cx.time = timetext_from(getenv("SLURM_TIME_FORMAT"), m.now);
        note_completing(&m, &completing);
        if (s->json)
            sinfo_print_json(s, &cx);
        else
            rc = sinfo_show(s, cli, &cx);
    }
    idmap_fini(&completing);
    model_fini(&m);
    client_free(c);
    return rc;
}

static int sinfo_run(struct cli *cli, int argc, char **argv)
{
    struct sinfo s = {0};
    struct strv env = cli_environ(), operands = {0};
    struct errtext err = {0};
    int rc = 0;
    bool go = cli_parsed(cli, opt_env(&options, &s, &env, "SINFO_ SLURM_", &err), &err, &rc) &&
              cli_parse(cli, &s, argc, argv, 0, &operands, &rc);
    while (go && rc == 0) { /* operands mean nothing, to Slurm neither */
        rc = sinfo_ask_once(&s, cli);
        if (!s.iterate_s)
            break;
        puts("");
        fflush(stdout);
        nanosleep(&(struct timespec){.tv_sec = s.iterate_s}, NULL);
    }
    strv_fini(&operands);
    strv_fini(&env);
    sinfo_fini(&s);
    return rc;
}

const struct command cmd_sinfo = {
    .name = "sinfo",
    .summary = N_("Show partitions and nodes"),
    .usage = "[OPTIONS]",
    .options = &options,
    .slurm = true,
    .run = sinfo_run,
};
