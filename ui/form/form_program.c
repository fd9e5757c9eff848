/* form_program.c - whether what a command runs is there. */
#include "ui/form/form_program.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/words.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/os/path_search.h"
#include "ui/form/form_name.h"

#define SHORT_WORD 4 /* letters: of shorter words two mistakes make another word */
#define NEAR_SHORT 1 /* mistakes */
#define NEAR_LONG  2

void programdoubt_fini(struct program_doubt *d)
{
    free(d->text);
    free(d->word);
    free(d->fix);
    *d = (struct program_doubt){0};
}

/* --- the nearest name --- */

struct nearest {
    const char *name;
    char *best;
    size_t distance;
};

static void nearest_begin(struct nearest *n, const char *name)
{
    size_t len = strlen(name);
    *n = (struct nearest){.name = name, .distance = (len > SHORT_WORD ? NEAR_LONG : NEAR_SHORT) + 1};
}

/* Two letters in the wrong order are one mistake. */
static bool is_swapped(const char *a, const char *b)
{
    size_t n = strlen(a), i = 0;
    if (strlen(b) != n)
        return false;
    while (i < n && a[i] == b[i])
        i++;
    return i + 1 < n && a[i] == b[i + 1] && a[i + 1] == b[i] && strcmp(a + i + 2, b + i + 2) == 0;
}

static void nearest_take(struct nearest *n, const char *candidate)
{
    size_t d = is_swapped(n->name, candidate) ? 1 : words_distance(n->name, candidate);
    if (!d || d >= strlen(n->name) || d > n->distance || (d == n->distance && !n->best) ||
        (d == n->distance && strcmp(candidate, n->best) >= 0))
        return;
    free(n->best);
    n->best = xstrdup(candidate);
    n->distance = d;
}

static void nearest_in_dir(struct nearest *n, const char *dir, mode_t kind, int access_mode)
{
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        struct nearest before = *n;
        before.best = n->best ? xstrdup(n->best) : NULL;
        nearest_take(n, e->d_name);
        bool taken = n->distance != before.distance || !str_eq(n->best, before.best);
        char *file = taken ? xasprintf("%s/%s", dir, e->d_name) : NULL;
        struct stat st;
        if (taken && (stat(file, &st) != 0 || (st.st_mode & S_IFMT) != kind || access(file, access_mode))) {
            free(n->best);
            *n = before;
        } else {
            free(before.best);
        }
        free(file);
    }
    if (d)
        closedir(d);
}

static char *nearest_program(const char *name)
{
    struct nearest n;
    nearest_begin(&n, name);
    const char *path = getenv("PATH");
    for (const char *at = path; at && *at; at += *at == ':') {
        size_t len = strcspn(at, ":");
        char *dir = xstrndup(at, len);
        nearest_in_dir(&n, len ? dir : ".", S_IFREG, X_OK);
        free(dir);
        at += len;
    }
    return n.best;
}

/* Of "dir/nmae" "dir/name", written as path is. base: what a relative one is relative to. */
static char *nearest_file(const char *path, const char *base, mode_t kind, int access_mode)
{
    struct nearest n;
    const char *slash = strrchr(path, '/');
    int head = slash ? (int)(slash - path) : 0;
    char *dir =
        *path == '/' || !base ? xasprintf("%.*s/", head, path) : xasprintf("%s/%.*s", base, head, path);
    nearest_begin(&n, slash ? slash + 1 : path);
    nearest_in_dir(&n, dir, kind, access_mode);
    free(dir);
    if (!n.best || !slash)
        return n.best;
    char *whole = xasprintf("%.*s/%s", head, path, n.best);
    free(n.best);
    return whole;
}

/* --- programs and files --- */

static bool is_builtin(const char *word)
{
    static const char *const list[] = {
        ".",       ":",      "alias",      "bg",      "bind",  "break",    "builtin", "cd",     "command",
        "declare", "dirs",   "echo",       "enable",  "eval",  "exec",     "exit",    "export", "false",
        "fg",      "hash",   "help",       "jobs",    "kill",  "let",      "local",   "logout", "mapfile",
        "popd",    "printf", "pushd",      "pwd",     "read",  "readonly", "return",  "select", "set",
        "shift",   "shopt",  "source",     "suspend", "test",  "times",    "trap",    "true",   "type",
        "typeset", "ulimit", "umask",      "unalias", "unset", "wait",     "module",  "ml",     "conda",
        "mamba",   "spack",  "deactivate", "sbatch",  "srun",  "salloc",   "scancel", "squeue", NULL};
    const char *const *at = list;
    while (*at && strcmp(*at, word) != 0)
        at++;
    return *at;
}

