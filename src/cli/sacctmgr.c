/* sacctmgr.c - a reader of accounts, users, associations, QOS and the cluster, as scripts ask for them.
 *
 * What there is stands in stoker.cfg and changes there: everything but showing is refused. Where no
 * accounts are configured a user's accounts are his Unix groups. Source: sacctmgr(1).
 */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/base/units.h"
#include "src/base/xalloc.h"
#include "src/cli/acctfields.h"
#include "src/cli/ask.h"

#define GROUPS_MAX 256
#define QOS_NORMAL "normal"

/* X(enum member, names in any case, header, width): negative widths are to the left. */
#define FIELDS(X)                                                                                            \
    X(NAME, "name", "Name", 10)                                                                              \
    X(CLUSTER, "cluster", "Cluster", 10)                                                                     \
    X(ACCOUNT, "account acct", "Account", 10)                                                                \
    X(USER, "user", "User", 10)                                                                              \
    X(PARTITION, "partition", "Partition", 10)                                                               \
    X(SHARE, "share fairshare shares", "Share", 9)                                                           \
    X(PRIORITY, "priority", "Priority", 10)                                                                  \
    X(GRP_JOBS, "grpjobs", "GrpJobs", 7)                                                                     \
    X(GRP_TRES, "grptres", "GrpTRES", 13)                                                                    \
    X(GRP_SUBMIT, "grpsubmit grpsubmitjobs", "GrpSubmit", 9)                                                 \
    X(GRP_WALL, "grpwall", "GrpWall", 11)                                                                    \
    X(GRP_TRES_MINS, "grptresmins", "GrpTRESMins", 13)                                                       \
    X(MAX_JOBS, "maxjobs maxjobsperuser maxjobspu", "MaxJobs", 7)                                            \
    X(MAX_TRES, "maxtres maxtresperjob", "MaxTRES", 13)                                                      \
    X(MAX_TRES_NODE, "maxtrespernode", "MaxTRESPerNode", 14)                                                 \
    X(MAX_TRES_USER, "maxtresperuser maxtrespu", "MaxTRESPU", 13)                                            \
    X(MAX_SUBMIT, "maxsubmit maxsubmitjobs maxsubmitjobsperuser", "MaxSubmit", 9)                            \
    X(MAX_WALL, "maxwall maxwalldurationperjob", "MaxWall", 11)                                              \
    X(MAX_TRES_MINS, "maxtresmins", "MaxTRESMins", 13)                                                       \
    X(QOS, "qos qoslevel", "QOS", 20)                                                                        \
    X(DEF_QOS, "defaultqos", "Def QOS", 9)                                                                   \
    X(GRP_TRES_RUN_MINS, "grptresrunmins", "GrpTRESRunMin", 13)                                              \
    X(DEF_ACCOUNT, "defaultaccount", "Def Acct", 10)                                                         \
    X(ADMIN, "adminlevel", "Admin", 9)                                                                       \
    X(DESCR, "description", "Descr", 20)                                                                     \
    X(ORG, "organization", "Org", 20)                                                                        \
    X(COORDS, "coordinators", "Coord Accounts", 20)                                                          \
    X(PARENT, "parentname", "Par Name", 10)                                                                  \
    X(ID, "id", "ID", 6)                                                                                     \
    X(GRACE, "gracetime", "GraceTime", 10)                                                                   \
    X(PREEMPT, "preempt", "Preempt", 10)                                                                     \
    X(PREEMPT_EXEMPT, "preemptexempttime", "PreemptExemptTime", 19)                                          \
    X(PREEMPT_MODE, "preemptmode", "PreemptMode", 11)                                                        \
    X(FLAGS, "flags", "Flags", 40)                                                                           \
    X(USAGE_THRES, "usagethreshold", "UsageThres", 10)                                                       \
    X(USAGE_FACTOR, "usagefactor", "UsageFactor", 11)                                                        \
    X(HOST, "controlhost", "ControlHost", 15)                                                                \
    X(PORT, "controlport", "ControlPort", 12)                                                                \
    X(RPC, "rpc", "RPC", 5)                                                                                  \
    X(TYPE, "type", "Type", 8)                                                                               \
    X(NODE_COUNT, "nodecount", "NodeCount", 9)                                                               \
    X(CLUSTER_NODES, "clusternodes nodenames", "Cluster Nodes", 20)                                          \
    X(TRES, "tres", "TRES", 20)

