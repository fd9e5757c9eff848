/* import.c - stoker import: a stoker.cfg with the nodes, partitions and limits of a slurm.conf.
 *
 * What has no equal here is listed with its reason, in the file as comments and on standard error: nothing
 * is left out in silence.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/units.h"
#include "src/base/xalloc.h"
#include "src/cli/ask.h"
#include "src/cli/slurmconf.h"
#include "src/conf/conf.h"

#define FILE_MAX (4u << 20)

struct import {
    const struct cli *cli;
    char *output;
    bool force;
    struct slurmconf conf, gres;
    struct conf_line node_default, part_default; /* NodeName=DEFAULT ... */
    struct str out, left;                        /* the file; what could not be carried over */
    unsigned n_left;
};

enum { O_OUTPUT = 1, O_FORCE };

static const struct opt table[] = {
    {.id = O_OUTPUT,
     .name = "output",
     .letter = 'o',
     .arg = OPT_REQUIRED,
     .meta = "FILE",
     .help = "write to this file, not to standard output"},
    {.id = O_FORCE, .name = "force", .letter = 'f', .help = "even where that file exists"},
};

static int set_option(void *ctx, const struct opt *o, const char *arg,
                      __attribute__((unused)) struct errtext *err)
{
    struct import *m = ctx;
    if (o->id == O_FORCE) {
        m->force = true;
        return 0;
    }
    free(m->output);
    m->output = xstrdup(arg);
    return 0;
}

static const struct opts options = OPTS(table, set_option);

/* --- what is not carried over --- */

/* X(key in lower case, why it is not needed or not there): keys that mean nothing here are said once. */
#define NO_EQUALS(X)                                                                                           \
    X("authtype", "the kernel says who asks, SSH who connects: there is no munge")                            \
    X("authinfo", "the kernel says who asks, SSH who connects: there is no munge")                            \
    X("credtype", "the kernel says who asks, SSH who connects: there is no munge")                            \
    X("accountingstoragetype", "finished jobs are always kept, in the controller's own database")             \
    X("accountingstoragehost", "finished jobs are always kept, in the controller's own database")             \
    X("accountingstorageenforce", "limits hold wherever they are written")                                    \
    X("accountingstoragetres", "CPUs, memory and GPUs are always accounted")                                  \
    X("jobacctgathertype", "use is measured by the supervisor of each task")                                  \
    X("jobacctgatherfrequency", "use is measured by the supervisor of each task")                             \
    X("jobcomptype", "finished jobs are always kept, in the controller's own database")                       \
    X("slurmctldhost", "the controller runs where stokerd is started")                                        \
    X("controlmachine", "the controller runs where stokerd is started")                                       \
    X("backupcontroller", "there is one controller: after a failure it is started elsewhere on a backup")     \
    X("slurmctldport", "there is no TCP port: clients use a local socket, nodes SSH")                         \
    X("slurmdport", "there is no TCP port: clients use a local socket, nodes SSH")                            \
    X("slurmuser", "the controller runs as who starts it")                                                    \
    X("statesavelocation", "the state lies under STOKER_HOME")                                                \
    X("slurmdspooldir", "the agent's directory lies on its node by itself")                                   \
    X("slurmctldpidfile", "files lie under STOKER_HOME")                                                      \
    X("slurmdpidfile", "files lie under STOKER_HOME")                                                         \
    X("slurmctldlogfile", "logs lie under STOKER_HOME")                                                       \
    X("slurmdlogfile", "logs lie under STOKER_HOME")                                                          \
    X("slurmctlddebug", "logs lie under STOKER_HOME")                                                         \
    X("slurmddebug", "logs lie under STOKER_HOME")                                                            \
    X("proctracktype", "a subreaper and control groups are used where they are there")                        \
    X("taskplugin", "CPUs are bound and memory is kept to by the agent")                                      \
    X("selecttype", "CPUs, memory and GPUs are always given out separately")                                  \
    X("selecttypeparameters", "CPUs, memory and GPUs are always given out separately")                        \
    X("grestypes", "GPUs are the generic resource there is")                                                  \
    X("returntoservice", "a node that is back is used again")                                                 \
    X("mpidefault", "srun --mpi=pmi2 is served; the default is none")                                         \
    X("switchtype", "there is no plugin for switches")                                                        \
    X("topologyplugin", "nodes have features; their topology is not known")                                   \
    X("prolog", "there are no prologs and epilogs: put it into the users' start files or a wrapper")          \
    X("epilog", "there are no prologs and epilogs: put it into the users' start files or a wrapper")          \
    X("prologslurmctld", "there are no prologs and epilogs")                                                  \
    X("epilogslurmctld", "there are no prologs and epilogs")                                                  \
    X("taskprolog", "there are no prologs and epilogs")                                                       \
    X("taskepilog", "there are no prologs and epilogs")                                                       \
    X("prologflags", "there are no prologs and epilogs")                                                      \
    X("jobsubmitplugins", "there are no plugins: use limits and allow_* of partitions")                       \
    X("preempttype", "who yields to whom is said by priority_tier and by qos.preempt")                        \
    X("schedulertype", "there is one scheduler")                                                              \
    X("prioritytype", "there is one formula of priorities: see priority")                                     \
    X("burstbuffertype", "burst buffers are not supported")                                                   \
    X("federationparameters", "federations are not supported")                                                \
    X("suspendprogram", "nodes are not switched off")                                                         \
    X("resumeprogram", "nodes are not switched on")                                                           \
    X("healthcheckprogram", "the agent says what is wrong with its node; others drain it by scontrol")

