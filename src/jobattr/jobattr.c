#include "src/jobattr/jobattr.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/base/time.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/values/time_parse.h"
#include "src/values/units.h"

#define REQ_OFFSET(member)    .place = IN_REQ, .offset = offsetof(struct job_req, member)
#define DETAIL_OFFSET(member) .place = IN_DETAIL, .offset = offsetof(struct job_req_detail, member)
#define RARE_OFFSET(member)   .place = IN_RARE, .offset = offsetof(struct job_req_rare, member)

/* clang-format off */
#define X(ID, KIND, PLACE, MEMBER, OPTION, IS, ...) \
    [ATTR_##ID] = {.id = ATTR_##ID, .kind = JOB_ATTR_##KIND, PLACE##_OFFSET(MEMBER), .member = #MEMBER, JOB_ATTR_UNWRAP IS},
#define O(...)
#define ALIAS(...)
const struct job_attr job_attrs[ATTR_N] = {JOB_ATTRS(X, O, ALIAS)};
#undef X
#undef O
#undef ALIAS
/* clang-format on */

const struct job_attr *job_attr_get(int id)
{
    return id > ATTR_NONE && id < ATTR_N && job_attrs[id].member ? &job_attrs[id] : NULL;
}

const struct job_attr *job_attr_by_key(const char *key)
{
    size_t n = strlen(key);
    job_attr_for_each (a)
        for (const char *k = a->update; k && *k; k += strcspn(k, " "), k += strspn(k, " "))
            if (strcspn(k, " ") == n && strncasecmp(k, key, n) == 0)
                return a;
    return NULL;
}

void job_attr_list_keys(struct str *out, bool always)
{
    const char *between = "";
    job_attr_for_each (a)
        if (a->update && a->always == always) {
            str_append(out, between);
            str_append_n(out, a->update, strcspn(a->update, " "));
            between = ", ";
        }
}

static const void *job_attr_at(const struct job_attr *a, const struct job_req *r)
{
    const void *place = a->place == IN_RARE     ? (const void *)req_rare(r)
                        : a->place == IN_DETAIL ? (const void *)req_detail(r)
                                                : (const void *)r;
    return (const char *)place + a->offset;
}

void *job_attr_at_mut(const struct job_attr *a, struct job_req *r)
{
    void *place = a->place == IN_RARE     ? (void *)req_rare_mut(r)
                  : a->place == IN_DETAIL ? (void *)req_detail_mut(r)
                                          : (void *)r;
    return (char *)place + a->offset;
}

/* How a kind is stored. */
enum attr_store { STORE_TEXT, STORE_U32, STORE_I32, STORE_U64, STORE_BOOL, STORE_WALL };

static enum attr_store attr_store(const struct job_attr *a)
{
    /* clang-format off */
#define X(kind, ctype) _Generic((ctype){0}, char *: STORE_TEXT, uint32_t: STORE_U32, int32_t: STORE_I32, \
                                uint64_t: STORE_U64, bool: STORE_BOOL, struct wall: STORE_WALL),
    static const enum attr_store store[] = {JOB_ATTR_KINDS(X)};
#undef X
    /* clang-format on */
    return store[a->kind];
}

bool job_attr_is_text(const struct job_attr *a)
{
    return attr_store(a) == STORE_TEXT;
}

const char *job_attr_text(const struct job_attr *a, const struct job_req *r)
{
    return *(char *const *)job_attr_at(a, r);
}

int64_t job_attr_number(const struct job_attr *a, const struct job_req *r)
{
    const void *at = job_attr_at(a, r);
    switch (attr_store(a)) {
    case STORE_U32: return *(const uint32_t *)at;
    case STORE_I32: return *(const int32_t *)at;
    case STORE_U64: return (int64_t) * (const uint64_t *)at;
    case STORE_BOOL: return *(const bool *)at;
    case STORE_WALL: return ((const struct wall *)at)->ms;
    case STORE_TEXT: break;
    }
    return 0;
}

/* --- setting --- */

typedef int attr_set_fn(const struct job_attr *a, struct job_req *r, const char *value, struct wall now,
                        struct errtext *err);
#define ATTR_SET(NAME)                                                                                \
    static int attr_set_##NAME(const struct job_attr *a, struct job_req *r, const char *value,            \
                               __attribute__((unused)) struct wall now, struct errtext *err)

