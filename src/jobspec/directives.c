/* directives.c - the #SBATCH lines of a script as something to be edited. */
#include "src/jobspec/directives.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/vec.h"

#define DIRECTIVE "#SBATCH"

struct directive_place {
    size_t at;
    char quote; /* that it lies in; 0: none */
};

struct word {
    size_t at, end;
    char *text;                         /* without quotes and backslashes */
    VEC(struct directive_place) places; /* of each character of text */
};

struct directive_words {
    struct word *v;
    size_t n, cap;
};

static void words_fini(struct directive_words *w)
{
    vec_for_each (w, i) {
        free(w->v[i].text);
        vec_fini(&w->v[i].places);
    }
    vec_fini(w);
}

/* As script.c splits them, with their places. A quote that is not closed takes the rest of the line. */
static void split(const char *text, size_t from, size_t end, struct directive_words *ret)
{
    struct str word = STR_INIT;
    bool open = false;
    char quote = '\0';
    size_t begin = from;
    struct word w = {0};
    for (size_t i = from; i <= end; i++) {
        char c = i < end ? text[i] : '\0';
        if (c == '#' && !quote)
            end = i; /* what follows is a comment, within a word too */
        bool over = i == end || (!quote && isblank((unsigned char)c));
        if (over) {
            w.at = begin;
            w.end = i;
            w.text = open ? xstrdup(word.s) : NULL;
            if (open)
                vec_push(ret, w);
            w = (struct word){0};
            str_clear(&word);
            open = false;
            continue;
        }
        if (!open && !quote)
            begin = i;
        open = true;
        if (quote ? c == quote : c == '"' || c == '\'') {
            quote = quote ? '\0' : c;
        } else {
            size_t at = i;
            if (c == '\\' && quote != '\'' && i + 1 < end)
                c = text[++i];
            str_append_char(&word, c);
            vec_push(&w.places, ((struct directive_place){.at = at, .quote = quote}));
        }
    }
    str_fini(&word);
}

static void directives_add(struct directives *d, struct directive it, const char *value)
{
    it.value = value ? xstrdup(value) : NULL;
    vec_push(d, it);
}

/* Returns how many words after this one belong to it. */
static size_t read_long(struct directives *d, const struct opts *opts, struct directive it,
                        const char *text, const struct directive_words *w, size_t i)
{
    const char *name = w->v[i].text + 2;
    size_t len = strcspn(name, "=");
    it.opt = opt_resolve(opts, name, len, 0);
    it.at = w->v[i].at;
    it.end = it.value_at = w->v[i].end;
    if (!it.opt)
        return 0;
    if (name[len] == '=') {
        const char *eq = memchr(text + it.at, '=', it.end - it.at);
        it.value_at = eq ? (size_t)(eq - text) + 1 : it.end;
        directives_add(d, it, name + len + 1);
        return 0;
    }
    if (it.opt->arg != OPT_REQUIRED || i + 1 == w->n) {
        directives_add(d, it, NULL);
        return 0;
    }
    it.value_at = w->v[i + 1].at;
    it.end = w->v[i + 1].end;
    directives_add(d, it, w->v[i + 1].text);
    return 1;
}

/* "-n4", "-n 4", "-HQ": letters of a group are places of their own. */
static size_t read_short(struct directives *d, const struct opts *opts, struct directive it,
                         const struct directive_words *w, size_t i)
{
    const char *s = w->v[i].text + 1;
    for (size_t k = 0; s[k]; k++) {
        it.opt = opt_resolve(opts, NULL, 0, s[k]);
        if (!it.opt)
            return 0;
        bool whole = k == 0 && (!s[1] || it.opt->arg != OPT_NONE);
        struct directive_place here = w->v[i].places.v[k + 1];
        it.at = whole ? w->v[i].at : here.at;
        it.quote = whole ? '\0' : here.quote;
        it.end = it.value_at = whole || it.opt->arg != OPT_NONE ? w->v[i].end : it.at + 1;
        it.alone = it.alone && whole;
        if (it.opt->arg != OPT_NONE && s[k + 1]) {
            it.value_at = w->v[i].places.v[k + 2].at;
            directives_add(d, it, s + k + 1);
            return 0;
        }
        if (it.opt->arg == OPT_REQUIRED && i + 1 < w->n) {
            it.value_at = w->v[i + 1].at;
            it.end = w->v[i + 1].end;
            directives_add(d, it, w->v[i + 1].text);
            return 1;
        }
        directives_add(d, it, NULL);
    }
    return 0;
}

static void read_line(struct directives *d, const struct opts *opts, const char *text,
                      struct directive line)
{
    struct directive_words w = {0};
    size_t first = d->n, n_words = 0;
    split(text, line.line_at + strlen(DIRECTIVE), line.line_end, &w);
    for (size_t i = 0; i < w.n; i++) {
        const char *s = w.v[i].text;
        size_t used = 0, before = d->n;
        if (str_starts(s, "--") && s[2])
            used = read_long(d, opts, line, text, &w, i);
        else if (s[0] == '-' && s[1] && s[1] != '-')
            used = read_short(d, opts, line, &w, i);
        n_words += d->n == before ? 2 : 1; /* a word that is not an option keeps the line alive */
        i += used;
    }
    for (size_t i = first; i < d->n; i++)
        d->v[i].alone = n_words == 1 && d->n - first == 1;
    words_fini(&w);
}

