"""What a terminal sends for a key: by name, in the form that the program has asked for.

Names are tmux's: C-b M-x S-Enter C-M-Left F5 PageUp Space Tab BTab Escape BSpace, or one character.
Forms: xterm's of old, modifyOtherKeys (xterm's ctlseqs), kitty's keyboard protocol with its flags.
"""
import collections

Key = collections.namedtuple("Key", "name text shift alt ctrl super")

# name: (final byte or number before "~", code point in kitty's protocol)
FUNCTION = {"Up": "A", "Down": "B", "Right": "C", "Left": "D", "Home": "H", "End": "F", "Insert": 2, "Delete": 3,
            "PageUp": 5, "PageDown": 6, "F1": "P", "F2": "Q", "F3": "R", "F4": "S", "F5": 15, "F6": 17, "F7": 18,
            "F8": 19, "F9": 20, "F10": 21, "F11": 23, "F12": 24}
CONTROL = {"Enter": 13, "Tab": 9, "Escape": 27, "BSpace": 127}
ALIASES = {"IC": "Insert", "DC": "Delete", "PgUp": "PageUp", "PPage": "PageUp", "PgDn": "PageDown",
           "NPage": "PageDown", "Esc": "Escape", "Return": "Enter", "Backspace": "BSpace"}
SHIFTED = dict(zip("`1234567890-=[]\\;',./", '~!@#$%^&*()_+{}|:"<>?'))
UNSHIFTED = {v: k for k, v in SHIFTED.items()}
# Kitty's flags
DISAMBIGUATE, EVENTS, ALTERNATES, ALL_KEYS, TEXT = 1, 2, 4, 8, 16


def parse(name):
    flags, rest = set(), name
    while len(rest) > 2 and rest[1] == "-" and rest[0] in "CMSD":
        flags.add(rest[0])
        rest = rest[2:]
    if rest == "BTab":
        flags.add("S")
        rest = "Tab"
    if rest == "Space":
        rest = " "
    rest = ALIASES.get(rest, rest)
    if rest not in FUNCTION and rest not in CONTROL and len(rest) != 1:
        raise ValueError("no such key: %r" % name)
    return Key(rest, rest if len(rest) == 1 else None, "S" in flags, "M" in flags, "C" in flags, "D" in flags)


def modifiers(key):
    return 1 + key.shift + 2 * key.alt + 4 * key.ctrl + 8 * key.super


def csi(number, mod, final):
    if mod == 1 and number == 1:
        return "\x1b[" + final
    return "\x1b[%d%s%s" % (number, ";%d" % mod if mod != 1 else "", final)


def function_key(key, application):
    form = FUNCTION[key.name]
    mod = modifiers(key)
    if isinstance(form, int):
        return csi(form, mod, "~")
    if mod == 1 and (form in "PQRS" or (application and form in "ABCDHF")):
        return "\x1bO" + form
    return csi(1, mod, form)


def control_byte(c):
    """The control character that C-c sends, or None (xterm's table)."""
    if c.isalpha() and c.isascii():
        return chr(ord(c.upper()) - 64)
    return {" ": "\0", "@": "\0", "2": "\0", "[": "\x1b", "3": "\x1b", "\\": "\x1c", "4": "\x1c", "]": "\x1d",
            "5": "\x1d", "^": "\x1e", "6": "\x1e", "_": "\x1f", "/": "\x1f", "7": "\x1f", "?": "\x7f",
            "8": "\x7f"}.get(c)


def legacy(key):
    alt = "\x1b" if key.alt else ""
    if key.name in CONTROL:
        if key.name == "Tab" and key.shift:
            return alt + "\x1b[Z"
        if key.name == "BSpace" and key.ctrl:
            return alt + "\x08"
        return alt + chr(CONTROL[key.name])
    text = shifted(key) if key.shift else key.text
    if key.ctrl:
        text = control_byte(key.text) or text
    return alt + text


def shifted(key):
    return SHIFTED.get(key.text, key.text.upper())


def other_keys(key, level):
    """modifyOtherKeys: what has no code of its own is sent as CSI 27 ; modifiers ; code ~."""
    plain = legacy(key)
    mod = modifiers(key)
    code = CONTROL.get(key.name) or ord(shifted(key) if key.shift else key.text)
    lone = mod == 1 or (key.text and mod == 2)
    if lone or (level == 1 and (len(plain) == 1 and key.text and key.ctrl and control_byte(key.text))):
        return plain
    return "\x1b[27;%d;%d~" % (mod, code)


def kitty(key, flags, event):
    """CSI code:shifted ; modifiers:event ; text u  (kitty keyboard protocol, "Key codes")."""
    mod = modifiers(key)
    if key.text and len(key.text) == 1:
        base = UNSHIFTED.get(key.text, key.text.lower())
        key = key._replace(text=base, shift=key.shift or base != key.text)
        mod = modifiers(key)
    suffix = ";%d" % mod if mod != 1 or event != 1 else ""
    if event != 1:
        suffix += ":%d" % event
    if key.name in FUNCTION:
        form = FUNCTION[key.name]
        if isinstance(form, int) or form == "R":
            return "\x1b[%d%s~" % (13 if form == "R" else form, suffix)
        return "\x1b[%s%s%s" % ("1" if suffix else "", suffix, form)
    only_text = key.text and mod in (1, 2) and not flags & ALL_KEYS
    legacy_control = key.name in ("Enter", "Tab", "BSpace") and mod == 1 and not flags & ALL_KEYS
    if only_text or legacy_control:
        return legacy(key) if event == 1 else ""
    code = CONTROL.get(key.name) or ord(key.text)
    number = str(code)
    if flags & ALTERNATES and key.text and key.shift and shifted(key) != key.text:
        number += ":%d" % ord(shifted(key))
    text = ""
    if flags & TEXT and key.text and mod in (1, 2) and event == 1:
        suffix = suffix or ";"
        text = ";%d" % ord(shifted(key) if key.shift else key.text)
    return "\x1b[%s%s%su" % (number, suffix, text)


def encode(name, screen):
    """The bytes for one key press, as the terminal `screen` would send it now."""
    key = parse(name)
    flags = screen.kitty_flags
    if flags:
        data = kitty(key, flags, 1)
        if flags & EVENTS:
            data += kitty(key, flags, 3)
        return data.encode()
    if key.name in FUNCTION:
        return function_key(key, screen.modes[1]).encode()
    if screen.other_keys:
        return other_keys(key, screen.other_keys).encode()
    return legacy(key).encode()
