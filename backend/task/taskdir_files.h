/* taskdir_files.h - the names and the form of what is in a task's directory, for taskdir.c and
 * taskdir_read.c. */
#ifndef STOKER_BACKEND_TASK_TASKDIR_FILES_H
#define STOKER_BACKEND_TASK_TASKDIR_FILES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "src/base/crc.h"

#define CLAIM      "shim"
#define CLAIM_NEXT "shim.tmp"

/* A checksum within what it is of: its own place counts as CRC_PLACE. The highest bit is always set, so
 * that it always takes five bytes, of which the first says that four follow. */
#define CRC_PLACE  0x80000000u
#define CRC_PREFIX 0xce

static inline void put_be32(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> (24 - 8 * i));
}

/* Where the last number v is; NULL: nowhere. */
static inline uint8_t *find_number(uint8_t *p, size_t n, uint32_t v)
{
    uint8_t want[5] = {CRC_PREFIX};
    put_be32(want + 1, v);
    for (size_t at = n; at-- >= sizeof want;)
        if (memcmp(p + at + 1 - sizeof want, want, sizeof want) == 0)
            return p + at + 2 - sizeof want;
    return NULL;
}

static inline uint32_t crc_of(const uint8_t *p, size_t n)
{
    return crc32c(0, p, n) | CRC_PLACE;
}

#endif
