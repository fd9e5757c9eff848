/* sacctmgr.c - a reader of accounts, users, associations, QOS and the cluster, as scripts ask for them.
 *
 * What there is stands in stoker.cfg and changes there: everything but showing is refused. Where no
 * accounts are configured a user's accounts are the user's Unix groups. Source: sacctmgr(1).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/words.h"
#include "src/base/xalloc.h"
#include "src/cli/accounting/assoc.h"
#include "src/cli/accounting/mgrlist.h"
#include "src/cli/ask.h"
#include "src/lang/lang.h"
#include "src/values/units.h"

#define QOS_NORMAL "normal"

struct mgr {
    const struct cli *cli;
    struct client *client;
    struct model m;
    struct mgr_list list;
    bool associations;
    struct strv users, accounts, names, clusters;
};

enum { O_ASSOCS = 1, O_IGNORED, O_NO_HEADER, O_P, O_P2 };

static const struct opt table[] = {
    {.id = O_ASSOCS, .name = "associations", .letter = 's', .help = "with associations"},
    {.id = O_IGNORED, .name = "immediate", .letter = 'i'},
    {.id = O_NO_HEADER, .name = "noheader", .letter = 'n', .help = "no header"},
    {.id = O_IGNORED, .name = "oneliner", .letter = 'o'},
    {.id = O_P, .name = "parsable", .letter = 'p', .help = "fields with '|' behind each"},
    {.id = O_P2, .name = "parsable2", .letter = 'P', .help = "fields with '|' between them"},
    {.id = O_IGNORED, .name = "quiet", .letter = 'Q'},
    {.id = O_IGNORED, .name = "readonly", .letter = 'r', .help = "change nothing: it never does"},
    {.id = O_IGNORED, .name = "verbose", .letter = 'v', .help = "say more"},
};

static int sacctmgr_set_option(void *ctx, const struct opt *o, __attribute__((unused)) const char *arg,
                               __attribute__((unused)) struct errtext *err)
{
    struct mgr *g = ctx;
    switch (o->id) {
    case O_ASSOCS: g->associations = true; break;
    case O_NO_HEADER: g->list.no_header = true; break;
    case O_P: g->list.parsable = true; break;
    case O_P2: g->list.parsable2 = true; break;
    default: break;
    }
    return 0;
}

static const struct opts options = OPTS(table, sacctmgr_set_option);

/* --- rows --- */

static bool takes(const struct strv *list, const char *value)
{
    return !list->n || (value && strv_has(list, value));
}

/* All QOS that there are: anybody may ask for any, partitions decide. */
static char *qos_names(const struct mgr *g)
{
    struct strv names = {0};
    bool has_normal = false;
    for (size_t i = 0; i < g->m.spec.qos.n; i++) {
        strv_push(&names, g->m.spec.qos.v[i].name);
        has_normal = has_normal || str_eq(g->m.spec.qos.v[i].name, QOS_NORMAL);
    }
    if (!has_normal)
        strv_push(&names, QOS_NORMAL);
    char *text = strv_join(&names, ",");
    strv_fini(&names);
    return text;
}

static void add_association(void *ctx, const struct assoc *a)
{
    struct mgr *g = ctx;
    if (!takes(&g->users, a->user) || !takes(&g->accounts, a->account) ||
        !takes(&g->clusters, g->m.spec.name))
        return;
    struct mgr_row *r = mgr_list_add_row(&g->list);
    mgr_row_set(r, F_CLUSTER, g->m.spec.name);
    mgr_row_set(r, F_ACCOUNT, a->account);
    mgr_row_set(r, F_USER, a->user);
    mgr_row_set(r, F_PARENT, a->user ? NULL : a->parent);
    mgr_row_set(r, F_DEF_ACCOUNT, a->account);
    mgr_row_set(r, F_ADMIN, a->user ? (str_eq(a->user, "root") ? "Administ+" : "None") : NULL);
    mgr_row_set_number(r, F_SHARE, a->shares);
    mgr_row_set_number(r, F_ID, a->id);
    r->v[F_QOS] = qos_names(g);
    mgr_row_set(r, F_DEF_QOS, QOS_NORMAL);
}

