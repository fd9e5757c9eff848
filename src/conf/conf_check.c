/* conf_check.c - node patterns, names that refer to one another, values that must fit together. */
#include "src/conf/conf_check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/conf/tables.h"
#include "src/lang/lang.h"
#include "src/model/private_data.h"
#include "src/model/usage.h"
#include "src/os/ulimit.h"
#include "src/values/hostlist.h"
#include "src/values/units.h"

#define NODE_NAME_MAX 128
#define NODES_MAX     HOSTLIST_MAX

struct node_ref {
    const char *name;
    size_t index; /* of spec->nodes */
};

struct finish {
    const struct conf_parse *c;
    const config_setting_t *root;
    struct cluster_spec *spec;
    VEC(size_t) node_entry;     /* which entry of the file each node comes from */
    VEC(struct node_ref) nodes; /* by name */
};

/* The setting to blame: a key of entry i of a list, else the entry, else the list. */
static const config_setting_t *conf_where(const struct finish *f, const char *list, size_t i,
                                          const char *key)
{
    const config_setting_t *l = config_setting_get_member(f->root, list);
    const config_setting_t *entry = l ? config_setting_get_elem(l, (unsigned)i) : NULL;
    const config_setting_t *member = entry && key ? config_setting_get_member(entry, key) : NULL;
    return member ? member : entry ? entry : l ? l : f->root;
}

/* This machine's name up to the first dot. Caller frees. */
static char *short_host_name(void)
{
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    name[strcspn(name, ".")] = '\0';
    return xstrdup(*name ? name : "localhost");
}

/* ---- nodes ---- */

static bool is_node_name(const char *s)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    return *s && *s != '-' && *s != '.' && strlen(s) <= NODE_NAME_MAX && !s[strspn(s, allowed)];
}

/* Puts the text that the one bracket of pattern gives in name in place of %s. NULL: pattern has not one
 * bracket. */
static char *fill_address(const char *address, const char *pattern, const char *name)
{
    const char *open = strchr(pattern, '['), *close = open ? strchr(open, ']') : NULL;
    if (!close || strchr(close, '[') || strchr(close, ',') ||
        memchr(pattern, ',', (size_t)(open - pattern)))
        return NULL;
    size_t head = (size_t)(open - pattern), tail = strlen(close + 1);
    struct str out = STR_INIT;
    for (const char *p = address; *p; p++)
        if (p[0] == '%' && p[1] == 's') {
            str_append_n(&out, name + head, strlen(name) - head - tail);
            p++;
        } else {
            str_append_char(&out, *p);
        }
    return str_take(&out);
}

static int check_address(const struct finish *f, size_t entry, const struct node_spec *n, size_t n_names)
{
    const config_setting_t *at = conf_where(f, "nodes", entry, "address");
    if (!n->address)
        return 0;
    if (!*n->address)
        return conf_error(f->c, at, tr("address: an empty text is not an address"));
    if (n->transport && strcmp(n->transport, "local") == 0)
        return conf_error(f->c, at,
                          tr("address: a node with transport = \"local\" is this machine and has none"));
    const char *percent = strchr(n->address, '%');
    for (; percent && percent[1] == 's'; percent = strchr(percent + 1, '%'))
        ;
    if (percent)
        return conf_error(f->c, at,
                          tr("address: after %% only s can stand, for the text of the name's bracket"));
    if (strchr(n->address, '%')) {
        char *probe = fill_address(n->address, n->name, n->name);
        bool fits = probe != NULL;
        free(probe);
        return fits ? 0
                    : conf_error(f->c, at,
                                 tr("address: %%s needs a name with one bracket, like \"gpu[01-04]\""));
    }
    if (n_names > 1)
        return conf_error(
            f->c, at,
            tr("address: %zu nodes with one address: write %%s for the text of the name's bracket"),
            n_names);
    return 0;
}

