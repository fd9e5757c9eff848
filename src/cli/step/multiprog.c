/* multiprog.c - srun --multi-prog. */
#include "src/cli/step/multiprog.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/words.h"
#include "src/base/xalloc.h"

struct parse {
    const char *name;
    unsigned line;
    uint32_t n_ranks;
    struct launch_rank *ranks; /* n_ranks; argv empty until named */
};

static int bad_line(const struct parse *p, struct errtext *err, const char *what)
{
    return err_set(err, -EINVAL, "%s\nLine %u of configuration file %s invalid", what, p->line, p->name);
}

static int bad_tasks(const struct parse *p, const char *list, struct errtext *err)
{
    char what[160];
    snprintf(what, sizeof what, "Invalid task range specification (%.100s)", list);
    return bad_line(p, err, what);
}

static char *expand(const char *word, uint32_t rank, uint32_t offset)
{
    struct str s = STR_INIT;
    for (; *word; word++) {
        if (word[0] == '%' && (word[1] == 't' || word[1] == 'o'))
            str_appendf(&s, "%u", *++word == 't' ? rank : offset);
        else if (word[0] == '%' && word[1] == '%')
            str_append_char(&s, *++word);
        else
            str_append_char(&s, *word);
    }
    return str_take(&s);
}

static int multiprog_give(struct parse *p, uint32_t rank, uint32_t offset, const struct strv *words,
                          struct errtext *err)
{
    struct launch_rank *r = &p->ranks[rank];
    if (r->argv.n) {
        char what[64];
        snprintf(what, sizeof what, "Duplicate record for task %u", rank);
        return bad_line(p, err, what);
    }
    for (size_t i = 1; i < words->n; i++)
        strv_push_take(&r->argv, expand(words->v[i], rank, offset));
    return 0;
}

static int give_rest(struct parse *p, const struct strv *words)
{
    uint32_t offset = 0;
    for (uint32_t i = 0; i < p->n_ranks; i++)
        if (!p->ranks[i].argv.n) {
            for (size_t w = 1; w < words->n; w++)
                strv_push_take(&p->ranks[i].argv, expand(words->v[w], i, offset));
            offset++;
        }
    return 0;
}

static bool multiprog_take_number(const char **at, uint32_t *ret)
{
    char *end;
    if (!isdigit((unsigned char)**at))
        return false;
    unsigned long n = strtoul(*at, &end, 10);
    *ret = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX - 1;
    *at = end;
    return true;
}

/* "0", "1-3", "2,5-7": ranks beyond the step's are left out, as one file may serve steps of several
 * sizes. */
static int give_list(struct parse *p, const struct strv *words, struct errtext *err)
{
    const char *at = words->v[0];
    uint32_t offset = 0;
    for (;;) {
        uint32_t first, last;
        if (!multiprog_take_number(&at, &first))
            return bad_tasks(p, words->v[0], err);
        last = first;
        if (*at == '-') {
            at++;
            if (!multiprog_take_number(&at, &last) || last < first)
                return bad_tasks(p, words->v[0], err);
        }
        if (*at && *at != ',')
            return bad_tasks(p, words->v[0], err);
        for (uint32_t i = first; i <= last && i < p->n_ranks; i++, offset++) {
            int rc = multiprog_give(p, i, offset, words, err);
            if (rc)
                return rc;
        }
        if (!*at)
            return 0;
        at++;
    }
}

static int multiprog_parse_line(struct parse *p, const char *line, struct errtext *err)
{
    line += strspn(line, " \t\r");
    if (!*line || *line == '#')
        return 0;
    struct strv words = {0};
    int rc = words_split(line, false, &words);
    if (rc)
        rc = bad_line(p, err, "a quote is not closed");
    else if (words.n < 2)
        rc = bad_line(p, err, "no program");
    else
        rc = str_eq(words.v[0], "*") ? give_rest(p, &words) : give_list(p, &words, err);
    strv_fini(&words);
    return rc;
}

/* Lines, those that end in a backslash joined with the next. */
static int parse_text(struct parse *p, const char *text, struct errtext *err)
{
    struct str line = STR_INIT;
    int rc = 0;
    unsigned number = 0;
    while (*text && !rc) {
        size_t len = strcspn(text, "\n");
        number++;
        p->line = p->line && line.len ? p->line : number;
        str_append_n(&line, text, len);
        text += len + (text[len] == '\n');
        if (line.len && line.s[line.len - 1] == '\\' && *text) {
            str_truncate(&line, line.len - 1);
            continue;
        }
        rc = multiprog_parse_line(p, line.s, err);
        str_clear(&line);
    }
    str_fini(&line);
    return rc;
}

int multiprog_parse(const char *name, const char *text, uint32_t n_ranks, struct step_payload *ret,
                    struct errtext *err)
{
    struct parse p = {.name = name, .n_ranks = n_ranks};
    p.ranks = xcalloc(n_ranks, sizeof *p.ranks);
    int rc = parse_text(&p, text, err);
    for (uint32_t i = 0; i < n_ranks && !rc; i++)
        if (!p.ranks[i].argv.n)
            rc = err_set(err, -EINVAL, "Configuration file %s invalid, no record for task id %u", name, i);
    for (uint32_t i = 0; i < n_ranks; i++) {
        if (rc) {
            strv_fini(&p.ranks[i].argv);
            continue;
        }
        struct launch_rank *r = rec_list_push(&ret->ranks);
        r->rank = i;
        r->argv = p.ranks[i].argv;
    }
    free(p.ranks);
    return rc;
}
