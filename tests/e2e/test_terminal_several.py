"""Several terminals at once: on the same session, in different sizes, in views of their own."""
import re
import time

from lib.wait import wait_until
from puppets import Puppet, focused, open_with, place, prefix, puppets, wait_place, wait_shown

QUIET = 0.35  # seconds without input before the size may have another owner


def test_looking_never_changes_the_size(handler):
    one, = puppets(handler, "one")
    first = open_with(handler, one, rows=40, cols=100)
    one.wait_size(38, 100)
    count = len(one.sizes())
    second = handler.terminal("attach", "work-one", rows=24, cols=80)
    second.wait_for("one 100x38")
    second.focus(False)
    second.focus(True)
    first.focus(False)
    second.wait_for("sized elsewhere")
    second.mouse("wheel-up", 5, 5)
    second.wait_for("HISTORY")
    second.keys("q")
    one.write("\x1b[38;1Hat the foot")
    second.wait_for("at the foot", why="the viewport follows the cursor")
    assert len(one.sizes()) == count
    prefix(second, "d")
    second.wait_exit()
    first.settle()
    assert len(one.sizes()) == count, "leaving does not change it either"


def test_a_key_moves_the_size_after_the_owner_was_quiet(handler):
    one, = puppets(handler, "one")
    first = open_with(handler, one, rows=40, cols=100)
    first.type("a")
    one.wait_given(b"a")
    second = handler.terminal("attach", "work-one", rows=24, cols=80)
    second.wait_for("one 100x38")
    first.settle(QUIET)  # the owner is quiet for longer than it takes
    second.type("b")
    one.wait_size(22, 80)
    wait_place(second, "one", lambda p: (p.rows, p.cols) == (22, 80))
    first.wait_for("one 80x22")
    first.wait_for("sized elsewhere")
    second.settle(QUIET)
    first.type("c")
    one.wait_size(38, 100)
    assert one.given().replace(b"\x1b[I", b"").replace(b"\x1b[O", b"") == b"abc"


def test_two_who_type_at_once_do_not_make_a_storm(handler):
    one, = puppets(handler, "one")
    first = open_with(handler, one, rows=40, cols=100)
    second = handler.terminal("attach", "work-one", rows=24, cols=80)
    second.wait_for("one 100x38")
    first.type("x")
    one.wait_given(b"x")
    count = len(one.sizes())
    for _ in range(20):
        first.type("1")
        second.type("2")
    wait_until(lambda: one.given().count(b"1") == 20 and one.given().count(b"2") == 20, "all keys arrived")
    assert len(one.sizes()) - count <= 2, one.sizes()


def test_a_click_and_a_paste_count_as_input(handler):
    one, = puppets(handler, "one")
    first = open_with(handler, one, rows=40, cols=100)
    second = handler.terminal("attach", "work-one", rows=24, cols=80)
    second.wait_for("one 100x38")
    one.write("\x1b[?1000h\x1b[?1006hasked")
    second.wait_for("asked")
    first.settle(QUIET)
    second.paste("text")
    one.wait_size(22, 80)
    second.settle(QUIET)
    first.mouse("click", 5, 5)
    one.wait_size(38, 100)


def test_coming_back_in_another_size(handler):
    """cc#1495: the program draws for the size of the terminal that is there as soon as one types."""
    one, = puppets(handler, "one")
    first = open_with(handler, one, rows=50, cols=200)
    one.wait_size(48, 200)
    prefix(first, "d")
    first.wait_exit()
    second = handler.terminal("attach", "work-one", rows=24, cols=80)
    second.wait_for("work-one")
    second.wait_for(re.compile(r"one \d+x\d+"))
    second.type("x")
    one.wait_size(22, 80)
    wait_place(second, "one", lambda p: (p.rows, p.cols) == (22, 80))
    second.wait_for(lambda s: "sized elsewhere" not in s.text(), why="it has the size of this terminal")


def test_both_see_what_happens(handler):
    one, = puppets(handler, "one")
    first = open_with(handler, one, rows=40, cols=100)
    second = handler.terminal("attach", "work-one", rows=40, cols=100)
    wait_shown(second, "one")
    for n in range(20):
        one.write("\x1b[5;1H\x1b[3%dmstep %d\x1b[m" % (n % 8, n))
    for t in (first, second):
        t.wait_for("step 19")
        assert t.cell(*t.find("step 19")).style.fg == 3


def test_a_terminal_that_reads_nothing_holds_up_nobody(handler):
    one, = puppets(handler, "one")
    first = open_with(handler, one, rows=40, cols=100)
    second = handler.terminal("attach", "work-one", rows=40, cols=100)
    wait_shown(second, "one")
    second.pause()
    for n in range(50):
        one.write("".join("row %d of %d, long enough to fill the screen again and again\r\n" % (i, n) for i in range(200)))
    one.write("first sees it")
    begin = time.monotonic()
    first.wait_for("first sees it")
    assert time.monotonic() - begin < 10
    second.resume()
    second.wait_for("first sees it")


def test_each_terminal_has_a_view_of_its_own(handler):
    left, right = puppets(handler, "left", "right")
    first = open_with(handler, left, right)
    second = handler.terminal(rows=40, cols=150)
    second.wait_for("coding agents", why="the view is shown by the other terminal")
    second.wait_for("work-left")
    prefix(second, "1")
    wait_shown(second, "left")
    prefix(second, "d")
    second.wait_exit()
    wait_shown(first, "left", "right")
    third = handler.terminal(rows=40, cols=150)
    wait_shown(third, "left", without=["right"])
    prefix(third, "w")
    third.wait_for("views")
    third.keys("Escape")
    prefix(first, "d")
    first.wait_exit()
    prefix(third, "d")
    third.wait_exit()


def test_going_to_a_session_that_another_terminal_shows(handler):
    left, right = puppets(handler, "left", "right")
    first = open_with(handler, left, right)
    third = Puppet(handler, "third")
    second = handler.terminal("terminal", "third", rows=40, cols=150)
    wait_shown(second, "third")
    prefix(second, "1")
    wait_shown(second, "left", without=["third"])
    wait_shown(first, "left", "right")
    assert focused(second, left, right, third) == "left"
    prefix(second, "l")
    wait_shown(second, "third")
    prefix(first, "3")
    wait_shown(first, "third", "right", without=["left"])


def test_sessions_made_and_renamed_elsewhere_appear(handler):
    left, = puppets(handler, "left")
    t = open_with(handler, left)
    Puppet(handler, "other")
    handler.new("other")
    t.wait_for("work-other")
    handler.ok("rename", "work-other", "docs")
    t.wait_for("docs")
    t.wait_gone("work-other")
    handler.ok("stop", "docs", "--yes")
    handler.ok("rm", "docs")
    t.wait_for(lambda s: not any("docs" in line for line in s.lines()[:-1]), why="it is not listed any more")
    wait_shown(t, "left")


def test_a_session_in_two_panes_is_a_mirror(handler):
    left, right = puppets(handler, "left", "right")
    t = open_with(handler, left, right)
    prefix(t, ":")
    t.type("split-below work-left")
    t.keys("Enter")
    t.wait_for("mirror")
    left.write("seen twice")
    t.wait_for(lambda s: s.text().count("seen twice") == 2, why="both panes show it")
    prefix(t, "x")
    t.wait_gone("mirror")
    assert place(t, "right")
