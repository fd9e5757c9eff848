#include "src/text/cause_template.h"

#include <stdio.h>
#include <string.h>

#include "src/lang/lang.h"
#include "src/values/units.h"

struct filler {
    const struct cause *c;
    const struct cause_reader *r;
    template_part part;
    struct str *out;
    bool missing; /* a member that was named is not set */
};

#define WORD_SIZE 48 /* of what stands in braces */

static const struct rec_field *template_field(const char *name)
{
    for (size_t i = 0; i < cause_rec.n_fields; i++)
        if (str_eq(cause_rec.fields[i].name, name))
            return &cause_rec.fields[i];
    return NULL;
}

static void append_mem(struct str *out, uint64_t mib)
{
    char buf[UNITS_TEXT_SIZE];
    str_append(out, mem_format_slurm(mib, buf));
}

/* Of "is|are" the form for v, of as many as the language has: the last one where there are fewer. */
static void template_append_form(struct str *out, uint64_t v, const char *forms)
{
    for (unsigned long k = lang_form(v); k && strchr(forms, '|'); k--)
        forms = strchr(forms, '|') + 1;
    str_append_n(out, forms, strcspn(forms, "|"));
}

/* "1 job", "3 jobs": a noun of the table, else one with an s. */
static void template_append_count(struct str *out, uint64_t v, const char *noun)
{
    static const struct {
        const char *noun, *one, *many;
    } nouns[] = {
#define NOUN(noun_, one_, many_) {.noun = noun_, .one = one_, .many = many_}
        NOUN("job", "%llu job", "%llu jobs"),
        NOUN("task", "%llu task", "%llu tasks"),
        NOUN("step", "%llu step", "%llu steps"),
        NOUN("node", "%llu node", "%llu nodes"),
        NOUN("whole node", "%llu whole node", "%llu whole nodes"),
        NOUN("group", "%llu group", "%llu groups"),
        NOUN("element", "%llu element", "%llu elements"),
        NOUN("connection", "%llu connection", "%llu connections"),
        NOUN("time", "%llu time", "%llu times"),
        NOUN("CPU", "%llu CPU", "%llu CPUs"),
        NOUN("GPU", "%llu GPU", "%llu GPUs"),
#undef NOUN
    };
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    for (size_t i = 0; i < sizeof nouns / sizeof nouns[0]; i++)
        if (str_eq(nouns[i].noun, noun)) {
            str_appendf(out, trn(nouns[i].one, nouns[i].many, v), (unsigned long long)v);
            return;
        }
#pragma GCC diagnostic pop
    str_appendf(out, "%llu %s%s", (unsigned long long)v, noun, v == 1 ? "" : "s");
}

static void template_append_number(struct filler *f, uint64_t v, char kind, const char *format)
{
    char buf[UNITS_TEXT_SIZE];
    const char *bar = strchr(format, '|');
    if (kind == '?' && bar)
        template_append_form(f->out, v, format);
    else if (str_eq(format, "mem"))
        append_mem(f->out, v);
    else if (str_eq(format, "size") && v >= 1u << 20 && v % (1u << 20) == 0)
        str_appendf(f->out, "%llu MiB", (unsigned long long)(v >> 20));
    else if (str_eq(format, "size") && v >= 64u << 10 && v % 1024 == 0)
        str_appendf(f->out, "%llu KiB", (unsigned long long)(v >> 10));
    else if (str_eq(format, "size"))
        str_appendf(f->out, tr("%llu bytes"), (unsigned long long)v);
    else if (str_eq(format, "duration"))
        str_append(f->out, duration_format(v < DURATION_UNLIMITED ? (uint32_t)v : DURATION_UNLIMITED, buf));
    else if (str_eq(format, "words"))
        str_append(f->out, duration_format_words((int64_t)v, buf));
    else if (*format)
        template_append_count(f->out, v, format);
    else
        str_appendf(f->out, "%llu", (unsigned long long)v);
    f->missing = f->missing || !v;
}

