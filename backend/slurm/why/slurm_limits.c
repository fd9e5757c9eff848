#include "backend/slurm/why/slurm_limits.h"

#include <stdlib.h>
#include <string.h>

#include "src/answers/slurm_reason.h"
#include "src/base/xalloc.h"
#include "src/model/spec.h"
#include "src/values/units.h"

#define ACCOUNT_LEVELS 32 /* of accounts above one another */

static char *limits_text_of(const struct slurm_span *line, const char *key)
{
    struct slurm_span v;
    return slurm_key(line, key, &v) ? slurm_text(&v) : NULL;
}

/* --- amounts: "20(3)" is a limit of 20, of which 3 are used; "N(3)" is none --- */

struct limit_amount {
    uint64_t most, used;
};

static bool read_amount(const struct slurm_span *s, enum slurm_thing thing, struct limit_amount *ret)
{
    const char *bracket = s->n ? memchr(s->p, '(', s->n) : NULL;
    struct slurm_span most = {s->p, bracket ? (size_t)(bracket - s->p) : s->n}, used = {s->p, 0};
    if (bracket)
        used = (struct slurm_span){bracket + 1, s->n - most.n - 1 - (s->p[s->n - 1] == ')')};
    const char *dot = used.n ? memchr(used.p, '.', used.n) : NULL; /* minutes have fractions */
    used.n = dot ? (size_t)(dot - used.p) : used.n;
    if (thing == SLURM_THING_MEMORY) {
        *ret = (struct limit_amount){slurm_mem_mib(&most, UINT64_MAX), slurm_mem_mib(&used, 0)};
        return ret->most != UINT64_MAX;
    }
    *ret = (struct limit_amount){slurm_u32(&most, UINT32_MAX), slurm_u32(&used, 0)};
    return ret->most != UINT32_MAX;
}

static const char *tres_name(enum slurm_thing thing)
{
    switch (thing) {
    case SLURM_THING_CPUS: return "cpu";
    case SLURM_THING_MEMORY: return "mem";
    case SLURM_THING_NODES: return "node";
    case SLURM_THING_GRES: return "gres/gpu";
    case SLURM_THING_BILLING: return "billing";
    case SLURM_THING_ENERGY: return "energy";
    case SLURM_THING_BURST_BUFFER:
    case SLURM_THING_LICENSES:
    case SLURM_THING_JOBS:
    case SLURM_THING_SUBMITTED:
    case SLURM_THING_WALL:
    case SLURM_THING_UNKNOWN:
    case SLURM_N_THINGS: break;
    }
    return NULL;
}

/* "GrpTRES", "MaxJobsPU": where a record has that limit. Caller frees; NULL: nowhere. */
static char *limit_key(const struct slurm_limit *l)
{
    static const char *const bounds[] = {[SLURM_ALL_JOBS] = "",
                                         [SLURM_EACH_USER] = "PU",
                                         [SLURM_EACH_ACCOUNT] = "PA",
                                         [SLURM_EACH_JOB] = "PJ",
                                         [SLURM_EACH_NODE] = "PN"};
    const char *front = l->least ? "Min" : l->bound == SLURM_ALL_JOBS ? "Grp" : "Max";
    const char *thing = l->thing == SLURM_THING_JOBS        ? "Jobs"
                        : l->thing == SLURM_THING_SUBMITTED ? "SubmitJobs"
                        : l->thing == SLURM_THING_WALL      ? "Wall"
                        : l->count == SLURM_MINUTES         ? "TRESMins"
                        : l->count == SLURM_RUN_MINUTES     ? "TRESRunMins"
                                                            : "TRES";
    bool of_user = l->holder == SLURM_OF_ASSOCIATION && l->bound == SLURM_EACH_USER;
    return xasprintf("%s%s%s", front, thing, of_user ? "" : bounds[l->bound]);
}

static bool read_limit(const struct slurm_span *record, const struct slurm_limit *l,
                       struct limit_amount *ret)
{
    char *key = limit_key(l);
    struct slurm_span v;
    const char *name = tres_name(l->thing);
    bool found = slurm_key(record, key, &v);
    free(key);
    if (found && name)
        v = slurm_tres(&v, name);
    return found && v.n && read_amount(&v, l->thing, ret);
}

/* --- records --- */

static bool limits_next_line(struct slurm_span *rest, struct slurm_span *ret)
{
    if (!rest->n)
        return false;
    const char *end = memchr(rest->p, '\n', rest->n);
    size_t n = end ? (size_t)(end - rest->p) : rest->n;
    *ret = (struct slurm_span){rest->p, n};
    rest->p += n + (end != NULL);
    rest->n -= n + (end != NULL);
    return true;
}

/* "root(0)" is root. */
static bool limits_is_called(const struct slurm_span *line, const char *key, const char *name)
{
    struct slurm_span v;
    if (!slurm_key(line, key, &v))
        return false;
    const char *bracket = v.n ? memchr(v.p, '(', v.n) : NULL;
    v.n = bracket ? (size_t)(bracket - v.p) : v.n;
    return slurm_span_is(&v, name);
}

