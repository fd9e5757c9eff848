/* importmap.c - what a slurm.conf says, in the words of a stoker.cfg.
 *
 * What has no equal here is listed with its reason: nothing is left out in silence.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/cli/import/import_internal.h"
#include "src/model/usage.h"
#include "src/values/units.h"

/* --- values --- */

static void importmap_append_list(struct str *out, const char *key, const char *value)
{
    struct strv words = strv_split(value, ",");
    str_appendf(out, " %s = [", key);
    for (size_t i = 0; i < words.n; i++) {
        str_append(out, i ? ", " : "");
        str_append_quoted(out, words.v[i]);
    }
    str_append(out, "];");
    strv_fini(&words);
}

static void importmap_append_text(struct str *out, const char *key, const char *value)
{
    str_appendf(out, " %s = ", key);
    str_append_quoted(out, value);
    str_append_char(out, ';');
}

static bool importmap_is_number(const char *s, int64_t *ret)
{
    return s && int_parse(s, 0, INT32_MAX, ret, NULL) == 0;
}

static const char *importmap_take(struct conf_line *l, struct conf_line *otherwise, const char *key)
{
    const char *v = conf_take(l, key), *d = conf_take(otherwise, key);
    return v ? v : d;
}

/* --- GPUs: "gpu:a100:4(S:0-1)", "gpu:4", "gpu" --- */

struct import_gpus {
    uint32_t n;
    char *type;
    bool mixed; /* of several types */
};

static bool parse_gpu(const char *gres, struct import_gpus *ret)
{
    if (strncasecmp(gres, "gpu", 3) != 0 || (gres[3] && gres[3] != ':'))
        return false;
    char *plain = xstrndup(gres, strcspn(gres, "(")); /* without "(S:0-1)" */
    struct strv parts = strv_split(plain, ":");
    free(plain);
    uint32_t n = 1;
    for (size_t i = 1; i < parts.n; i++) {
        int64_t count;
        if (importmap_is_number(parts.v[i], &count))
            n = (uint32_t)count;
        else if (!ret->type && *parts.v[i])
            ret->type = xstrdup(parts.v[i]);
        else if (*parts.v[i] && !str_eq(ret->type, parts.v[i]))
            ret->mixed = true;
    }
    ret->n += n;
    strv_fini(&parts);
    return true;
}

static void importmap_append_gpus(struct import *m, struct str *out, const struct conf_line *l,
                                  const char *gres)
{
    struct import_gpus g = {0};
    struct strv items = strv_split(gres ? gres : "", ",");
    for (size_t i = 0; i < items.n; i++)
        if (!parse_gpu(items.v[i], &g))
            import_leave(m, l, items.v[i], "GPUs are the generic resource there is");
    if (g.n)
        str_appendf(out, " gpus = %u;", g.n);
    if (g.mixed)
        import_leave(m, l, gres, "a node's GPUs have one type here: they count as one without a name");
    else if (g.type)
        importmap_append_text(out, "gpu_type", g.type);
    free(g.type);
    strv_fini(&items);
}

/* --- nodes --- */

static uint64_t product_of(struct conf_line *l, struct conf_line *d)
{
    static const char *const keys[] = {"Boards", "Sockets", "SocketsPerBoard", "CoresPerSocket",
                                       "ThreadsPerCore"};
    uint64_t n = 1;
    bool any = false;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        int64_t v;
        const char *text = importmap_take(l, d, keys[i]);
        if (importmap_is_number(text, &v) && v > 0 && v < 4096) {
            n *= (uint64_t)v;
            any = true;
        }
    }
    return any ? n : 0;
}

/* "n[01-04]" is reached as "n%s", so is "n[01-04].cluster"; another pattern must be written by hand. */
static void append_address(struct import *m, struct str *out, const struct conf_line *l, const char *name,
                           const char *address)
{
    const char *a = address ? address : name;
    const char *open = strchr(a, '['), *close = strchr(a, ']');
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    host[strcspn(host, ".")] = '\0';
    if (str_eq(name, "localhost") || (str_eq(name, host) && (!address || str_eq(address, host)))) {
        importmap_append_text(out, "transport", "local");
        return;
    }
    if (open && close) {
        const char *list = strchr(name, '[');
        size_t n = (size_t)(close - open) + 1;
        if (!list || strncmp(list, open, n) != 0 || strchr(close, '['))
            import_leave(
                m, l, a,
                "write the address of these nodes by hand: %s stands for the text in the brackets of name");
        char *text = xasprintf("%.*s%%s%s", (int)(open - a), a, close + 1);
        importmap_append_text(out, "address", text);
        free(text);
    } else {
        importmap_append_text(out, "address", a);
    }
}

