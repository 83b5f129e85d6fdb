# handler: a terminal multiplexer for coding agents.
#
#   make run        installs what is missing, builds, starts the program
#   make            builds build/handler
#   make test       everything that can be tested without a network; the last line counts
#   make lint       layer rules, warnings of gcc and clang, man pages, shell scripts
#   make bench      measures beside tmux            make test-real   drives the real agents (npm registry)
#   make soak       20 sessions with faults at random, SOAK_SECONDS (3600) long
#   make fuzz       libFuzzer, FUZZ_TIME seconds for each target (tests/fuzz/fuzz.mk)
#   make format     clang-format                    make install     PREFIX=/usr/local DESTDIR=
#
# Objects of the variants (release, asan, clang ...) live beside each other in build/VARIANT.

VERSION := 0.1.0
PREFIX  ?= /usr/local
PYTHON  ?= /usr/bin/python3
CC      := $(if $(filter default,$(origin CC)),gcc,$(CC))

# The layers of the program; each may use those before it that its LINK_ line names.
LAYERS := base cell key term wire harness sandbox os client session ui cli
LINK_base    := base
LINK_cell    := cell base
LINK_key     := key base
LINK_term    := term cell key base
LINK_wire    := wire cell key base
LINK_harness := harness base
LINK_sandbox := sandbox harness base
LINK_os      := os base
LINK_client  := client wire os harness cell key base
LINK_session := session client sandbox term wire os harness cell key base
LINK_ui      := ui client wire os harness cell key base
LINK_cli     := cli ui session client sandbox term wire os harness cell key base

PACKAGES := ncursesw libuv libcjson $(if $(VTERM_SOURCE),,vterm)
VARIANT  ?= release
OUT      := build/$(VARIANT)