enum field {
#define X(name, names, header, width) F_##name,
    FIELDS(X)
#undef X
        F_N
};

static const struct {
    const char *names, *header;
    int width;
} fields[F_N] = {
#define X(id, all, title, cells) [F_##id] = {.names = all, .header = title, .width = cells},
    FIELDS(X)
#undef X
};

struct row {
    char *v[F_N]; /* NULL: empty */
};

struct item {
    enum field field;
    int width;
};

struct mgr {
    const struct cli *cli;
    struct client *client;
    struct model m;
    bool no_header, parsable, parsable2, associations;
    char *format;
    struct strv users, accounts, names, clusters;
    VEC(struct item) items;
    VEC(struct row) rows;
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

static int set_option(void *ctx, const struct opt *o, __attribute__((unused)) const char *arg,
                      __attribute__((unused)) struct errtext *err)
{
    struct mgr *g = ctx;
    switch (o->id) {
    case O_ASSOCS: g->associations = true; break;
    case O_NO_HEADER: g->no_header = true; break;
    case O_P: g->parsable = true; break;
    case O_P2: g->parsable2 = true; break;
    default: break;
    }
    return 0;
}

static const struct opts options = OPTS(table, set_option);

/* --- rows --- */

static struct row *add_row(struct mgr *g)
{
    vec_push(&g->rows, (struct row){.v = {NULL}});
    return &g->rows.v[g->rows.n - 1];
}

static void set(struct row *r, enum field f, const char *value)
{
    free(r->v[f]);
    r->v[f] = xstrdup(value);
}

static void set_number(struct row *r, enum field f, uint64_t n)
{
    free(r->v[f]);
    r->v[f] = xasprintf("%llu", (unsigned long long)n);
}

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

static void add_association(struct mgr *g, const char *account, const char *parent, const char *user,
                            uint32_t shares)
{
    if (!takes(&g->users, user) || !takes(&g->accounts, account) || !takes(&g->clusters, g->m.spec.name))
        return;
    struct row *r = add_row(g);
    set(r, F_CLUSTER, g->m.spec.name);
    set(r, F_ACCOUNT, account);
    set(r, F_USER, user);
    set(r, F_PARENT, user ? NULL : parent);
    set(r, F_DEF_ACCOUNT, account);
    set(r, F_ADMIN, user ? (str_eq(user, "root") ? "Administ+" : "None") : NULL);
    set_number(r, F_SHARE, shares);
    set_number(r, F_ID, g->rows.n);
    r->v[F_QOS] = qos_names(g);
    set(r, F_DEF_QOS, QOS_NORMAL);
}

/* Where no accounts are configured: a user's Unix groups. */
static void add_groups(struct mgr *g, const struct passwd *pw)
{
    gid_t gids[GROUPS_MAX];
    int n = GROUPS_MAX;
    char *user = xstrdup(pw->pw_name);
    if (getgrouplist(user, pw->pw_gid, gids, &n) < 0)
        n = GROUPS_MAX;
    for (int i = 0; i < n; i++) {
        const struct group *gr = getgrgid(gids[i]);
        if (gr)
            add_association(g, gr->gr_name, "root", user, 1);
    }
    free(user);
}

static void add_unix_accounts(struct mgr *g)
{
    const struct passwd *pw;
    for (size_t i = 0; i < g->users.n; i++)
        if ((pw = getpwnam(g->users.v[i])))
            add_groups(g, pw);
    if (g->users.n)
        return;
    struct strv users = {0};
    setpwent();
    while ((pw = getpwent()))
        strv_push(&users, pw->pw_name);
    endpwent();
    for (size_t i = 0; i < users.n; i++)
        if ((pw = getpwnam(users.v[i])))
            add_groups(g, pw);
    strv_fini(&users);
}

static void collect_associations(struct mgr *g)
{
    const struct cluster_spec *spec = &g->m.spec;
    if (!g->users.n)
        add_association(g, "root", NULL, NULL, 1);
    for (size_t i = 0; i < spec->accounts.n; i++) {
        const struct account_spec *a = &spec->accounts.v[i];
        if (!g->users.n)
            add_association(g, a->name, a->parent ? a->parent : "root", NULL, a->shares);
        for (size_t k = 0; k < a->users.n; k++)
            add_association(g, a->name, a->parent, a->users.v[k].name, a->users.v[k].shares);
    }
    if (!spec->accounts.n)
        add_unix_accounts(g);
}

/* One row for each user, his first account being the one he has by default. */
static void keep_first_of_user(struct mgr *g)
{
    size_t kept = 0;
    vec_for_each (&g->rows, i) {
        struct row *r = &g->rows.v[i];
        bool again = !r->v[F_USER];
        for (size_t k = 0; k < kept && !again; k++)
            again = str_eq(g->rows.v[k].v[F_USER], r->v[F_USER]);
        if (!again) {
            struct row tmp = g->rows.v[kept];
            g->rows.v[kept++] = *r;
            if (&g->rows.v[kept - 1] != r)
                *r = tmp;
        }
    }
    for (size_t i = kept; i < g->rows.n; i++)
        for (int f = 0; f < F_N; f++)
            free(g->rows.v[i].v[f]);
    g->rows.n = kept;
}

static void drop_accounts(struct mgr *g)
{
    size_t kept = 0;
    vec_for_each (&g->rows, i) {
        if (g->rows.v[i].v[F_USER]) {
            g->rows.v[kept++] = g->rows.v[i];
            continue;
        }
        for (int f = 0; f < F_N; f++)
            free(g->rows.v[i].v[f]);
    }
    g->rows.n = kept;
}

static void collect_users(struct mgr *g)
{
    collect_associations(g);
    if (g->associations)
        drop_accounts(g);
    else
        keep_first_of_user(g);
}

static void collect_accounts(struct mgr *g)
{
    const struct cluster_spec *spec = &g->m.spec;
    if (g->associations || !spec->accounts.n) {
        collect_associations(g);
    } else {
        add_association(g, "root", NULL, NULL, 1);
        for (size_t i = 0; i < spec->accounts.n; i++)
            add_association(g, spec->accounts.v[i].name, spec->accounts.v[i].parent, NULL,
                            spec->accounts.v[i].shares);
    }
    vec_for_each (&g->rows, i) {
        set(&g->rows.v[i], F_DESCR, g->rows.v[i].v[F_ACCOUNT]);
        set(&g->rows.v[i], F_ORG, spec->name);
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
        struct row *r = add_row(g);
        set(r, F_NAME, name);
        set(r, F_DESCR, name);
        set_number(r, F_ID, i + 1);
        set_number(r, F_PRIORITY, q ? q->priority : 0);
        set(r, F_GRACE, duration_format_padded(q ? q->grace_s : 0, buf));
        set(r, F_PREEMPT, preempt);
        set(r, F_PREEMPT_MODE, "cluster");
        r->v[F_USAGE_FACTOR] = xasprintf("%f", q ? q->usage_factor : 1.0);
        free(preempt);
    }
}

static void collect_clusters(struct mgr *g)
{
    struct row *r = add_row(g);
    uint64_t cpus = 0;
    for (size_t i = 0; i < g->m.n_nodes; i++)
        cpus += g->m.nodes[i]->cpus;
    set(r, F_NAME, g->m.spec.name);
    set(r, F_CLUSTER, g->m.spec.name);
    set(r, F_HOST, client_welcome(g->client)->host);
    set(r, F_PORT, "0");
    set(r, F_RPC, "9984");
    set(r, F_SHARE, "1");
    set_number(r, F_NODE_COUNT, g->m.n_nodes);
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
        struct row *r = add_row(g);
        set(r, F_TYPE, known[i].type);
        set(r, F_NAME, known[i].name);
        set(r, F_ID, known[i].id);
    }
}

