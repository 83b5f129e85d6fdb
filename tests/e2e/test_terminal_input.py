"""Keys and pastes on their way from the outer terminal to the program in a pane: what is pressed arrives, in the form that the program
asked for, and nothing else does."""
import hashlib
import re
import time

import pytest

from lib import keys
from lib.wait import wait_until
from puppets import PROBE, focused, open_with, prefix, puppets, wait_place, wait_shown

KITTY_OFF, KITTY_1, KITTY_5, KITTY_31 = "", "\x1b[>1u", "\x1b[>5u", "\x1b[>31u"
OTHER_KEYS_2 = "\x1b[>4;2m"


class Asked:
    """Stands for a terminal in which a program has asked for a form of keys; see keys.encode."""

    def __init__(self, start):
        kitty = re.search(r"\x1b\[>(\d+)u", start)
        self.kitty_flags = int(kitty.group(1)) if kitty else 0
        self.other_keys = 2 if OTHER_KEYS_2 in start else 0
        self.modes = {1: "\x1b[?1h" in start}


def open_one(handler, start="", profile="modern", **options):
    """A puppet that has written `start`, alone on a screen."""
    one, = puppets(handler, "one", **options)
    t = open_with(handler, one, profile=profile, rows=24, cols=80)
    if profile in ("modern", "xterm"):
        t.wait_for(lambda s: s.kitty_flags or s.other_keys, why="keys are asked for in a form that tells them apart")
    one.write(start + "started")
    t.wait_for("started")
    return t, one


def pressed(t, one, *names):
    """What the program is given for these keys."""
    one.forget()
    t.keys(*names, PROBE)
    release = rb"\x1b\[164;1:3u" if t.screen.kitty_flags & keys.EVENTS else b""
    end = re.compile(rb"(\xc2\xa4|\x1b\[164(;1?;164)?u)%s$" % release)
    return end.sub(b"", one.wait_given(end))


# -- newlines --------------------------------------------------------------------------------------------------

