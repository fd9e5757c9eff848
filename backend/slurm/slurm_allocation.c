#include "backend/slurm/slurm_allocation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/slurm/slurm_cluster.h"
#include "src/base/xalloc.h"
#include "src/values/hostlist.h"

#define DEFAULT_PART  10 /* a job without a limit may take one part of that many of what is left ... */
#define DEFAULT_MIN_S 60 /* ... but so long at least ... */
#define DEFAULT_MAX_S 3600

static char *span_copy(const struct slurm_span *s)
{
    return xstrndup(s->p, s->n);
}

/* "0-3,8": how many. */
static uint32_t count_ids(const struct slurm_span *s)
{
    char *text = span_copy(s);
    struct strv parts = strv_split(text, ",");
    uint32_t n = 0;
    for (size_t i = 0; i < parts.n; i++) {
        char *dash = strchr(parts.v[i], '-');
        unsigned long first = strtoul(parts.v[i], NULL, 10),
                      last = dash ? strtoul(dash + 1, NULL, 10) : first;
        n += last >= first && last - first < 65536 ? (uint32_t)(last - first + 1) : 0;
    }
    strv_fini(&parts);
    free(text);
    return n;
}

/* One group "Nodes=n[1-2] CPU_IDs=0-3 Mem=8000 GRES=gpu:2(IDX:0-1)"; rest begins at it. */
static int allocation_read_group(struct slurm_allocation *a, const struct slurm_span *rest,
                                 const struct slurm_span *names, struct errtext *err)
{
    struct slurm_span cpus = {0}, mem = {0}, gres = {0};
    struct strv list = {0};
    if (!slurm_key(rest, "CPU_IDs", &cpus)) /* a word of a name, or of a comment */
        return 0;
    char *text = span_copy(names);
    int r = hostlist_expand(text, &list, err);
    bool has_mem = slurm_key(rest, "Mem", &mem), has_gres = slurm_key(rest, "GRES", &gres);
    for (size_t i = 0; r == 0 && i < list.n; i++) {
        struct allocation_node n = {.name = xstrdup(list.v[i]), .cpus = count_ids(&cpus)};
        n.mem_mib = has_mem ? slurm_mem_mib(&mem, 0) : 0;
        n.gpus = has_gres ? slurm_gpus(&gres, &n.gpu_type) : 0;
        vec_push(&a->nodes, n);
    }
    strv_fini(&list);
    free(text);
    return r;
}

int slurm_allocation_read(const struct slurm_span *line, struct slurm_allocation *ret, struct errtext *err)
{
    struct slurm_span v, rest = *line;
    *ret = (struct slurm_allocation){.nodes = VEC_INIT};
    if (!slurm_key(line, "JobId", &v))
        return err_set(err, -EBADMSG, "Slurm does not know the job");
    ret->job = span_copy(&v);
    if (slurm_key(line, "EndTime", &v))
        ret->end = slurm_time(&v);
    int r = 0;
    while (r == 0 && slurm_key(&rest, "Nodes", &v)) {
        struct slurm_span next;
        rest = (struct slurm_span){v.p + v.n, (size_t)(line->p + line->n - (v.p + v.n))};
        struct slurm_span group = rest;
        if (slurm_key(&rest, "Nodes", &next))
            group.n = (size_t)(next.p - rest.p);
        r = allocation_read_group(ret, &group, &v, err);
    }
    if (r == 0 && !ret->nodes.n)
        r = err_set(err, -EBADMSG, "job %s of Slurm has no nodes", ret->job);
    return r;
}

void slurm_allocation_fini(struct slurm_allocation *a)
{
    vec_for_each (&a->nodes, i) {
        free(a->nodes.v[i].name);
        free(a->nodes.v[i].gpu_type);
        strv_fini(&a->nodes.v[i].gpu_names);
    }
    vec_fini(&a->nodes);
    free(a->job);
}

void slurm_allocation_take_memory(struct slurm_allocation *a, const struct slurm_span *nodes)
{
    const char *p = nodes->p, *end = nodes->p + nodes->n;
    while (p < end) {
        const char *nl = memchr(p, '\n', (size_t)(end - p));
        struct slurm_span line = {p, (size_t)((nl ? nl : end) - p)};
        struct node n;
        bool is_node = slurm_node_read(&line, &n);
        for (size_t i = 0; is_node && i < a->nodes.n; i++)
            if (!a->nodes.v[i].mem_mib && str_eq(a->nodes.v[i].name, n.spec.name))
                a->nodes.v[i].mem_mib = n.mem_mib;
        if (is_node)
            rec_fini(&node_rec, &n);
        p = nl ? nl + 1 : end;
    }
}

static void allocation_append_node(struct str *out, const struct allocation_node *n, const char *dir)
{
    char *socket = xasprintf("%s/%s.sock", dir, n->name);
    str_append(out, "  { name = ");
    str_append_quoted(out, n->name);
    str_append(out, "; transport = \"socket\"; agent_socket = ");
    str_append_quoted(out, socket);
    str_appendf(out, "; detect = false; cpus = %u; memory = \"%lluM\"; gpus = %u;", n->cpus,
                (unsigned long long)(n->mem_mib ? n->mem_mib : 1024), n->gpus);
    if (n->gpu_type) {
        str_append(out, " gpu_type = ");
        str_append_quoted(out, n->gpu_type);
        str_append_char(out, ';');
    }
    for (size_t i = 0; i < n->gpu_names.n; i++) {
        str_append(out, i ? ", " : " gpu_names = [ ");
        str_append_quoted(out, n->gpu_names.v[i]);
    }
    str_append(out, n->gpu_names.n ? " ]; }" : " }");
    free(socket);
}

void slurm_allocation_config(struct str *out, const struct slurm_allocation *a, const char *dir,
                             struct wall now)
{
    struct strv names = {0};
    str_appendf(out, "# The allocation of Slurm's job %s, written by stoker up --in-allocation.\n", a->job);
    str_appendf(out, "cluster = \"slurm-%s\";\nnodes = (\n", a->job);
    vec_for_each (&a->nodes, i) {
        allocation_append_node(out, &a->nodes.v[i], dir);
        str_append(out, i + 1 < a->nodes.n ? ",\n" : "\n");
        strv_push(&names, a->nodes.v[i].name);
    }
    char *list = hostlist_compress(&names);
    str_append(out, ");\npartitions = ( { name = \"main\"; default = true; nodes = ");
    str_append_quoted(out, list);
    if (wall_is_set(a->end)) {
        int64_t left = (a->end.ms - now.ms) / MS_PER_S, part = left / DEFAULT_PART;
        part = part < DEFAULT_MIN_S ? DEFAULT_MIN_S : part > DEFAULT_MAX_S ? DEFAULT_MAX_S : part;
        str_appendf(
            out,
            ";\n  # Nothing is started that could not end in time. This is for jobs that do not say\n"
            "  # how long they take.\n  default_time = \"%llds\"",
            (long long)part);
    }
    str_append(out, "; } );\n");
    free(list);
    strv_fini(&names);
}