static void collect_associations(struct mgr *g)
{
    assoc_each(&g->m.spec, &g->users, add_association, g);
}

/* One row for each user; the first account is the default one. */
static bool is_first_of_user(const struct mgr_list *l, size_t kept, const struct mgr_row *r)
{
    bool first = r->v[F_USER] != NULL;
    for (size_t k = 0; k < kept && first; k++)
        first = !str_eq(l->rows.v[k].v[F_USER], r->v[F_USER]);
    return first;
}

static bool is_of_user(__attribute__((unused)) const struct mgr_list *l,
                       __attribute__((unused)) size_t kept, const struct mgr_row *r)
{
    return r->v[F_USER] != NULL;
}

static bool is_account(__attribute__((unused)) const struct mgr_list *l,
                       __attribute__((unused)) size_t kept, const struct mgr_row *r)
{
    return r->v[F_USER] == NULL;
}

static void collect_users(struct mgr *g)
{
    collect_associations(g);
    mgr_list_keep(&g->list, g->associations ? is_of_user : is_first_of_user);
}

static void collect_accounts(struct mgr *g)
{
    const struct cluster_spec *spec = &g->m.spec;
    collect_associations(g);
    if (!g->associations && spec->accounts.n)
        mgr_list_keep(&g->list, is_account);
    vec_for_each (&g->list.rows, i) {
        struct mgr_row *r = &g->list.rows.v[i];
        mgr_row_set(r, F_DESCR, r->v[F_ACCOUNT]);
        mgr_row_set(r, F_ORG, spec->name);
    }
}

static void collect_qos(struct mgr *g)
{
    const struct cluster_spec *spec = &g->m.spec;
    bool has_normal = false;
    for (size_t i = 0; i <= spec->qos.n; i++) {
        const struct qos_spec *q = i < spec->qos.n ? &spec->qos.v[i] : NULL;
        const char *name = q ? q->name : QOS_NORMAL;
        has_normal = has_normal || (q && str_eq(name, QOS_NORMAL));
        if ((!q && has_normal) || !takes(&g->names, name))
            continue;
        char buf[UNITS_TEXT_SIZE], *preempt = q ? strv_join(&q->preempt, ",") : NULL;
        struct mgr_row *r = mgr_list_add_row(&g->list);
        mgr_row_set(r, F_NAME, name);
        mgr_row_set(r, F_DESCR, name);
        mgr_row_set_number(r, F_ID, i + 1);
        mgr_row_set_number(r, F_PRIORITY, q ? q->priority : 0);
        mgr_row_set(r, F_GRACE, duration_format_padded(q ? q->grace_s : 0, buf));
        mgr_row_set(r, F_PREEMPT, preempt);
        mgr_row_set(r, F_PREEMPT_MODE, "cluster");
        r->v[F_USAGE_FACTOR] = xasprintf("%f", q ? q->usage_factor : 1.0);
        free(preempt);
    }
}

static void collect_clusters(struct mgr *g)
{
    struct mgr_row *r = mgr_list_add_row(&g->list);
    uint64_t cpus = 0;
    for (size_t i = 0; i < g->m.n_nodes; i++)
        cpus += g->m.nodes[i]->cpus;
    mgr_row_set(r, F_NAME, g->m.spec.name);
    mgr_row_set(r, F_CLUSTER, g->m.spec.name);
    mgr_row_set(r, F_HOST, client_welcome(g->client)->host);
    mgr_row_set(r, F_PORT, "0");
    mgr_row_set(r, F_RPC, "9984");
    mgr_row_set(r, F_SHARE, "1");
    mgr_row_set_number(r, F_NODE_COUNT, g->m.n_nodes);
    r->v[F_TRES] = xasprintf("cpu=%llu,node=%zu", (unsigned long long)cpus, g->m.n_nodes);
    r->v[F_QOS] = qos_names(g);
}