/* Keys of the other way to reach a node: a configuration that gives one means something by it. */
static int check_transport(const struct finish *f, size_t entry, const struct node_spec *n)
{
    static const char *const of_ssh[] = {"ssh_user", "identity", "known_hosts"};
    bool local = n->transport ? strcmp(n->transport, "local") == 0 : !n->address;
    bool socket = n->transport && strcmp(n->transport, "socket") == 0;
    const config_setting_t *at = conf_where(f, "nodes", entry, NULL);
    if (!local && !socket && n->agent_socket)
        return conf_error(f->c, conf_where(f, "nodes", entry, "agent_socket"),
                          tr("agent_socket: only a node with transport = \"local\" or \"socket\" has one"));
    if (socket && !n->agent_socket)
        return conf_error(f->c, conf_where(f, "nodes", entry, "transport"),
                          tr("transport: \"socket\" needs agent_socket, which leads to the agent"));
    local = local || socket;
    for (size_t i = 0; local && i < sizeof of_ssh / sizeof *of_ssh; i++)
        if (config_setting_get_member(at, of_ssh[i]))
            return conf_error(
                f->c, conf_where(f, "nodes", entry, of_ssh[i]),
                tr("%s: this machine is not reached over SSH: give an address, or transport = "
                   "\"ssh\""),
                of_ssh[i]);
    return 0;
}

static int check_node(const struct finish *f, size_t entry, const struct node_spec *n)
{
    if (n->detect)
        return 0;
    const char *missing = !n->cpus ? "cpus" : !n->mem_mib ? "memory" : NULL;
    if (missing)
        return conf_error(f->c, conf_where(f, "nodes", entry, "detect"),
                          tr("detect = false needs the key \"%s\""), missing);
    return 0;
}

/* One node of an entry: the entry's settings under its own name and address. */
static void make_node(struct node_spec *to, const struct node_spec *from, const char *name)
{
    rec_copy(&node_spec_rec, to, from);
    xstrset(&to->name, name);
    if (from->address && strchr(from->address, '%')) {
        free(to->address);
        to->address = fill_address(from->address, from->name, name);
    }
    if (!to->transport)
        to->transport = xstrdup(to->address ? "ssh" : "local");
    if (!to->address && strcmp(to->transport, "ssh") == 0)
        to->address = xstrdup(name);
    if (!to->detect && to->gpus == UINT32_MAX)
        to->gpus = 0;
}

static int expand_entry(struct finish *f, size_t entry, const struct node_spec *from,
                        struct cluster_spec *out)
{
    const config_setting_t *at = conf_where(f, "nodes", entry, "name");
    struct strv names = {0};
    struct errtext why = {""};
    int r = hostlist_expand(from->name, &names, &why);
    if (r < 0)
        return conf_error(f->c, at, "name: %s", why.s);
    if (!names.n)
        r = conf_error(f->c, at, tr("name: an empty text is not a name"));
    else if (names.n + out->nodes.n > NODES_MAX)
        r = conf_error(f->c, at, tr("more than %d nodes"), NODES_MAX);
    else
        r = check_address(f, entry, from, names.n);
    if (r == 0)
        r = check_transport(f, entry, from);
    if (r == 0)
        r = check_node(f, entry, from);
    for (size_t i = 0; i < names.n && r == 0; i++) {
        if (!is_node_name(names.v[i])) {
            r = conf_error(
                f->c, at, tr("name: \"%.100s\" cannot be a node's name: letters, digits, '-', '_' and '.'"),
                names.v[i]);
            break;
        }
        make_node(rec_list_push(&out->nodes), from, names.v[i]);
        vec_push(&f->node_entry, entry);
    }
    strv_fini(&names);
    return r;
}

static int conf_by_name(const void *a, const void *b)
{
    const struct node_ref *x = a, *y = b;
    int c = strcmp(x->name, y->name);
    return c ? c : (x->index > y->index) - (x->index < y->index);
}

