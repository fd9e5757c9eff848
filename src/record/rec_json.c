/* rec_json.c - records as JSON: apart from the rest, for programs that only decode records. */
#include <stdlib.h>

#include "src/record/json.h"
#include "src/record/rec.h"

static void append_base64(struct str *out, const struct blob *b)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    str_append_char(out, '"');
    for (size_t i = 0; i < b->n; i += 3) {
        size_t n = b->n - i < 3 ? b->n - i : 3;
        uint32_t v = (uint32_t)b->p[i] << 16;
        v |= n > 1 ? (uint32_t)b->p[i + 1] << 8 : 0;
        v |= n > 2 ? b->p[i + 2] : 0;
        char four[4] = {digits[v >> 18], digits[v >> 12 & 63], n > 1 ? digits[v >> 6 & 63] : '=',
                        n > 2 ? digits[v & 63] : '='};
        str_append_n(out, four, sizeof four);
    }
    str_append_char(out, '"');
}

static void rec_append_list(struct str *out, const struct rec_field *f, const struct rec_list_any *l)
{
    json_begin_array(out, f->name);
    for (size_t i = 0; i < l->n; i++)
        rec_to_json(f->sub, (const char *)l->v + i * f->sub->size, out);
    json_end_array(out);
}

static void rec_append_field(struct str *out, const struct rec_field *f, const void *p)
{
    switch (f->type) {
    case REC_BOOL: json_bool(out, f->name, *(const bool *)p); break;
    case REC_U8: json_uint(out, f->name, *(const uint8_t *)p); break;
    case REC_U32: json_uint(out, f->name, *(const uint32_t *)p); break;
    case REC_I32: json_int(out, f->name, *(const int32_t *)p); break;
    case REC_U64: json_uint(out, f->name, *(const uint64_t *)p); break;
    case REC_I64: json_int(out, f->name, *(const int64_t *)p); break;
    case REC_F64: json_number(out, f->name, *(const double *)p); break;
    case REC_STR: json_text_or_null(out, f->name, *(char *const *)p); break;
    case REC_BLOB:
        json_key(out, f->name);
        append_base64(out, p);
        break;
    case REC_STRV: json_texts(out, f->name, p); break;
    case REC_WALL: json_int(out, f->name, ((const struct wall *)p)->ms); break;
    case REC_CPUSET: {
        char *text = cpuset_format(p);
        json_text(out, f->name, text);
        free(text);
        break;
    }
    case REC_SUB:
        json_key(out, f->name);
        rec_to_json(f->sub, p, out);
        break;
    case REC_LISTOF: rec_append_list(out, f, p); break;
    }
}

void rec_to_json(const struct rec_desc *d, const void *rec, struct str *out)
{
    json_begin_object(out, NULL);
    for (size_t i = 0; i < d->n_fields; i++)
        rec_append_field(out, &d->fields[i], rec_at(&d->fields[i], rec));
    json_end_object(out);
}