static void collect_tres(struct mgr *g)
{
    static const struct {
        const char *type, *name, *id;
    } known[] = {{"cpu", "", "1"},
                 {"mem", "", "2"},
                 {"node", "", "4"},
                 {"billing", "", "5"},
                 {"gres", "gpu", "1001"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct mgr_row *r = mgr_list_add_row(&g->list);
        mgr_row_set(r, F_TYPE, known[i].type);
        mgr_row_set(r, F_NAME, known[i].name);
        mgr_row_set(r, F_ID, known[i].id);
    }
}

/* --- entities --- */

static const struct {
    const char *name;
    size_t min;
    const char *format, *with_assocs;
    void (*collect)(struct mgr *g);
} entities[] = {
    {.name = "associations",
     .min = 2,
     .format =
         "cluster,account,user,partition,share,priority,grpjobs,grptres,grpsubmit,grpwall,grptresmins,"
         "maxjobs,maxtres,maxtrespernode,maxsubmit,maxwall,maxtresmins,qos,defaultqos,grptresrunmins",
     .collect = collect_associations},
    {.name = "accounts",
     .min = 2,
     .format = "account,description,organization",
     .with_assocs = "account,description,organization,cluster,parentname,user,share,qos,defaultqos",
     .collect = collect_accounts},
    {.name = "clusters",
     .min = 1,
     .format =
         "cluster,controlhost,controlport,rpc,share,grpjobs,grptres,grpsubmit,maxjobs,maxtres,maxsubmit,"
         "maxwall,qos,defaultqos",
     .collect = collect_clusters},
    {.name = "qos",
     .min = 1,
     .format = "name,priority,gracetime,preempt,preemptexempttime,preemptmode,flags,usagethreshold,"
               "usagefactor,grptres,grptresmins,grptresrunmins,grpjobs,grpsubmit,grpwall,maxtres,"
               "maxtrespernode,maxtresmins,maxwall,maxtresperuser,maxjobs,maxsubmit",
     .collect = collect_qos},
    {.name = "tres", .min = 1, .format = "type,name%15,id", .collect = collect_tres},
    {.name = "users",
     .min = 1,
     .format = "user,defaultaccount,adminlevel",
     .with_assocs = "user,defaultaccount,adminlevel,cluster,account,partition,share,priority,maxjobs,"
                    "maxsubmit,maxwall,qos,defaultqos",
     .collect = collect_users},
};

static void add_list(struct strv *to, const char *text)
{
    struct strv words = strv_split(text, ",");
    for (size_t i = 0; i < words.n; i++)
        strv_push(to, words.v[i]);
    strv_fini(&words);
}

/* "user=u", "format=...", "withassoc", "where": what the word after the entity may say. Those that name
 * something without '=' name the entity itself, as in show user ann. */
static int sacctmgr_take_word(struct mgr *g, const char *word, const char *entity)
{
    static const char *const flags[] = {
        "where",   "set",         "wopinfo",          "wopi",      "wolimits", "woplimits",
        "withsub", "withdeleted", "withcoordinators", "withcoord", "tree",     "onlydefaults"};
    const char *eq = strchr(word, '=');
    size_t n = eq ? (size_t)(eq - word) : strlen(word);
    char *key = xstrndup(word, n);
    bool of_user = word_begins("user", entity, 4) || word_begins(entity, "users", 1);
    int rc = 0;
    bool flag = false;
    for (size_t i = 0; !eq && i < sizeof flags / sizeof flags[0]; i++)
        flag = flag || str_ieq(flags[i], key);
    if (eq && word_begins(key, "format", 1))
        rc = mgr_list_add_fields(&g->list, eq + 1);
    else if (eq && (word_begins(key, "users", 1) || (of_user && word_begins(key, "names", 1))))
        add_list(&g->users, eq + 1);
    else if (eq && word_begins(key, "accounts", 2))
        add_list(&g->accounts, eq + 1);
    else if (eq && word_begins(key, "clusters", 1))
        add_list(&g->clusters, eq + 1);
    else if (eq && word_begins(key, "names", 1))
        add_list(word_begins(entity, "accounts", 2) ? &g->accounts : &g->names, eq + 1);
    else if (!eq &&
             (str_ieq(key, "withassoc") || str_ieq(key, "withassocs") || str_ieq(key, "withassociations")))
        g->associations = true;
    else if (!eq && !flag)
        add_list(of_user ? &g->users : word_begins(entity, "accounts", 2) ? &g->accounts : &g->names, word);
    else if (eq) {
        fprintf(stderr, " Unknown condition: %s\n", word);
        rc = 1;
    }
    free(key);
    return rc;
}

static int sacctmgr_fetch(struct mgr *g)
{
    struct errtext err = {0};
    struct msg_get get = {.what = GET_SPEC | GET_NODES};
    int r = client_connect(g->cli->name, 0, &g->client, &err);
    r = r ? r : client_fetch(g->client, &get, &g->m, &err);
    if (r < 0)
        cli_error(g->cli, "Problem talking to the database: %s",
                  r == -ETIMEDOUT ? "Connection timed out" : "Connection refused");
    return r < 0;
}

static int sacctmgr_show(struct mgr *g, const struct strv *w)
{
    size_t e = 0, n = sizeof entities / sizeof entities[0];
    while (e < n && (w->n < 2 || !word_begins(w->v[1], entities[e].name, entities[e].min)))
        e++;
    if (e == n) {
        fprintf(stderr, "No valid entity in list command\nInput line must include \"Account\", "
                        "\"Association\", \"Cluster\", \"QOS\", \"TRES\", or \"User\"\n");
        return 1;
    }
    int rc = 0;
    for (size_t i = 2; i < w->n && rc == 0; i++)
        rc = sacctmgr_take_word(g, w->v[i], w->v[1]);
    bool with = g->associations && entities[e].with_assocs;
    if (rc == 0 && !g->list.items.n)
        rc = mgr_list_add_fields(&g->list, with ? entities[e].with_assocs : entities[e].format);
    /* a field of associations alone asks for them */
    if (entities[e].with_assocs && mgr_list_has_field(&g->list, F_QOS))
        g->associations = true;
    rc = rc ? rc : sacctmgr_fetch(g);
    if (rc == 0) {
        entities[e].collect(g);
        mgr_list_print(&g->list);
    }
    return rc;
}

static void mgr_fini(struct mgr *g)
{
    mgr_list_fini(&g->list);
    strv_fini(&g->users);
    strv_fini(&g->accounts);
    strv_fini(&g->names);
    strv_fini(&g->clusters);
    model_fini(&g->m);
    client_free(g->client);
}

static int sacctmgr_run(struct cli *cli, int argc, char **argv)
{
    struct mgr g = {.cli = cli};
    struct strv words = {0};
    int rc = 0;
    model_init(&g.m);
    if (cli_parse(cli, &g, argc, argv, 0, &words, &rc)) {
        if (words.n && (word_begins(words.v[0], "show", 2) || word_begins(words.v[0], "list", 1))) {
            rc = sacctmgr_show(&g, &words);
        } else if (words.n && word_begins(words.v[0], "version", 4)) {
            puts("slurm 23.02.7");
        } else if (!words.n || word_begins(words.v[0], "help", 1)) {
            cli_print_help(stdout, cli);
        } else {
            cli_error(cli, "%s: accounts and QOS are changed in stoker.cfg",
                      refusal_slurm(REFUSAL_NOT_SUPPORTED));
            rc = 1;
        }
    }
    strv_fini(&words);
    mgr_fini(&g);
    return rc;
}

const struct command cmd_sacctmgr = {
    .name = "sacctmgr",
    .summary = N_("Show accounts, users, associations, QOS and the cluster"),
    .usage = "[OPTIONS] show ENTITY [CONDITION=VALUE...] [format=FIELDS]",
    .options = &options,
    .slurm = true,
    .run = sacctmgr_run,
};