void directives_read(struct directives *d, const struct opts *opts, const char *text)
{
    size_t at = 0, end;
    unsigned number = 1;
    *d = (struct directives){0};
    for (; text[at]; at = end + (text[end] == '\n'), number++) {
        end = at + strcspn(text + at, "\n");
        size_t first = at + strspn(text + at, " \t\r");
        if (first < end && text[first] != '#')
            return;
        if (number == 1 && str_starts(text, "#!"))
            d->insert_at = end + (text[end] == '\n');
        size_t n = strlen(DIRECTIVE);
        if (!str_starts(text + at, DIRECTIVE) || at + n >= end ||
            (!isblank((unsigned char)text[at + n]) && text[at + n] != '-'))
            continue;
        d->insert_at = end + (text[end] == '\n');
        read_line(d, opts, text, (struct directive){.line_at = at, .line_end = end, .line = number});
    }
}

void directives_fini(struct directives *d)
{
    vec_for_each (d, i)
        free(d->v[i].value);
    vec_fini(d);
    *d = (struct directives){0};
}

const struct directive *directives_find(const struct directives *d, int id)
{
    for (size_t i = d->n; i-- > 0;)
        if (d->v[i].opt->id == id)
            return &d->v[i];
    return NULL;
}

/* --- changing --- */

static void directives_replace(struct str *text, size_t at, size_t end, const char *with)
{
    struct str rest = STR_INIT;
    str_append(&rest, text->s + end);
    str_truncate(text, at);
    str_append(text, with);
    str_append(text, rest.s);
    str_fini(&rest);
}

/* With quotes where the value would fall apart without. */
static void directives_append_value(struct str *out, const char *value)
{
    if (*value && !value[strcspn(value, " \t\"'\\#")]) {
        str_append(out, value);
        return;
    }
    str_append_char(out, '"');
    for (const char *s = value; *s; s++) {
        if (*s == '"' || *s == '\\')
            str_append_char(out, '\\');
        str_append_char(out, *s == '\n' ? ' ' : *s);
    }
    str_append_char(out, '"');
}

static void directives_add_line(struct str *text, size_t at, const struct opt *opt, const char *value)
{
    struct str line = STR_INIT;
    if (at && text->s[at - 1] != '\n')
        str_append_char(&line, '\n');
    str_appendf(&line, DIRECTIVE " --%s", opt->name);
    if (*value) {
        str_append_char(&line, '=');
        directives_append_value(&line, value);
    }
    str_append_char(&line, '\n');
    directives_replace(text, at, at, line.s);
    str_fini(&line);
}

/* Does a quote or a backslash stand in it? Then "=" may lie within a quote, and the option is written
 * again. */
static bool quoted(const char *s, size_t n)
{
    return memchr(s, '"', n) || memchr(s, '\'', n) || memchr(s, '\\', n);
}

/* What takes the rest of a word away takes the end of a quote with it that begins before. */
static void close_quote(const struct directive *it, struct str *with)
{
    if (it->quote)
        str_append_char(with, it->quote);
}

void directives_set(struct str *text, const struct opts *opts, const struct opt *opt, const char *value)
{
    struct directives d;
    directives_read(&d, opts, text->s);
    const struct directive *it = directives_find(&d, opt->id);
    struct str with = STR_INIT;
    if (!it) {
        directives_add_line(text, d.insert_at, opt, value);
    } else if (it->value && *value && !it->quote && !quoted(text->s + it->at, it->value_at - it->at)) {
        /* spelled as the author spells it */
        directives_append_value(&with, value);
        directives_replace(text, it->value_at, it->end, with.s);
    } else if (it->value || *value) {
        /* Of a group: "-hJ", "-h'J". A word begins behind a blank, or right behind #SBATCH. */
        bool letter =
            it->at > it->line_at + strlen(DIRECTIVE) && !isblank((unsigned char)text->s[it->at - 1]);
        close_quote(it, &with);
        str_appendf(&with, "%s--%s%s", letter ? " " : "", opt->name, *value ? "=" : "");
        if (*value)
            directives_append_value(&with, value);
        directives_replace(text, it->at, it->end, with.s);
    }
    str_fini(&with);
    directives_fini(&d);
}

static bool remove_one(struct str *text, const struct opts *opts, int id)
{
    struct directives d;
    directives_read(&d, opts, text->s);
    const struct directive *it = directives_find(&d, id);
    if (it && it->alone) {
        directives_replace(text, it->line_at, it->line_end + (text->s[it->line_end] == '\n'), "");
    } else if (it) {
        size_t at = it->at; /* with the blanks before it, unless it is a letter of a group */
        while (!it->quote && at > it->line_at && isblank((unsigned char)text->s[at - 1]))
            at--;
        struct str with = STR_INIT;
        if (it->end != it->at + 1 || it->value)
            close_quote(it, &with);
        directives_replace(text, at, it->end, with.s);
        str_fini(&with);
    }
    directives_fini(&d);
    return it != NULL;
}

void directives_remove(struct str *text, const struct opts *opts, int id)
{
    while (remove_one(text, opts, id))
        ;
}
