/* job_info.h - what there is to say about a job, section by section: the detail pane of the list and the
 * page of the job. */
#ifndef UI_INFO_JOB_INFO_H
#define UI_INFO_JOB_INFO_H

#include "src/text/cause_text.h"
#include "ui/state/view.h"

/* Id, name, state, times, place: a few lines. */
void jobinfo_summary(struct lines *l, struct ui *ui, const struct job *j);
/* Of these the last ones: where it runs and with what, whose it is. */
void jobinfo_place(struct lines *l, const struct ui *ui, const struct job *j);
/* Its nodes, a line each: CPUs, memory and GPUs on it. label: cells of the label before the first. */
void jobinfo_allocs(struct lines *l, const struct ui *ui, const struct job *j, int label);
/* What it asked for and where its output goes. */
void jobinfo_request(struct lines *l, const struct ui *ui, const struct job *j);
/* Its steps, a line each, at most max. */
void jobinfo_steps(struct lines *l, const struct ui *ui, const struct job *j, size_t max);
/* What happened to it, in the order of time: from its record, and from the events seen here. */
void jobinfo_story(struct lines *l, const struct ui *ui, const struct job *j);
/* A title with an empty line before it. */
void jobinfo_section(struct lines *l, const char *title);
/* Why a waiting job waits: the controller's sentence, else the words for its reason. */
void job_wait_words(struct rich *r, struct ui *ui, const struct job *j);
/* The same of that cause; NULL: it is not known. start_apart: its start stands beside it. terse: there is
 * little room. */
void job_cause_words(struct rich *r, const struct ui *ui, const struct job *j, const struct cause *c,
                     bool start_apart, bool terse);
/* Of a job that runs: the first of its nodes that does not answer; NULL where all do, or are not known. */
const char *job_first_silent(const struct ui *ui, const struct job *j);
/* The same in words: at the beginning of a line, in a sentence, or behind the list of its nodes, where a
 * single one need not be named again. */
enum silent_place { SILENT_FIRST, SILENT_WITHIN, SILENT_BEHIND };
void job_silent_node(struct rich *r, const struct ui *ui, const struct job *j, enum silent_place place);
/* How the user of this screen reads causes of that job (NULL: not known). */
struct cause_reader ui_cause_reader(const struct ui *ui, const struct job *j);

#endif