/* "work() { ... }" or "function work". */
static bool is_function(const char *text, const char *word)
{
    char *a = xasprintf("%s()", word), *b = xasprintf("%s ()", word), *c = xasprintf("function %s", word);
    bool is = strstr(text, a) || strstr(text, b) || strstr(text, c);
    free(a);
    free(b);
    free(c);
    return is;
}

static char *program_absolute(const char *path, const char *dir)
{
    return *path == '/' || !dir ? xstrdup(path) : xasprintf("%s/%s", dir, path);
}

static void doubt_missing_file(const char *path, const char *dir, int access_mode,
                               struct program_doubt *ret)
{
    ret->text = *path == '/' || !dir ? xasprintf(tr("there is no file %s"), path)
                                     : xasprintf(tr("there is no file %s in %s"), path, dir);
    ret->word = xstrdup(path);
    ret->fix = nearest_file(path, dir, S_IFREG, access_mode);
}

/* A program that is named with its path. */
static void program_check_path(const char *path, const char *dir, struct program_doubt *ret)
{
    char *file = program_absolute(path, dir);
    struct stat st;
    int missing = stat(file, &st) != 0 ? errno : 0;
    if (missing == ENOENT) {
        doubt_missing_file(path, dir, X_OK, ret);
    } else if (missing) {
        ret->text = xasprintf("%s: %s", path, strerror(missing));
    } else if (S_ISDIR(st.st_mode)) {
        ret->text = xasprintf(tr("%s is a directory"), path);
    } else if (access(file, X_OK) != 0) {
        ret->text = xasprintf(tr("%s is not executable"), path);
        ret->fix = access(file, R_OK) == 0 ? xasprintf("bash %s", path) : NULL;
    }
    if (ret->text && !ret->word)
        ret->word = xstrdup(path);
    free(file);
}

static void program_check_name(const char *text, const char *name, struct program_doubt *ret)
{
    char *found = path_find_program(getenv("PATH"), name);
    bool there = found || is_builtin(name) || is_function(text, name);
    free(found);
    if (there)
        return;
    ret->text = xasprintf(tr("%s is not in PATH"), name);
    ret->word = xstrdup(name);
    ret->fix = nearest_program(name);
}

/* The file that an interpreter is to run. */
static void program_check_file(const char *path, const char *dir, struct program_doubt *ret)
{
    char *file = program_absolute(path, dir);
    struct stat st;
    if (stat(file, &st) != 0 && errno == ENOENT)
        doubt_missing_file(path, dir, R_OK, ret);
    free(file);
}

void formprogram_check(const char *text, const char *dir, struct program_doubt *ret)
{
    struct formname_run run;
    *ret = (struct program_doubt){0};
    formname_find_run(text, &run);
    bool relative_is_known = dir && !run.prepared && access(dir, X_OK) == 0;
    if (run.program && strchr(run.program, '/')) {
        if (*run.program == '/' || relative_is_known)
            program_check_path(run.program, dir, ret);
    } else if (run.program && !run.prepared) {
        program_check_name(text, run.program, ret);
    }
    if (!ret->text && run.file && (*run.file == '/' || relative_is_known))
        program_check_file(run.file, dir, ret);
    free(run.program);
    free(run.file);
}

void formprogram_check_dir(const char *dir, struct program_doubt *ret)
{
    struct stat st;
    *ret = (struct program_doubt){0};
    if (stat(dir, &st) != 0) {
        int missing = errno;
        ret->text = missing == ENOENT ? xasprintf(tr("there is no directory %s"), dir)
                                      : xasprintf("%s: %s", dir, strerror(missing));
        ret->fix = missing == ENOENT ? nearest_file(dir, NULL, S_IFDIR, X_OK) : NULL;
    } else if (!S_ISDIR(st.st_mode)) {
        ret->text = xasprintf(tr("%s is not a directory"), dir);
    } else if (access(dir, X_OK) != 0) {
        ret->text = xasprintf("%s: %s", dir, strerror(errno));
    }
}

char *formprogram_replace(const char *line, const char *word, const char *by)
{
    size_t n = strlen(word);
    for (const char *at = line; (at = strstr(at, word)); at++)
        if ((at == line || strchr(" \t;|&(", at[-1])) && (!at[n] || strchr(" \t;|&)<>", at[n])))
            return xasprintf("%.*s%s%s", (int)(at - line), line, by, at + n);
    return NULL;
}