static const char *reason_of(const char *key)
{
    static const struct {
        const char *key, *why;
    } reasons[] = {
#define X(k, w) {.key = k, .why = w},
        NO_EQUALS(X)
#undef X
    };
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (str_ieq(reasons[i].key, key))
            return reasons[i].why;
    return "it has no equal here";
}

static void leave(struct import *m, const struct slurmconf *c, unsigned line, const char *what,
                  const char *why)
{
    str_appendf(&m->left, "%s:%u: %s: %s\n", c->name, line, what, why);
    m->n_left++;
}

static void list_unused(struct import *m, struct slurmconf *c)
{
    vec_for_each (&c->lines, i) {
        struct conf_line *l = &c->lines.v[i];
        vec_for_each (&l->pairs, k) {
            const struct conf_pair *p = &l->pairs.v[k];
            if (p->used)
                continue;
            char *what = xasprintf("%s=%s", p->key, p->value);
            leave(m, c, l->number, what, reason_of(p->key));
            free(what);
        }
    }
}

/* --- values --- */

/* As text of libconfig. */
static void append_quoted(struct str *out, const char *s)
{
    str_append_char(out, '"');
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            str_append_char(out, '\\');
        str_append_char(out, *s);
    }
    str_append_char(out, '"');
}

static void append_list(struct str *out, const char *key, const char *value)
{
    struct strv words = strv_split(value, ",");
    str_appendf(out, " %s = [", key);
    for (size_t i = 0; i < words.n; i++) {
        str_append(out, i ? ", " : "");
        append_quoted(out, words.v[i]);
    }
    str_append(out, "];");
    strv_fini(&words);
}

static void append_text(struct str *out, const char *key, const char *value)
{
    str_appendf(out, " %s = ", key);
    append_quoted(out, value);
    str_append_char(out, ';');
}

static bool is_number(const char *s, int64_t *ret)
{
    return s && int_parse(s, 0, INT32_MAX, ret, NULL) == 0;
}

static const char *take(struct conf_line *l, struct conf_line *otherwise, const char *key)
{
    const char *v = conf_take(l, key), *d = conf_take(otherwise, key);
    return v ? v : d;
}

/* --- GPUs: "gpu:a100:4(S:0-1)", "gpu:4", "gpu" --- */

struct gpus {
    uint32_t n;
    char *type;
};

static bool parse_gpu(const char *gres, struct gpus *ret)
{
    if (strncasecmp(gres, "gpu", 3) != 0 || (gres[3] && gres[3] != ':'))
        return false;
    struct strv parts = strv_split(gres, ":");
    uint32_t n = 1;
    for (size_t i = 1; i < parts.n; i++) {
        parts.v[i][strcspn(parts.v[i], "(")] = '\0';
        int64_t count;
        if (is_number(parts.v[i], &count))
            n = (uint32_t)count;
        else if (!ret->type && *parts.v[i])
            ret->type = xstrdup(parts.v[i]);
    }
    ret->n += n;
    strv_fini(&parts);
    return true;
}

