#include "src/lang/lang.h"
#include "src/text/cause_sentence.h"

#include "src/text/cause_template.h"

/* --- places --- */

static void wants_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                       template_part full)
{
    template_append(out, "{cpus:CPU}", c, r, full);
    if (c->gpus && c->type)
        str_appendf(out, trn(", %llu %s GPU", ", %llu %s GPUs", c->gpus), (unsigned long long)c->gpus,
                    c->type);
    else if (c->gpus)
        str_appendf(out, trn(", %llu GPU", ", %llu GPUs", c->gpus), (unsigned long long)c->gpus);
    template_append(out, "[, {mem_mib:mem} of memory a node]", c, r, full);
    if (c->nodes_n > 1 && c->whole)
        str_appendf(out, trn(" on %llu whole node", " on %llu whole nodes", c->nodes_n),
                    (unsigned long long)c->nodes_n);
    else if (c->nodes_n > 1)
        str_appendf(out, trn(" on %llu node", " on %llu nodes", c->nodes_n),
                    (unsigned long long)c->nodes_n);
    else if (c->whole)
        str_append(out, tr(" on a whole node"));
}

/* "4 a100 GPUs on one node (2 free)". */
static void needs_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                       template_part full)
{
    unsigned long long n = c->asked;
    (void)full;
    (void)r;
    if (c->code != CAUSE_NEEDS_GPUS)
        str_appendf(out, trn("%llu CPU", "%llu CPUs", n), n);
    else if (c->type)
        str_appendf(out, trn("%llu %s GPU", "%llu %s GPUs", n), n, c->type);
    else
        str_appendf(out, trn("%llu GPU", "%llu GPUs", n), n);
    if (c->nodes)
        str_appendf(out, tr(" on %s"), c->nodes);
    else if (c->one)
        str_append(out, tr(" on one node"));
    else if (c->nodes_n > 1)
        str_appendf(out, trn(" on %llu node", " on %llu nodes", c->nodes_n),
                    (unsigned long long)c->nodes_n);
    if (c->free < c->asked)
        str_appendf(out, trn(" (%llu free)", " (%llu free)", c->free), (unsigned long long)c->free);
}

static void needs_memory_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                              template_part full)
{
    template_append(out, c->one ? N_("{asked:mem} of memory") : N_("{asked:mem} of memory a node"), c, r,
                    full);
    template_append(out, " ({free:mem} free)", c, r, full);
}

static void needs_nodes_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                             template_part full)
{
    template_append(out, "{asked:whole node} ({free} free)", c, r, full);
}

static const struct cause *find_part(const struct cause *c, enum cause_code from, enum cause_code to)
{
    for (size_t i = 0; i < c->parts.n; i++)
        if (c->parts.v[i].code >= (uint32_t)from && c->parts.v[i].code <= (uint32_t)to)
            return &c->parts.v[i];
    return NULL;
}

static bool is_out_part(const struct cause *c)
{
    return (c->code >= CAUSE_OUT_DRAINED && c->code <= CAUSE_OUT_MORE) || c->code == CAUSE_OUT_STARTING;
}

static bool is_need_part(const struct cause *c)
{
    return (c->code >= CAUSE_NEEDS_GPUS && c->code <= CAUSE_NEEDS_NODES) ||
           c->code == CAUSE_NEEDS_OWN_NODES || c->code == CAUSE_NEEDS_NODES_OF_USER ||
           c->code == CAUSE_NEEDS_GROUPS;
}

static const struct cause *find_need(const struct cause *c)
{
    for (size_t i = 0; i < c->parts.n; i++)
        if (is_need_part(&c->parts.v[i]))
            return &c->parts.v[i];
    return NULL;
}

/* "needs 2 CPUs in main". */
static void wants_in_full(struct str *out, const struct cause *c, const struct cause *wants,
                          const struct cause_reader *r, template_part full)
{
    struct str amounts = STR_INIT;
    full(&amounts, wants, r);
    str_appendf(out, tr("needs %s in %s"), amounts.s, c->part ? c->part : "?");
    str_fini(&amounts);
}

/* "needs 2 CPUs in main; 2 nodes: ...; n1 is drained: fan, n2 is down; room comes when ..." */
static void no_place_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                          template_part full)
{
    bool out_before = false;
    for (size_t i = 0; i < c->parts.n; i++) {
        const struct cause *part = &c->parts.v[i];
        if (is_need_part(part))
            continue;
        if (i)
            str_append(out, out_before && is_out_part(part) ? ", " : "; ");
        out_before = is_out_part(part);
        if (part->code == CAUSE_WANTS)
            wants_in_full(out, c, part, r, full);
        else
            full(out, part, r);
    }
}

