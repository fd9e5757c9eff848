/* units_parse.c - parses sizes and counts. Durations and formatting are in other files, because programs
 * with rights do not need them. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/lang/lang.h"
#include "src/values/units.h"

/* The unit of the letter in KiB; 0 if the letter is not a unit. B or iB may follow the letter. */
static uint64_t unit_kib(const char *s)
{
    static const char letters[] = "KMGTP";
    if (!*s)
        return 1024;
    const char *at = strchr(letters, toupper((unsigned char)*s));
    const char *rest = s + 1;
    if (!at || (*rest && strcasecmp(rest, "B") != 0 && strcasecmp(rest, "iB") != 0))
        return 0;
    return UINT64_C(1) << 10 * (at - letters);
}

int mem_parse_mib(const char *s, uint64_t *ret_mib, struct errtext *err)
{
    /* value = digits / scale; nine decimals and fifteen digits in front keep digits * unit within 128
     * bits. */
    unsigned __int128 digits = 0, scale = 1;
    bool any = false, fraction = false;
    const char *p = s;
    for (; isdigit((unsigned char)*p) || (*p == '.' && !fraction); p++) {
        if (*p == '.') {
            fraction = true;
            continue;
        }
        any = true;
        digits = digits * 10 + (unsigned)(*p - '0');
        scale *= fraction ? 10 : 1;
        if (scale > 1000000000)
            return err_set(err, -EINVAL, tr("\"%s\" has too many decimals"), s);
        if (digits / scale > 1000000000000000)
            return err_set(err, -ERANGE, tr("\"%s\" is too much memory"), s);
    }
    uint64_t unit = any ? unit_kib(p) : 0;
    if (!unit)
        return err_set(err, -EINVAL, tr("\"%s\" is not a size: give a number with K, M, G or T"), s);
    unsigned __int128 per_mib = scale * 1024, mib = (digits * unit + per_mib - 1) / per_mib;
    /* In bytes it must fit 64 bits. */
    if (mib >= UINT64_C(1) << 44)
        return err_set(err, -ERANGE, tr("\"%s\" is too much memory"), s);
    *ret_mib = (uint64_t)mib;
    return 0;
}

int int_parse(const char *s, int64_t min, int64_t max, int64_t *ret, struct errtext *err)
{
    const char *digits = *s == '-' ? s + 1 : s;
    if (!*digits || digits[strspn(digits, "0123456789")])
        return err_set(err, -EINVAL, tr("\"%s\" is not a whole number"), s);
    errno = 0;
    int64_t v = strtoll(s, NULL, 10);
    if (errno || v < min || v > max)
        return err_set(err, -EINVAL, tr("%s is not between %lld and %lld"), s, (long long)min,
                       (long long)max);
    *ret = v;
    return 0;
}
