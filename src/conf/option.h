/* option.h - what may stand in a configuration file, as tables.
 *
 * From a table come the parser with its error texts, the defaults, `stoker config` and docs/CONFIG.md.
 * Every key of a group is one struct conf_option that says where its value goes.
 */
#ifndef STOKER_CONF_OPTION_H
#define STOKER_CONF_OPTION_H

#include <stdbool.h>
#include <stdint.h>

#include "src/conf/source.h"
#include "src/record/rec.h"

enum conf_type {
    CONF_STR,       /* char * */
    CONF_STR_WORD,  /* char *, one of words */
    CONF_NAME,      /* char *, something that can be a name: printable, no blanks or separators */
    CONF_U32,       /* uint32_t within min ... max */
    CONF_I32,       /* int32_t, the same */
    CONF_U64,       /* uint64_t, the same */
    CONF_BOOL,      /* bool */
    CONF_BOOL_WORD, /* bool: words[0] is false, words[1] true */
    CONF_WORD,      /* uint32_t: word_base and the index into words */
    CONF_FLOAT,     /* double within min ... max */
    CONF_DURATION,  /* uint32_t, seconds */
    CONF_MEM,       /* uint64_t, MiB */
    CONF_STRV,      /* struct strv */
    CONF_HOSTS,     /* struct strv, bracket forms expanded */
    CONF_GROUP,     /* an embedded struct, or members of the same one */
    CONF_LIST,      /* REC_LIST of structs */
};

struct conf_section;

struct conf_option {
    const char *name;
    enum conf_type type;
    size_t offset;
    const char *def;      /* its text in a file; NULL: zero, nothing */
    const char *def_help; /* what the documentation says instead of def; NULL: def */
    int64_t min, max;
    bool required;
    bool bare_refused;      /* CONF_DURATION: a number without a unit is ambiguous here */
    bool whole;             /* CONF_STRV: a single text is one item, not a list with commas or blanks */
    const char *special;    /* a word that may stand for ... */
    uint64_t special_value; /* ... this value of the number */
    const char *const *words;
    uint32_t word_base;
    const struct conf_section *sub; /* GROUP, LIST */
    const char *help;
};

struct conf_section {
    const char *what;          /* "a node", in messages */
    const char *title, *intro; /* of its part of the documentation */
    const struct conf_option *options;
    size_t n;
    size_t size; /* of a LIST's struct */
};

/* Sets all members that the section knows, taken as zeroed memory, to their defaults. */
void conf_set_defaults(const struct conf_section *s, void *base);

/* One parse: where texts come from, and where the error goes. */
struct conf_parse {
    const struct conf_source *src;
    struct errtext *err;
};

/* Reads the group at, whose members have their defaults, into base. Returns 0 or -EINVAL with "FILE:LINE:
 * ...". */
int conf_read_group(const struct conf_parse *c, const struct conf_section *s, const config_setting_t *at,
                    void *base) __attribute__((warn_unused_result));

/* Fills c->err with "FILE:LINE: ..." for a setting and returns -EINVAL. */
int conf_error(const struct conf_parse *c, const config_setting_t *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* ", did you mean "x"?" for the nearest of n names, else "". Returns buf. */
#define CONF_HINT_SIZE 96
const char *conf_hint(const char *name, const char *(*get)(const void *ctx, size_t i), const void *ctx,
                      size_t n, char buf[static CONF_HINT_SIZE]);

/* Appends the members of base as they would stand in a file; those without a value are left out. */
void conf_write_group(const struct conf_section *s, const void *base, int indent, struct str *out);

/* Appends the documentation of s and of all that it holds, as Markdown. */
void conf_write_reference(const struct conf_section *s, struct str *out);

#endif
