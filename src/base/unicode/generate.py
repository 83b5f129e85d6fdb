#!/usr/bin/python3
"""Writes src/base/unicode_tables.c from the data files in this folder.

    generate.py                 writes the tables
    generate.py --check         exit status 1 if they are not what the data gives
    generate.py --from-ucd DIR  first makes the data files anew from an unpacked UCD.zip of unicode.org

A data file has one range and its value a line: "FIRST..LAST ; value"; what is in no range has the default.
A code point's properties are one byte (unicode.h says which bits are what), found through two stages.
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
OUTPUT = HERE.parent / "unicode_tables.c"
VERSION = "16.0.0"
CODE_POINTS = 0x110000

# The break classes in the order of enum break_class in unicode.c.
CLASSES = ("Other CR LF Control Extend ZWNJ Linker ZWJ Regional_Indicator Prepend SpacingMark"
           " L V T LV LVT Extended_Pictographic Consonant").split()
WIDTH_SHIFT, WIDTH_OF_CONTROL = 5, 3
EMOJI_BASE = 0x80

# ---- the data files ----


def read_ranges(path):
    """Yields (first, last, fields) of a file in the format of the UCD."""
    for line in path.read_text(encoding="utf-8").splitlines():
        fields = [field.strip() for field in line.split("#")[0].split(";")]
        if fields[0]:
            first, _, last = fields[0].partition("..")
            yield int(first, 16), int(last or first, 16), fields[1:]


def read_values(name, default):
    values = [default] * CODE_POINTS
    for first, last, fields in read_ranges(HERE / name):
        values[first:last + 1] = [fields[0]] * (last + 1 - first)
    return values


def write_values(name, about, values, default):
    lines = [f"# {about}", f"# Unicode {VERSION}; see LICENSE.  Written by generate.py --from-ucd."]
    start = 0
    for cp in range(1, CODE_POINTS + 1):
        if cp < CODE_POINTS and values[cp] == values[start]:
            continue
        if values[start] != default:
            last = f"..{cp - 1:04X}" if cp - 1 > start else ""
            lines.append(f"{start:04X}{last} ; {values[start]}")
        start = cp
    (HERE / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


# ---- from the UCD to the data files ----

# EastAsianWidth.txt: unassigned code points of these blocks are wide too.
WIDE_BY_DEFAULT = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2FFFD), (0x30000, 0x3FFFD))
# Hangul of the Johab kind: vowels and final consonants are drawn into the cell of the initial one.
HANGUL_MEDIAL_AND_FINAL = ((0x1160, 0x11FF), (0xD7B0, 0xD7C6), (0xD7CB, 0xD7FB))
SOFT_HYPHEN, HANGUL_CHOSEONG_FILLER = 0xAD, 0x115F


def members(path, field, wanted):
    found = set()
    for first, last, fields in read_ranges(path):
        if fields[:len(wanted)] == wanted if field is None else fields[field] in wanted:
            found.update(range(first, last + 1))
    return found


def ranges_to_set(ranges):
    return {cp for first, last in ranges for cp in range(first, last + 1)}


def ucd_widths(ucd):
    """Zero before wide: an ideographic tone mark is wide by itself and takes no column on a base."""
    wide = members(ucd / "EastAsianWidth.txt", 0, {"W", "F"}) | ranges_to_set(WIDE_BY_DEFAULT)
    wide |= members(ucd / "emoji/emoji-data.txt", 0, {"Emoji_Presentation"})
    zero = members(ucd / "extracted/DerivedGeneralCategory.txt", 0, {"Mn", "Mc", "Me", "Cf", "Zl", "Zp"})
    zero |= members(ucd / "DerivedCoreProperties.txt", 0, {"Default_Ignorable_Code_Point"})
    zero |= ranges_to_set(HANGUL_MEDIAL_AND_FINAL)
    zero -= members(ucd / "PropList.txt", 0, {"Prepended_Concatenation_Mark"})
    zero -= {SOFT_HYPHEN, HANGUL_CHOSEONG_FILLER}
    return ["0" if cp in zero else "2" if cp in wide else "1" for cp in range(CODE_POINTS)]


def from_ucd(ucd):
    write_values("width.txt", "Columns: 0 for marks (Mn Mc Me), formats (Cf Zl Zp), default ignorables and Hangul medials"
                 " and finals;\n# 2 for East_Asian_Width W and F and Emoji_Presentation; 1 for the rest.  U+00AD (every"
                 " terminal draws it),\n# prepended concatenation marks and U+115F are not 0.", ucd_widths(ucd), "1")
    breaks = ["Other"] * CODE_POINTS
    for first, last, fields in read_ranges(ucd / "auxiliary/GraphemeBreakProperty.txt"):
        breaks[first:last + 1] = [fields[0]] * (last + 1 - first)
    write_values("grapheme_break.txt", "Grapheme_Cluster_Break (UAX 29); default Other", breaks, "Other")
    conjunct = ["None"] * CODE_POINTS
    for value in "Linker", "Consonant":
        for cp in members(ucd / "DerivedCoreProperties.txt", None, ["InCB", value]):
            conjunct[cp] = value
    write_values("indic_conjunct.txt", "Indic_Conjunct_Break Linker and Consonant (UAX 44).  Extend is what has"
                 " Grapheme_Cluster_Break\n# Extend or ZWJ and is neither these nor U+200C.", conjunct, "None")
    pictographic = members(ucd / "emoji/emoji-data.txt", 0, {"Extended_Pictographic"})
    write_values("extended_pictographic.txt", "Extended_Pictographic (UTS 51)",
                 ["Yes" if cp in pictographic else "No" for cp in range(CODE_POINTS)], "No")
    bases = set()
    for line in (ucd / "emoji/emoji-variation-sequences.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            bases.add(int(line.split()[0], 16))
    write_values("emoji_variation.txt", "What U+FE0E and U+FE0F may follow (emoji-variation-sequences.txt)",
                 ["Yes" if cp in bases else "No" for cp in range(CODE_POINTS)], "No")


# ---- from the data files to the tables ----


def break_class(cp, breaks, conjunct, pictographic):
    """The one class that all rules of UAX 29 can be told from; the properties do not overlap otherwise."""
    if cp == 0x200C:
        return "ZWNJ"
    if conjunct == "Linker":
        assert breaks == "Extend", hex(cp)
        return "Linker"
    if conjunct == "Consonant" or pictographic == "Yes":
        assert breaks == "Other" and not (conjunct == "Consonant" and pictographic == "Yes"), hex(cp)
        return "Consonant" if conjunct == "Consonant" else "Extended_Pictographic"
    return breaks


def is_control(cp):
    return cp < 0x20 or 0x7F <= cp < 0xA0


def properties():
    widths = read_values("width.txt", "1")
    breaks = read_values("grapheme_break.txt", "Other")
    conjuncts = read_values("indic_conjunct.txt", "None")
    pictographic = read_values("extended_pictographic.txt", "No")
    emoji = read_values("emoji_variation.txt", "No")
    for cp in range(CODE_POINTS):
        value = CLASSES.index(break_class(cp, breaks[cp], conjuncts[cp], pictographic[cp]))
        value |= (WIDTH_OF_CONTROL if is_control(cp) else int(widths[cp])) << WIDTH_SHIFT
        yield value | (EMOJI_BASE if emoji[cp] == "Yes" else 0)


def two_stages(values, shift):
    blocks, index = {}, []
    for start in range(0, CODE_POINTS, 1 << shift):
        block = bytes(values[start:start + (1 << shift)])
        index.append(blocks.setdefault(block, len(blocks)))
    return index, b"".join(blocks)


def smallest(values):
    """(shift, stage 1, stage 2) of the fewest bytes of which stage 1 fits bytes."""
    fitting = []
    for shift in range(4, 10):
        index, data = two_stages(values, shift)
        if max(index) < 256:
            fitting.append((len(index) + len(data), shift, index, data))
    return min(fitting)[1:]


def c_array(name, values):
    lines = [f"const uint8_t {name}[{len(values)}] = {{"]
    for start in range(0, len(values), 24):
        lines.append("\t" + " ".join(f"{value}," for value in values[start:start + 24]))
    return "\n".join(lines + ["};", ""])


def tables():
    shift, index, data = smallest(list(properties()))
    return "\n".join([
        f"/* Generated by src/base/unicode/generate.py from the data in that folder (Unicode {VERSION}).  Not edited. */",
        '#include "base/unicode.h"', "",
        f"_Static_assert(UNICODE_BLOCK_SHIFT == {shift}, \"unicode.h and the generated tables differ\");", "",
        c_array("unicode_blocks", index),
        c_array("unicode_block_data", data)])


def main(args):
    if args[:1] == ["--from-ucd"] and len(args) == 2:
        from_ucd(pathlib.Path(args[1]))
    elif args not in ([], ["--check"]):
        sys.exit(__doc__)
    text = tables()
    if args == ["--check"]:
        if OUTPUT.read_text(encoding="utf-8") != text:
            sys.exit(f"{OUTPUT.name} is not what the data gives: run src/base/unicode/generate.py")
        return
    OUTPUT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
