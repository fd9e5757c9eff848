/* kept_lines.h - lines that the viewer has made from an output, for a pager: whole lines in a nameless
 * file, and behind them, in memory, the lines that are not finished yet.
 */
#ifndef STOKER_UI_OUTPUT_KEPT_LINES_H
#define STOKER_UI_OUTPUT_KEPT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/str.h"

struct kept_lines {
    int fd;                /* -1: closed, or there is no room for a file */
    int64_t size;          /* bytes of whole lines: these do not change */
    struct str unfinished; /* what is seen behind them */
};

#define KEPT_LINES_CLOSED ((struct kept_lines){.fd = -1, .unfinished = STR_INIT})

/* Closes what was open and begins with nothing. */
void kept_lines_open(struct kept_lines *k);
/* Also of one that is closed. */
void kept_lines_close(struct kept_lines *k);
void kept_lines_clear(struct kept_lines *k);
/* Returns false if they could not be written; then nothing is added. */
bool kept_lines_add(struct kept_lines *k, const char *s, size_t n);
/* Takes over *unfinished. Returns whether it differs from what there was. */
bool kept_lines_end_with(struct kept_lines *k, struct str *unfinished);

/* For pagers: kept is a struct kept_lines. */
int64_t kept_lines_size(void *kept);
size_t kept_lines_read(void *kept, int64_t at, char *buf, size_t n);

#endif