void cause_append_start(struct str *out, const struct cause *c, const struct cause_reader *r,
                        template_part full)
{
    if (r && r->start_apart && wall_is_set(c->start))
        return;
    template_append(out, "[, starts ~{start}]", c, r, full);
    if (!wall_is_set(c->start))
        template_append(out, "[, not within {window_s:words}]", c, r, full);
}

/* "next in line, needs 4 GPUs (2 free), starts ~14:44". */
static void no_place_brief(struct str *out, const struct cause *c, const struct cause_reader *r,
                           template_part full)
{
    const struct cause *need = find_need(c);
    if (!need) {
        no_place_full(out, c, r, full);
        return;
    }
    bool apart = r && r->start_apart && wall_is_set(c->start);
    str_append(out, c->next && !apart ? tr("next in line, needs ") : tr("needs "));
    full(out, need, r);
    cause_append_start(out, c, r, full);
}

static void nodes_are_out_brief(struct str *out, const struct cause *c, const struct cause_reader *r,
                                template_part full)
{
    const char *separator = "";
    for (size_t i = 0; i < c->parts.n; i++) {
        if (!is_out_part(&c->parts.v[i]))
            continue;
        str_append(out, separator);
        full(out, &c->parts.v[i], r);
        separator = ", ";
    }
    if (!*separator)
        no_place_full(out, c, r, full);
}

static void append_wants_of(struct str *out, const struct cause *c, const struct cause_reader *r,
                            template_part full)
{
    const struct cause *wants = find_part(c, CAUSE_WANTS, CAUSE_WANTS);
    if (wants)
        full(out, wants, r);
}

/* "no node of main has 9 CPUs", "main cannot give 3 CPUs on 3 nodes". */
static void never_append(struct str *out, const struct cause *c, const struct cause_reader *r,
                         template_part full)
{
    const struct cause *wants = find_part(c, CAUSE_WANTS, CAUSE_WANTS);
    const struct cause *nodes = find_part(c, CAUSE_NODES, CAUSE_NODES);
    bool sum =
        (wants && wants->nodes_n > 1) || (nodes && find_part(nodes, CAUSE_NODES_FIT, CAUSE_NODES_FIT_PART));
    template_append(out, sum ? N_("{part} cannot give ") : N_("no node of {part} has "), c, r, full);
    append_wants_of(out, c, r, full);
}

static void never_brief(struct str *out, const struct cause *c, const struct cause_reader *r,
                        template_part full)
{
    const struct cause *nodes = find_part(c, CAUSE_NODES, CAUSE_NODES);
    const struct cause *few =
        nodes ? find_part(nodes, CAUSE_NODES_FEW_GPUS, CAUSE_NODES_LITTLE_MEMORY) : NULL;
    never_append(out, c, r, full);
    if (!few || !few->most)
        return;
    if (few->code == CAUSE_NODES_LITTLE_MEMORY)
        template_append(out, " (largest: {most:mem})", few, r, full);
    else
        template_append(
            out, few->code == CAUSE_NODES_FEW_GPUS ? N_(" (most: {most:GPU})") : N_(" (most: {most:CPU})"),
            few, r, full);
}

/* All nodes would do, and together they have too few CPUs or GPUs: nothing else need be said of them. */
static const struct cause *find_all_too_small(const struct cause *c)
{
    const struct cause *wants = find_part(c, CAUSE_WANTS, CAUSE_WANTS);
    const struct cause *nodes = find_part(c, CAUSE_NODES, CAUSE_NODES);
    const struct cause *fit = nodes && nodes->parts.n == 1 ? &nodes->parts.v[0] : NULL;
    bool small = wants && fit && fit->code == CAUSE_NODES_FIT_PART && fit->together &&
                 (wants->cpus > fit->cpus || wants->gpus > fit->gpus);
    return small && c->parts.n == 2 ? fit : NULL;
}

/* "main cannot give 400 CPUs (it has 12 CPUs on 2 nodes)". */
static void never_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                       template_part full)
{
    const struct cause *fit = find_all_too_small(c);
    never_append(out, c, r, full);
    if (fit) {
        template_append(out, " (it has {cpus:CPU}[ and {gpus:GPU}] on {n:node})", fit, r, full);
        return;
    }
    str_append(out, " (");
    bool first = true;
    for (size_t i = 0; i < c->parts.n; i++) {
        if (c->parts.v[i].code == CAUSE_WANTS)
            continue;
        str_append(out, first ? "" : "; ");
        full(out, &c->parts.v[i], r);
        first = false;
    }
    str_append_char(out, ')');
}