NEWLINES = ("Enter", "S-Enter", "M-Enter", "C-Enter", "C-j")
# What each form of keys has for them; the sources are xterm's ctlseqs and kitty's keyboard protocol.
FORMS = {
    "none": ("", (b"\r", b"\r", b"\x1b\r", b"\r", b"\n")),
    "kitty": (KITTY_1, (b"\r", b"\x1b[13;2u", b"\x1b[13;3u", b"\x1b[13;5u", b"\x1b[106;5u")),
    "modifyOtherKeys": (OTHER_KEYS_2, (b"\r", b"\x1b[27;2;13~", b"\x1b[27;3;13~", b"\x1b[27;5;13~", b"\x1b[27;5;106~")),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("profile", ["modern", "xterm"])
def test_newline_keys_stay_apart(handler, profile, form):
    start, expected = FORMS[form]
    t, one = open_one(handler, start, profile)
    for name, data in zip(NEWLINES, expected):
        assert pressed(t, one, name) == data, name


@pytest.mark.parametrize("form", FORMS)
def test_newline_keys_from_a_terminal_that_cannot_tell_them_apart(handler, form):
    """Enter with Shift or Control is Enter there; Alt and C-j are what they are."""
    start, expected = FORMS[form]
    t, one = open_one(handler, start, "plain")
    for name, data in zip(NEWLINES, expected):
        assert pressed(t, one, name) == (b"\r" if name in ("S-Enter", "C-Enter") else data), name


@pytest.mark.parametrize("profile", ["modern", "xterm", "plain"])
@pytest.mark.parametrize("form, newline, expected", [
    ("none", None, b"\n"), ("none", ["M-Enter"], b"\x1b\r"), ("none", ["S-Enter", "M-Enter"], b"\x1b\r"),
    ("kitty", None, b"\x1b[13;2u"), ("kitty", ["S-Enter", "C-j"], b"\x1b[13;2u"), ("kitty", ["C-j"], b"\x1b[106;5u"),
    ("modifyOtherKeys", ["S-Enter", "C-j"], b"\x1b[27;2;13~")])
def test_prefix_enter_is_the_newline_of_the_harness(handler, profile, form, newline, expected):
    t, one = open_one(handler, FORMS[form][0], profile, newline=newline)
    one.forget()
    prefix(t, "Enter")
    one.wait_given(re.compile(re.escape(expected) + b"$"))
    assert one.given() == expected


@pytest.mark.parametrize("profile", ["modern", "xterm", "plain"])
def test_a_newline_in_the_demo_agent_on_every_terminal(handler, profile):
    t = handler.terminal("terminal", "demo", rows=24, cols=80, profile=profile)
    t.wait_for("ready")
    t.type("one")
    prefix(t, "Enter")
    t.type("two")
    if profile == "modern":
        t.keys("S-Enter")
    else:
        t.keys("C-j")
    t.type("three")
    t.wait_for(re.compile(r"> one\s*\n  two\s*\n  three"))


# -- all keys --------------------------------------------------------------------------------------------------

SHIFTED = "!@{}|~"
ALL_KEYS = (list("azAZ09!@;'[]{}|\\~` ".replace(" ", "")) + ["Space", "\u00e9", "\u00df", "\u4e16", "Tab", "BTab", "BSpace", "Enter"] +
            ["Up", "Down", "Left", "Right", "Home", "End", "Insert", "Delete", "PageUp", "PageDown"] + ["F%d" % n for n in range(1, 13)] +
            [m + k for m in ("S-", "M-", "C-", "C-M-", "C-S-") for k in ("Up", "Left", "Home", "F1", "F5", "PageDown", "Delete")] +
            ["C-%s" % c for c in "acdefgklnopqrstuvwxyz"] + ["C-Space", "C-\\", "C-]"] + ["M-%s" % c for c in "abfxz.0"] + ["M-BSpace", "M-Enter"])


@pytest.mark.parametrize("start", ["", "\x1b[?1h", KITTY_1, KITTY_5, KITTY_31, OTHER_KEYS_2],
                         ids=["none", "cursor-keys", "kitty-1", "kitty-5", "kitty-31", "modifyOtherKeys"])
def test_every_key_arrives_in_the_form_that_was_asked_for(handler, start):
    t, one = open_one(handler, start)
    asked = Asked(start)
    wanted_of_outer = asked.kitty_flags & (keys.EVENTS | keys.ALL_KEYS)
    t.wait_for(lambda s: s.kitty_flags & wanted_of_outer == wanted_of_outer, why="the outer terminal is asked for as much")
    wrong = []
    for name in ALL_KEYS:
        given, wanted = pressed(t, one, name), keys.encode(name, asked)
        if name == "BTab" and asked.other_keys:
            wanted = b"\x1b[Z"  # xterm's, also with modifyOtherKeys
        if given != wanted:
            wrong.append("%s: %r instead of %r" % (name, given, wanted))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("profile", ["xterm", "plain", "linux"])
def test_every_key_of_other_terminals_arrives(handler, profile):
    """Without a form of its own, a program gets what the terminal would have sent it."""
    t, one = open_one(handler, "", profile)
    wrong = []
    for name in ALL_KEYS:
        given, wanted = pressed(t, one, name), keys.encode(name, Asked(""))
        if given != wanted:
            wrong.append("%s: %r instead of %r" % (name, given, wanted))
    assert not wrong, "\n".join(wrong)


def test_the_form_follows_the_program(handler):
    """A stack for each screen: the alternate one has its own flags."""
    t, one = open_one(handler, KITTY_1)
    assert pressed(t, one, "S-Enter") == b"\x1b[13;2u"
    one.write("\x1b[?1049h\x1b[2J\x1b[Hfull screen")
    t.wait_for("full screen")
    assert pressed(t, one, "S-Enter") == b"\r"
    one.write("\x1b[>5u\x1b[Hother form")
    t.wait_for("other form")
    assert pressed(t, one, "S-Enter") == b"\x1b[13;2u"
    one.write("\x1b[<u\x1b[?1049l\x1b[Hback again")
    t.wait_for("back again")
    assert pressed(t, one, "S-Enter") == b"\x1b[13;2u"
    one.write("\x1b[<u\x1b[Hno form")
    t.wait_for("no form")
    assert pressed(t, one, "S-Enter") == b"\r"


# -- Escape ----------------------------------------------------------------------------------------------------

def test_escape_and_a_key_in_one_read_is_alt(handler):
    t, one = open_one(handler, KITTY_1, "plain")
    one.forget()
    t.send(b"\x1bjz")
    assert one.wait_given(b"z") == b"\x1b[106;3uz"


def test_escape_and_a_key_later_are_two_keys(handler):
    t, one = open_one(handler, KITTY_1, "plain")
    one.forget()
    t.send(b"\x1b")
    one.wait_given(b"\x1b[27u")  # the key after it is not needed to see that it was Escape
    t.send(b"jz")
    assert one.wait_given(b"z") == b"\x1b[27ujz"


@pytest.mark.parametrize("profile", ["modern", "xterm", "plain"])
def test_escape_alone_arrives_at_once(handler, profile):
    """Where no answers of the terminal may be on their way any more; till then it might be the first byte of one."""
    t, one = open_one(handler, "", profile)
    limit = 0.3 if t.profile.answers else 1.0
    t.settle()
    one.forget()
    begin = time.monotonic()
    t.keys("Escape")
    one.wait_given(b"\x1b")
    assert time.monotonic() - begin < limit
    t.keys("j")
    assert one.wait_given(b"j") == b"\x1bj"


def test_two_escapes_are_two(handler):
    t, one = open_one(handler, KITTY_1)
    assert pressed(t, one, "Escape", "Escape") == b"\x1b[27u\x1b[27u"
    assert pressed(t, one, "M-Escape") == b"\x1b[27;3u"


# -- input in pieces -------------------------------------------------------------------------------------------

def one_by_one(t, data):
    for i in range(len(data)):
        t.send(data[i:i + 1])
        if i % 3 == 0:
            time.sleep(0.001)  # reads of one byte, and of some


@pytest.mark.parametrize("profile", ["modern", "xterm"])
def test_one_byte_at_a_time(handler, profile):
    t, one = open_one(handler, "\x1b[?1003h\x1b[?1006h\x1b[?2004h", profile)
    t.wait_for(lambda s: s.modes[1003], why="motion is asked for")
    t.settle()
    one.forget()
    at = wait_place(t, "one")
    pointer = b"\x1b[<35;%d;%dM" % (at.col + 4, at.row + 5)
    one_by_one(t, b"a\x1b[A" + pointer * 3 + b"\xe4\xb8\x96\x1b[200~paste\x1b[201~\x1b[I\x1b[O\x1b[1;5C" + pointer + b"\x1bOPb")
    moved = b"\x1b[<35;4;5M"
    assert one.wait_given(b"b") == b"a\x1b[A" + moved * 3 + b"\xe4\xb8\x96\x1b[200~paste\x1b[201~\x1b[1;5C" + moved + b"\x1bOPb"


def test_the_terminals_first_answers_cut_at_every_byte(handler):
    """With a wait after each ESC, too: that is when a decoder takes it for the key."""
    def pieces(reply):
        for i in range(len(reply)):
            yield reply[i:i + 1]
            if reply[i] == 0x1b:
                yield None
    one, = puppets(handler, "one")
    t = open_with(handler, one, rows=24, cols=80, on_reply=pieces)
    t.wait_for(lambda s: s.kitty_flags, why="the answers were understood")
    t.type("typed")
    assert one.wait_given(b"typed") == b"typed"


REPLIES = [b"\x1b]11;rgb:1010/1010/1010\x07", b"\x1b]10;rgb:d0d0/d0d0/d0d0\x1b\\", b"\x1b]4;1;rgb:8080/0000/0000\x1b\\",
           b"\x1b[?62;22;52c", b"\x1b[>1;10;0c", b"\x1bP>|ghostty 1.2.0\x1b\\", b"\x1b[?2026;2$y", b"\x1b[?5u", b"\x1b[?997;1n",
           b"\x1b[6;16;8t", b"\x1b[8;24;80t", b"\x1b[48;24;80;384;640t", b"\x1bP1+r524742=3338\x1b\\", b"\x1b_Gi=1;OK\x1b\\", b"\x1b]52;c;Zm9v\x07"]


@pytest.mark.parametrize("reply", REPLIES, ids=lambda r: repr(r)[2:-1][:20])
def test_late_answers_cut_at_every_byte_are_never_typed(handler, reply):
    t, one = open_one(handler)
    t.settle()
    one.forget()
    for cut in range(2, len(reply)):
        t.send(reply[:cut])
        t.send(reply[cut:])
        t.keys("x")
    t.send(reply + reply)
    t.keys("y")
    assert one.wait_given(b"y") == b"x" * (len(reply) - 2) + b"y"


# -- pastes ----------------------------------------------------------------------------------------------------

def test_a_paste_of_lines_is_one_frame(handler):
    t, one = open_one(handler, "\x1b[?2004h")
    t.paste("one\ntwo\nthree")
    t.keys("z")
    assert one.wait_given(b"z") == b"\x1b[200~one\rtwo\rthree\x1b[201~z"


@pytest.mark.parametrize("form", [KITTY_5, KITTY_31, OTHER_KEYS_2], ids=["kitty-5", "kitty-31", "modifyOtherKeys"])
def test_a_paste_is_raw_while_keys_have_a_form_of_their_own(handler, form):
    t, one = open_one(handler, "\x1b[?2004h" + form)
    t.paste("one\ntwo\tthree\n")
    assert one.wait_given(b"\x1b[201~") == b"\x1b[200~one\rtwo\tthree\r\x1b[201~"


def test_a_paste_for_a_program_that_did_not_ask_is_plain_text(handler):
    t, one = open_one(handler)
    t.paste("one\ntwo")
    t.keys("z")
    assert one.wait_given(b"z") == b"one\rtwoz"


def test_control_characters_of_a_paste_do_not_arrive(handler):
    """Not even the end of the frame: what is after it would be typed, and Enter with it."""
    t, one = open_one(handler, "\x1b[?2004h")
    t.send("\x1b[200~a\x1b[31mb\x07c\x7fd\u009b31me\x1b[200~f\tg\rh\x1b[201~z".encode())
    given = one.wait_given(b"z")
    assert given == b"\x1b[200~a[31mbcd31me[200~f\tg\rh\x1b[201~z"


def test_an_end_of_paste_inside_of_a_paste(handler):
    """Only the outer terminal could tell that it is text: what follows it is keys, and the program sees a frame that ends once."""
    t, one = open_one(handler, "\x1b[?2004h")
    t.send(b"\x1b[200~before\x1b[201~after\x1b[201~z")
    assert one.wait_given(b"z") == b"\x1b[200~before\x1b[201~afterz"


@pytest.mark.parametrize("asked", [True, False])
def test_a_large_paste_arrives_whole(handler, asked):
    t, one = open_one(handler, "\x1b[?2004h" if asked else "")
    text = "".join("%06d %s\n" % (i, "\u00e4x" * (i % 40)) for i in range(1600))
    assert len(text.encode()) > 100000
    t.paste(text)
    t.keys("z")
    given = one.wait_given(re.compile(rb"z$"), timeout=40)
    body = text.replace("\n", "\r").encode()
    wanted = b"\x1b[200~" + body + b"\x1b[201~z" if asked else body + b"z"
    assert len(given) == len(wanted)
    assert hashlib.sha256(given).digest() == hashlib.sha256(wanted).digest()


def test_a_program_that_does_not_read_holds_up_nobody(handler):
    slow, quick = puppets(handler, "slow", "quick")
    t = open_with(handler, slow, quick)
    slow.write("\x1b[?2004hstarted")
    t.wait_for("started")
    slow.sleep(3000)
    text = "0123456789" * 10000
    t.paste(text)
    prefix(t, "Right")
    begin = time.monotonic()
    t.type("hello")
    quick.wait_given(b"hello")
    quick.write("still here")
    t.wait_for("still here")
    assert time.monotonic() - begin < 2.5, "the other pane waited for the slow program"
    given = slow.wait_given(b"\x1b[201~")
    assert given == b"\x1b[200~" + text.encode() + b"\x1b[201~"


def test_text_that_a_terminal_without_bracketed_paste_pours_in(handler):
    t, one = open_one(handler, "\x1b[?2004h", "plain")
    text = "".join("line %d\r" % i for i in range(2000)).encode()
    t.send(text)
    t.keys("z")
    given = one.wait_given(b"z", timeout=40)
    assert re.sub(rb"\x1b\[20[01]~", b"", given) == text + b"z"


def test_a_paste_goes_where_it_began(handler):
    left, right = puppets(handler, "left", "right")
    t = open_with(handler, left, right)
    t.send(b"\x1b[200~first")
    left.wait_given(b"first")
    t.send(b" second\x1b[201~")
    left.wait_given(b"first second")
    prefix(t, "Right")
    t.send(b"\x1b[200~third\x1b[201~")
    right.wait_given(b"third")
    assert left.given() == b"first second"


def test_a_paste_leaves_the_history(handler):
    t, one = open_one(handler)
    prefix(t, "[")
    t.wait_for("HISTORY")
    t.paste("text")
    one.wait_given(b"text")
    t.wait_gone("HISTORY")


def test_a_paste_into_a_dialog_is_its_text(handler):
    t, one = open_one(handler)
    prefix(t, "c")
    t.wait_for("new session")
    t.keys("Tab", "Tab", "Tab")
    t.paste("first line\nsecond line")
    t.wait_for("first line")
    t.wait_for("second line")
    assert one.given() == b""


# -- focus -----------------------------------------------------------------------------------------------------

def test_programs_are_told_of_the_focus_if_they_asked(handler):
    left, right = puppets(handler, "left", "right")
    t = open_with(handler, left, right)
    for p in (left, right):
        p.write("\x1b[?1004hstarted")
        wait_until(lambda p=p: "started" in handler.capture(p.ident()), "it has asked")
    t.wait_for(lambda s: s.text().count("started") == 2, why="both have asked")
    left.forget()
    prefix(t, "Right")
    right.wait_given(b"\x1b[I")
    left.wait_given(b"\x1b[O")
    t.focus(False)
    wait_until(lambda: right.given().endswith(b"\x1b[O"), "the right one lost the focus")
    t.focus(True)
    wait_until(lambda: right.given().endswith(b"\x1b[I"), "the right one has the focus")
    assert focused(t, left, right) == "right"


def test_answers_go_only_to_who_asked(handler):
    """Queries of a program are answered by its worker; the answers of the outer terminal reach nobody."""
    left, right = puppets(handler, "left", "right")
    t = open_with(handler, left, right)
    wait_shown(t, "left", "right")
    t.settle()
    right.forget()
    right.write("\x1b]11;?\x07\x1b[c\x1b[>0q\x1b[?u\x1b[?2026$p\x1b[6n")
    right.wait_given(re.compile(rb"\x1b\[\d+;\d+R"))
    assert right.given().startswith(b"\x1b]11;rgb:1010/1010/1010\x07\x1b[?")
    assert b"handler" in right.given()
    assert left.given() == b""
