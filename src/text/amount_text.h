/* amount_text.h - numbers, durations and amounts of memory in words. */
#ifndef STOKER_TEXT_AMOUNT_TEXT_H
#define STOKER_TEXT_AMOUNT_TEXT_H

#include "src/base/str.h"

void text_append_u64(struct str *out, uint64_t v);
/* "Mon"; 0 is Sunday, as in struct tm. */
const char *weekday_word(int wday);
/* "1st", "2nd", "3rd", "4th", "11th", "21st". */
void text_append_ordinal(struct str *out, uint64_t v);
/* "5:00", "1-02:03:04", "UNLIMITED", "NOT_SET": duration_format without its buffer. */
void text_append_duration(struct str *out, uint32_t s);
/* "4000M", "4G"; noconvert keeps MiB. */
void jobtext_mem(struct str *out, uint64_t mib, bool noconvert);

#endif