static void importmap_add_node(struct import *m, struct conf_line *l, const char *name)
{
    struct conf_line *d = &m->node_default;
    struct str rest = STR_INIT, *out = &rest;
    int64_t n;
    append_address(m, out, l, name, importmap_take(l, d, "NodeAddr"));
    const char *cpus = importmap_take(l, d, "CPUs"), *procs = importmap_take(l, d, "Procs");
    uint64_t product = product_of(l, d);
    if (importmap_is_number(cpus ? cpus : procs, &n) && n > 0)
        str_appendf(out, " cpus = %lld;", (long long)n);
    else if (product)
        str_appendf(out, " cpus = %llu;", (unsigned long long)product);
    const char *mem = importmap_take(l, d, "RealMemory");
    if (importmap_is_number(mem, &n) && n > 0)
        str_appendf(out, " memory = \"%lldM\";", (long long)n);
    importmap_append_gpus(m, out, l, importmap_take(l, d, "Gres"));
    const char *features = importmap_take(l, d, "Features");
    const char *feature = importmap_take(l, d, "Feature");
    if (features || feature)
        importmap_append_list(out, "features", features ? features : feature);
    if (importmap_is_number(importmap_take(l, d, "Weight"), &n) && n != 1)
        str_appendf(out, " weight = %lld;", (long long)n);
    const char *host = importmap_take(l, d, "NodeHostname"), *state = importmap_take(l, d, "State");
    (void)host;
    if (state && !str_ieq(state, "UNKNOWN") && !str_ieq(state, "IDLE") && !str_ieq(state, "CLOUD"))
        import_leave(m, l, state,
                     "a node's state does not belong into the configuration: use stoker node drain");
    import_write_nodes(m, l, name, rest.s ? rest.s : "");
    str_fini(&rest);
}

static void end_list(struct str *out)
{
    if (out->len >= 2 && out->s[out->len - 2] == ',') {
        str_truncate(out, out->len - 2);
        str_append_char(out, '\n');
    }
    str_append(out, ");\n");
}

/* Lines that begin with a key: DEFAULT ones are kept aside, the others handed on. */
static unsigned each_line(struct import *m, const char *key, struct conf_line *defaults,
                          void (*fn)(struct import *m, struct conf_line *l, const char *name))
{
    unsigned n = 0;
    vec_for_each (&m->conf.lines, i) {
        struct conf_line *l = &m->conf.lines.v[i];
        if (!str_ieq(l->pairs.v[0].key, key))
            continue;
        const char *name = conf_take(l, key);
        if (str_ieq(name, "DEFAULT")) {
            vec_for_each (&l->pairs, k) {
                struct conf_pair p = {.key = xstrdup(l->pairs.v[k].key),
                                      .value = xstrdup(l->pairs.v[k].value)};
                l->pairs.v[k].used = true;
                vec_push(&defaults->pairs, p);
            }
            continue;
        }
        fn(m, l, name);
        n++;
    }
    return n;
}

/* --- sets of nodes: NodeSet=NAME Nodes=LIST or Feature=WORD --- */

static bool has_word(const char *list, const char *word)
{
    struct strv words = strv_split(list ? list : "", ",&");
    bool has = strv_has(&words, word);
    strv_fini(&words);
    return has;
}