static bool find_qos(const struct slurm_span *answer, const char *name, struct slurm_span *ret)
{
    struct slurm_span rest = *answer;
    while (name && limits_next_line(&rest, ret))
        if (limits_is_called(ret, "QOS", name))
            return true;
    return false;
}

/* user "": the account's own. */
static bool find_association(const struct slurm_span *answer, const char *account, const char *user,
                             struct slurm_span *ret)
{
    struct slurm_span rest = *answer;
    while (account && limits_next_line(&rest, ret))
        if (limits_is_called(ret, "Account", account) && limits_is_called(ret, "UserName", user))
            return true;
    return false;
}

/* "User Limits= 0={MaxJobsPU=3(0) ...} 7={...}": what stands in the braces behind that name. Later releases
 * print "root(0)={". */
static bool find_block(const struct slurm_span *record, const char *title, const char *name,
                       struct slurm_span *ret)
{
    char *front = xasprintf(" %s={", name), *later = xasprintf("(%s)={", name);
    const char *from = memmem(record->p, record->n, title, strlen(title)), *at = NULL;
    size_t left = from ? record->n - (size_t)(from - record->p) : 0;
    if (from)
        at = memmem(from, left, front, strlen(front));
    const char *named = from && !at ? memmem(from, left, later, strlen(later)) : NULL;
    at = named ? named + strlen(later) : at ? at + strlen(front) : NULL;
    if (at) {
        left = record->n - (size_t)(at - record->p);
        const char *end = memchr(at, '}', left);
        *ret = (struct slurm_span){at, end ? (size_t)(end - at) : left};
    }
    free(front);
    free(later);
    return at;
}

/* --- what the job asks for --- */

static uint64_t asked_of(const struct job *j, const struct slurm_limit *l)
{
    struct job_amounts a = job_amounts(j);
    uint64_t minutes = l->count == SLURM_AT_ONCE ? 1 : j->req.time_limit_s / 60;
    switch (l->thing) {
    case SLURM_THING_CPUS: return a.cpus * minutes;
    case SLURM_THING_MEMORY: return a.mem_mib * minutes;
    case SLURM_THING_NODES: return (j->req.nodes_min != NOT_GIVEN ? j->req.nodes_min : 1) * minutes;
    case SLURM_THING_GRES: return a.gpus * minutes;
    case SLURM_THING_WALL: return j->req.time_limit_s / 60;
    case SLURM_THING_JOBS:
    case SLURM_THING_SUBMITTED:
    case SLURM_THING_BURST_BUFFER:
    case SLURM_THING_BILLING:
    case SLURM_THING_ENERGY:
    case SLURM_THING_LICENSES:
    case SLURM_THING_UNKNOWN:
    case SLURM_N_THINGS: break;
    }
    return 1;
}

static bool limit_of_thing(const struct slurm_limit *l, enum limit_what *ret)
{
    if (l->count != SLURM_AT_ONCE) {
        *ret = LIMIT_OF_GPU_MINUTES;
        return l->thing == SLURM_THING_GRES;
    }
    switch (l->thing) {
    case SLURM_THING_CPUS: *ret = LIMIT_OF_CPUS; return true;
    case SLURM_THING_MEMORY: *ret = LIMIT_OF_MEMORY; return true;
    case SLURM_THING_NODES: *ret = LIMIT_OF_NODES; return true;
    case SLURM_THING_GRES: *ret = LIMIT_OF_GPUS; return true;
    case SLURM_THING_JOBS: *ret = LIMIT_OF_RUNNING; return true;
    case SLURM_THING_SUBMITTED: *ret = LIMIT_OF_SUBMITTED; return true;
    case SLURM_THING_WALL:
    case SLURM_THING_BURST_BUFFER:
    case SLURM_THING_BILLING:
    case SLURM_THING_ENERGY:
    case SLURM_THING_LICENSES:
    case SLURM_THING_UNKNOWN:
    case SLURM_N_THINGS: break;
    }
    return false;
}

static bool limit_say(const struct slurm_limit *l, const struct limit_amount *a, const struct job *j,
                      enum limit_scope scope, const char *name, struct cause *ret)
{
    enum limit_what what = 0;
    bool wall = l->thing == SLURM_THING_WALL && l->bound == SLURM_EACH_JOB;
    if (l->least || (!wall && !limit_of_thing(l, &what)))
        return false;
    *ret = (struct cause){.code = wall ? CAUSE_LIMIT_TIME : CAUSE_LIMIT,
                          .cls = scope == LIMIT_USER ? WHY_USER_LIMIT : WHY_GROUP_LIMIT,
                          .what = what,
                          .scope = scope,
                          .name = xstrdup(name),
                          .asked = asked_of(j, l),
                          .used = a->used,
                          .most = a->most};
    if (wall) {
        ret->asked = j->req.time_limit_s;
        ret->most = a->most * 60;
    }
    if (ret->asked > ret->most)
        ret->cls = WHY_NOT_ALLOWED;
    return true;
}