/* "3 too few GPUs (gpu[1-3]: 8 asked, 4 at most)". */
static void nodes_few_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                           template_part full)
{
    static const struct {
        enum cause_code code;
        const char *few, *none;
    } words[] = {{CAUSE_NODES_FEW_GPUS, N_("{n} too few GPUs"), N_("{n} without GPUs")},
                 {CAUSE_NODES_FEW_CPUS, N_("{n} too few CPUs"), N_("{n} without CPUs")},
                 {CAUSE_NODES_LITTLE_MEMORY, N_("{n} too little memory"), N_("{n} without memory")}};
    size_t at = c->code == CAUSE_NODES_FEW_GPUS ? 0 : c->code == CAUSE_NODES_FEW_CPUS ? 1 : 2;
    template_append(out, c->most ? words[at].few : words[at].none, c, r, full);
    if (!c->most) {
        template_append(out, "[ ({nodes})]", c, r, full);
        return;
    }
    template_append(out, c->nodes ? " ({nodes}: " : " (", c, r, full);
    template_append(
        out, at == 2 ? N_("{asked:mem} asked, {most:mem} at most)") : N_("{asked} asked, {most} at most)"),
        c, r, full);
}

static void nodes_fit_part_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                                template_part full)
{
    template_append(out, "{n} with room for a part of it", c, r, full);
    if (!c->together) {
        template_append(out, "[ ({nodes})]", c, r, full);
        return;
    }
    template_append(out, c->nodes ? " ({nodes}: " : " (", c, r, full);
    template_append(out, "{cpus:CPU}[ and {gpus:GPU}] together)", c, r, full);
}

static void out_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                     template_part full)
{
    static const char *const words[] = {N_("{nodes} {n?is|are} drained"), N_("{nodes} {n?is|are} draining"),
                                        N_("{nodes} {n?is|are} no longer configured"),
                                        N_("{nodes} {n?is|are} down"),
                                        N_("{nodes} {n?is|are} not answering")};
    template_append(out, words[c->code - CAUSE_OUT_DRAINED], c, r, full);
    template_append(out, "[: {text}][ ({user})]", c, r, full);
}

static void step_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                      template_part full)
{
    template_append(out, "step asks for {ranks:task} with {cpus:CPU} each, {gpus:GPU}", c, r, full);
    if (c->mem_mib)
        str_appendf(out, tr(", %llu MiB of memory a node"), (unsigned long long)c->mem_mib);
    template_append(
        out, " on {nodes_n:node}; the job holds {have_cpus:CPU}, {have_gpus:GPU} on {have_nodes:node}", c,
        r, full);
    if (c->code == CAUSE_STEP_WAITS)
        str_append(out, tr(", other steps have too much of that now"));
}

/* --- the table --- */

