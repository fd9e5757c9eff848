/* form_name.c - the name of a job that was given none. */
#include "ui/form/form_name.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/base/words.h"
#include "src/base/xalloc.h"

#define NAME_BYTES 128

/* --- kinds of words --- */

static bool is_one_of(const char *word, const char *const *list)
{
    while (*list && strcmp(*list, word) != 0)
        list++;
    return *list;
}

/* Words before the program that names the job. */
static bool goes_before(const char *word)
{
    static const char *const list[] = {"exec", "time",   "nohup",   "env", "command", "nice",   "srun",
                                       "then", "mpirun", "mpiexec", "do",  "else",    "stdbuf", NULL};
    const char *name = word + strspn(word, "_");
    size_t n = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
    return is_one_of(word, list) || (n && !isdigit((unsigned char)*word) && name[n] == '=');
}

static bool is_of_the_shell(const char *word)
{
    static const char *const list[] = {"for",  "while", "until", "if", "case", "esac", "fi",       "done",
                                       "elif", "in",    "[",     "[[", "!",    "{",    "function", NULL};
    return is_one_of(word, list);
}

static bool prepares(const char *word)
{
    static const char *const list[] = {
        "cd",    "source", ".",     "export", "set",   "unset", "module", "ml",       "spack", "conda",
        "mamba", "eval",   "shopt", "trap",   "umask", "pwd",   "ulimit", "hostname", "date",  "nvidia-smi",
        "echo",  "printf", "mkdir", "rm",     "cp",    "sleep", "wait",   "true",     "exit",  NULL};
    return is_one_of(word, list);
}

/* Runs the file named after it. */
static bool is_interpreter(const char *word)
{
    static const char *const list[] = {"bash", "sh", "zsh",      "Rscript",    "perl",      "ruby", "julia",
                                       "node", "uv", "torchrun", "accelerate", "deepspeed", NULL};
    return is_one_of(word, list) || str_starts(word, "python");
}

