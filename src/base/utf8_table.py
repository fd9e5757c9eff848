#!/usr/bin/env python3
"""Writes src/base/utf8_table.h from Python's unicodedata (Python 3.12 has Unicode 15):

    python3 src/base/utf8_table.py >src/base/utf8_table.h

Wide: East Asian Width W or F, and the unassigned rest of the two ideographic planes. Zero: the categories Mn and Me,
and the vowels and finals of Hangul syllables, which join the consonant before them.
"""
import unicodedata

LIMIT = 0x110000

JAMO = [(0x1160, 0x11FF), (0xD7B0, 0xD7FB)]
IDEOGRAPHS = [(0x20000, 0x2FFFD), (0x30000, 0x3FFFD)]


def within(cp, rows):
    return any(a <= cp <= b for a, b in rows)


def ranges(want):
    out = []
    for cp in range(LIMIT):
        if want(cp):
            if out and out[-1][1] == cp - 1:
                out[-1][1] = cp
            else:
                out.append([cp, cp])
    return out


def is_zero(cp):
    return unicodedata.category(chr(cp)) in ("Mn", "Me") or within(cp, JAMO)


def is_wide(cp):
    asian = unicodedata.east_asian_width(chr(cp)) in ("W", "F")
    return not is_zero(cp) and (asian or within(cp, IDEOGRAPHS))


def table(name, comment, rows):
    print(f"/* {comment} */\nstatic const struct cp_range {name}[] = {{")
    for i in range(0, len(rows), 4):
        print("    " + " ".join(f"{{0x{a:x}, 0x{b:x}}}," for a, b in rows[i : i + 4]))
    print("};\n")


print("/* utf8_table.h - code points that do not take one cell, sorted, for utf8.c alone.")
print(f" * Unicode {unicodedata.unidata_version}. Written by utf8_table.py; do not edit. */")
print("/* clang-format off */")
table("wide_ranges", "two cells", ranges(is_wide))
table("zero_ranges", "no cell: they join what is before them", ranges(is_zero))
print("/* clang-format on */")