/* Has to follow the nodes: their lines are marked as used by then. */
static void append_nodes_with(struct import *m, struct str *out, const char *feature)
{
    struct strv otherwise = {0}; /* the features of the last DEFAULT line */
    vec_for_each (&m->conf.lines, i) {
        struct conf_line *l = &m->conf.lines.v[i];
        if (!str_ieq(l->pairs.v[0].key, "NodeName"))
            continue;
        const char *many = conf_take(l, "Features"), *one = conf_take(l, "Feature"),
                   *has = many ? many : one;
        if (str_ieq(l->pairs.v[0].value, "DEFAULT")) {
            if (has)
                strv_push(&otherwise, has);
            continue;
        }
        if (!has && otherwise.n)
            has = otherwise.v[otherwise.n - 1];
        if (has_word(has, feature))
            str_appendf(out, "%s%s", out->len ? "," : "", l->pairs.v[0].value);
    }
    strv_fini(&otherwise);
}

/* False where there is no such set. */
static bool append_set(struct import *m, struct str *out, const char *name)
{
    vec_for_each (&m->conf.lines, i) {
        struct conf_line *l = &m->conf.lines.v[i];
        if (!str_ieq(l->pairs.v[0].key, "NodeSet") || !str_eq(l->pairs.v[0].value, name))
            continue;
        conf_take(l, "NodeSet");
        const char *nodes = conf_take(l, "Nodes"), *feature = conf_take(l, "Feature");
        if (nodes)
            str_appendf(out, "%s%s", out->len ? "," : "", nodes);
        if (feature)
            append_nodes_with(m, out, feature);
        return true;
    }
    return false;
}

/* A list with the nodes of the sets that are named in it. */
static void importmap_append_nodes(struct import *m, struct str *out, const char *list)
{
    struct str nodes = STR_INIT;
    for (const char *p = list; *p;) {
        size_t n = 0;
        for (int depth = 0; p[n] && (p[n] != ',' || depth > 0); n++)
            depth += (p[n] == '[') - (p[n] == ']');
        char *item = xstrndup(p, n);
        if (!append_set(m, &nodes, item))
            str_appendf(&nodes, "%s%s", nodes.len ? "," : "", item);
        free(item);
        p += n + (p[n] == ',');
    }
    importmap_append_text(out, "nodes", nodes.s);
    str_fini(&nodes);
}

/* --- partitions --- */

/* A default over the longest time that is allowed, as a DEFAULT line may give one, is that. */
static void importmap_append_times(struct import *m, struct str *out, const struct conf_line *l,
                                   const char *max, const char *usual)
{
    const char *const keys[] = {"max_time", "default_time"}, *const values[] = {max, usual};
    uint32_t most = DURATION_UNLIMITED;
    for (size_t i = 0; i < 2; i++) {
        const char *v = values[i];
        uint32_t s;
        if (!v || str_ieq(v, "UNLIMITED") || str_ieq(v, "INFINITE") || str_ieq(v, "NONE"))
            continue;
        if (duration_parse_slurm(v, &s, NULL) < 0)
            import_leave(m, l, v, "it is not a time");
        else if (s != DURATION_UNLIMITED)
            str_appendf(out, " %s = \"%us\";", keys[i], most = s < most ? s : most);
    }
}

static void append_names(struct str *out, const char *key, const char *value)
{
    if (value && !str_ieq(value, "ALL"))
        importmap_append_list(out, key, value);
}

/* Slurm's own entries for them are in its accounting database. */
static void append_qos(struct import *m, struct str *out, const char *key, const char *value)
{
    struct strv names = strv_split(value && !str_ieq(value, "ALL") ? value : "", ",");
    for (size_t i = 0; i < names.n; i++)
        if (!str_eq(names.v[i], QOS_DEFAULT) && !strv_has(&m->qos, names.v[i]))
            strv_push(&m->qos, names.v[i]);
    strv_fini(&names);
    append_names(out, key, value);
}

static void add_qos(struct import *m)
{
    if (m->qos.n)
        str_append(&m->out, "qos = ( # their priorities are in Slurm's accounting: sacctmgr show qos\n");
    for (size_t i = 0; i < m->qos.n; i++) {
        str_append(&m->out, "  { name = ");
        str_append_quoted(&m->out, m->qos.v[i]);
        str_append(&m->out, "; },\n");
    }
    if (m->qos.n)
        end_list(&m->out);
    strv_fini(&m->qos);
}