static int index_nodes(struct finish *f)
{
    for (size_t i = 0; i < f->spec->nodes.n; i++) {
        struct node_ref ref = {.name = f->spec->nodes.v[i].name, .index = i};
        vec_push(&f->nodes, ref);
    }
    if (f->nodes.n)
        qsort(f->nodes.v, f->nodes.n, sizeof *f->nodes.v, conf_by_name);
    for (size_t i = 1; i < f->nodes.n; i++)
        if (strcmp(f->nodes.v[i].name, f->nodes.v[i - 1].name) == 0)
            return conf_error(f->c, conf_where(f, "nodes", f->node_entry.v[f->nodes.v[i].index], "name"),
                              tr("name: two nodes are called \"%s\""), f->nodes.v[i].name);
    return 0;
}

static int expand_nodes(struct finish *f)
{
    struct cluster_spec out = {0}; /* its nodes alone */
    int r = 0;
    for (size_t i = 0; i < f->spec->nodes.n && r == 0; i++)
        r = expand_entry(f, i, &f->spec->nodes.v[i], &out);
    if (r == 0 && !f->spec->nodes.n) {
        struct node_spec here = {0};
        conf_set_defaults(&conf_node_section, &here);
        here.name = short_host_name();
        make_node(rec_list_push(&out.nodes), &here, here.name);
        vec_push(&f->node_entry, (size_t)0);
        rec_fini(&node_spec_rec, &here);
    }
    struct cluster_spec old = {.nodes = {.v = f->spec->nodes.v, .n = f->spec->nodes.n}};
    f->spec->nodes.v = out.nodes.v;
    f->spec->nodes.n = out.nodes.n;
    rec_fini(&cluster_spec_rec, &old);
    return r < 0 ? r : index_nodes(f);
}

/* ---- names of lists ---- */

static const char *node_name(const void *ctx, size_t i)
{
    return ((const struct finish *)ctx)->nodes.v[i].name;
}
static const char *part_name(const void *ctx, size_t i)
{
    return ((const struct finish *)ctx)->spec->parts.v[i].name;
}
static const char *qos_name(const void *ctx, size_t i)
{
    return ((const struct finish *)ctx)->spec->qos.v[i].name;
}
static const char *account_name(const void *ctx, size_t i)
{
    return ((const struct finish *)ctx)->spec->accounts.v[i].name;
}

typedef const char *(*name_fn)(const void *ctx, size_t i);

/* Index of name among the first n, or n. */
static size_t find_name(const struct finish *f, name_fn get, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(get(f, i), name) == 0)
            return i;
    return n;
}

static int check_unique(const struct finish *f, const char *list, const char *what, name_fn get, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (find_name(f, get, i, get(f, i)) < i)
            return conf_error(f->c, conf_where(f, list, i, "name"), tr("name: two %s are called \"%s\""),
                              what, get(f, i));
    return 0;
}

static int check_known(const struct finish *f, const config_setting_t *at, const char *key,
                       const char *what, name_fn get, size_t n, const char *name)
{
    char hint[CONF_HINT_SIZE];
    if (find_name(f, get, n, name) < n)
        return 0;
    return conf_error(f->c, at, tr("%s: no %s is called \"%.80s\"%s"), key, tr(what), name,
                      conf_hint(name, get, f, n, hint));
}

static int check_all_known(const struct finish *f, const config_setting_t *at, const char *key,
                           const char *what, name_fn get, size_t n, const struct strv *names)
{
    for (size_t i = 0; i < names->n; i++) {
        int r = check_known(f, at, key, what, get, n, names->v[i]);
        if (r < 0)
            return r;
    }
    return 0;
}

/* ---- partitions ---- */

static const struct node_spec *find_node(const struct finish *f, const char *name)
{
    size_t lo = 0, hi = f->nodes.n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (strcmp(f->nodes.v[mid].name, name) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == f->nodes.n || strcmp(f->nodes.v[lo].name, name) != 0)
        return NULL;
    return &f->spec->nodes.v[f->nodes.v[lo].index];
}

