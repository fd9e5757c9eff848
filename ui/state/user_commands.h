/* user_commands.h - the commands and aliases of ui.cfg, and what of a row goes into them.
 *
 * A value never becomes a part of the shell's text: it is a variable of the environment, and {name} in the
 * text becomes the variable, quoted as its place asks for. So a name such as $(reboot) is text.
 */
#ifndef UI_STATE_USER_COMMANDS_H
#define UI_STATE_USER_COMMANDS_H

#include "src/base/err.h"
#include "src/base/vec.h"
#include "src/model/model.h"

/* X(member, what stands in braces, variable) */
#define ROW_VALUES(X)                    \
    X(JOB, "job", "STOKER_JOB_ID")       \
    X(NAME, "name", "STOKER_JOB_NAME")   \
    X(USER, "user", "STOKER_JOB_USER")   \
    X(STATE, "state", "STOKER_JOB_STATE") \
    X(PATH, "path", "STOKER_JOB_PATH")   \
    X(NODE, "node", "STOKER_NODE")

enum row_value {
#define X(member, name, variable) ROW_##member,
    ROW_VALUES(X)
#undef X
        ROW_N_VALUES
};

enum user_run_in { USER_IN_TERMINAL, USER_IN_BACKGROUND, USER_IN_PAGER };

struct user_command {
    char *name;   /* a word behind ':' */
    char *run;    /* for the shell */
    char *help;   /* NULL: none */
    uint32_t key; /* 0: none */
    enum user_run_in in;
    bool confirm;    /* asks first */
    bool reads_only; /* may be used where nothing may be changed */
    int line;        /* of ui.cfg */
};

struct user_alias {
    char *name, *text; /* what the first word behind ':' stands for */
    int line;
};

struct user_commands {
    VEC(struct user_command) v;
    VEC(struct user_alias) aliases;
};

void user_commands_fini(struct user_commands *c);
const struct user_command *user_command_find(const struct user_commands *c, const char *name);
const struct user_command *user_command_of_key(const struct user_commands *c, uint32_t key);
/* NULL: there is no such alias. */
const char *user_alias_text(const struct user_commands *c, const char *name);
/* "in a terminal" ... as ui.cfg has it; -1: no such word. */
int user_run_in_parse(const char *word);

/* Which values the text has, by bit 1 << enum row_value. */
unsigned user_command_needs(const char *run);
/* The text with variables in the place of {job} and the like. */
char *user_command_shell(const char *run) __attribute__((warn_unused_result));
/* The variables of a job and a node, "NAME=VALUE"; j, n: NULL where there is none. A variable of a job
 * without that value is empty. */
struct strv row_variables(const struct job *j, const struct node *n);

#endif