static void append_gpus(struct import *m, struct str *out, const struct conf_line *l, const char *gres)
{
    struct gpus g = {0};
    struct strv items = strv_split(gres ? gres : "", ",");
    for (size_t i = 0; i < items.n; i++)
        if (!parse_gpu(items.v[i], &g))
            leave(m, &m->conf, l->number, items.v[i], "GPUs are the generic resource there is");
    if (g.n)
        str_appendf(out, " gpus = %u;", g.n);
    if (g.type)
        append_text(out, "gpu_type", g.type);
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
        const char *text = take(l, d, keys[i]);
        if (is_number(text, &v) && v > 0 && v < 4096) {
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
        append_text(out, "transport", "local");
        return;
    }
    if (open && close) {
        const char *list = strchr(name, '[');
        size_t n = (size_t)(close - open) + 1;
        if (!list || strncmp(list, open, n) != 0 || strchr(close, '['))
            leave(
                m, &m->conf, l->number, a,
                "write the address of these nodes by hand: %s stands for the text in the brackets of name");
        char *text = xasprintf("%.*s%%s%s", (int)(open - a), a, close + 1);
        append_text(out, "address", text);
        free(text);
    } else {
        append_text(out, "address", a);
    }
}

static void add_node(struct import *m, struct conf_line *l, const char *name)
{
    struct conf_line *d = &m->node_default;
    struct str *out = &m->out;
    int64_t n;
    str_append(out, "  {");
    str_append(out, " name = ");
    append_quoted(out, name);
    str_append_char(out, ';');
    append_address(m, out, l, name, take(l, d, "NodeAddr"));
    const char *cpus = take(l, d, "CPUs"), *procs = take(l, d, "Procs");
    uint64_t product = product_of(l, d);
    if (is_number(cpus ? cpus : procs, &n) && n > 0)
        str_appendf(out, " cpus = %lld;", (long long)n);
    else if (product)
        str_appendf(out, " cpus = %llu;", (unsigned long long)product);
    const char *mem = take(l, d, "RealMemory");
    if (is_number(mem, &n) && n > 0)
        str_appendf(out, " memory = \"%lldM\";", (long long)n);
    append_gpus(m, out, l, take(l, d, "Gres"));
    const char *features = take(l, d, "Features");
    const char *feature = take(l, d, "Feature");
    if (features || feature)
        append_list(out, "features", features ? features : feature);
    if (is_number(take(l, d, "Weight"), &n) && n != 1)
        str_appendf(out, " weight = %lld;", (long long)n);
    const char *host = take(l, d, "NodeHostname"), *state = take(l, d, "State");
    (void)host;
    if (state && !str_ieq(state, "UNKNOWN") && !str_ieq(state, "IDLE") && !str_ieq(state, "CLOUD"))
        leave(m, &m->conf, l->number, state,
              "a node's state is no configuration: stoker node drain takes it out of use");
    str_append(out, " },\n");
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

/* --- partitions --- */

static void append_time(struct import *m, struct str *out, const struct conf_line *l, const char *key,
                        const char *value)
{
    uint32_t s;
    if (!value || str_ieq(value, "UNLIMITED") || str_ieq(value, "INFINITE") || str_ieq(value, "NONE"))
        return;
    if (duration_parse_slurm(value, &s, NULL) < 0)
        leave(m, &m->conf, l->number, value, "it is no time");
    else if (s != DURATION_UNLIMITED)
        str_appendf(out, " %s = \"%us\";", key, s);
}

static void append_names(struct str *out, const char *key, const char *value)
{
    if (value && !str_ieq(value, "ALL"))
        append_list(out, key, value);
}

static void append_preempt(struct import *m, struct str *out, struct conf_line *l, const char *mode)
{
    if (!mode || str_ieq(mode, "OFF"))
        return;
    struct strv words = strv_split(mode, ",");
    for (size_t i = 0; i < words.n; i++) {
        if (str_ieq(words.v[i], "CANCEL"))
            append_text(out, "preempt_mode", "cancel");
        else if (str_ieq(words.v[i], "REQUEUE"))
            append_text(out, "preempt_mode", "requeue");
        else if (!str_ieq(words.v[i], "WITHIN"))
            leave(m, &m->conf, l->number, words.v[i],
                  "preempted jobs are requeued or cancelled, never suspended");
    }
    strv_fini(&words);
}

static void add_partition(struct import *m, struct conf_line *l, const char *name)
{
    struct conf_line *d = &m->part_default;
    struct str *out = &m->out;
    const char *v;
    int64_t n;
    str_append(out, "  { name = ");
    append_quoted(out, name);
    str_append_char(out, ';');
    if ((v = take(l, d, "Nodes")) && !str_ieq(v, "ALL"))
        append_text(out, "nodes", v);
    if ((v = take(l, d, "Default")) && str_ieq(v, "YES"))
        str_append(out, " default = true;");
    if ((v = take(l, d, "State")) && !str_ieq(v, "UP"))
        append_text(out, "state", str_ieq(v, "DOWN") ? "down" : str_ieq(v, "DRAIN") ? "drain" : "inactive");
    append_time(m, out, l, "max_time", take(l, d, "MaxTime"));
    append_time(m, out, l, "default_time", take(l, d, "DefaultTime"));
    if (is_number(take(l, d, "MaxNodes"), &n) && n > 0)
        str_appendf(out, " max_nodes = %lld;", (long long)n);
    const char *factor = take(l, d, "PriorityJobFactor"), *tier = take(l, d, "PriorityTier"),
               *both = take(l, d, "Priority");
    if (is_number(factor ? factor : both, &n))
        str_appendf(out, " priority_job_factor = %lld;", (long long)n);
    if (is_number(tier ? tier : both, &n))
        str_appendf(out, " priority_tier = %lld;", (long long)n);
    append_preempt(m, out, l, take(l, d, "PreemptMode"));
    if (is_number(take(l, d, "GraceTime"), &n) && n)
        str_appendf(out, " grace_time = \"%llds\";", (long long)n);
    append_names(out, "allow_groups", take(l, d, "AllowGroups"));
    append_names(out, "allow_accounts", take(l, d, "AllowAccounts"));
    append_names(out, "allow_qos", take(l, d, "AllowQos"));
    str_append(out, " },\n");
}

/* --- the rest --- */

static void add_number(struct import *m, const char *key, const char *slurm, const char *form)
{
    const char *v = slurmconf_take(&m->conf, slurm);
    int64_t n;
    if (!is_number(v, &n))
        return;
    str_appendf(&m->out, "%s = ", key);
    if (str_eq(form, "s"))
        str_appendf(&m->out, "\"%llds\";\n", (long long)n);
    else
        str_appendf(&m->out, "%lld;\n", (long long)n);
}

static void add_duration(struct import *m, struct str *out, const char *key, const char *slurm)
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
        if (is_number(slurmconf_take(&m->conf, weights[i].slurm), &n))
            str_appendf(&out, " %s = %lld;", weights[i].key, (long long)n);
    add_duration(m, &out, "max_age", "PriorityMaxAge");
    add_duration(m, &out, "decay_half_life", "PriorityDecayHalfLife");
    const char *small = slurmconf_take(&m->conf, "PriorityFavorSmall");
    if (small)
        str_appendf(&out, " favor_small = %s;", str_ieq(small, "YES") ? "true" : "false");
    const char *flags = slurmconf_take(&m->conf, "PriorityFlags");
    if (flags && strcasestr(flags, "NO_FAIR_TREE"))
        append_text(&out, "fairshare", "classic");
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
            if (!is_number(count, &n))
                n = 1;
        }
        str_append(&m->out, "  { name = ");
        append_quoted(&m->out, items.v[i]);
        str_appendf(&m->out, "; count = %lld; },\n", (long long)n);
    }
    if (items.n)
        end_list(&m->out);
    strv_fini(&items);
}

