/* job_script.h - what a job runs: its script and arguments, asked for once and told in lines. */
#ifndef UI_INFO_JOB_SCRIPT_H
#define UI_INFO_JOB_SCRIPT_H

#include "src/client/client.h"
#include "ui/theme/roles.h"
#include "ui/widget/rich.h"

struct jobscript {
    bool there;
    struct msg_script m;
    char *why; /* the script cannot be had; NULL: it can, or no answer has come yet */
};

void jobscript_fini(struct jobscript *s);
/* The answer to SCRIPT; NULL: the connection was lost, and it may be asked again. */
void jobscript_take(struct jobscript *s, const struct incoming *in);
/* Nothing before the answer has come. */
void jobscript_lines(const struct jobscript *s, struct lines *l);

/* How a line of a script is shown: directives, comments, the rest. */
enum role jobscript_role(const char *line, size_t n);

#endif