static int resolve_nodes(const struct finish *f, size_t i, struct part_spec *p)
{
    const config_setting_t *at = conf_where(f, "partitions", i, "nodes");
    struct strv out = {0};
    bool all = false;
    for (size_t k = 0; k < p->nodes.n; k++)
        all = all || str_ieq(p->nodes.v[k], "ALL");
    bool *seen = xcalloc(f->spec->nodes.n + 1, sizeof *seen);
    int r = 0;
    for (size_t k = 0; all && k < f->spec->nodes.n; k++)
        if (strcmp(f->spec->nodes.v[k].role, "compute") == 0)
            strv_push(&out, f->spec->nodes.v[k].name);
    for (size_t k = 0; !all && k < p->nodes.n && r == 0; k++) {
        const struct node_spec *n = find_node(f, p->nodes.v[k]);
        char hint[CONF_HINT_SIZE];
        if (!n)
            r = conf_error(
                f->c, at, tr("nodes: no node is called \"%.80s\"%s"), p->nodes.v[k],
                conf_hint(p->nodes.v[k], node_name, f, f->nodes.n < 1000 ? f->nodes.n : 0, hint));
        else if (strcmp(n->role, "compute") != 0)
            r = conf_error(f->c, at, tr("nodes: \"%.80s\" is a login node and runs no jobs"), n->name);
        else if (!seen[n - f->spec->nodes.v])
            strv_push(&out, n->name);
        if (n)
            seen[n - f->spec->nodes.v] = true;
    }
    free(seen);
    strv_fini(&p->nodes);
    p->nodes = out;
    return r;
}

static int check_part(const struct finish *f, size_t i)
{
    struct part_spec *p = &f->spec->parts.v[i];
    int r = resolve_nodes(f, i, p);
    if (r == 0 && p->default_time_s != DURATION_NOT_SET && p->max_time_s != DURATION_UNLIMITED &&
        p->default_time_s > p->max_time_s)
        r = conf_error(f->c, conf_where(f, "partitions", i, "default_time"),
                       tr("default_time: longer than max_time"));
    for (size_t k = 0; k < 2 && r == 0; k++) {
        uint32_t time_s = k ? p->default_time_s : p->max_time_s;
        const char *key = k ? "default_time" : "max_time";
        if (!time_s)
            r = conf_error(f->c, conf_where(f, "partitions", i, key),
                           tr("%s: no job can run for 0 seconds"), key);
    }
    if (r == 0 && p->default_mem_cpu_mib && p->default_mem_node_mib)
        r = conf_error(f->c, conf_where(f, "partitions", i, "default_memory_per_node"),
                       "default_memory_per_node: default_memory_per_cpu is given as well");
    if (r == 0)
        r = check_all_known(f, conf_where(f, "partitions", i, "allow_qos"), "allow_qos", "QOS", qos_name,
                            f->spec->qos.n, &p->allow_qos);
    if (r == 0)
        r = check_all_known(f, conf_where(f, "partitions", i, "deny_qos"), "deny_qos", "QOS", qos_name,
                            f->spec->qos.n, &p->deny_qos);
    if (r == 0 && f->spec->accounts.n)
        r = check_all_known(f, conf_where(f, "partitions", i, "allow_accounts"), "allow_accounts",
                            "account", account_name, f->spec->accounts.n, &p->allow_accounts);
    if (r == 0 && f->spec->accounts.n)
        r = check_all_known(f, conf_where(f, "partitions", i, "deny_accounts"), "deny_accounts", "account",
                            account_name, f->spec->accounts.n, &p->deny_accounts);
    return r;
}

