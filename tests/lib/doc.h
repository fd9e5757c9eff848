/* doc.h - documentation that is written from tables: a test compares the two, and writes it again with
 * UPDATE_DOCS=1. */
#ifndef STOKER_TESTS_LIB_DOC_H
#define STOKER_TESTS_LIB_DOC_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/str.h"
#include "tests/lib/check.h"

static inline char *doc_read(const char *path)
{
    FILE *f = fopen(path, "r");
    if (!f)
        fail_msg("%s cannot be read", path);
    struct str s = STR_INIT;
    char buf[4096];
    for (size_t n; (n = fread(buf, 1, sizeof buf, f)) > 0;)
        str_append_n(&s, buf, n);
    fclose(f);
    return str_take(&s);
}

/* What stands behind mark in the file must be reference. */
static inline void doc_must_end_with(const char *path, const char *mark, const char *reference)
{
    char *doc = doc_read(path), *at = strstr(doc, mark);
    if (!at)
        fail_msg("%s has no line \"%s\"", path, mark);
    at += strlen(mark);
    bool same = strcmp(at, reference) == 0;
    if (!same && getenv("UPDATE_DOCS")) {
        FILE *f = fopen(path, "w");
        if (!f)
            fail_msg("%s cannot be written", path);
        fprintf(f, "%.*s%s", (int)(at - doc), doc, reference);
        assert_int_equal(fclose(f), 0);
    } else if (!same) {
        fail_msg("%s is not what the tables say: run this test once with UPDATE_DOCS=1", path);
    }
    free(doc);
}

#endif
