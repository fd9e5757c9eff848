/* filename.c - output file patterns. */
#include "src/jobenv/filename.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "src/model/private_data.h"

#define WIDTH_MAX 10

static void filename_append_number(struct str *out, uint64_t n, int width)
{
    str_appendf(out, "%0*llu", width, (unsigned long long)n);
}

static void filename_append_step(struct str *out, int32_t step, int width)
{
    char buf[16];
    if (step >= 0)
        filename_append_number(out, (uint64_t)step, width);
    else
        str_append(out, step_format_id(step, buf));
}

/* One conversion; false where c is none. */
static bool append_field(struct str *out, char c, int width, const struct filename_args *a)
{
    const struct job *j = a->job;
    bool element = j->array_index != ARRAY_NONE;
    if (a->of_elements && strchr("abjJ", c))
        return false;
    switch (c) {
    case 'j': filename_append_number(out, j->id, width); return true;
    case 'J':
        filename_append_number(out, j->id, width);
        if (a->step != STEP_BATCH) {
            str_append_char(out, '.');
            filename_append_step(out, a->step, 0);
        }
        return true;
    case 'A': filename_append_number(out, j->array_job ? j->array_job : j->id, width); return true;
    case 'a': filename_append_number(out, element ? j->array_index : UINT32_MAX - 1, width); return true;
    case 'b': filename_append_number(out, element ? j->array_index % 10 : 4, width); return true;
    case 'x': str_append(out, j->req.name ? j->req.name : ""); return true;
    case 'u': str_append(out, j->user ? j->user : ""); return true;
    case 'N': str_append(out, a->node ? a->node : "%N"); return true;
    case 'n': filename_append_number(out, a->node_index, width); return true;
    case 't': filename_append_number(out, a->rank, width); return true;
    case 's': filename_append_step(out, a->step, width); return true;
    case 'r': filename_append_number(out, j->restarts, width); return true;
    case '%': str_append_char(out, '%'); return true;
    default: return false;
    }
}

/* A backslash pair turns expansion off, and each backslash stands for the character behind it. */
static void append_literal(struct str *out, const char *pattern)
{
    for (const char *p = pattern; *p && out->len <= FILENAME_BYTES_MAX; p++) {
        if (*p == '\\' && p[1])
            p++;
        str_append_char(out, *p);
    }
}

static void append_pattern(struct str *out, const char *pattern, const struct filename_args *a)
{
    for (const char *p = pattern; *p && out->len <= FILENAME_BYTES_MAX; p++) {
        if (*p != '%') {
            str_append_char(out, *p);
            continue;
        }
        const char *q = p + 1;
        int width = 0;
        for (; isdigit((unsigned char)*q); q++)
            width = width > WIDTH_MAX ? width : width * 10 + (*q - '0');
        if (*q && append_field(out, *q, width > WIDTH_MAX ? WIDTH_MAX : width, a))
            p = q;
        else
            str_append_char(out, '%');
    }
}

char *filename_expand(const char *pattern, const char *workdir, const struct filename_args *a)
{
    struct str out = STR_INIT;
    if (*pattern != '/') {
        str_append(&out, str_is_empty(workdir) ? "" : workdir);
        if (out.len == 0 || out.s[out.len - 1] != '/')
            str_append_char(&out, '/');
    }
    if (strstr(pattern, "\\\\"))
        append_literal(&out, pattern);
    else
        append_pattern(&out, pattern, a);
    if (out.len > FILENAME_BYTES_MAX)
        str_truncate(&out, FILENAME_BYTES_MAX + 1);
    return str_take(&out);
}

static char *batch_path(const struct job *j, const char *pattern, bool of_elements)
{
    struct filename_args a = {.job = j,
                              .step = STEP_BATCH,
                              .node = j->alloc.n ? j->alloc.v[0].node : NULL,
                              .of_elements = of_elements};
    if (job_is_masked(j))
        return NULL;
    if (!pattern)
        pattern = j->req.std_out ? j->req.std_out : j->array_job ? "slurm-%A_%a.out" : "slurm-%j.out";
    return filename_expand(pattern, j->req.workdir, &a);
}

char *job_stdout_path(const struct job *j)
{
    return batch_path(j, NULL, false);
}

char *job_stderr_path(const struct job *j)
{
    return batch_path(j, req_detail(&j->req)->std_err, false);
}

char *job_stdout_pattern(const struct job *j)
{
    return batch_path(j, NULL, job_is_array_record(j));
}

char *job_stderr_pattern(const struct job *j)
{
    return batch_path(j, req_detail(&j->req)->std_err, job_is_array_record(j));
}

static char *step_path(const char *pattern, const struct job *j, const struct step *s, const struct task *t,
                       uint32_t rank)
{
    struct filename_args a = {
        .job = j, .step = s->id, .rank = rank, .node = t->alloc.node, .node_index = t->index};
    if (j->kind == JOB_KIND_STEPS) { /* a declared task is what %t counts */
        a.rank = t->index;
        a.node_index = t->part;
    }
    return filename_expand(pattern, s->workdir ? s->workdir : j->req.workdir, &a);
}

/* The default of a step job's task; a step with several processes a task shares one file between them. */
#define STEP_JOB_PATTERN "stoker-%j-%s-%t.out"

/* NULL: no file. */
static const char *filename_output_pattern(const struct job *j, const struct step *s, int stream)
{
    bool steps = j->kind == JOB_KIND_STEPS;
    if (stream == 2 && s->std_err)
        return s->std_err;
    if (stream == 2 && steps && req_detail(&j->req)->std_err)
        return req_detail(&j->req)->std_err;
    if (s->std_out)
        return s->std_out;
    return !steps ? NULL : j->req.std_out ? j->req.std_out : STEP_JOB_PATTERN;
}

bool step_output_is_shared(const struct job *j, const struct step *s, int stream)
{
    const char *pattern = s->id == STEP_BATCH ? NULL : filename_output_pattern(j, s, stream);
    const char *telling = j->kind == JOB_KIND_STEPS ? "t" : "tnN";
    if (!pattern || strstr(pattern, "\\\\"))
        return pattern != NULL;
    for (const char *p = pattern; *p; p++) {
        if (*p != '%')
            continue;
        p += 1 + strspn(p + 1, "0123456789");
        if (!*p)
            break;
        if (strchr(telling, *p))
            return false;
    }
    return true;
}

char *step_stdout_path(const struct job *j, const struct step *s, const struct task *t, uint32_t rank)
{
    const char *pattern = filename_output_pattern(j, s, 1);
    if (s->id == STEP_BATCH)
        return job_stdout_path(j);
    return pattern && !job_is_masked(j) ? step_path(pattern, j, s, t, rank) : NULL;
}

char *step_stderr_path(const struct job *j, const struct step *s, const struct task *t, uint32_t rank)
{
    const char *pattern = filename_output_pattern(j, s, 2);
    if (s->id == STEP_BATCH)
        return job_stderr_path(j);
    return pattern && !job_is_masked(j) ? step_path(pattern, j, s, t, rank) : NULL;
}