static int check_parts(struct finish *f)
{
    if (!f->spec->parts.n) {
        struct part_spec *p = rec_list_push(&f->spec->parts);
        conf_set_defaults(&conf_part_section, p);
        p->name = xstrdup("main");
    }
    int r = check_unique(f, "partitions", "partitions", part_name, f->spec->parts.n);
    size_t n_default = 0;
    for (size_t i = 0; i < f->spec->parts.n && r == 0; i++) {
        n_default += f->spec->parts.v[i].is_default;
        if (n_default > 1)
            r = conf_error(f->c, conf_where(f, "partitions", i, "default"),
                           tr("default: another partition is the default already"));
        else
            r = check_part(f, i);
    }
    if (r == 0 && !n_default)
        f->spec->parts.v[0].is_default = true;
    return r;
}

/* ---- QOS, licences and accounts ---- */

static const char *license_name(const void *ctx, size_t i)
{
    return ((const struct finish *)ctx)->spec->licenses.v[i].name;
}

/* Jobs that name no QOS have QOS_DEFAULT: it can be referred to without an entry of its own. */
static void add_default_qos(const struct finish *f)
{
    if (find_name(f, qos_name, f->spec->qos.n, QOS_DEFAULT) < f->spec->qos.n)
        return;
    struct qos_spec *q = rec_list_push(&f->spec->qos);
    conf_set_defaults(&conf_qos_section, q);
    q->name = xstrdup(QOS_DEFAULT);
}

/* Whether QOS `at` may preempt `to`, itself or by way of others. */
static bool may_preempt(const struct finish *f, size_t at, size_t to, bool *seen)
{
    const struct qos_spec *q = &f->spec->qos.v[at];
    seen[at] = true;
    for (size_t k = 0; k < q->preempt.n; k++) {
        size_t next = find_name(f, qos_name, f->spec->qos.n, q->preempt.v[k]);
        if (next == to || (!seen[next] && may_preempt(f, next, to, seen)))
            return true;
    }
    return false;
}

/* In a ring of them each job makes way for one that makes way for it. */
static int check_qos_rings(const struct finish *f)
{
    size_t n = f->spec->qos.n;
    int r = 0;
    bool *seen = xcalloc(n, sizeof *seen);
    for (size_t i = 0; i < n && r == 0; i++) {
        memset(seen, 0, n * sizeof *seen);
        if (may_preempt(f, i, i, seen))
            r = conf_error(f->c, conf_where(f, "qos", i, "preempt"),
                           tr("preempt: \"%s\" would preempt itself in the end"), f->spec->qos.v[i].name);
    }
    free(seen);
    return r;
}

static int check_qos(const struct finish *f)
{
    int r = check_unique(f, "licenses", "licences", license_name, f->spec->licenses.n);
    r = r ? r : check_unique(f, "qos", "QOS", qos_name, f->spec->qos.n);
    add_default_qos(f);
    size_t n = f->spec->qos.n;
    for (size_t i = 0; i < n && r == 0; i++) {
        const struct qos_spec *q = &f->spec->qos.v[i];
        const config_setting_t *at = conf_where(f, "qos", i, "preempt");
        r = check_all_known(f, at, "preempt", "QOS", qos_name, n, &q->preempt);
        for (size_t k = 0; k < q->preempt.n && r == 0; k++) {
            const struct qos_spec *other = &f->spec->qos.v[find_name(f, qos_name, n, q->preempt.v[k])];
            if (strv_has(&other->preempt, q->name))
                r = other == q
                        ? conf_error(f->c, at, tr("preempt: \"%s\" cannot preempt itself"), q->name)
                        : conf_error(f->c, at, tr("preempt: \"%s\" and \"%s\" would preempt each other"),
                                     q->name, other->name);
        }
        if (r == 0 && f->spec->accounts.n)
            r = check_all_known(f, conf_where(f, "qos", i, "allow_accounts"), "allow_accounts", "account",
                                account_name, f->spec->accounts.n, &q->allow_accounts);
    }
    return r ? r : check_qos_rings(f);
}