static bool is_script(const char *word)
{
    static const char *const ends[] = {".py", ".sh", ".R", ".pl", ".rb", ".jl", ".js"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (str_ends(word, ends[i]))
            return true;
    return false;
}

static bool form_name_is_number(const char *word)
{
    return word[strspn(word, "0123456789")] == '\0';
}

/* --- of one command --- */

/* A word that the shell does not expand, and a path that ends in a name. */
static bool form_name_is_name(const char *word)
{
    return word[strspn(word, "./")] && *word != '-' && !strpbrk(word, "$`(){}*?<>|&;=\"'\\") &&
           utf8_is_clean_name(word, NAME_BYTES);
}

/* "train.py" of "-u train.py", "pkg.train" of "-m pkg.train", "train.py" of "--nproc 4 train.py"; NULL:
 * unknown. */
static const char *operand_of(const struct strv *w, size_t i)
{
    const char *first = NULL;
    bool may_be_value = false; /* of the option before it */
    i += i < w->n && (str_eq(w->v[i], "run") || str_eq(w->v[i], "launch"));
    for (; i < w->n && (!first || may_be_value); i++) {
        const char *word = w->v[i];
        if (str_eq(word, "-m") && i + 1 < w->n)
            return form_name_is_name(w->v[i + 1]) ? w->v[i + 1] : NULL;
        if (str_eq(word, "-c") || !*word)
            return NULL;
        if (*word != '-' && is_script(word))
            return form_name_is_name(word) ? word : NULL;
        if (*word != '-' && !form_name_is_number(word) && !first)
            first = word;
        else
            may_be_value = *word == '-' && !strchr(word, '=');
    }
    return first && form_name_is_name(first) ? first : NULL;
}

/* Where a command names its program; w->n: it does not. */
static size_t program_at(const struct strv *w)
{
    size_t i = 0;
    while (i < w->n && goes_before(w->v[i]))
        for (i++; i < w->n && (*w->v[i] == '-' || form_name_is_number(w->v[i]));)
            i++;
    return i >= w->n || !form_name_is_name(w->v[i]) || is_of_the_shell(w->v[i]) ? w->n : i;
}

/* NULL: no usable name. *ret_prepares: the command only prepares. */
static char *form_name_name_of(const struct strv *w, bool *ret_prepares)
{
    size_t i = program_at(w);
    if (i >= w->n)
        return NULL;
    *ret_prepares = prepares(w->v[i]);
    char *name = formname_of_file(w->v[i]);
    const char *inner = is_interpreter(name) ? operand_of(w, i + 1) : NULL;
    if (inner) {
        free(name);
        name = formname_of_file(inner);
    }
    return name;
}

/* --- of a text --- */

/* The end of the command at s: the end of its line, a separator or a comment, outside quotes. */
static size_t command_length(const char *s)
{
    char quote = 0;
    size_t i = 0;
    for (; s[i] && s[i] != '\n'; i++) {
        if (s[i] == '\\' && quote != '\'' && s[i + 1] && s[i + 1] != '\n')
            i++;
        else if (quote ? s[i] == quote : s[i] == '"' || s[i] == '\'')
            quote = quote ? 0 : s[i];
        else if (!quote && (strchr(";|&", s[i]) || (s[i] == '#' && i && strchr(" \t", s[i - 1]))))
            break;
    }
    return i;
}

static char *name_of_command(const char *s, size_t n, bool *ret_prepares)
{
    struct strv words = {0};
    char *command = xstrndup(s, n);
    char *name = words_split(command, false, &words) == 0 ? form_name_name_of(&words, ret_prepares) : NULL;
    strv_fini(&words);
    free(command);
    return name;
}

/* Another language has other commands. */
static bool is_for_a_shell(const char *text)
{
    size_t n = strcspn(text, "\n");
    return !str_starts(text, "#!") || memmem(text, n, "sh", 2);
}

/* The next command of a text, and its length; 0: a comment, or the end. */
static const char *next_command(const char *at, size_t *ret_n)
{
    at += strspn(at, " \t\r\n;|&");
    while (*at == '#') {
        at += strcspn(at, "\n");
        at += strspn(at, " \t\r\n;|&");
    }
    *ret_n = *at ? command_length(at) : 0;
    return at;
}

char *formname_of_command(const char *text)
{
    char *first = NULL, *found = NULL;
    for (const char *at = is_for_a_shell(text) ? text : ""; *at && !found;) {
        size_t n;
        at = next_command(at, &n);
        bool no_more = false;
        char *name = n ? name_of_command(at, n, &no_more) : NULL;
        if (name && !no_more)
            found = name;
        else if (name && !first)
            first = name;
        else
            free(name);
        at += n;
    }
    if (!found)
        return first;
    free(first);
    return found;
}

/* Other words that prepare leave the directory and PATH as they are. */
static bool changes_what_is_found(const char *word)
{
    static const char *const list[] = {"cd", "pushd", "source", ".",     "export", "module",
                                       "ml", "spack", "conda",  "mamba", "eval",   NULL};
    return is_one_of(word, list);
}

/* "-m pkg.train" */
static bool is_module(const struct strv *w, const char *operand)
{
    size_t i = 1;
    while (i < w->n && w->v[i] != operand)
        i++;
    return i < w->n && str_eq(w->v[i - 1], "-m");
}

/* True: the search is over. */
static bool form_name_take_run(const struct strv *w, struct formname_run *ret)
{
    size_t i = program_at(w);
    const char *file = NULL;
    for (size_t k = 0; k < w->n && k <= i; k++)
        ret->prepared |= str_starts(w->v[k], "PATH=") || changes_what_is_found(w->v[k]);
    if (i >= w->n || prepares(w->v[i]))
        return i >= w->n && w->n && is_of_the_shell(w->v[0]); /* a loop: what it runs cannot be said */
    char *name = formname_of_file(w->v[i]);
    if (is_interpreter(name))
        file = operand_of(w, i + 1);
    free(name);
    if (file && (is_script(file) || strchr(file, '/')) && !is_module(w, file))
        ret->file = xstrdup(file);
    ret->program = xstrdup(w->v[i]);
    return true;
}

void formname_find_run(const char *text, struct formname_run *ret)
{
    *ret = (struct formname_run){0};
    bool over = !is_for_a_shell(text);
    for (const char *at = text; *at && !over;) {
        struct strv words = {0};
        size_t n;
        at = next_command(at, &n);
        char *command = xstrndup(at, n);
        over = words_split(command, false, &words) < 0 || form_name_take_run(&words, ret);
        strv_fini(&words);
        free(command);
        at += n;
    }
}

char *formname_of_file(const char *path)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    size_t at = n;
    while (at > 0 && path[at - 1] != '/')
        at--;
    return xstrndup(path + at, n - at);
}
