/* output_pages.h - what an output view reads: one output or many merged, a pager over it, and its keys. It
 * opens and reads files and blocks on them, so it runs in a thread of its own (ui/output/output_reader.h).
 */
#ifndef UI_OUTPUT_OUTPUT_PAGES_H
#define UI_OUTPUT_OUTPUT_PAGES_H

#include "ui/output/output_lines.h"
#include "ui/output/output_merge.h"
#include "ui/output/output_save.h"
#include "ui/output/output_stream.h"
#include "ui/output/output_tail.h"
#include "ui/widget/pager.h"

struct reading_place { /* one output to be read */
    char *path;        /* NULL: kept on its node */
    uint32_t owner;    /* of the job */
    char *label;       /* of a merged view */
};

struct reading_open {
    VEC(struct reading_place) places;
    bool merged;
    bool tails; /* only the last line of each */
};
void reading_open_fini(struct reading_open *o);

struct reading {
    struct stream_hooks hooks; /* ask and await; the user's */
    struct stream *streams;
    size_t n;
    bool merged;
    struct output_merge merge;
    struct output_tail *tails; /* of each stream; NULL: all of their text is read */
    struct pager_file source;  /* what there is to read; the pager reads it, or the filter's copy of it */
    struct line_filter filter;
    struct line_hits hits;
    struct line_seek seek;
    struct output_save save;
    char *news; /* how the last order came out, for the user; NULL: nothing to say */
    bool news_bad;
    bool filling; /* the first text of a merged or filtered view: its end is shown as it comes */
    struct pager pager;
    int inotify;
    bool live;  /* more can come */
    bool began; /* the job has: a node may have what is not here */
    bool more;  /* of a merged view, to be taken at once */
    unsigned looks;
};

/* The state that the view shows. */
struct reading_state {
    struct page page;
    char *trouble, *path; /* of one that is not merged */
    bool there;           /* there is something that can be read */
    bool gone;            /* its file has been removed; the open descriptor can still be read */
    bool remote, asking;  /* its node is asked; nothing has come yet */
    bool follow, wrap, at_end, searching, not_found, wrapped, forward;
    char *filter;        /* only lines with that text are shown; NULL: all */
    bool filter_without; /* ... or without it */
    bool filter_full;    /* ... and not all of them */
    size_t hit, hits;    /* the current match is number hit of them; 0: none */
    bool more_hits;      /* there are more */
    int64_t size;
    int percent;
    size_t n;                      /* outputs; of a merged view those that are there */
    VEC(struct output_tail) tails; /* of each place, if these alone are read */
    uint32_t generation;           /* the reader's: which open it is of */
};
void reading_state_fini(struct reading_state *s);

void reading_init(struct reading *r, const struct stream_hooks *hooks);
void reading_fini(struct reading *r);
/* Other outputs. Takes o's contents. The first look is the caller's. */
void reading_begin(struct reading *r, struct reading_open *take_o);
/* What is known of the job. Live: more can come. */
void reading_live(struct reading *r, bool live, bool began);
/* Looks at the files again. quiet: no change was reported, but some time has passed. Returns true if the
 * picture changes. */
bool reading_look(struct reading *r, bool quiet);
/* A slice of a search or a merge. Returns true if there is more to do. */
bool reading_work(struct reading *r);
bool reading_has_work(const struct reading *r);
/* An answer of a node, see stream_take. */
bool reading_take(struct reading *r, uint32_t stream, bool piece, struct msg_output_data *d,
                  const char *why);
/* Keys. FOLLOW, BOTTOM and all that pagers know; CLOSE ends a search. */
void reading_act(struct reading *r, enum action a);
/* Searches upwards at the end of the output, else downwards; counts the lines with the text. */
void reading_find(struct reading *r, const char *text);
/* Shows only lines with that text, see line_filter_begin. */
void reading_filter(struct reading *r, const char *text);
void reading_go(struct reading *r, int64_t line);
/* Writes what the view has, filtered and merged as it is, into a new file. */
void reading_save(struct reading *r, const char *path);
void reading_get_state(struct reading *r, struct reading_state *ret);

#endif
