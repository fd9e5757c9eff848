/* test_protocol_doc.c - docs/PROTOCOL.md says what the tables say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "src/base/vec.h"
#include "src/proto/msg.h"
#include "tests/lib/doc.h"

typedef VEC(const struct rec_desc *) rec_vec;

/* d and what it holds, each once, in the order of their first use. */
static void collect(const struct rec_desc *d, rec_vec *all)
{
    vec_for_each (all, i)
        if (all->v[i] == d)
            return;
    vec_push(all, d);
    for (size_t i = 0; i < d->n_fields; i++)
        if (d->fields[i].sub)
            collect(d->fields[i].sub, all);
}

static void append_member(const struct rec_field *f, struct str *out)
{
    static const char *const names[] = {
        [REC_BOOL] = "bool", [REC_U8] = "u8",     [REC_U32] = "u32",   [REC_I32] = "i32",
        [REC_U64] = "u64",   [REC_I64] = "i64",   [REC_F64] = "f64",   [REC_STR] = "str",
        [REC_BLOB] = "blob", [REC_STRV] = "strv", [REC_WALL] = "wall", [REC_CPUSET] = "cpuset",
    };
    if (f->type == REC_SUB)
        str_appendf(out, "%s %s", f->name, f->sub->name);
    else if (f->type == REC_LISTOF)
        str_appendf(out, "%s list of %s", f->name, f->sub->name);
    else
        str_appendf(out, "%s %s", f->name, names[f->type]);
}

static void append_reference(struct str *out)
{
    rec_vec all = VEC_INIT;
    unsigned number = 0;
    str_append(out, "## Messages\n\n| number | kind | body | from, to; answered by |\n|---|---|---|---|\n");
#define X(kind, body, who)                                                                \
    str_appendf(out, "| %u | `%s` | %s | %s |\n", number++, #kind, body##_rec.name, who); \
    collect(&body##_rec, &all);
    MSGS(X)
#undef X
    str_append(out, "\n## Events\n\n| number | event | body |\n|---|---|---|\n");
    number = 0;
#define X(kind, text, body)                                                  \
    str_appendf(out, "| %u | %s | %s |\n", number++, text, body##_rec.name); \
    collect(&body##_rec, &all);
    EVENTS(X)
#undef X
    str_append(out, "\n## Records\n\n| record | members |\n|---|---|\n");
    vec_for_each (&all, i) {
        str_appendf(out, "| %s | ", all.v[i]->name);
        for (size_t k = 0; k < all.v[i]->n_fields; k++) {
            str_append(out, k ? ", " : "");
            append_member(&all.v[i]->fields[k], out);
        }
        str_append(out, " |\n");
    }
    vec_fini(&all);
}

static void test_the_documentation_is_that_of_the_tables(void **state)
{
    (void)state;
    struct str reference = STR_INIT;
    append_reference(&reference);
    doc_must_end_with("docs/PROTOCOL.md", "with tests/unit/proto/test_protocol_doc. -->\n\n", reference.s);
    str_fini(&reference);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_documentation_is_that_of_the_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