ATTR_SET(text)
{
    char **at = job_attr_at_mut(a, r);
    (void)err;
    free(*at);
    *at = *value || a->keeps_empty ? xstrdup(value) : NULL;
    return 0;
}
ATTR_SET(number)
{
    int64_t n;
    int rc = int_parse(value, a->min, a->max, &n, err);
    if (rc == 0)
        *(uint32_t *)job_attr_at_mut(a, r) = (uint32_t)n; /* of a signed one: the same bits */
    return rc;
}
/* "2", or "a100:2": then the type is that of all GPUs of the job. */
ATTR_SET(gpus)
{
    const char *colon = strchr(value, ':');
    if (colon == value)
        return err_set(err, -EINVAL, tr("\"%s\" names no type of GPU"), value);
    int rc = attr_set_number(a, r, colon ? colon + 1 : value, now, err);
    if (rc == 0 && colon) {
        free(req_detail(r)->gpu_type);
        req_detail_mut(r)->gpu_type = xstrndup(value, (size_t)(colon - value));
    }
    return rc;
}
ATTR_SET(nodes)
{
    int rc = attr_set_number(a, r, value, now, err);
    r->nodes_max = rc == 0 ? r->nodes_min : r->nodes_max;
    return rc;
}
ATTR_SET(priority)
{
    int rc = attr_set_number(a, r, value, now, err);
    req_detail_mut(r)->has_priority = req_detail(r)->has_priority || rc == 0;
    return rc;
}
ATTR_SET(memory)
{
    return mem_parse_mib(value, job_attr_at_mut(a, r), err);
}
ATTR_SET(limit)
{
    if (!*value && a->id == ATTR_TIME_MIN) { /* a job may do without */
        *(uint32_t *)job_attr_at_mut(a, r) = DURATION_NOT_SET;
        return 0;
    }
    return duration_parse_slurm(value, job_attr_at_mut(a, r), err);
}
ATTR_SET(time_point)
{
    return wall_parse(value, now, job_attr_at_mut(a, r), err);
}
ATTR_SET(lost_node)
{
    enum lost_node what = LOST_NOT_SAID;
    if (*value && !lost_node_parse(value, &what))
        return err_set(err, -EINVAL, tr("LostNode=%s: hold, requeue, cancel or lease"), value);
    *(uint32_t *)job_attr_at_mut(a, r) = what;
    return 0;
}
/* How often; a signal stays as it was given. */
ATTR_SET(restarts)
{
    if (*value)
        return attr_set_number(a, r, value, now, err);
    *(uint32_t *)job_attr_at_mut(a, r) = 0; /* as its partition says */
    return 0;
}
/* COUNT[@WAIT] */
ATTR_SET(switches)
{
    int64_t n;
    uint32_t wait_s = 0;
    size_t digits = strspn(value, "0123456789");
    char *count = xstrndup(value, digits);
    int rc = int_parse(count, 0, UINT16_MAX, &n, NULL);
    free(count);
    if (rc || (value[digits] && value[digits] != '@'))
        return err_set(err, -EDOM, tr("Invalid numeric value \"%s\" for --%s."), value, "switches");
    if (value[digits] && duration_parse_slurm(value + digits + 1, &wait_s, NULL) < 0)
        return err_set(err, -EINVAL, tr("Invalid --%s specification"), "switches");
    *(uint32_t *)job_attr_at_mut(a, r) = (uint32_t)n;
    req_rare_mut(r)->switch_wait_s = n ? wait_s : 0;
    return 0;
}
ATTR_SET(switch)
{
    int64_t n;
    int rc = int_parse(value, 0, 1, &n, err);
    if (rc == 0)
        *(bool *)job_attr_at_mut(a, r) = n == 1;
    return rc;
}

int job_attr_set(const struct job_attr *a, struct job_req *r, const char *value, struct wall now,
                 struct errtext *err)
{
    static attr_set_fn *const by_kind[] = {
        [JOB_ATTR_GPUS] = attr_set_gpus,           [JOB_ATTR_NODES] = attr_set_nodes,
        [JOB_ATTR_PRIORITY] = attr_set_priority,   [JOB_ATTR_LIMIT] = attr_set_limit,
        [JOB_ATTR_LOST_NODE] = attr_set_lost_node, [JOB_ATTR_RESTARTS] = attr_set_restarts,
        [JOB_ATTR_SWITCHES] = attr_set_switches,
    };
    static attr_set_fn *const by_store[] = {
        [STORE_TEXT] = attr_set_text,  [STORE_U32] = attr_set_number,  [STORE_I32] = attr_set_number,
        [STORE_U64] = attr_set_memory, [STORE_BOOL] = attr_set_switch, [STORE_WALL] = attr_set_time_point,
    };
    attr_set_fn *set = a->kind < sizeof by_kind / sizeof by_kind[0] ? by_kind[a->kind] : NULL;
    return (set ? set : by_store[attr_store(a)])(a, r, value, now, err);
}

/* --- as its option takes it --- */

