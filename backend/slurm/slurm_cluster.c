#include "backend/slurm/slurm_cluster.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/model/state.h"
#include "src/values/hostlist.h"
#include "src/values/units.h"

static struct slurm_span slurm_value_of(const struct slurm_span *line, const char *key)
{
    struct slurm_span v = {line->p, 0};
    return slurm_key(line, key, &v) ? v : (struct slurm_span){line->p, 0};
}

static char *slurm_text_of(const struct slurm_span *line, const char *key)
{
    struct slurm_span v = slurm_value_of(line, key);
    return slurm_text(&v);
}

static uint32_t slurm_number_of(const struct slurm_span *line, const char *key, uint32_t otherwise)
{
    struct slurm_span v = slurm_value_of(line, key);
    return slurm_u32(&v, otherwise);
}

/* --- nodes --- */

/* "IDLE+DRAIN*": a state, flags, and marks at the end, of which '*' is "does not answer". */
static void read_node_state(struct node *n, const char *text)
{
    struct strv words = strv_split(text, "+*~#!%$@^-");
    bool silent = strchr(text, '*') || strv_has(&words, "NOT_RESPONDING");
    bool down = strv_has(&words, "DOWN") || strv_has(&words, "ERROR") || strv_has(&words, "FAIL") ||
                strv_has(&words, "FAILING") || strv_has(&words, "POWERED_DOWN");
    n->state = down ? NODE_DOWN : silent ? NODE_LOST : strv_has(&words, "UNKNOWN") ? NODE_UNKNOWN : NODE_UP;
    n->drain = strv_has(&words, "DRAIN") || strv_has(&words, "DRAINED") || strv_has(&words, "DRAINING");
    /* What the model has no word for is shown in Slurm's. */
    static const char *const said[] = {"IDLE",  "ALLOCATED",      "MIXED",  "DOWN",
                                       "DRAIN", "NOT_RESPONDING", "UNKNOWN"};
    for (size_t i = 0; i < words.n; i++) {
        bool known = false;
        for (size_t k = 0; k < sizeof said / sizeof *said; k++)
            known |= str_eq(words.v[i], said[k]);
        if (!known)
            strv_push(&n->notes, words.v[i]);
    }
    strv_fini(&words);
}

/* "reason text [root@2026-11-23T03:19:41]" */
static void read_node_reason(struct node *n, const struct slurm_span *line)
{
    char *text = slurm_text_of(line, "Reason");
    if (!text)
        return;
    char *mark = strrchr(text, '['), *at = mark ? strrchr(mark, '@') : NULL,
         *end = mark ? strrchr(mark, ']') : NULL;
    char *user = NULL;
    struct wall t = {0};
    if (at && end && end > at && end[1] == '\0') {
        struct slurm_span when = {at + 1, (size_t)(end - at - 1)};
        t = slurm_time(&when);
        user = xstrndup(mark + 1, (size_t)(at - mark - 1));
        *mark = '\0';
    }
    char *reason = xstrdup(str_trim(text));
    free(text);
    if (n->drain) {
        n->drain_reason = reason;
        n->drain_user = user;
        n->t_drain = t;
        return;
    }
    free(user);
    if (n->state == NODE_UP)
        free(reason);
    else
        n->trouble = reason;
}

static void read_node_gpus(struct node *n, const struct slurm_span *line)
{
    struct slurm_span all = slurm_value_of(line, "Gres"), used = slurm_value_of(line, "GresUsed");
    uint32_t gpus = slurm_gpus(&all, &n->gpu_type), in_use = slurm_gpus(&used, NULL);
    n->gpus = n->gpus_found = gpus < CPUSET_MAX ? gpus : CPUSET_MAX;
    cpuset_add_range(&n->gpus_used, 0, in_use < n->gpus ? in_use : n->gpus);
}

static void read_node_spec(struct node *n, const struct slurm_span *line)
{
    char *features = slurm_text_of(line, "AvailableFeatures");
    n->spec.address = slurm_text_of(line, "NodeAddr");
    n->spec.role = xstrdup("compute");
    n->spec.cpus = n->cpus;
    n->spec.mem_mib = n->mem_mib;
    n->spec.gpus = n->gpus;
    n->spec.gpu_type = n->gpu_type ? xstrdup(n->gpu_type) : NULL;
    n->spec.weight = slurm_number_of(line, "Weight", 1);
    if (features)
        n->spec.features = strv_split(features, ",");
    free(features);
}

bool slurm_node_read(const struct slurm_span *line, struct node *ret)
{
    char *name = slurm_text_of(line, "NodeName"), *state = slurm_text_of(line, "State");
    *ret = (struct node){0};
    if (!name || !state || str_starts(state, "FUTURE")) {
        free(name);
        free(state);
        return false;
    }
    ret->spec.name = name;
    read_node_state(ret, state);
    free(state);
    uint32_t cpus = slurm_number_of(line, "CPUEfctv", slurm_number_of(line, "CPUTot", 0));
    uint32_t used = slurm_number_of(line, "CPUAlloc", 0);
    struct slurm_span mem = slurm_value_of(line, "RealMemory"), mem_used = slurm_value_of(line, "AllocMem");
    struct slurm_span boot = slurm_value_of(line, "BootTime"),
                      agent = slurm_value_of(line, "SlurmdStartTime");
    ret->cpus = cpus;
    cpuset_add_range(&ret->cpus_used, 0, used < CPUSET_MAX ? used : CPUSET_MAX);
    ret->mem_mib = slurm_mem_mib(&mem, 0);
    ret->mem_used_mib = slurm_mem_mib(&mem_used, 0);
    ret->tmp_mib = slurm_number_of(line, "TmpDisk", 0);
    ret->arch = slurm_text_of(line, "Arch");
    ret->os = slurm_text_of(line, "OS");
    ret->version = slurm_text_of(line, "Version");
    ret->t_boot = slurm_time(&boot);
    ret->t_agent = slurm_time(&agent);
    ret->n_jobs = used ? 1 : 0;
    read_node_gpus(ret, line);
    read_node_reason(ret, line);
    ret->note = slurm_text_of(line, "Comment");
    read_node_spec(ret, line);
    return true;
}