WARNINGS := -Wall -Wextra -Wshadow -Wvla -Wformat=2 -Wmissing-prototypes -Wstrict-prototypes -Wpointer-arith -Wundef
STD      := -std=c17 -D_GNU_SOURCE
OPTIMIZE_release := -O3 -g -fstack-protector-strong -D_FORTIFY_SOURCE=2
OPTIMIZE_asan    := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
OPTIMIZE_fuzz    := -O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
OPTIMIZE_debug   := -O0 -g
OPTIMIZE := $(or $(OPTIMIZE_$(VARIANT)),-O1 -g)
DEFINES_asan := -DHANDLER_TEST
DEFINES_fuzz := $(DEFINES_asan)
DEFINES  := -DHANDLER_VERSION='"$(VERSION)"' -DHANDLER_DATADIR='"$(PREFIX)/share/handler"' $(DEFINES_$(VARIANT))
ifneq ($(filter-out clean format deps deps-test run install-deps,$(or $(MAKECMDGOALS),all)),)
PKG_CFLAGS := $(shell pkg-config --cflags $(PACKAGES) 2>/dev/null)
PKG_LIBS   := $(shell pkg-config --libs $(PACKAGES) 2>/dev/null)
endif
# VTERM_SOURCE=DIR takes libvterm from its source (tests/fuzz/libvterm-source), in the same variant, e.g. to see how
# another version does: make VTERM_SOURCE=DIR VARIANT=asan OUT=build/asan-vterm build/asan-vterm/handler
ifdef VTERM_SOURCE
VTERM_OBJECTS := $(patsubst $(VTERM_SOURCE)/src/%.c,$(OUT)/vterm/%.o,$(wildcard $(VTERM_SOURCE)/src/*.c))
PKG_CFLAGS += -I$(VTERM_SOURCE)/include
PKG_LIBS   += $(OUT)/lib/vterm.a
$(OUT)/lib/vterm.a: $(VTERM_OBJECTS)
	@mkdir -p $(@D)
	@rm -f $@
	@ar rcs $@ $^
$(OUT)/vterm/%.o: $(VTERM_SOURCE)/src/%.c
	@mkdir -p $(@D)
	@$(CC) -std=c99 -w $(OPTIMIZE) -I$(VTERM_SOURCE)/include -c -o $@ $<
$(OUT)/lib/term.a: $(OUT)/lib/vterm.a
endif
ALL_CFLAGS = $(STD) $(OPTIMIZE) $(WARNINGS) $(DEFINES) $(PKG_CFLAGS) -Isrc -I. -I$(OUT)/gen -include base/banned.h -MMD -MP $(EXTRA_CFLAGS) $(CFLAGS)
ALL_LDFLAGS = $(OPTIMIZE) $(EXTRA_LDFLAGS) $(LDFLAGS)

dir_of = $(if $(filter ui,$1),ui,src/$1)
sources_of = $(sort $(wildcard $(call dir_of,$1)/*.c))
objects_of = $(patsubst %.c,$(OUT)/obj/%.o,$(call sources_of,$1))
archive_of = $(OUT)/lib/$1.a

.DEFAULT_GOAL := all
.PHONY: all run deps deps-test test test-real lint format bench soak install clean unit
.DELETE_ON_ERROR:

all: build/handler

define layer_rules
$(call archive_of,$1): $(call objects_of,$1)
	@mkdir -p $$(@D)
	@rm -f $$@
	@ar rcs $$@ $$(filter %.o,$$^)
endef
$(foreach layer,$(LAYERS),$(eval $(call layer_rules,$(layer))))

$(OUT)/obj/%.o: %.c Makefile
	@mkdir -p $(@D)
	@echo "  CC $<"
	@$(CC) $(ALL_CFLAGS) -c -o $@ $<

# The private terminal type of the front-end, compiled by tic and embedded (ui/display.c).
$(OUT)/gen/terminfo_hex.h: ui/handler-curses.ti
	@mkdir -p $(@D)
	@rm -rf $(OUT)/gen/terminfo && mkdir -p $(OUT)/gen/terminfo
	@tic -x -o $(OUT)/gen/terminfo $< 
	@f=$$(find $(OUT)/gen/terminfo -type f | head -n 1); \
	 printf '#define TERMINFO_HEX "hex:%s"\n' "$$(od -An -v -tx1 $$f | tr -d ' \n')" > $@
$(OUT)/obj/ui/display.o: $(OUT)/gen/terminfo_hex.h

libs_of = $(foreach l,$(LINK_$1),$(call archive_of,$l))
$(OUT)/handler: $(call libs_of,cli)
	@echo "  LD $@"
	@$(CC) $(ALL_LDFLAGS) -o $@ -Wl,--start-group $(call libs_of,cli) -Wl,--end-group $(PKG_LIBS)

build/handler: build/release/handler
	@ln -sf release/handler $@
ifneq ($(VARIANT),release)
build/release/handler: FORCE
	@$(MAKE) --no-print-directory VARIANT=release build/release/handler
endif

# Unit tests: tests/unit/LAYER_*.c, each a cmocka program linked with its layer and those below, nothing above.
unit_layer = $(firstword $(subst _, ,$(basename $(notdir $1))))
UNIT_SOURCES := $(sort $(wildcard tests/unit/*_*.c))
UNIT_PROGRAMS := $(patsubst tests/unit/%.c,$(OUT)/unit/%,$(UNIT_SOURCES))
define unit_rule
$(OUT)/unit/$(basename $(notdir $1)): $(OUT)/obj/$(basename $1).o $(call libs_of,$(call unit_layer,$1))
	@mkdir -p $$(@D)
	@$$(CC) $$(ALL_LDFLAGS) -o $$@ $$< -Wl,--start-group $(call libs_of,$(call unit_layer,$1)) -Wl,--end-group $$(PKG_LIBS) -lcmocka
endef
$(foreach s,$(UNIT_SOURCES),$(eval $(call unit_rule,$(s))))
unit: $(UNIT_PROGRAMS)

# The runner of tests/term/*.test
$(OUT)/term-script: $(OUT)/obj/tests/term/runner.o $(call libs_of,term)
	@$(CC) $(ALL_LDFLAGS) -o $@ $< -Wl,--start-group $(call libs_of,term) -Wl,--end-group $(PKG_LIBS)

# The emulator alone, measured.
$(OUT)/term_bench: $(OUT)/obj/tests/bench/term_bench.o $(call libs_of,term)
	@$(CC) $(ALL_LDFLAGS) -o $@ $< -Wl,--start-group $(call libs_of,term) -Wl,--end-group $(PKG_LIBS)

# A terminal for the suites of others: see tests/conformance.
$(OUT)/pane: $(OUT)/obj/tests/conformance/pane.o $(call libs_of,term)
	@$(CC) $(ALL_LDFLAGS) -o $@ $< -Wl,--start-group $(call libs_of,term) -Wl,--end-group $(PKG_LIBS)

include tests/fuzz/fuzz.mk

-include $(shell find $(OUT)/obj -name '*.d' 2>/dev/null)

deps:
	@sh tests/install-deps

deps-test:
	@PYTHON=$(PYTHON) sh tests/install-deps test

run: deps
	@$(MAKE) --no-print-directory -j$$(nproc) build/handler
	@exec build/handler

test: deps-test
	@$(PYTHON) tests/run.py

test-real: deps-test
	@$(PYTHON) tests/run.py --real

lint: deps-test
	@sh tests/lint/run

bench: deps
	@$(MAKE) --no-print-directory -j$$(nproc) build/handler
	@$(PYTHON) tests/bench/bench.py

soak: deps-test build/handler
	@HANDLER_BINARY=$(CURDIR)/build/release/handler $(PYTHON) tests/soak/soak.py

format:
	clang-format -i $$(git ls-files '*.c' '*.h' | grep -v unicode_tables)

install: build/handler
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/handler/harness-descriptors \
	    $(DESTDIR)$(PREFIX)/share/handler/schemas $(DESTDIR)$(PREFIX)/share/man/man1 \
	    $(DESTDIR)$(PREFIX)/share/man/man5 $(DESTDIR)$(PREFIX)/share/man/man7
	install -m 755 build/release/handler $(DESTDIR)$(PREFIX)/bin/handler
	install -m 644 $(filter-out %.schema.json,$(wildcard harness-descriptors/*.json)) $(DESTDIR)$(PREFIX)/share/handler/harness-descriptors
	install -m 644 $(wildcard harness-descriptors/*.schema.json) $(DESTDIR)$(PREFIX)/share/handler/schemas
	for section in 1 5 7; do \
	    for page in man/*.$$section; do \
	        [ -e "$$page" ] && install -m 644 "$$page" $(DESTDIR)$(PREFIX)/share/man/man$$section; \
	    done; \
	done

clean:
	rm -rf build

FORCE:
