/* output_pages.h - what an output view reads: one output or many merged, a pager over it, and its keys. It
 * opens and reads files and blocks on them, so it runs in a thread of its own (ui/output/output_reader.h).
 */
#ifndef UI_OUTPUT_OUTPUT_PAGES_H
#define UI_OUTPUT_OUTPUT_PAGES_H

#include "ui/output/output_merge.h"
#include "ui/output/output_stream.h"
#include "ui/widget/pager.h"

struct reading_place { /* one output to be read */
    char *path;        /* NULL: kept on its node */
    char *label;       /* of a merged view */
};

struct reading_open {
    VEC(struct reading_place) places;
    bool merged;
};
void reading_open_fini(struct reading_open *o);

struct reading {
    struct stream_hooks hooks; /* ask and await; the user's */
    struct stream *streams;
    size_t n;
    bool merged;
    struct output_merge merge;
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
    bool follow, wrap, at_end, searching, not_found, forward;
    int64_t size;
    int percent;
    size_t n; /* outputs; of a merged view those that are there */
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
void reading_get_state(struct reading *r, struct reading_state *ret);

#endif
