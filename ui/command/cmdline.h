/* cmdline.h - the line that is typed behind ':', and what may be typed next; for ui/command alone. */
#ifndef UI_COMMAND_CMDLINE_H
#define UI_COMMAND_CMDLINE_H

#include "src/base/vec.h"
#include "ui/frame/ui_state.h"
#include "ui/widget/edit.h"

struct word_candidate {
    char *text, *note;
};

struct cmdline {
    bool open;
    struct edit edit;
    size_t history; /* lines back from the newest, 0: what is being typed */
    char *typed;    /* what was being typed when the history was entered */
    VEC(struct word_candidate) candidates;
    struct idmap seen; /* texts of jobs that were offered already, by their places */
    size_t word;       /* where the word that is completed begins, in bytes */
    char *listing;     /* the directory whose files are completed; NULL: none */
    bool listed;       /* files are what is in it */
    struct strv files;
    int chosen; /* of candidates; -1: none yet */
};

#endif
