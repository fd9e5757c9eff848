/* opt.h - the options of a command or a program: one table, from which the parser, the help and the
 * environment's names come.
 *
 * GNU style: -n4, -n 4, --ntasks 4, --ntasks=4, unambiguous abbreviations, grouped flags (-ahN), options
 * behind operands, "--". Every command has --help, --usage and -V/--version (and -h, where its own table
 * does not use that letter).
 *
 *     enum { O_STATES = 1 };
 *     static const struct opt table[] = {
 *         {OPT_SETS(struct squeue, no_header), .name = "noheader", .letter = 'h', .help = "no header
 * line"},
 *         {.id = O_STATES, .name = "states", .letter = 't', .arg = OPT_REQUIRED, .meta = "LIST",
 *          .help = "...", .env = "SQUEUE_STATES"},
 *     };
 *     static const struct opts squeue_opts = OPTS(table, squeue_set);
 *
 * Owns nothing; reads no environment by itself and prints only where it is handed a stream.
 */
#ifndef STOKER_VALUES_OPT_H
#define STOKER_VALUES_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "src/base/err.h"
#include "src/base/str.h"

enum opt_arg { OPT_NONE, OPT_REQUIRED, OPT_OPTIONAL };
enum opt_into { OPT_CALLS, OPT_FLAG, OPT_STRING, OPT_LIST };

struct opt {
    int id; /* what the handler's switch is over; several entries may have the same one (aliases) */
    const char *name; /* long name without dashes; NULL: none */
    char letter;      /* short form; 0: none */
    enum opt_arg arg;
    const char *meta;   /* the argument's name in the help */
    const char *help;   /* one line; NULL: not listed (aliases, old spellings) */
    const char *env;    /* names of environment variables that give it, separated by blanks; NULL: none */
    enum opt_into into; /* how the argument is kept at `at` of the context; OPT_CALLS: by the handler */
    size_t at;
};

/* Members of the entry of an option that is only kept: a flag (bool), a text (char *, the context's own),
 * or a list with commas (struct strv). The last one given wins. It needs no id. */
#define OPT_SETS(type, member)  .into = OPT_FLAG, .at = offsetof(type, member)
#define OPT_TEXT(type, member)  .arg = OPT_REQUIRED, .into = OPT_STRING, .at = offsetof(type, member)
#define OPT_NAMES(type, member) .arg = OPT_REQUIRED, .into = OPT_LIST, .at = offsetof(type, member)

/* Does what one option says. arg: its argument; NULL where there is none. Errors: -EINVAL with a text for
 * people; -EDOM for what Slurm's commands take for a failure and not for wrong usage: numbers that are
 * none, lists that the controller reads. */
typedef int (*opt_fn)(void *ctx, const struct opt *o, const char *arg, struct errtext *err);

struct opts {
    const struct opt *v;
    size_t n;
    opt_fn fn; /* NULL: options that are not kept are ignored */
    size_t at; /* the offset of fn's context in the caller's: for tables that commands share */
    const struct opts *also; /* more options; a name or letter in the table before wins */
};
#define OPTS(table, handler)                                                 \
    {                                                                        \
        .v = (table), .n = sizeof(table) / sizeof(table)[0], .fn = (handler) \
    }
#define OPTS_ALSO(table, handler, more)                                                      \
    {                                                                                        \
        .v = (table), .n = sizeof(table) / sizeof(table)[0], .fn = (handler), .also = (more) \
    }

#define OPT_STOP_AT_OPERAND 1u /* what follows the first operand is not ours: srun, salloc */
#define OPT_SCAN            2u /* check the form and collect operands, call no handler */

enum opt_result {
    OPT_OK = 0,
    OPT_BAD_USAGE = -1, /* the form is wrong: "unrecognized option '--foo'", as getopt has it */
    OPT_BAD_VALUE = -2, /* a handler did not like the argument */
    OPT_FAILED = -3,    /* a handler said -EDOM */
    OPT_HELP = 1,       /* --help, --usage, --version was met: parsing stopped there */
    OPT_USAGE = 2,
    OPT_VERSION = 3
};

/* Parses argv[1] to argv[argc - 1]. operands (may be NULL) gets copies of what is not an option; with
 * OPT_STOP_AT_OPERAND everything from the first operand on. t may be NULL: only the common ones. */
enum opt_result opt_parse(const struct opts *t, void *ctx, int argc, char *const *argv, unsigned flags,
                          struct strv *operands, struct errtext *err) __attribute__((warn_unused_result));

/* Calls the handlers for the variables of env ("NAME=value") that options name and that begin with one of
 * prefixes (separated by blanks: "SLURM_ SRUN_"), in the order of the table. A flag is on for "", "yes" and
 * numbers other than 0, off (not called) else. The error names the variable. */
enum opt_result opt_env(const struct opts *t, void *ctx, const struct strv *env, const char *prefixes,
                        struct errtext *err) __attribute__((warn_unused_result));

/* A program without operands, for opt_parse_program. */
struct opt_program {
    const char *name;
    const char *usage; /* behind the name */
    const char *more;  /* below the options: more lines of help; NULL: none */
    const struct opts *options;
};

/* Returns true to go on. Otherwise help, usage or version was printed, or an error and a pointer to the
 * help, and *ret_exit is the exit code. */
bool opt_parse_program(const struct opt_program *p, void *ctx, int argc, char *const *argv, int *ret_exit)
    __attribute__((warn_unused_result));

/* "-n, --ntasks=N" for each listed option, with its help, wrapped to 80 columns. */
void opt_print_help(FILE *f, const struct opts *t);
/* "[-h] [-n N] [--ntasks=N] ..." wrapped, for --usage. */
void opt_print_usage(FILE *f, const char *name, const struct opts *t, const char *operands);

/* The entry that a long name, whole or abbreviated, of len bytes or a letter (name NULL) means; NULL. */
const struct opt *opt_resolve(const struct opts *t, const char *name, size_t len, char letter);
/* Calls fn for each listed option, in the order of the help. letter: its short form is its own. */
void opt_for_each(const struct opts *t, void (*fn)(void *ctx, const struct opt *o, bool letter), void *ctx);

/* The entry for a name or letter; NULL. For tests and completeness checks. */
const struct opt *opt_find(const struct opts *t, const char *name, char letter);

#endif