/* --- partitions --- */

static struct strv names_unless(const struct slurm_span *line, const char *key, const char *all)
{
    char *text = slurm_text_of(line, key);
    struct strv names = {0};
    if (text && !str_eq(text, all))
        names = strv_split(text, ",");
    free(text);
    return names;
}

static uint32_t slurm_time_of(const struct slurm_span *line, const char *key)
{
    struct slurm_span v = slurm_value_of(line, key);
    return slurm_duration(&v);
}

static enum part_state read_part_state(const struct slurm_span *line)
{
    struct slurm_span v = slurm_value_of(line, "State");
    for (enum part_state s = PART_UP; s <= PART_INACTIVE; s++)
        if (slurm_span_is(&v, part_state_text(s)))
            return s;
    return PART_UP;
}

bool slurm_partition_read(const struct slurm_span *line, struct part_spec *ret)
{
    char *name = slurm_text_of(line, "PartitionName"), *nodes = slurm_text_of(line, "Nodes");
    struct slurm_span is_default = slurm_value_of(line, "Default");
    *ret = (struct part_spec){.name = name};
    if (name) {
        if (nodes && hostlist_expand(nodes, &ret->nodes, NULL) < 0)
            ret->nodes = (struct strv){0};
        ret->is_default = slurm_span_is(&is_default, "YES");
        ret->state = read_part_state(line);
        ret->max_time_s = slurm_time_of(line, "MaxTime");
        ret->default_time_s = slurm_time_of(line, "DefaultTime");
        ret->max_nodes = slurm_number_of(line, "MaxNodes", UINT32_MAX);
        ret->priority_job_factor = slurm_number_of(line, "PriorityJobFactor", 1);
        ret->priority_tier = slurm_number_of(line, "PriorityTier", 1);
        ret->allow_groups = names_unless(line, "AllowGroups", "ALL");
        ret->allow_accounts = names_unless(line, "AllowAccounts", "ALL");
        ret->allow_qos = names_unless(line, "AllowQos", "ALL");
        ret->deny_accounts = names_unless(line, "DenyAccounts", "NONE");
        ret->deny_qos = names_unless(line, "DenyQos", "NONE");
    }
    free(nodes);
    return name;
}

/* --- the configuration --- */

char *slurm_config_value(const struct slurm_span *text, const char *key)
{
    size_t len = strlen(key);
    for (size_t i = 0; i < text->n;) {
        const char *line = text->p + i, *end = memchr(line, '\n', text->n - i);
        size_t n = end ? (size_t)(end - line) : text->n - i;
        const char *sign = memchr(line, '=', n);
        if (n > len && memcmp(line, key, len) == 0 && (line[len] == ' ' || line[len] == '=') && sign) {
            struct slurm_span v = {sign + 1, n - (size_t)(sign + 1 - line)};
            while (v.n && v.p[0] == ' ') {
                v.p++;
                v.n--;
            }
            return slurm_text(&v);
        }
        i += n + 1;
    }
    return NULL;
}

static uint32_t slurm_config_u32(const struct slurm_span *text, const char *key)
{
    char *value = slurm_config_value(text, key);
    uint32_t v = value ? (uint32_t)strtoul(value, NULL, 10) : 0;
    free(value);
    return v;
}

void slurm_config_weights(const struct slurm_span *text, struct priority_spec *ret)
{
    ret->weight_age = slurm_config_u32(text, "PriorityWeightAge");
    ret->weight_fairshare = slurm_config_u32(text, "PriorityWeightFairShare");
    ret->weight_job_size = slurm_config_u32(text, "PriorityWeightJobSize");
    ret->weight_partition = slurm_config_u32(text, "PriorityWeightPartition");
    ret->weight_qos = slurm_config_u32(text, "PriorityWeightQOS");
    char *value = slurm_config_value(text, "PriorityWeightTRES"); /* "CPU=1000,Mem=2000" */
    for (char *p = value; p && *p; p++)
        *p = (char)tolower((unsigned char)*p);
    struct slurm_span tres = {value ? value : "", value ? strlen(value) : 0};
    struct slurm_span cpu = slurm_tres(&tres, "cpu"), mem = slurm_tres(&tres, "mem"),
                      gpu = slurm_tres(&tres, "gres/gpu");
    ret->weight_cpu = slurm_u32(&cpu, 0);
    ret->weight_mem = slurm_u32(&mem, 0);
    ret->weight_gpu = slurm_u32(&gpu, 0);
    free(value);
}