/* --- printing --- */

static int parse_format(struct mgr *g, const char *spec)
{
    struct strv words = strv_split(spec, ", ");
    int rc = 0;
    for (size_t i = 0; i < words.n && rc == 0; i++) {
        char *percent = strchr(words.v[i], '%');
        if (percent)
            *percent++ = '\0';
        size_t n = strlen(words.v[i]);
        int found = -1;
        for (int f = 0; f < F_N && found < 0; f++)
            for (const char *s = fields[f].names; *s && found < 0; s += strcspn(s, " "), s += *s == ' ')
                if (strncasecmp(s, words.v[i], n) == 0 && n >= 2)
                    found = f;
        if (found < 0) {
            fprintf(stderr, " Unknown field '%s'\n", words.v[i]);
            rc = 1;
        } else {
            int width = percent ? atoi(percent) : fields[found].width;
            vec_push(&g->items, (struct item){.field = (enum field)found,
                                              .width = width ? width : fields[found].width});
        }
    }
    strv_fini(&words);
    return rc;
}

static void end_cell(const struct mgr *g, struct str *out, size_t i, size_t at)
{
    if (g->parsable || g->parsable2) {
        if (i + 1 < g->items.n || !g->parsable2)
            str_append_char(out, '|');
        return;
    }
    acct_fit(out, at, g->items.v[i].width);
    str_append_char(out, ' ');
}

