/* cmdline.h - the command line (':') and its candidates; for ui/command alone. */
#ifndef UI_COMMAND_CMDLINE_H
#define UI_COMMAND_CMDLINE_H

#include "src/base/vec.h"
#include "ui/state/ui_state.h"
#include "ui/widget/edit.h"

struct word_candidate {
    char *text, *note;
};

struct cmdline {
    bool open;
    struct edit edit;
    size_t history; /* lines back from the newest, 0: what is being typed */
    char *typed;    /* the unfinished line when the history was entered */
    VEC(struct word_candidate) candidates;
    struct idmap seen; /* texts of jobs that are candidates already, by their addresses */
    size_t word;       /* start of the completed word, in bytes */
    char *listing;     /* the directory whose files are completed; NULL: none */
    bool listed;       /* its files */
    struct strv files;
    int chosen;             /* of candidates; -1: none yet */
    struct cmdline *filter; /* of the command line: the same for the filter line of the table on top */
};

#endif