static bool is_over(const struct limit_amount *a, uint64_t asked)
{
    return a->used + asked > a->most;
}

/* The user's association, the account's, and those of the accounts above it: the first that is over, else
 * the first that has such a limit. */
static bool association_cause(const struct slurm_span *answer, const struct job *j,
                              const struct slurm_limit *l, struct cause *ret)
{
    char *account = j->req.account ? xstrdup(j->req.account) : NULL, *holder = NULL;
    const char *user = j->user ? j->user : "";
    struct limit_amount a, found = {0};
    struct slurm_span record;
    enum limit_scope scope = LIMIT_USER;
    bool has = false, over = false;
    for (int level = 0; account && !over && level < ACCOUNT_LEVELS; level++) {
        bool own = level == 0;
        bool there = find_association(answer, account, own ? user : "", &record);
        if (there && read_limit(&record, l, &a) && (!has || is_over(&a, asked_of(j, l)))) {
            has = true;
            over = is_over(&a, asked_of(j, l));
            found = a;
            scope = own ? LIMIT_USER : LIMIT_ACCOUNT;
            free(holder);
            holder = xstrdup(own ? user : account);
        }
        if (own)
            continue;
        char *parent = there ? limits_text_of(&record, "ParentAccount") : NULL;
        char *bracket = parent ? strchr(parent, '(') : NULL;
        if (bracket)
            *bracket = '\0';
        free(account);
        account = parent;
    }
    has = has && limit_say(l, &found, j, scope, holder, ret);
    free(account);
    free(holder);
    return has;
}

static bool qos_cause(const struct slurm_span *answer, const struct job *j, const struct slurm_limit *l,
                      struct cause *ret)
{
    struct slurm_span record = {0}, block = {0};
    struct limit_amount a;
    char *uid = xasprintf("%u", j->uid);
    bool found = find_qos(answer, req_detail(&j->req)->qos, &record);
    enum limit_scope scope = LIMIT_QOS;
    const char *name = req_detail(&j->req)->qos;
    if (found && l->bound == SLURM_EACH_USER) {
        scope = LIMIT_USER;
        name = j->user ? j->user : uid;
        found = find_block(&record, "User Limits=", uid, &block);
        record = block;
    } else if (found && l->bound == SLURM_EACH_ACCOUNT) {
        scope = LIMIT_ACCOUNT;
        name = j->req.account;
        found = name && find_block(&record, "Account Limits=", name, &block);
        record = block;
    }
    found = found && read_limit(&record, l, &a) && limit_say(l, &a, j, scope, name, ret);
    free(uid);
    return found;
}

bool slurm_limit_cause(const struct slurm_span *answer, const struct job *j, const char *word,
                       struct cause *ret)
{
    struct slurm_limit l;
    if (!slurm_limit_parse(word, &l))
        return false;
    return l.holder == SLURM_OF_QOS ? qos_cause(answer, j, &l, ret) : association_cause(answer, j, &l, ret);
}

/* --- licences --- */

static uint64_t licence_asked(const struct job *j, const char *name)
{
    struct strv items = strv_split(req_detail(&j->req)->licenses, ",;|");
    uint64_t asked = 0;
    for (size_t i = 0; i < items.n; i++) {
        size_t n = strcspn(items.v[i], ":=");
        if (strncmp(items.v[i], name, n) == 0 && !name[n])
            asked += items.v[i][n] ? strtoull(items.v[i] + n + 1, NULL, 10) : 1;
    }
    strv_fini(&items);
    return asked;
}

static uint64_t licence_figure(const struct slurm_span *line, const char *key)
{
    struct slurm_span v;
    return slurm_key(line, key, &v) ? slurm_u32(&v, 0) : 0;
}

bool slurm_licence_cause(const struct slurm_span *answer, const struct job *j, struct cause *ret)
{
    struct slurm_span rest = *answer, line;
    *ret = (struct cause){.code = CAUSE_LICENCES, .cls = WHY_BUSY};
    while (req_detail(&j->req)->licenses && limits_next_line(&rest, &line)) {
        char *name = limits_text_of(&line, "LicenseName");
        uint64_t asked = name ? licence_asked(j, name) : 0, all = licence_figure(&line, "Total"),
                 used = licence_figure(&line, "Used") + licence_figure(&line, "Reserved");
        if (asked && asked > all) {
            struct cause *c = cause_add(ret, CAUSE_LICENCE_COUNT);
            c->name = xstrdup(name);
            c->asked = asked;
            c->most = all;
            ret->cls = WHY_NOT_ALLOWED;
        } else if (asked && used + asked > all) {
            struct cause *c = cause_add(ret, CAUSE_LICENCE_SHORT);
            c->name = xstrdup(name);
            c->asked = asked;
            c->used = used;
            c->of = all;
        }
        free(name);
    }
    return ret->parts.n;
}