static void append_preempt(struct import *m, struct str *out, struct conf_line *l, const char *mode)
{
    if (!mode || str_ieq(mode, "OFF"))
        return;
    uint32_t exempt_s = 0;
    if (m->preempt_exempt_time && duration_parse_slurm(m->preempt_exempt_time, &exempt_s, NULL) == 0 &&
        exempt_s && exempt_s < DURATION_NOT_SET)
        str_appendf(out, " preempt_exempt_time = \"%us\";", exempt_s);
    struct strv words = strv_split(mode, ",");
    for (size_t i = 0; i < words.n; i++) {
        if (str_ieq(words.v[i], "CANCEL"))
            importmap_append_text(out, "preempt_mode", "cancel");
        else if (str_ieq(words.v[i], "REQUEUE"))
            importmap_append_text(out, "preempt_mode", "requeue");
        else if (!str_ieq(words.v[i], "WITHIN"))
            import_leave(m, l, words.v[i], "preempted jobs are requeued or cancelled, never suspended");
    }
    strv_fini(&words);
}

/* A key that partitions have too, on a line of its own. */
static const char *importmap_of_cluster(struct import *m, const char *key)
{
    const char *value = NULL;
    vec_for_each (&m->conf.lines, i)
        if (str_ieq(m->conf.lines.v[i].pairs.v[0].key, key))
            value = conf_take(&m->conf.lines.v[i], key);
    return value;
}

/* "JobDefaults=DefCpuPerGPU=4,DefMemPerGPU=8000": the memory. */
static const char *importmap_job_defaults(const char *list)
{
    const char *at = list ? strcasestr(list, "DefMemPerGPU=") : NULL;
    return at ? at + strlen("DefMemPerGPU=") : NULL;
}

/* In MiB. A partition's own default replaces all of the cluster's, as in Slurm. */
static void importmap_append_memory(struct import *m, struct str *out, struct conf_line *l,
                                    struct conf_line *d)
{
    static const char *const keys[] = {"DefMemPerCPU", "DefMemPerGPU", "DefMemPerNode"};
    static const char *const ours[] = {"cpu", "gpu", "node"};
    const char *own[3], *gpu = importmap_job_defaults(importmap_take(l, d, "JobDefaults"));
    for (size_t i = 0; i < 3; i++)
        own[i] = importmap_take(l, d, keys[i]);
    own[1] = own[1] ? own[1] : gpu;
    bool any = own[0] || own[1] || own[2];
    for (size_t i = 0; i < 3; i++) {
        const char *v = any ? own[i] : m->def_mem_per[i];
        unsigned long long mib = v ? strtoull(v, NULL, 10) : 0; /* UNLIMITED: none */
        if (mib)
            str_appendf(out, " default_memory_per_%s = \"%lluM\";", ours[i], mib);
    }
}

static void add_partition(struct import *m, struct conf_line *l, const char *name)
{
    struct conf_line *d = &m->part_default;
    struct str *out = &m->out;
    const char *v;
    int64_t n;
    str_append(out, "  { name = ");
    str_append_quoted(out, name);
    str_append_char(out, ';');
    if ((v = importmap_take(l, d, "Nodes")) && !str_ieq(v, "ALL"))
        importmap_append_nodes(m, out, v);
    if ((v = importmap_take(l, d, "Default")) && str_ieq(v, "YES"))
        str_append(out, " default = true;");
    if ((v = importmap_take(l, d, "State")) && !str_ieq(v, "UP"))
        importmap_append_text(out, "state",
                              str_ieq(v, "DOWN")    ? "down"
                              : str_ieq(v, "DRAIN") ? "drain"
                                                    : "inactive");
    const char *max = importmap_take(l, d, "MaxTime");
    importmap_append_times(m, out, l, max, importmap_take(l, d, "DefaultTime"));
    importmap_append_memory(m, out, l, d);
    if (importmap_is_number(importmap_take(l, d, "MaxNodes"), &n) && n > 0)
        str_appendf(out, " max_nodes = %lld;", (long long)n);
    const char *factor = importmap_take(l, d, "PriorityJobFactor"),
               *tier = importmap_take(l, d, "PriorityTier"), *both = importmap_take(l, d, "Priority");
    if (importmap_is_number(factor ? factor : both, &n))
        str_appendf(out, " priority_job_factor = %lld;", (long long)n);
    if (importmap_is_number(tier ? tier : both, &n))
        str_appendf(out, " priority_tier = %lld;", (long long)n);
    v = importmap_take(l, d, "PreemptMode");
    append_preempt(m, out, l, v ? v : m->preempt_mode);
    if (importmap_is_number(importmap_take(l, d, "GraceTime"), &n) && n)
        str_appendf(out, " grace_time = \"%llds\";", (long long)n);
    if ((v = importmap_take(l, d, "ExclusiveUser")) && str_ieq(v, "YES"))
        str_append(out, " exclusive_user = true;");
    append_names(out, "allow_groups", importmap_take(l, d, "AllowGroups"));
    append_names(out, "allow_accounts", importmap_take(l, d, "AllowAccounts"));
    append_qos(m, out, "allow_qos", importmap_take(l, d, "AllowQos"));
    append_names(out, "deny_accounts", importmap_take(l, d, "DenyAccounts"));
    append_qos(m, out, "deny_qos", importmap_take(l, d, "DenyQos"));
    str_append(out, " },\n");
}

