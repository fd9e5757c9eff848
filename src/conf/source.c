/* source.c - configuration text: files, includes, integers that do not fit. */
#include "src/conf/source.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/os/file.h"

int source_verror(const struct conf_source *s, unsigned line, struct errtext *err, const char *fmt,
                  va_list ap)
{
    if (!err)
        return -EINVAL;
    struct source_line at = {.file = 0, .line = line ? line : 1}; /* libconfig's root has none */
    if (line && s->lines.n) /* behind the end: something is missing after the last line */
        at = s->lines.v[(line <= s->lines.n ? line : s->lines.n) - 1];
    int n = snprintf(err->s, sizeof err->s, "%.300s:%u: ", s->files.n ? s->files.v[at.file] : "?", at.line);
    vsnprintf(err->s + n, sizeof err->s - (size_t)n, fmt, ap);
    return -EINVAL;
}

static __attribute__((format(printf, 4, 5))) int parse_error(const struct conf_source *s, unsigned line,
                                                             struct errtext *err, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int r = source_verror(s, line, err, fmt, ap);
    va_end(ap);
    return r;
}

void source_fini(struct conf_source *s)
{
    str_fini(&s->text);
    strv_fini(&s->files);
    vec_fini(&s->lines);
}

/* ---- files ---- */

int source_read_file(const char *path, size_t max, unsigned max_mib, struct str *ret, struct errtext *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0) {
        int r = err_set(err, -errno, "%.300s: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return r;
    }
    bool is_file = S_ISREG(st.st_mode);
    int r = is_file ? file_read_fd(fd, max, ret) : err_set(err, -EINVAL, tr("%.300s: not a file"), path);
    close(fd);
    if (r == -EFBIG)
        return err_set(err, -EINVAL, tr("%.300s: longer than %u MiB"), path, max_mib);
    return is_file && r < 0 ? err_set(err, r, "%.300s: %s", path, strerror(-r)) : r;
}

/* ---- one text into the whole ---- */

struct source_reader {
    struct conf_source *src;
    struct errtext *err;
    char *dir; /* what includes are relative to; NULL: the working directory */
    size_t file;
    unsigned line;
    int depth;
};

static int source_fail(const struct source_reader *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static int source_fail(const struct source_reader *r, const char *fmt, ...)
{
    struct errtext text;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text.s, sizeof text.s, fmt, ap);
    va_end(ap);
    return err_set(r->err, -EINVAL, "%.200s:%u: %.250s", r->src->files.v[r->file], r->line, text.s);
}

static void source_end_line(struct source_reader *r)
{
    struct source_line line = {.file = r->file, .line = r->line};
    vec_push(&r->src->lines, line);
    str_append_char(&r->src->text, '\n');
    r->line++;
}

/* A number at p: copied; one that libconfig would cut is refused. */
static int copy_number(struct source_reader *r, const char **p)
{
    const char *from = *p, *s = from + (*from == '-' || *from == '+');
    bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
    const char *digits = hex ? s + 2 : s;
    const char *end = digits + strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789");
    if (!hex && (*end == '.' || *end == 'e' || *end == 'E')) {
        end += strspn(end, "0123456789.");
        if (*end == 'e' || *end == 'E')
            end += 1 + (end[1] == '-' || end[1] == '+');
        end += strspn(end, "0123456789");
    } else {
        errno = 0;
        unsigned long long v = strtoull(digits, NULL, hex ? 16 : 10);
        bool is_long = *end == 'L';
        unsigned long long max = is_long ? INT64_MAX : INT32_MAX;
        if (errno || v > max)
            return source_fail(
                r,
                tr("the number %.*s is too large: write it as a text, with a unit where it is a size "
                   "or a time"),
                (int)(end - from), from);
        end += strspn(end, "L");
    }
    str_append_n(&r->src->text, from, (size_t)(end - from));
    *p = end;
    return 0;
}

/* A string or comment from p to its end: copied, its lines counted. */
static void copy_until(struct source_reader *r, const char **p, size_t head, const char *close,
                       bool escapes)
{
    const char *s = *p;
    str_append_n(&r->src->text, s, head);
    s += head;
    while (*s && strncmp(s, close, strlen(close)) != 0) {
        if (escapes && *s == '\\' && s[1] && s[1] != '\n')
            str_append_char(&r->src->text, *s++);
        if (*s == '\n')
            source_end_line(r);
        else
            str_append_char(&r->src->text, *s);
        s++;
    }
    if (*s && *close != '\n') {
        str_append(&r->src->text, close);
        s += strlen(close);
    }
    *p = s;
}

static int add_text(struct source_reader *r, const char *text);

static int add_file(struct source_reader *r, const char *path)
{
    struct str text = STR_INIT;
    int code = source_read_file(path, SOURCE_MAX - r->src->text.len, SOURCE_MAX >> 20, &text, r->err);
    if (code == 0 && memchr(text.s, '\0', text.len))
        code = err_set(r->err, -EINVAL, tr("%.300s: a NUL byte in it"), path);
    if (code == 0) {
        strv_push(&r->src->files, path);
        struct source_reader inner = *r;
        inner.file = r->src->files.n - 1;
        inner.line = 1;
        inner.depth++;
        code = add_text(&inner, text.s);
    }
    str_fini(&text);
    return code;
}