const struct cause_sentence cause_place_sentences[CAUSE_N_CODES] = {
    [CAUSE_NO_PLACE] = {.full_by = no_place_full, .brief_by = no_place_brief},
    [CAUSE_NODES_ARE_OUT] = {.full_by = no_place_full, .brief_by = nodes_are_out_brief},
    [CAUSE_NEVER_FITS] = {.full_by = never_full, .brief_by = never_brief},
    [CAUSE_IN_STEP] = {.full = N_("step {name}: {parts}")},
    [CAUSE_STEP_TOO_BIG] = {.full_by = step_full},
    [CAUSE_STEP_WAITS] = {.full_by = step_full},
    [CAUSE_WINDOW_AHEAD] = {.full =
                                N_("{n:node} {n?is|are} kept for the maintenance window {name} {at:in}: it "
                                   "would not end before that"),
                            .brief = N_("would run into maintenance[ at {at}]")},
    [CAUSE_WINDOW_NOW] = {.full = N_("{n:node} {n?is|are} kept for the maintenance window {name} now"),
                          .brief = N_("[{nodes} ]in maintenance[ until {at}]")},
    [CAUSE_RESERVED_AHEAD] = {.full = N_(
                                  "{n:node} {n?is|are} kept for the reservation {name} {at:in}: it would "
                                  "not end before that"),
                              .brief = N_("would run into reservation {name}[ at {at}]")},
    [CAUSE_RESERVED_NOW] = {.full = N_("{n:node} {n?is|are} kept for the reservation {name} now"),
                            .brief = N_("[{nodes} ]in reservation {name}[ until {at}]")},
    [CAUSE_WANTS] = {.full_by = wants_full},
    [CAUSE_NEEDS_GPUS] = {.full_by = needs_full},
    [CAUSE_NEEDS_CPUS] = {.full_by = needs_full},
    [CAUSE_NEEDS_MEMORY] = {.full_by = needs_memory_full},
    [CAUSE_NEEDS_NODES] = {.full_by = needs_nodes_full},
    [CAUSE_NEEDS_OWN_NODES] = {.full = N_("{asked:node} without jobs of other users ({free} free)")},
    [CAUSE_NEEDS_NODES_OF_USER] = {.full = N_("{asked:node} that no other user keeps ({free} free)")},
    [CAUSE_NEEDS_GROUPS] = {.full = N_("{asked:node} of {of:group} ({free} free)")},
    [CAUSE_NODES_IN_GROUPS] = {.full = N_("at most {n} of them in {of:group}")},
    [CAUSE_NODES] = {.full = "{n:node}: {parts}"},
    [CAUSE_NODES_FREE_GPUS] = {.full = N_("{n} too few free GPUs[ ({nodes})]")},
    [CAUSE_NODES_FREE_CPUS] = {.full = N_("{n} too few free CPUs[ ({nodes})]")},
    [CAUSE_NODES_FREE_MEMORY] = {.full = N_("{n} too little free memory[ ({nodes})]")},
    [CAUSE_NODES_NOT_EMPTY] = {.full = N_("{n} not empty[ ({nodes})]")},
    [CAUSE_NODES_OTHER_USERS] = {.full = N_("{n} with jobs of other users[ ({nodes})]")},
    [CAUSE_NODES_ONE_USER] = {.full = N_("{n} kept by jobs for their user alone[ ({nodes})]")},
    [CAUSE_NODES_FEW_GPUS] = {.full_by = nodes_few_full},
    [CAUSE_NODES_FEW_CPUS] = {.full_by = nodes_few_full},
    [CAUSE_NODES_LITTLE_MEMORY] = {.full_by = nodes_few_full},
    [CAUSE_NODES_GPU_TYPE] = {.full = N_("{n} another GPU type[ ({nodes})]")},
    [CAUSE_NODES_FEATURES] = {.full = N_("{n} without the features[ ({nodes})]")},
    [CAUSE_NODES_TMP] = {.full = N_("{n} too small a /tmp[ ({nodes})]")},
    [CAUSE_NODES_NOT_ASKED] = {.full = N_("{n} not among those asked for[ ({nodes})]")},
    [CAUSE_NODES_WINDOW] = {.full = N_("{n} kept for a window[ ({nodes})]")},
    [CAUSE_NODES_PLANNED] = {.full = N_("{n} kept for jobs that come first[ ({nodes})]")},
    [CAUSE_NODES_LOST_GPUS] = {.full = N_("{n} with GPUs that are lost or used by others[ ({nodes})]")},
    [CAUSE_NODES_AVOID_USER] = {.full = N_("{n} unable to start this user's jobs[ ({nodes})]")},
    [CAUSE_NODES_DRAINED] = {.full = N_("{n} drained")},
    [CAUSE_NODES_OUT] = {.full = N_("{n} not answering")},
    [CAUSE_NODES_FIT] = {.full = N_("{n} would do[ ({nodes})]")},
    [CAUSE_NODES_FIT_PART] = {.full_by = nodes_fit_part_full},
    [CAUSE_OUT_DRAINED] = {.full_by = out_full},
    [CAUSE_OUT_DRAINING] = {.full_by = out_full},
    [CAUSE_OUT_GONE] = {.full_by = out_full},
    [CAUSE_OUT_DOWN] = {.full_by = out_full},
    [CAUSE_OUT_SILENT] = {.full_by = out_full},
    [CAUSE_OUT_STARTING] = {.full = N_("{nodes} {n?is|are} starting (not connected yet)[: {text}]")},
    [CAUSE_OUT_MORE] = {.full = N_("{n} more")},
    [CAUSE_NODE_GPUS] = {.full = N_("on {name}: {text}")},
    [CAUSE_NODE_AVOIDS] = {.full = "{name}: {text}"},
    [CAUSE_ROOM_AFTER] = {.full = N_("room comes when job {id} reaches its limit")},
    [CAUSE_ROOM_AFTER_PLANNED] = {.full = N_(
                                      "room comes when job {id}, which starts first, reaches its limit")},
    [CAUSE_ROOM_NEVER] = {.full = N_("job {id} runs without a time limit")},
};