typedef void attr_append_fn(struct str *out, const struct job_attr *a, const struct job_req *r, int64_t n);
#define ATTR_APPEND(NAME)                                                                                \
    static void attr_append_##NAME(                                                                      \
        struct str *out, __attribute__((unused)) const struct job_attr *a,                               \
        __attribute__((unused)) const struct job_req *r, __attribute__((unused)) int64_t n)

ATTR_APPEND(text)
{
    str_append(out, job_attr_text(a, r) ? job_attr_text(a, r) : "");
}
ATTR_APPEND(number)
{
    if (n)
        str_appendf(out, "%" PRId64, n);
}
ATTR_APPEND(count)
{
    if (n != NOT_GIVEN)
        str_appendf(out, "%" PRId64, n);
}
ATTR_APPEND(memory)
{
    char text[UNITS_TEXT_SIZE];
    if ((uint64_t)n != MEM_NOT_GIVEN)
        str_append(out, n ? mem_format_slurm((uint64_t)n, text) : "0");
}
ATTR_APPEND(gpus)
{
    if (n == NOT_GIVEN || n == 0)
        return;
    if (req_detail(r)->gpu_type)
        str_appendf(out, "%s:", req_detail(r)->gpu_type);
    str_appendf(out, "%" PRId64, n);
}
ATTR_APPEND(nodes)
{
    attr_append_count(out, a, r, n);
    if (n != NOT_GIVEN && r->nodes_max != n && r->nodes_max != NOT_GIVEN)
        str_appendf(out, "-%u", r->nodes_max);
}
ATTR_APPEND(signal)
{
    if (n)
        str_appendf(out, "%s%" PRId64 "@%u", req_detail(r)->signal_batch ? "B:" : "", n,
                    req_rare(r)->signal_at_s);
}
ATTR_APPEND(limit)
{
    char text[UNITS_TEXT_SIZE];
    if (n != DURATION_NOT_SET)
        str_append(out, duration_format((uint32_t)n, text));
}
ATTR_APPEND(time_point)
{
    char text[WALL_TEXT_SIZE];
    if (n)
        str_append(out, wall_format_iso((struct wall){.ms = n}, text));
}
ATTR_APPEND(open_mode)
{
    str_append(out, n ? "append" : "");
}
ATTR_APPEND(switch)
{
    str_append(out, n ? "yes" : "");
}
ATTR_APPEND(exclusive)
{
    str_append(out, req_detail(r)->exclusive_user ? "user" : n ? "exclusive" : "");
}
ATTR_APPEND(requeue)
{
    str_append(out, n == (a->kind == JOB_ATTR_REQUEUE ? 1 : 2) ? "yes" : "");
}
ATTR_APPEND(restarts)
{
    if (n)
        str_appendf(out, "%" PRId64, n);
}
ATTR_APPEND(switches)
{
    char text[UNITS_TEXT_SIZE];
    if (n)
        str_appendf(out, "%" PRId64, n);
    if (n && req_rare(r)->switch_wait_s)
        str_appendf(out, "@%s", duration_format_padded(req_rare(r)->switch_wait_s, text));
}
ATTR_APPEND(lost_node)
{
    str_append(out, n < LOST_N ? lost_node_text((enum lost_node)n) : "");
}

void job_attr_append(struct str *out, const struct job_attr *a, const struct job_req *r)
{
    static attr_append_fn *const by_kind[] = {
        [JOB_ATTR_COUNT] = attr_append_count,         [JOB_ATTR_GPUS] = attr_append_gpus,
        [JOB_ATTR_NODES] = attr_append_nodes,         [JOB_ATTR_LIMIT] = attr_append_limit,
        [JOB_ATTR_SIGNAL] = attr_append_signal,       [JOB_ATTR_OPEN_MODE] = attr_append_open_mode,
        [JOB_ATTR_REQUEUE] = attr_append_requeue,     [JOB_ATTR_NO_REQUEUE] = attr_append_requeue,
        [JOB_ATTR_LOST_NODE] = attr_append_lost_node, [JOB_ATTR_RESTARTS] = attr_append_restarts,
        [JOB_ATTR_SWITCHES] = attr_append_switches,   [JOB_ATTR_EXCLUSIVE] = attr_append_exclusive,
    };
    static attr_append_fn *const by_store[] = {
        [STORE_TEXT] = attr_append_text,   [STORE_U32] = attr_append_number,
        [STORE_I32] = attr_append_number,  [STORE_U64] = attr_append_memory,
        [STORE_BOOL] = attr_append_switch, [STORE_WALL] = attr_append_time_point,
    };
    attr_append_fn *append = a->kind < sizeof by_kind / sizeof by_kind[0] ? by_kind[a->kind] : NULL;
    (append ? append : by_store[attr_store(a)])(out, a, r, job_attr_number(a, r));
}