/* p stands on "@include". */
static int source_include(struct source_reader *r, const char **p)
{
    const char *s = *p + strlen("@include");
    s += strspn(s, " \t");
    const char *end = *s == '"' ? s + 1 + strcspn(s + 1, "\"\n") : NULL;
    if (!end || *end != '"' || end == s + 1)
        return source_fail(r, tr("@include wants a file name in quotes"));
    if (r->depth == SOURCE_MAX_DEPTH)
        return source_fail(r, tr("more than %d files within files"), SOURCE_MAX_DEPTH);
    char *name = xstrndup(s + 1, (size_t)(end - s - 1));
    char *path = *name == '/' || !r->dir ? xstrdup(name) : xasprintf("%s/%s", r->dir, name);
    struct errtext *err = r->err;
    int code = add_file(r, path);
    if (code < 0 && code != -EINVAL)
        err_prefix(err, code, "%.150s:%u", r->src->files.v[r->file], r->line);
    free(path);
    free(name);
    *p = end + 1;
    return code;
}

static bool source_is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '*';
}

static int add_text(struct source_reader *r, const char *p)
{
    bool line_start = true;
    int code = 0;
    while (*p && code == 0) {
        bool at_start = line_start;
        line_start = line_start && (*p == ' ' || *p == '\t');
        if (r->src->text.len > SOURCE_MAX)
            return source_fail(r, tr("longer than %u MiB with what it includes"), SOURCE_MAX >> 20);
        if (*p == '\n') {
            source_end_line(r);
            line_start = true;
            p++;
        } else if (at_start && str_starts(p, "@include")) {
            code = source_include(r, &p);
        } else if (*p == '"') {
            copy_until(r, &p, 1, "\"", true);
        } else if (*p == '#' || (p[0] == '/' && p[1] == '/')) {
            copy_until(r, &p, 1, "\n", false);
        } else if (p[0] == '/' && p[1] == '*') {
            copy_until(r, &p, 2, "*/", false);
        } else if (isdigit((unsigned char)*p) ||
                   ((*p == '-' || *p == '+') && isdigit((unsigned char)p[1]))) {
            code = copy_number(r, &p);
        } else if (*p == '.') {
            size_t n = 1 + strspn(p + 1, "0123456789");
            str_append_n(&r->src->text, p, n);
            p += n;
        } else if (isalpha((unsigned char)*p) || *p == '*') {
            size_t n = 0;
            while (source_is_word(p[n]))
                n++;
            str_append_n(&r->src->text, p, n);
            p += n;
        } else {
            str_append_char(&r->src->text, *p++);
        }
    }
    if (code == 0 && r->src->text.len && r->src->text.s[r->src->text.len - 1] != '\n')
        source_end_line(r);
    return code;
}

static struct conf_source empty_source(void)
{
    struct conf_source s = {.lines = VEC_INIT};
    str_init(&s.text);
    return s;
}

int source_read(const char *path, struct conf_source *ret, struct errtext *err)
{
    struct conf_source s = empty_source();
    const char *slash = strrchr(path, '/');
    struct source_reader r = {
        .src = &s, .err = err, .dir = slash ? xstrndup(path, (size_t)(slash - path)) : NULL};
    if (r.dir && !*r.dir) {
        xstrset(&r.dir, "/");
    }
    int code = add_file(&r, path);
    free(r.dir);
    if (code < 0)
        source_fini(&s);
    else
        *ret = s;
    return code;
}

int source_from_text(const char *name, const char *text, struct conf_source *ret, struct errtext *err)
{
    struct conf_source s = empty_source();
    struct source_reader r = {.src = &s, .err = err, .line = 1};
    strv_push(&s.files, name);
    int code = add_text(&r, text);
    if (code < 0)
        source_fini(&s);
    else
        *ret = s;
    return code;
}

/* What stands on that line of the whole, without the blanks around it. Heap. */
static char *line_text(const struct conf_source *s, unsigned line)
{
    const char *at = s->text.s;
    for (; line > 1 && at; line--)
        at = (at = strchr(at, '\n')) ? at + 1 : NULL;
    at = at ? at + strspn(at, " \t\r") : "";
    size_t n = strcspn(at, "\n");
    while (n && isspace((unsigned char)at[n - 1]))
        n--;
    return xstrndup(at, n);
}

/* libconfig says neither which key it is nor what it stumbles over, which may have begun a line before. */
int source_parse(const struct conf_source *s, config_t *cfg, struct errtext *err)
{
    if (config_read_string(cfg, s->text.s))
        return 0;
    int n = config_error_line(cfg);
    unsigned line = n > 0 ? (unsigned)n : 1;
    const char *what = config_error_text(cfg);
    char *text = line_text(s, line);
    struct str shown = STR_INIT;
    cell_text(&shown, text, 80, true, false);
    int r = *text ? parse_error(s, line, err,
                                str_eq(what, "syntax error") ? tr("%s here or just before: %s") : "%s: %s",
                                tr(what), shown.s)
                  : parse_error(s, line, err, "%s", tr(what));
    str_fini(&shown);
    free(text);
    return r;
}
