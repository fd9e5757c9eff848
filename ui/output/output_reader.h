/* output_reader.h - reads outputs in a thread of its own, so that a file system or a node that does not
 * answer never blocks the screens: orders go in, states come out.
 *
 *     reader_open(r, &places)                                           thread: ui/output/output_pages.h
 *     reader_act(r, a)        -- orders, in their order -->
 *     reader_fd(r) readable
 *     reader_state(r)         <-- the newest state, questions for nodes --
 *
 * A reader that is closed while its thread waits for a file is left to it: the thread frees it when it
 * comes back, if ever. Without threads (tests) each order is done at once.
 */
#ifndef UI_OUTPUT_OUTPUT_READER_H
#define UI_OUTPUT_OUTPUT_READER_H

#include "ui/output/output_pages.h"

struct output_reader;

struct output_reader *reader_new(bool threads) __attribute__((warn_unused_result));
/* NULL is fine. */
void reader_close(struct output_reader *r);

void reader_open(struct output_reader *r, struct reading_open *take_o);
void reader_resize(struct output_reader *r, int height, int width);
void reader_live(struct output_reader *r, bool live, bool began);
void reader_act(struct output_reader *r, enum action a);
void reader_scroll(struct output_reader *r, int rows);
/* Searches upwards at the end of the output, else downwards. */
void reader_find(struct output_reader *r, const char *text);
/* Shows only lines with that text, without it if it begins with "!"; empty: all lines again. */
void reader_filter(struct output_reader *r, const char *text);
/* Goes to a line by its number, from 1. */
void reader_go(struct output_reader *r, int64_t line);
/* Writes what is read, as it is filtered, into a new file. */
void reader_save(struct output_reader *r, const char *path);
/* Without threads: looks at the files now. */
void reader_look(struct output_reader *r);
/* Without threads: a slice of a search; true: more to do. */
bool reader_work(struct output_reader *r);
/* The reply of a node to a request of that generation. */
void reader_take(struct output_reader *r, uint32_t generation, uint32_t stream, bool piece,
                 const struct msg_output_data *d, const char *why);

/* Readable when there is something new; -1 without threads. */
int reader_fd(const struct output_reader *r);
/* The newest state, the reader's, valid until the next call of any of these; NULL: none yet. */
const struct reading_state *reader_state(struct output_reader *r);
/* The state that reader_state gave is of what was opened last. */
bool reader_is_current(const struct output_reader *r);
/* Has a search come to its end since the last call? */
bool reader_search_ended(struct output_reader *r);
/* How such an order came out, once, for the user; the caller frees it. NULL: nothing to say. */
char *reader_news(struct output_reader *r, bool *ret_bad);
/* The next request to a node; false: none. */
bool reader_next_ask(struct output_reader *r, struct stream_ask *ret, uint32_t *ret_generation);

#endif