/* --- the rest --- */

static void importmap_add_number(struct import *m, const char *key, const char *slurm, const char *form)
{
    const char *v = slurmconf_take(&m->conf, slurm);
    int64_t n;
    if (!importmap_is_number(v, &n))
        return;
    str_appendf(&m->out, "%s = ", key);
    if (str_eq(form, "s"))
        str_appendf(&m->out, "\"%llds\";\n", (long long)n);
    else
        str_appendf(&m->out, "%lld;\n", (long long)n);
}

static void importmap_add_duration(struct import *m, struct str *out, const char *key, const char *slurm)
{
    const char *v = slurmconf_take(&m->conf, slurm);
    uint32_t s;
    if (v && duration_parse_slurm(v, &s, NULL) == 0 && s != DURATION_UNLIMITED)
        str_appendf(out, " %s = \"%us\";", key, s);
}

static void add_priority(struct import *m)
{
    static const struct {
        const char *key, *slurm;
    } weights[] = {{"weight_age", "PriorityWeightAge"},
                   {"weight_fairshare", "PriorityWeightFairshare"},
                   {"weight_job_size", "PriorityWeightJobSize"},
                   {"weight_partition", "PriorityWeightPartition"},
                   {"weight_qos", "PriorityWeightQOS"}};
    struct str out = STR_INIT;
    int64_t n;
    for (size_t i = 0; i < sizeof weights / sizeof weights[0]; i++)
        if (importmap_is_number(slurmconf_take(&m->conf, weights[i].slurm), &n))
            str_appendf(&out, " %s = %lld;", weights[i].key, (long long)n);
    importmap_add_duration(m, &out, "max_age", "PriorityMaxAge");
    importmap_add_duration(m, &out, "decay_half_life", "PriorityDecayHalfLife");
    const char *small = slurmconf_take(&m->conf, "PriorityFavorSmall");
    if (small)
        str_appendf(&out, " favor_small = %s;", str_ieq(small, "YES") ? "true" : "false");
    const char *flags = slurmconf_take(&m->conf, "PriorityFlags");
    if (flags && strcasestr(flags, "NO_FAIR_TREE"))
        importmap_append_text(&out, "fairshare", "classic");
    if (out.len)
        str_appendf(&m->out, "priority = {%s };\n", out.s);
    str_fini(&out);
}

static void add_licenses(struct import *m)
{
    const char *v = slurmconf_take(&m->conf, "Licenses");
    struct strv items = strv_split(v ? v : "", ",");
    if (items.n)
        str_append(&m->out, "licenses = (\n");
    for (size_t i = 0; i < items.n; i++) {
        char *count = items.v[i] + strcspn(items.v[i], ":*");
        int64_t n = 1;
        if (*count) {
            *count++ = '\0';
            if (!importmap_is_number(count, &n))
                n = 1;
        }
        str_append(&m->out, "  { name = ");
        str_append_quoted(&m->out, items.v[i]);
        str_appendf(&m->out, "; count = %lld; },\n", (long long)n);
    }
    if (items.n)
        end_list(&m->out);
    strv_fini(&items);
}

