/* array.c - the grammar of --array. A bit for each index first, so that overlapping items are one set. */
#include "src/model/array.h"

#include <errno.h>
#include <stdlib.h>

#include "src/base/str.h"
#include "src/base/xalloc.h"
#include "src/values/units.h"

#define WORD_BITS 64u

struct bits {
    uint64_t *w;
    uint32_t n;
};

static void bits_set(struct bits *b, uint32_t i)
{
    b->w[i / WORD_BITS] |= UINT64_C(1) << (i % WORD_BITS);
}

/* The first index >= i that is set; n where there is none. */
static uint32_t bits_next(const struct bits *b, uint32_t i)
{
    while (i < b->n) {
        uint64_t rest = b->w[i / WORD_BITS] >> (i % WORD_BITS);
        if (rest) {
            i += (uint32_t)__builtin_ctzll(rest);
            return i < b->n ? i : b->n;
        }
        i = (i / WORD_BITS + 1) * WORD_BITS;
    }
    return b->n;
}

/* Digits at *at, moved past them. Saturates: what is too large is found to be out of bounds by the
 * caller. */
static bool array_take_number(const char **at, uint32_t *ret)
{
    uint64_t n;
    bool found = digits_take(at, &n);
    if (found)
        *ret = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
    return found;
}

static int parse_item(const char **at, struct bits *b, struct errtext *err)
{
    const char *item = *at;
    uint32_t first, last, step = 1;
    if (!array_take_number(at, &first))
        return err_set(err, -EINVAL, "array \"%s\": a number is missing", item);
    last = first;
    if (**at == '-') {
        ++*at;
        if (!array_take_number(at, &last))
            return err_set(err, -EINVAL, "array \"%s\": the end of the range is missing", item);
        if (**at == ':') {
            ++*at;
            if (!array_take_number(at, &step) || step == 0)
                return err_set(err, -EINVAL, "array \"%s\": the step must be a number from 1 on", item);
        }
    }
    if (**at && **at != ',' && **at != '%')
        return err_set(err, -EINVAL, "array \"%s\": '%c' is not understood", item, **at);
    if (last < first)
        return err_set(err, -EINVAL, "array \"%s\": the range runs backwards", item);
    if (last >= b->n)
        return err_set(err, -ERANGE, "array \"%s\": the highest index allowed is %u", item, b->n - 1);
    for (uint64_t i = first; i <= last; i += step)
        bits_set(b, (uint32_t)i);
    return 0;
}

static int parse_items(const char *spec, struct bits *b, uint32_t *ret_throttle, struct errtext *err)
{
    const char *at = spec;
    for (;;) {
        int rc = parse_item(&at, b, err);
        if (rc)
            return rc;
        if (*at != ',')
            break;
        at++;
    }
    *ret_throttle = 0;
    if (*at == '%') {
        const char *limit = at++;
        if (!array_take_number(&at, ret_throttle) || *at)
            return err_set(err, -EINVAL, "array \"%s\": \"%s\" is not a limit", spec, limit);
    }
    return 0;
}

/* The longest run of one step from index i on; a pair of distant ones is not a run. */
static struct index_range take_run(const struct bits *b, uint32_t i)
{
    struct index_range r = {.first = i, .last = i, .step = 1};
    uint32_t next = bits_next(b, i + 1);
    if (next >= b->n)
        return r;
    uint32_t step = next - i, count = 1;
    while (next < b->n && next - r.last == step) {
        r.last = next;
        count++;
        next = bits_next(b, next + 1);
    }
    if (step > 1 && count < 3)
        r.last = i;
    else
        r.step = step;
    return r;
}

static void collect(const struct bits *b, struct array_spec *ret)
{
    for (uint32_t i = bits_next(b, 0); i < b->n;) {
        struct index_range *r = rec_list_push(&ret->ranges);
        *r = take_run(b, i);
        ret->count += (r->last - r->first) / r->step + 1;
        ret->max = r->last;
        i = bits_next(b, r->last + 1);
    }
    ret->min = ret->ranges.v[0].first;
    ret->step = ret->ranges.n == 1 ? ret->ranges.v[0].step : 1;
}

int array_parse(const char *spec, uint32_t max_size, struct array_spec *ret, struct errtext *err)
{
    if (max_size == 0 || max_size > ARRAY_SIZE_MAX)
        max_size = max_size ? ARRAY_SIZE_MAX : 1;
    struct bits b = {.n = max_size};
    b.w = xcalloc(max_size / WORD_BITS + 1, sizeof *b.w);
    uint32_t throttle;
    int rc = parse_items(spec, &b, &throttle, err);
    if (!rc) {
        *ret = (struct array_spec){.throttle = throttle};
        collect(&b, ret);
    }
    free(b.w);
    return rc;
}

void array_spec_fini(struct array_spec *a)
{
    free(a->ranges.v);
    *a = (struct array_spec){.count = 0};
}

/* Of a specification that has been parsed. */
static bool spec_names(const char *spec, uint32_t index)
{
    for (const char *at = spec;;) {
        uint32_t first, last, step = 1;
        if (!array_take_number(&at, &first))
            return false;
        last = first;
        if (*at == '-' && (at++, !array_take_number(&at, &last)))
            return false;
        if (*at == ':' && (at++, !array_take_number(&at, &step) || !step))
            return false;
        if (index >= first && index <= last && (index - first) % step == 0)
            return true;
        if (*at++ != ',')
            return false;
    }
}

bool array_had(const struct job *array, uint32_t index)
{
    uint32_t step = job_origin(array)->array_step ? job_origin(array)->array_step : 1;
    if (index < job_origin(array)->array_min || index > job_origin(array)->array_max ||
        (index - job_origin(array)->array_min) % step)
        return false;
    bool all = (job_origin(array)->array_max - job_origin(array)->array_min) / step + 1 ==
               job_origin(array)->array_count;
    return all || str_is_empty(req_detail(&array->req)->array_spec) ||
           spec_names(req_detail(&array->req)->array_spec, index);
}