static void add_cluster(struct import *m)
{
    const char *name = slurmconf_take(&m->conf, "ClusterName");
    const char *mail = slurmconf_take(&m->conf, "MailProg");
    if (name) {
        str_append(&m->out, "cluster = ");
        append_quoted(&m->out, name);
        str_append(&m->out, ";\n");
    }
    if (mail && !str_ieq(mail, "/bin/true")) {
        str_append(&m->out, "mail_program = ");
        append_quoted(&m->out, mail);
        str_append(&m->out, ";\n");
    }
    add_number(m, "kill_wait", "KillWait", "s");
    add_number(m, "min_job_age", "MinJobAge", "s");
    add_number(m, "node_timeout", "SlurmdTimeout", "s");
    add_number(m, "max_array_size", "MaxArraySize", "");
    add_number(m, "max_jobs", "MaxJobCount", "");
}

/* gres.conf says which device files there are: the agent finds them; types count where slurm.conf has none.
 */
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

static void make_file(struct import *m)
{
    str_appendf(&m->out, "# Written by stoker import from %s.\n", m->conf.name);
    add_cluster(m);
    str_append(&m->out, "nodes = (\n");
    if (!each_line(m, "NodeName", &m->node_default, add_node))
        leave(m, &m->conf, 1, "NodeName", "no nodes were found");
    end_list(&m->out);
    str_append(&m->out, "partitions = (\n");
    each_line(m, "PartitionName", &m->part_default, add_partition);
    end_list(&m->out);
    add_licenses(m);
    add_priority(m);
    read_gres(m);
    list_unused(m, &m->conf);
    list_unused(m, &m->gres);
    if (!m->n_left)
        return;
    str_append(&m->out, "\n# Not carried over:\n");
    struct strv lines = strv_split(m->left.s, "\n");
    for (size_t i = 0; i < lines.n; i++)
        str_appendf(&m->out, "#   %s\n", lines.v[i]);
    strv_fini(&lines);
}