static void add_names(struct import *m, const char *key, const char *slurm_key)
{
    const char *names = slurmconf_take(&m->conf, slurm_key);
    if (!names)
        return;
    str_appendf(&m->out, "%s = ", key);
    str_append_quoted(&m->out, names);
    str_append(&m->out, ";\n");
}

static void add_cluster(struct import *m)
{
    const char *name = slurmconf_take(&m->conf, "ClusterName");
    const char *mail = slurmconf_take(&m->conf, "MailProg");
    if (name) {
        str_append(&m->out, "cluster = ");
        str_append_quoted(&m->out, name);
        str_append(&m->out, ";\n");
    }
    if (mail && !str_ieq(mail, "/bin/true")) {
        str_append(&m->out, "mail_program = ");
        str_append_quoted(&m->out, mail);
        str_append(&m->out, ";\n");
    }
    importmap_add_number(m, "kill_wait", "KillWait", "s");
    importmap_add_number(m, "min_job_age", "MinJobAge", "s");
    importmap_add_number(m, "node_timeout", "SlurmdTimeout", "s");
    importmap_add_number(m, "max_array_size", "MaxArraySize", "");
    importmap_add_number(m, "max_jobs", "MaxJobCount", "");
    add_names(m, "propagate_resource_limits", "PropagateResourceLimits");
    add_names(m, "propagate_resource_limits_except", "PropagateResourceLimitsExcept");
}

/* gres.conf says which device files there are: the agent finds them; types count where slurm.conf has
 * none. */
static void read_gres(struct import *m)
{
    vec_for_each (&m->gres.lines, i)
        vec_for_each (&m->gres.lines.v[i].pairs, k) {
            struct conf_pair *p = &m->gres.lines.v[i].pairs.v[k];
            bool known = str_ieq(p->key, "NodeName") || str_ieq(p->key, "File") ||
                         str_ieq(p->key, "AutoDetect") || str_ieq(p->key, "Count") ||
                         str_ieq(p->key, "Type") || str_ieq(p->key, "Cores") || str_ieq(p->key, "Links");
            p->used = known || (str_ieq(p->key, "Name") && str_ieq(p->value, "gpu"));
        }
}

void import_make(struct import *m)
{
    str_appendf(&m->out, "# Written by stoker import from %s.\n", m->conf.name);
    add_cluster(m);
    import_read_topology(m);
    if (m->topology.name)
        slurmconf_take(&m->conf, "TopologyPlugin");
    str_append(&m->out, "nodes = (\n");
    const struct conf_line whole = {.file = m->conf.name, .number = 1};
    if (!each_line(m, "NodeName", &m->node_default, importmap_add_node))
        import_leave(m, &whole, "NodeName", "no nodes were found");
    end_list(&m->out);
    const char *preempt = slurmconf_take(&m->conf, "PreemptType");
    if (preempt && str_ieq(preempt, "preempt/partition_prio")) /* the mode of partitions that say none */
        m->preempt_mode = importmap_of_cluster(m, "PreemptMode");
    m->preempt_exempt_time = slurmconf_take(&m->conf, "PreemptExemptTime");
    m->def_mem_per[0] = importmap_of_cluster(m, "DefMemPerCPU");
    m->def_mem_per[1] = importmap_of_cluster(m, "DefMemPerGPU");
    m->def_mem_per[2] = importmap_of_cluster(m, "DefMemPerNode");
    str_append(&m->out, "partitions = (\n");
    each_line(m, "PartitionName", &m->part_default, add_partition);
    end_list(&m->out);
    add_qos(m);
    add_licenses(m);
    add_priority(m);
    read_gres(m);
    import_list_unused(m, &m->conf);
    import_list_unused(m, &m->gres);
    import_list_unused(m, &m->topology);
    if (!m->n_left)
        return;
    str_append(&m->out, "\n# Not carried over:\n");
    struct strv lines = strv_split(m->left.s, "\n");
    for (size_t i = 0; i < lines.n; i++)
        str_appendf(&m->out, "#   %s\n", lines.v[i]);
    strv_fini(&lines);
}
