/* view_text.h - roles, signs and short texts of jobs, tasks and nodes. Beside src/model/jobtext.h, which
 * knows no roles. */
#ifndef UI_TEXT_VIEW_TEXT_H
#define UI_TEXT_VIEW_TEXT_H

#include "src/lang/lang.h"
#include "src/model/model.h"
#include "ui/widget/rich.h"

enum role job_role(const struct job *j);
/* "waiting", "held", "completing", "failed: exit 1": its state in two or three words. */
void job_words(struct rich *r, const struct job *j);
/* It could not be started. */
bool job_never_ran(const struct job *j);
/* A running job in steps without a running task: nothing is allocated to it now. */
bool job_is_between(const struct job *j);
/* While it waits: why; while it runs: where; afterwards: how it ended. One line. */
void job_where(struct rich *r, const struct job *j, struct wall now);
/* "2 nodes, 16 CPUs, 64G, 2 GPUs a100": what it asked for. */
void job_asked(struct str *out, const struct job *j);

/* " for 4:00:00", " without a time limit". */
void limit_words(struct str *out, const struct job *j, const struct model *m);

/* "12_[0-99:2]": the array as a whole that the job belongs to. */
void array_id_text(struct str *out, const struct job *j);

/* P s R D ! M T X N ?: the state of a task in one cell. */
char task_glyph(const struct task *t);
enum role task_role(const struct task *t);
/* ": its node was lost": what the node or the controller says about its end; nothing where neither does. */
void task_message(struct rich *r, enum role role, const struct task *t);
/* "done", "exit 127 (command not found)". */
void exit_words(struct rich *r, enum role role, int code);
/* "running", "exit 1", "signal 9", "out of memory", and what the node said about the task. */
void task_story(struct rich *r, const struct task *t);
/* The same of a task of that job: why it was stopped or has not run, or what it waits for. whole: with the
 * node's message. */
void task_in_job_words(struct rich *r, const struct job *j, const struct step *s, const struct task *t,
                       bool whole);
/* "1 failed (task 4, exit 1, gpu1), 4 stopped because of it": src/model/stepstate.h. */
void step_words(struct rich *r, const struct job *j, const struct step *s);
bool task_is_live(const struct task *t);

/* "12:03:11" today, "Fri 12:03" within the week, "2026-11-21 12:03" else; "-" where not set. Local time. */
void when_text(struct str *out, struct wall t, struct wall now);
/* The same to the minute, for what is planned: "12:03", "Fri 12:03". */
void when_about(struct str *out, struct wall t, struct wall now);
/* "64G", "42.7G", "500M": memory in a readable unit. */
void mem_text(struct str *out, uint64_t mib);
/* "1 job", "2 jobs" of "%llu job" and "%llu jobs". Takes n twice. */
#define count_text(out, n, one, many) str_appendf(out, trn(one, many, n), (unsigned long long)(n))

#endif
