/* jobtargets.c - the grammar of job names. */
#include "src/jobspec/jobtargets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/model/array.h"
#include "src/text/jobtext.h"
#include "src/values/units.h"

#define TARGETS_MAX 1000000u /* elements that one command may name one by one */

void target_list_fini(struct target_list *t)
{
    free(t->list.v);
    *t = (struct target_list){0};
}

static int jobtargets_bad(struct errtext *err, const char *word)
{
    return err_set(err, -EINVAL, tr("Invalid job id %s"), word);
}

/* Digits at *p below 2^32 - 1, of which the biggest means "none" in job records. */
static bool jobtargets_take_number(const char **p, uint32_t *ret)
{
    uint64_t v;
    if (!digits_take(p, &v) || v >= UINT32_MAX)
        return false;
    *ret = (uint32_t)v;
    return true;
}

static bool take_step(const char **p, int32_t *ret)
{
    static const struct {
        const char *name;
        int32_t id;
    } named[] = {{.name = "batch", .id = STEP_BATCH},
                 {.name = "extern", .id = STEP_BATCH},
                 {.name = "interactive", .id = STEP_INTERACTIVE}};
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        size_t n = strlen(named[i].name);
        if (strncasecmp(*p, named[i].name, n) == 0) {
            *p += n;
            *ret = named[i].id;
            return true;
        }
    }
    uint32_t n;
    if (!jobtargets_take_number(p, &n) || n > INT32_MAX)
        return false;
    *ret = (int32_t)n;
    return true;
}

static void jobtargets_push(struct target_list *t, uint32_t job, uint32_t index, int32_t step)
{
    *rec_list_push(&t->list) = (struct job_target){.job = job, .array_index = index, .step = step};
}

/* "[1-3,5]": p stands on the bracket. A "%4" behind the indices, as listings show it, says nothing here. */
static int add_elements(struct target_list *t, uint32_t job, const char *word, const char *p,
                        struct errtext *err)
{
    const char *close = strchr(p, ']');
    int32_t step = STEP_ALL;
    if (!close)
        return jobtargets_bad(err, word);
    const char *rest = close + 1;
    if (*rest == '.' && (rest++, !take_step(&rest, &step)))
        return jobtargets_bad(err, word);
    if (*rest)
        return jobtargets_bad(err, word);
    char *items = xstrndup(p + 1, (size_t)(close - p - 1));
    items[strcspn(items, "%")] = '\0';
    struct array_spec a;
    int rc = array_parse(items, ARRAY_SIZE_MAX, &a, err);
    free(items);
    if (rc < 0)
        return jobtargets_bad(err, word);
    if (t->list.n + a.count > TARGETS_MAX) {
        array_spec_fini(&a);
        return err_set(err, -E2BIG, tr("%s names too many jobs"), word);
    }
    for (size_t i = 0; i < a.ranges.n; i++)
        for (uint64_t k = a.ranges.v[i].first; k <= a.ranges.v[i].last; k += a.ranges.v[i].step)
            jobtargets_push(t, job, (uint32_t)k, step);
    array_spec_fini(&a);
    return 0;
}

int targets_add(struct target_list *t, const char *word, struct errtext *err)
{
    const char *p = word;
    uint32_t job, index = ARRAY_NONE;
    int32_t step = STEP_ALL;
    if (!jobtargets_take_number(&p, &job) || !job)
        return jobtargets_bad(err, word);
    if (*p == '_') {
        p++;
        if (*p == '[')
            return add_elements(t, job, word, p, err);
        if (*p == '*')
            p++;
        else if (!jobtargets_take_number(&p, &index))
            return jobtargets_bad(err, word);
    }
    if (*p == '.' && (p++, !take_step(&p, &step)))
        return jobtargets_bad(err, word);
    if (*p)
        return jobtargets_bad(err, word);
    jobtargets_push(t, job, index, step);
    return 0;
}

int targets_add_list(struct target_list *t, const char *words, struct errtext *err)
{
    int rc = 0;
    for (const char *p = words; *p && rc == 0;) {
        size_t n = 0;
        for (bool inside = false; p[n] && (inside || p[n] != ','); n++)
            inside = p[n] == '[' || (inside && p[n] != ']');
        char *word = xstrndup(p, n);
        char *trimmed = str_trim(word);
        if (*trimmed)
            rc = targets_add(t, trimmed, err);
        free(word);
        p += n + (p[n] == ',');
    }
    return rc;
}

int target_parse_one(const char *word, struct job_target *ret, uint32_t *ret_task, struct errtext *err)
{
    struct target_list t = {0};
    uint32_t task = NOT_GIVEN;
    char *head = xstrdup(word);
    char *first = strchr(head, '.'), *second = first ? strchr(first + 1, '.') : NULL;
    int rc = 0;
    if (second) {
        const char *p = second + 1;
        *second = '\0';
        rc = jobtargets_take_number(&p, &task) && !*p ? 0 : jobtargets_bad(err, word);
    }
    if (rc == 0)
        rc = targets_add(&t, head, err);
    if (rc == 0 && t.list.n != 1)
        rc = err_set(err, -EINVAL, tr("%s names more than one job"), word);
    if (rc == 0) {
        *ret = t.list.v[0];
        *ret_task = task;
    }
    free(head);
    target_list_fini(&t);
    return rc;
}

void target_append(struct str *out, const struct job_target *t)
{
    char buf[16];
    text_append_u64(out, t->job);
    if (t->array_index != ARRAY_NONE) {
        str_append_char(out, '_');
        text_append_u64(out, t->array_index);
    }
    if (t->step != STEP_ALL) {
        str_append_char(out, '.');
        str_append(out, step_format_id(t->step, buf));
    }
}