static void template_append_instant(struct filler *f, struct wall t, const char *format)
{
    char buf[UNITS_TEXT_SIZE];
    bool relative = str_eq(format, "in");
    f->missing = f->missing || !wall_is_set(t) || (!relative && !f->r->clock);
    if (relative && t.ms <= f->r->now.ms)
        str_append(f->out, tr("now"));
    else if (relative)
        str_appendf(f->out, tr("in %s"), duration_format_words(wall_elapsed_s(f->r->now, t), buf));
    else if (f->r->clock)
        f->r->clock(f->out, t, f->r->now);
}

static void append_string(struct filler *f, const char *s, const char *format)
{
    f->missing = f->missing || str_is_empty(s);
    bool reader = str_eq(format, "you") && s && str_eq(s, f->r->user);
    str_append(f->out, reader ? tr("you") : s ? s : "");
}

static void template_append_list(struct filler *f, const struct strv *list)
{
    f->missing = f->missing || !list->n;
    for (size_t i = 0; i < list->n; i++)
        str_appendf(f->out, "%s%s", i ? ", " : "", list->v[i]);
}

void template_append_parts(struct str *out, const struct cause *c, size_t first, const char *separator,
                           const struct cause_reader *r, template_part part)
{
    for (size_t i = first; i < c->parts.n; i++) {
        if (i > first)
            str_append(out, separator);
        part(out, &c->parts.v[i], r);
    }
}

/* "user", "at:in", "n?is|are". */
static void append_member(struct filler *f, char *word)
{
    size_t n = strcspn(word, ":?");
    char kind = word[n];
    const char *format = kind ? word + n + 1 : "";
    word[n] = '\0';
    const struct rec_field *field = template_field(word);
    if (!field)
        return;
    const char *at = (const char *)f->c + field->offset;
    if (field->type == REC_U64)
        template_append_number(f, *(const uint64_t *)(const void *)at, kind, format);
    else if (field->type == REC_U32)
        template_append_number(f, *(const uint32_t *)(const void *)at, kind, format);
    else if (field->type == REC_WALL)
        template_append_instant(f, *(const struct wall *)(const void *)at, format);
    else if (field->type == REC_STR)
        append_string(f, *(char *const *)(const void *)at, format);
    else if (field->type == REC_STRV)
        template_append_list(f, (const void *)at);
    else if (field->type == REC_LISTOF)
        template_append_parts(f->out, f->c, 0, ", ", f->r, f->part);
    if (field->type == REC_LISTOF)
        f->missing = f->missing || !f->c->parts.n;
}

/* From behind an opening brace; returns what follows the closing one. */
static const char *template_take_word(const char *s, char word[static WORD_SIZE])
{
    size_t n = strcspn(s, "}");
    snprintf(word, WORD_SIZE, "%.*s", (int)(n < WORD_SIZE ? n : WORD_SIZE - 1), s);
    return s[n] ? s + n + 1 : s + n;
}

void template_append(struct str *out, const char *template, const struct cause *c,
                     const struct cause_reader *r, template_part part)
{
    static const struct cause_reader no_reader;
    struct filler f = {.c = c, .r = r ? r : &no_reader, .part = part, .out = out};
    size_t bracket = 0;
    char word[WORD_SIZE];
    for (const char *s = tr(template); *s;) {
        if (*s == '{') {
            s = template_take_word(s + 1, word);
            append_member(&f, word);
            continue;
        }
        if (*s == '[') {
            bracket = out->len;
            f.missing = false;
        } else if (*s == ']') {
            if (f.missing)
                str_truncate(out, bracket);
        } else {
            str_append_char(out, *s);
        }
        s++;
    }
}

bool cause_is_reader(const struct cause_reader *r, const char *user)
{
    return r && r->user && user && str_eq(r->user, user);
}

const char *template_fault(const char *template)
{
    static const char not_closed[] = "a bracket is not closed";
    char word[WORD_SIZE];
    bool open = false;
    for (const char *s = template; *s;) {
        if ((*s == '[' && open) || (*s == ']' && !open))
            return not_closed;
        open = *s == '[' ? true : *s == ']' ? false : open;
        if (*s++ != '{')
            continue;
        const char *at = s;
        s = template_take_word(s, word);
        word[strcspn(word, ":?")] = '\0';
        if (!template_field(word))
            return at;
    }
    return open ? not_closed : NULL;
}
