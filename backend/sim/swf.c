/* swf.c - the reader of workload traces. */
#include "backend/sim/swf.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "src/base/str.h"

#define FIELDS    18
#define LINE_SIZE 4096
#define VALUE_MAX INT64_C(1000000000000000) /* sums of many of them must not overflow */

/* Where the fields that we use stand, counted from 0. */
enum {
    F_ID,
    F_SUBMIT,
    F_RUN = 3,
    F_USED,
    F_ASKED = 7,
    F_ESTIMATE,
    F_MEM,
    F_USER = 11,
    F_GROUP,
    F_QUEUE = 14,
    F_PARTITION
};

struct swf_reader {
    const char *path;
    gzFile f;
    uint32_t line;
    char text[LINE_SIZE];
    struct errtext *err;
};

static int swf_bad_line(const struct swf_reader *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static int swf_bad_line(const struct swf_reader *r, const char *fmt, ...)
{
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return err_set(r->err, -EINVAL, "%s:%u: %s", r->path, r->line, text);
}

/* What the library has to say; 0: nothing. */
static int swf_check_stream(const struct swf_reader *r)
{
    int code, kept = errno;
    const char *why = gzerror(r->f, &code);
    if (code == Z_OK || code == Z_STREAM_END)
        return 0;
    int rc = code == Z_ERRNO && kept ? -kept : -EINVAL;
    return err_set(r->err, rc, "%s: after line %u: %s", r->path, r->line,
                   code == Z_ERRNO       ? strerror(-rc)
                   : code == Z_BUF_ERROR ? "the file is cut off"
                                         : why);
}

/* 1: a line, 0: the end, or an error. */
static int swf_next_line(struct swf_reader *r)
{
    errno = 0;
    if (!gzgets(r->f, r->text, sizeof r->text))
        return swf_check_stream(r);
    size_t n = strlen(r->text);
    if (n && r->text[n - 1] == '\n') {
        r->text[n - 1] = '\0';
    } else {
        int rc = swf_check_stream(r);
        if (rc < 0)
            return rc;
        if (!gzeof(r->f)) {
            r->line++;
            return swf_bad_line(r, "the line is too long, or holds a zero byte");
        }
    }
    r->line++;
    return 1;
}

/* "; MaxProcs: 100" */
static void swf_read_header(const struct swf_reader *r, struct swf *s)
{
    const struct {
        const char *name;
        int64_t *value;
    } fields[] = {
        {"MaxProcs:", &s->max_procs}, {"MaxNodes:", &s->max_nodes}, {"UnixStartTime:", &s->unix_start}};
    const char *p = r->text;
    while (*p == ';' || isspace((unsigned char)*p))
        p++;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (str_starts(p, fields[i].name)) {
            long long v = strtoll(p + strlen(fields[i].name), NULL, 10);
            if (v > 0 && v < VALUE_MAX)
                *fields[i].value = v;
        }
}

/* The next number of the line; what stands behind a point is cut off. 1, 0: no more, or an error. */
static int swf_next_number(struct swf_reader *r, char **at, int64_t *ret)
{
    char *p = *at;
    while (isspace((unsigned char)*p))
        p++;
    if (!*p)
        return 0;
    char *end = p + strcspn(p, " \t\r\v\f"), kept = *end, *rest;
    *end = '\0';
    errno = 0;
    *ret = strtoll(p, &rest, 10);
    bool number = rest != p;
    if (*rest == '.')
        rest += 1 + strspn(rest + 1, "0123456789");
    if (!number || *rest || errno || *ret > VALUE_MAX || *ret < -VALUE_MAX)
        return swf_bad_line(r, "'%.40s' is not a number that can stand here", p);
    *end = kept;
    *at = end;
    return 1;
}

static int swf_read_job(struct swf_reader *r, struct swf *s)
{
    int64_t v[FIELDS], more;
    char *at = r->text;
    int n = 0, rc = 1;
    while (n < FIELDS && (rc = swf_next_number(r, &at, &v[n])) == 1)
        n++;
    if (rc == 1)
        rc = swf_next_number(r, &at, &more);
    if (rc < 0 || (n == 0 && rc == 0))
        return rc; /* a blank line is none */
    if (n < FIELDS || rc)
        return swf_bad_line(r, "a job has %d numbers, this line has %s%d", FIELDS, rc ? "more than " : "",
                            n);
    vec_push(&s->jobs, (struct swf_job){.id = v[F_ID],
                                        .submit = v[F_SUBMIT],
                                        .run = v[F_RUN],
                                        .procs_used = v[F_USED],
                                        .procs_asked = v[F_ASKED],
                                        .estimate = v[F_ESTIMATE],
                                        .mem_asked_kib = v[F_MEM],
                                        .user = v[F_USER],
                                        .group = v[F_GROUP],
                                        .queue = v[F_QUEUE],
                                        .partition = v[F_PARTITION],
                                        .line = r->line});
    return 0;
}

int swf_read(const char *path, struct swf *ret, struct errtext *err)
{
    struct swf s = {.jobs = VEC_INIT};
    struct swf_reader r = {.path = path, .err = err};
    errno = 0;
    r.f = gzopen(path, "rb");
    if (!r.f)
        return err_set(err, errno ? -errno : -ENOMEM, "%s: %s", path, strerror(errno ? errno : ENOMEM));
    gzbuffer(r.f, 1u << 17);
    int rc;
    while ((rc = swf_next_line(&r)) > 0) {
        if (r.text[0] == ';')
            swf_read_header(&r, &s);
        else
            rc = swf_read_job(&r, &s);
        if (rc < 0)
            break;
    }
    gzclose(r.f);
    if (rc < 0) {
        swf_fini(&s);
        return rc;
    }
    *ret = s;
    return 0;
}

void swf_fini(struct swf *s)
{
    vec_fini(&s->jobs);
}