static void print(const struct mgr *g)
{
    struct str out = STR_INIT;
    for (size_t i = 0; i < g->items.n && !g->no_header; i++) {
        size_t at = out.len;
        str_append(&out, fields[g->items.v[i].field].header);
        end_cell(g, &out, i, at);
    }
    if (!g->no_header)
        str_append_char(&out, '\n');
    for (size_t i = 0; i < g->items.n && !g->no_header && !g->parsable && !g->parsable2; i++) {
        for (int k = abs(g->items.v[i].width); k > 0; k--)
            str_append_char(&out, '-');
        str_append(&out, i + 1 < g->items.n ? " " : " \n");
    }
    vec_for_each (&g->rows, r) {
        vec_for_each (&g->items, i) {
            size_t at = out.len;
            text_append_foreign(&out, g->rows.v[r].v[g->items.v[i].field], "");
            end_cell(g, &out, i, at);
        }
        str_append_char(&out, '\n');
    }
    out_flush(&out);
    str_fini(&out);
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

static bool is_word(const char *word, const char *name, size_t min)
{
    size_t n = strlen(word);
    return n >= min && n <= strlen(name) && strncasecmp(word, name, n) == 0;
}

static void add_list(struct strv *to, const char *text)
{
    struct strv words = strv_split(text, ",");
    for (size_t i = 0; i < words.n; i++)
        strv_push(to, words.v[i]);
    strv_fini(&words);
}

/* "user=u", "format=...", "withassoc", "where": what the word after the entity may say. Those that name
 * something without '=' name the entity itself, as in show user ann. */
static int take_word(struct mgr *g, const char *word, const char *entity)
{
    static const char *const flags[] = {
        "where",   "set",         "wopinfo",          "wopi",      "wolimits", "woplimits",
        "withsub", "withdeleted", "withcoordinators", "withcoord", "tree",     "onlydefaults"};
    const char *eq = strchr(word, '=');
    size_t n = eq ? (size_t)(eq - word) : strlen(word);
    char *key = xstrndup(word, n);
    bool of_user = is_word("user", entity, 4) || is_word(entity, "users", 1);
    int rc = 0;
    bool flag = false;
    for (size_t i = 0; !eq && i < sizeof flags / sizeof flags[0]; i++)
        flag = flag || str_ieq(flags[i], key);
    if (eq && is_word(key, "format", 1))
        rc = parse_format(g, eq + 1);
    else if (eq && (is_word(key, "users", 1) || (of_user && is_word(key, "names", 1))))
        add_list(&g->users, eq + 1);
    else if (eq && is_word(key, "accounts", 2))
        add_list(&g->accounts, eq + 1);
    else if (eq && is_word(key, "clusters", 1))
        add_list(&g->clusters, eq + 1);
    else if (eq && is_word(key, "names", 1))
        add_list(is_word(entity, "accounts", 2) ? &g->accounts : &g->names, eq + 1);
    else if (!eq &&
             (str_ieq(key, "withassoc") || str_ieq(key, "withassocs") || str_ieq(key, "withassociations")))
        g->associations = true;
    else if (!eq && !flag)
        add_list(of_user ? &g->users : is_word(entity, "accounts", 2) ? &g->accounts : &g->names, word);
    else if (eq) {
        fprintf(stderr, " Unknown condition: %s\n", word);
        rc = 1;
    }
    free(key);
    return rc;
}

static int fetch(struct mgr *g)
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

static int show(struct mgr *g, const struct strv *w)
{
    size_t e = 0, n = sizeof entities / sizeof entities[0];
    while (e < n && (w->n < 2 || !is_word(w->v[1], entities[e].name, entities[e].min)))
        e++;
    if (e == n) {
        fprintf(stderr, "No valid entity in list command\nInput line must include \"Account\", "
                        "\"Association\", \"Cluster\", \"QOS\", \"TRES\", or \"User\"\n");
        return 1;
    }
    int rc = 0;
    for (size_t i = 2; i < w->n && rc == 0; i++)
        rc = take_word(g, w->v[i], w->v[1]);
    bool with = g->associations && entities[e].with_assocs;
    if (rc == 0 && !g->items.n)
        rc = parse_format(g, with ? entities[e].with_assocs : entities[e].format);
    /* a field of associations alone asks for them */
    vec_for_each (&g->items, i)
        g->associations = g->associations || (entities[e].with_assocs && g->items.v[i].field == F_QOS);
    rc = rc ? rc : fetch(g);
    if (rc == 0) {
        entities[e].collect(g);
        print(g);
    }
    return rc;
}

static void mgr_fini(struct mgr *g)
{
    vec_for_each (&g->rows, i)
        for (int f = 0; f < F_N; f++)
            free(g->rows.v[i].v[f]);
    vec_fini(&g->rows);
    vec_fini(&g->items);
    strv_fini(&g->users);
    strv_fini(&g->accounts);
    strv_fini(&g->names);
    strv_fini(&g->clusters);
    free(g->format);
    model_fini(&g->m);
    client_free(g->client);
}

static int sacctmgr_run(struct cli *cli, int argc, char **argv)
{
    struct mgr g = {.cli = cli, .items = VEC_INIT, .rows = VEC_INIT};
    struct strv words = {0};
    int rc = 0;
    model_init(&g.m);
    if (cli_parse(cli, &g, argc, argv, 0, &words, &rc)) {
        if (words.n && (is_word(words.v[0], "show", 2) || is_word(words.v[0], "list", 1))) {
            rc = show(&g, &words);
        } else if (words.n && is_word(words.v[0], "version", 4)) {
            puts("slurm 23.02.7");
        } else if (!words.n || is_word(words.v[0], "help", 1)) {
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
    .summary = "Show accounts, users, associations, QOS and the cluster",
    .usage = "[OPTIONS] show ENTITY [CONDITION=VALUE...] [format=FIELDS]",
    .options = &options,
    .slurm = true,
    .run = sacctmgr_run,
};
