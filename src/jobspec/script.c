/* script.c - batch scripts. */
#include "src/jobspec/script.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/words.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/os/file.h"
#include "src/os/path_search.h"

#define DIRECTIVE "#SBATCH"

void script_fini(struct script *s)
{
    free(s->text.p);
    free(s->path);
    free(s->name);
    *s = (struct script){.path = NULL};
}

/* --- reading --- */

static int script_read_all(int fd, const char *name, struct blob *ret, struct errtext *err)
{
    struct str text = STR_INIT;
    int rc = file_read_fd(fd, SCRIPT_MAX, &text);
    if (rc < 0) {
        str_fini(&text);
        return rc == -EFBIG
                   ? err_set(err, -E2BIG, tr("Script %s is too large: at most %u bytes"), name, SCRIPT_MAX)
                   : err_set(err, rc, tr("Unable to read %s: %s"), name, strerror(-rc));
    }
    ret->n = text.len;
    ret->p = (uint8_t *)str_take(&text);
    return 0;
}

/* A pipe or device may be a script's source too (sbatch <(...)). */
static int script_open_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd >= 0 && !fstat(fd, &st) && S_ISDIR(st.st_mode)) {
        close(fd);
        errno = EISDIR;
        return -1;
    }
    return fd;
}

struct script_opening {
    int fd;
    char *path;
};

static bool script_try_to_open(void *ctx, const char *file)
{
    struct script_opening *o = ctx;
    o->fd = script_open_file(file);
    if (o->fd >= 0)
        o->path = xstrdup(file);
    return o->fd >= 0;
}

static char *script_absolute(const char *path)
{
    char cwd[PATH_MAX];
    return *path == '/' || !getcwd(cwd, sizeof cwd) ? xstrdup(path) : xasprintf("%s/%s", cwd, path);
}

static int script_read_file(const char *operand, struct script *s, struct errtext *err)
{
    struct script_opening o = {.fd = script_open_file(operand)};
    if (o.fd >= 0)
        o.path = script_absolute(operand);
    else if (errno == ENOENT && !strchr(operand, '/'))
        path_search(getenv("PATH"), operand, script_try_to_open, &o);
    if (o.fd < 0)
        return err_set(err, -ENOENT, tr("Unable to open file %s"), operand);
    int rc = script_read_all(o.fd, operand, &s->text, err);
    close(o.fd);
    s->path = o.path;
    return rc;
}

int script_read_raw(const char *operand, struct script *ret, struct errtext *err)
{
    bool from_stdin = !operand || str_eq(operand, "-") || str_eq(operand, "/dev/stdin");
    struct script s = {.name = xstrdup(from_stdin ? "stdin" : operand)};
    int rc = from_stdin ? script_read_all(STDIN_FILENO, "stdin", &s.text, err)
                        : script_read_file(operand, &s, err);
    if (rc)
        script_fini(&s);
    else
        *ret = s;
    return rc;
}

int script_read(const char *operand, struct script *ret, struct errtext *err)
{
    struct script s = {.path = NULL};
    int rc = script_read_raw(operand, &s, err);
    rc = rc ? rc : script_check(&s.text, err);
    if (rc)
        script_fini(&s);
    else
        *ret = s;
    return rc;
}

void script_wrap(const char *command, struct script *ret)
{
    char *text = xasprintf("#!/bin/sh\n# This script was created by sbatch --wrap.\n\n%s\n", command);
    *ret = (struct script){.text = {.p = (uint8_t *)text, .n = strlen(text)}, .name = xstrdup("wrap")};
}

/* --- checks --- */

static bool only_blanks(const struct blob *b)
{
    for (size_t i = 0; i < b->n; i++)
        if (!isspace(b->p[i]))
            return false;
    return true;
}

int script_check(const struct blob *text, struct errtext *err)
{
    if (!text->n)
        return err_set(err, -EINVAL, tr("Batch script is empty!"));
    if (only_blanks(text))
        return err_set(err, -EINVAL, tr("Batch script contains only whitespace!"));
    if (text->n < 2 || text->p[0] != '#' || text->p[1] != '!')
        return err_set(err, -EINVAL,
                       tr("This does not look like a batch script.  The first\n"
                          "line must start with #! followed by the path to an interpreter.\n"
                          "For instance: #!/bin/sh"));
    if (memchr(text->p, '\0', text->n))
        return err_set(err, -EINVAL,
                       tr("The Slurm controller does not allow scripts that\n"
                          "contain a NULL character '\\0'."));
    if (memmem(text->p, text->n, "\r\n", 2))
        return err_set(err, -EINVAL,
                       tr("Batch script contains DOS line breaks (\\r\\n)\n"
                          "instead of expected UNIX line breaks (\\n)."));
    return 0;
}

/* --- the header --- */

void script_header_fini(struct script_header *h)
{
    for (size_t i = 0; i < h->n; i++)
        strv_fini(&h->v[i].argv);
    free(h->v);
    *h = (struct script_header){.n = 0};
}

static void header_push(struct script_header *h, struct script_line line)
{
    h->v = xreallocarray(h->v, h->n + 1, sizeof *h->v);
    h->v[h->n++] = line;
}

/* line: without its line break. Returns 1 where the header is over. */
static int header_line(const struct script *s, const char *line, unsigned number, struct script_header *h,
                       struct errtext *err)
{
    const char *first = line + strspn(line, " \t");
    if (*first != '#')
        return *first ? 1 : 0;
    size_t n = strlen(DIRECTIVE);
    if (!str_starts(line, DIRECTIVE) || (!isblank((unsigned char)line[n]) && line[n] != '-'))
        return 0;
    struct script_line parsed = {.number = number};
    strv_push(&parsed.argv, DIRECTIVE);
    if (words_split(line + n, true, &parsed.argv)) {
        strv_fini(&parsed.argv);
        return err_set(err, -EINVAL, tr("%s:%u: a quote is not closed"), s->name, number);
    }
    header_push(h, parsed);
    return 0;
}

int script_parse_header(const struct script *s, struct script_header *ret, struct errtext *err)
{
    struct script_header h = {.n = 0};
    unsigned number = 1;
    int rc = 0;
    for (size_t at = 0; at < s->text.n && rc == 0; number++) {
        const uint8_t *end = memchr(s->text.p + at, '\n', s->text.n - at);
        size_t len = end ? (size_t)(end - s->text.p) - at : s->text.n - at;
        char *line = xstrndup((const char *)s->text.p + at, len);
        rc = header_line(s, line, number, &h, err);
        free(line);
        at += len + 1;
    }
    if (rc < 0) {
        script_header_fini(&h);
        return rc;
    }
    *ret = h;
    return 0;
}