/* --- the command --- */

static int read_file(const struct import *m, const char *path, struct slurmconf *ret)
{
    struct errtext err = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC), r = 0;
    struct str text = STR_INIT;
    char buf[65536];
    ssize_t n = -1;
    while (fd >= 0 && text.len < FILE_MAX && (n = read(fd, buf, sizeof buf)) > 0)
        str_append_n(&text, buf, (size_t)n);
    if (n < 0)
        r = err_set(&err, -errno, "%s: %s", path, strerror(errno));
    else if (n > 0 || memchr(text.s, '\0', text.len))
        r = err_set(&err, -EINVAL, "%s is no configuration file", path);
    r = r ? r : slurmconf_parse(path, text.s, ret, &err);
    if (fd >= 0)
        close(fd);
    if (r < 0)
        cli_error(m->cli, "%s", err.s);
    str_fini(&text);
    return r < 0 ? 1 : 0;
}

/* What cannot be read again must not be written. */
static int check_file(const struct import *m)
{
    struct cluster_spec spec;
    struct errtext err = {0};
    if (conf_parse("stoker.cfg", m->out.s, &spec, &err) < 0) {
        cli_error(m->cli, "what was made of it has an error: %s", err.s);
        return 1;
    }
    rec_fini(&cluster_spec_rec, &spec);
    return 0;
}

static int write_file(struct import *m)
{
    if (!m->output)
        return out_flush(&m->out) ? 0 : 1;
    int fd = open(m->output, O_WRONLY | O_CREAT | O_CLOEXEC | (m->force ? O_TRUNC : O_EXCL), 0644);
    bool ok = fd >= 0 && write(fd, m->out.s, m->out.len) == (ssize_t)m->out.len;
    ok = (fd < 0 || close(fd) == 0) && ok;
    if (!ok)
        cli_error(m->cli, "%s: %s", m->output, strerror(errno));
    return ok ? 0 : 1;
}

static int run(struct import *m, const struct strv *files)
{
    int rc = read_file(m, files->v[0], &m->conf);
    if (rc == 0 && files->n > 1)
        rc = read_file(m, files->v[1], &m->gres);
    if (rc)
        return rc;
    make_file(m);
    rc = check_file(m);
    rc = rc ? rc : write_file(m);
    if (rc == 0 && m->n_left) {
        fprintf(stderr, "Not carried over:\n");
        struct strv lines = strv_split(m->left.s, "\n");
        for (size_t i = 0; i < lines.n; i++)
            fprintf(stderr, "  %s\n", lines.v[i]);
        strv_fini(&lines);
    }
    return rc;
}

static void defaults_fini(struct conf_line *l)
{
    vec_for_each (&l->pairs, i) {
        free(l->pairs.v[i].key);
        free(l->pairs.v[i].value);
    }
    vec_fini(&l->pairs);
}

static int import_run(struct cli *cli, int argc, char **argv)
{
    struct import m = {.cli = cli,
                       .out = STR_INIT,
                       .left = STR_INIT,
                       .node_default = {.pairs = VEC_INIT},
                       .part_default = {.pairs = VEC_INIT}};
    struct strv files = {0};
    int rc = 0;
    if (cli_parse(cli, &m, argc, argv, 0, &files, &rc)) {
        if (!files.n || files.n > 2) {
            cli_error(cli, "give a slurm.conf, and a gres.conf where there is one");
            rc = 2;
        } else {
            rc = run(&m, &files);
        }
    }
    slurmconf_fini(&m.conf);
    slurmconf_fini(&m.gres);
    defaults_fini(&m.node_default);
    defaults_fini(&m.part_default);
    str_fini(&m.out);
    str_fini(&m.left);
    strv_fini(&files);
    free(m.output);
    return rc;
}

const struct command cmd_import = {
    .name = "import",
    .summary = "Make a configuration of a slurm.conf, and say what could not be carried over",
    .usage = "[-o FILE] SLURM.CONF [GRES.CONF]",
    .options = &options,
    .run = import_run,
};
