/* crc.h - CRC32C (Castagnoli): the checksum of what is stored. It finds damage, not malice. */
#ifndef STOKER_BASE_CRC_H
#define STOKER_BASE_CRC_H

#include <stddef.h>
#include <stdint.h>

/* Of the n bytes at p, continuing crc; 0 at the beginning. */
uint32_t crc32c(uint32_t crc, const void *p, size_t n);
/* The same without the processor's instruction: for machines that lack it, and to compare. */
uint32_t crc32c_by_table(uint32_t crc, const void *p, size_t n);

#endif