static int conf_check_account(const struct finish *f, size_t i)
{
    size_t n = f->spec->accounts.n;
    const struct account_spec *a = &f->spec->accounts.v[i];
    if (strcmp(a->name, "root") == 0)
        return conf_error(f->c, conf_where(f, "accounts", i, "name"),
                          tr("name: \"root\" is always there and holds all accounts"));
    const config_setting_t *at = conf_where(f, "accounts", i, "parent");
    if (strcmp(a->parent, "root") != 0) {
        int r = check_known(f, at, "parent", N_("account"), account_name, n, a->parent);
        if (r < 0)
            return r;
    }
    for (size_t k = 0; k < a->users.n; k++)
        for (size_t m = 0; m < k; m++)
            if (strcmp(a->users.v[k].name, a->users.v[m].name) == 0)
                return conf_error(f->c, conf_where(f, "accounts", i, "users"),
                                  tr("users: \"%s\" is there twice"), a->users.v[k].name);
    return 0;
}

static int check_accounts(const struct finish *f)
{
    size_t n = f->spec->accounts.n;
    int r = check_unique(f, "accounts", "accounts", account_name, n);
    for (size_t i = 0; i < n && r == 0; i++)
        r = conf_check_account(f, i);
    /* From each one up: more steps than accounts is a circle. */
    for (size_t i = 0; i < n && r == 0; i++) {
        const char *up = f->spec->accounts.v[i].parent;
        size_t steps = 0;
        for (; strcmp(up, "root") != 0 && steps <= n; steps++)
            up = f->spec->accounts.v[find_name(f, account_name, n, up)].parent;
        if (steps > n)
            r = conf_error(f->c, conf_where(f, "accounts", i, "parent"),
                           tr("parent: \"%s\" is a part of itself in the end"),
                           f->spec->accounts.v[i].name);
    }
    return r;
}

/* ---- limits ---- */

/* The limits on queued jobs are checked at submission: the job is refused or accepted. A queued job cannot
 * yield to another job, so these limits have no soft value. */
static int check_soft(const struct finish *f, size_t i, const struct limit_spec *l)
{
    const char *key = l->soft.submitted_jobs != LIMIT_NONE ? "submitted_jobs"
                      : l->soft.array_size != LIMIT_NONE   ? "array_size"
                                                           : NULL;
    return key ? conf_error(f->c, conf_where(f, "limits", i, "soft"),
                            tr("soft: %s can only be limited by hard"), key)
               : 0;
}

static int check_limit_set(const struct finish *f, size_t i, const struct limit_spec *l)
{
    bool any = false;
    for (size_t k = 0; k < limit_set_rec.n_fields; k++) {
        size_t offset = limit_set_rec.fields[k].offset;
        uint64_t soft = *(const uint64_t *)(const void *)((const char *)&l->soft + offset);
        uint64_t hard = *(const uint64_t *)(const void *)((const char *)&l->hard + offset);
        any = any || soft != LIMIT_NONE || hard != LIMIT_NONE;
        if (soft != LIMIT_NONE && soft > hard)
            return conf_error(f->c, conf_where(f, "limits", i, "soft"),
                              tr("soft: %s is over the hard limit"),
                              k == 2 ? "memory" : limit_set_rec.fields[k].name);
    }
    if (!any)
        return conf_error(f->c, conf_where(f, "limits", i, NULL),
                          tr("neither soft nor hard limits anything"));
    return check_soft(f, i, l);
}

static int check_limit_name(const struct finish *f, size_t i, const struct limit_spec *l)
{
    const config_setting_t *at = conf_where(f, "limits", i, "name");
    const struct cluster_spec *s = f->spec;
    if (!*l->name)
        return conf_error(f->c, at, tr("name: an empty text is not a name"));
    if (strcmp(l->name, "*") == 0)
        return 0;
    if (l->scope == LIMIT_CLUSTER)
        return conf_error(f->c, at, tr("name: the cluster's limits have none"));
    if (l->scope == LIMIT_QOS)
        return check_known(f, at, "name", "QOS", qos_name, s->qos.n, l->name);
    if (l->scope == LIMIT_PARTITION)
        return check_known(f, at, "name", N_("partition"), part_name, s->parts.n, l->name);
    if (l->scope == LIMIT_ACCOUNT && s->accounts.n && strcmp(l->name, "root") != 0)
        return check_known(f, at, "name", N_("account"), account_name, s->accounts.n, l->name);
    return 0;
}

