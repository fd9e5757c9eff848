/* cause_reader.h - for whom the sentence of a cause is made. */
#ifndef STOKER_TEXT_CAUSE_READER_H
#define STOKER_TEXT_CAUSE_READER_H

#include "src/answers/answer_why.h"
#include "src/base/str.h"

/* Appends an instant as the reader's screen or terminal writes it: "14:25", "Tue 14:25". */
typedef void (*cause_clock)(struct str *out, struct wall t, struct wall now);

struct cause_reader {
    cause_clock clock; /* NULL: instants are left out */
    struct wall now;
    const char *user;    /* the reader: causes of theirs say "you" and "your"; NULL: not known */
    const char *release; /* how they release a hold: "U releases it"; NULL: left out */
    bool start_apart;    /* when it starts stands beside the sentence: a brief one leaves it out */
    bool terse;          /* there is little room: a brief one leaves out where a limit holds */
};

#endif