static int conf_check_limits(const struct finish *f)
{
    const struct cluster_spec *s = f->spec;
    int r = 0;
    for (size_t i = 0; i < s->limits.n && r == 0; i++) {
        const struct limit_spec *l = &s->limits.v[i];
        r = check_limit_name(f, i, l);
        if (r == 0 && l->partition)
            r = check_known(f, conf_where(f, "limits", i, "partition"), "partition", N_("partition"),
                            part_name, s->parts.n, l->partition);
        if (r == 0 && l->partition && l->scope == LIMIT_PARTITION && strcmp(l->name, "*") != 0 &&
            strcmp(l->name, l->partition) != 0)
            r = conf_error(f->c, conf_where(f, "limits", i, "partition"),
                           tr("partition: no job in partition \"%s\" counts for partition \"%s\""),
                           l->partition, l->name);
        if (r == 0)
            r = check_limit_set(f, i, l);
        for (size_t k = 0; k < i && r == 0; k++) {
            const struct limit_spec *other = &s->limits.v[k];
            if (other->scope == l->scope && str_eq(other->name, l->name) &&
                str_eq(other->partition, l->partition))
                r = conf_error(f->c, conf_where(f, "limits", i, NULL),
                               tr("a limit of the same scope, name and partition is there already"));
        }
    }
    return r;
}

#define PROPAGATE        "propagate_resource_limits"
#define PROPAGATE_EXCEPT "propagate_resource_limits_except"

static int check_limit_names(const struct finish *f, const char *key, const struct strv *names)
{
    const config_setting_t *at = config_setting_get_member(f->root, key);
    uint32_t kinds;
    for (size_t i = 0; i < names->n; i++)
        if (ulimit_parse(names->v[i], &kinds, NULL, NULL) != 0)
            return conf_error(
                f->c, at ? at : f->root,
                tr("%s: \"%s\" is not a resource limit: ALL, NONE, AS, CORE, CPU, DATA, FSIZE, "
                   "MEMLOCK, NOFILE, NPROC, RSS, STACK"),
                key, names->v[i]);
    return 0;
}

static int check_propagate(const struct finish *f)
{
    const struct strv *some = &f->spec->propagate_limits, *except = &f->spec->propagate_limits_except;
    int r = check_limit_names(f, PROPAGATE, some);
    r = r ? r : check_limit_names(f, PROPAGATE_EXCEPT, except);
    if (r == 0 && except->n && !(some->n == 1 && str_ieq(some->v[0], "ALL"))) /* which is the default */
        r = conf_error(f->c, config_setting_get_member(f->root, PROPAGATE_EXCEPT),
                       PROPAGATE_EXCEPT ": " PROPAGATE " is given, too: give one of them");
    return r;
}

static int check_private(const struct finish *f)
{
    const char *unknown;
    private_data_of(&f->spec->private_words, &unknown);
    return unknown ? conf_error(f->c, config_setting_get_member(f->root, "private"),
                                tr("private: \"%s\" is none of jobs, usage, nodes"), unknown)
                   : 0;
}

int conf_finish(const struct conf_parse *c, const config_setting_t *root, struct cluster_spec *spec)
{
    struct finish f = {.c = c, .root = root, .spec = spec};
    int r = expand_nodes(&f);
    if (r == 0)
        r = check_qos(&f);
    if (r == 0)
        r = check_accounts(&f);
    if (r == 0)
        r = check_parts(&f);
    if (r == 0)
        r = conf_check_limits(&f);
    if (r == 0)
        r = check_propagate(&f);
    if (r == 0)
        r = check_private(&f);
    vec_fini(&f.node_entry);
    vec_fini(&f.nodes);
    return r;
}
