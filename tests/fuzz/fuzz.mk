# Fuzzing: tests/fuzz/TARGET.c, each with its corpus in tests/fuzz/corpus/TARGET and perhaps tests/fuzz/TARGET.dict.
#
#   make fuzz [FUZZ=TARGET] [FUZZ_TIME=SECONDS]   lets libFuzzer look for new inputs (clang), one target after the other
#   make fuzz-merge [FUZZ=TARGET]                 takes from what it found those few inputs that reach further
#
# libvterm is built from Debian's source package with the same flags, so that what it does wrong in memory is seen, too;
# where that cannot be had, the target that compares the engines is skipped.
#
# make test runs the corpora: build/asan/fuzz/TARGET-replay FILE...

FUZZ_TIME ?= 60
FUZZ_TARGETS := $(filter-out replay,$(patsubst tests/fuzz/%.c,%,$(sort $(wildcard tests/fuzz/*.c))))
FUZZ ?= $(FUZZ_TARGETS)

# The layers that a target uses, and those that they use; ui where nothing else is said.
FUZZ_USES_agent := harness
FUZZ_USES_config := harness
FUZZ_USES_decode := key
FUZZ_USES_delta := term wire
FUZZ_USES_descriptor := harness
FUZZ_USES_engines := term
FUZZ_USES_history := cell
FUZZ_USES_journal := client
FUZZ_USES_json := base
FUZZ_USES_mirror := wire
FUZZ_USES_row := cell
FUZZ_USES_term := term
FUZZ_USES_wire := wire
fuzz_libs = $(foreach l,$(or $(FUZZ_USES_$1),ui),$(foreach m,$(LINK_$l),$(call archive_of,$m)))

define replay_rule
$(OUT)/fuzz/$1-replay: $(OUT)/obj/tests/fuzz/$1.o $(OUT)/obj/tests/fuzz/replay.o $(call fuzz_libs,$1)
	@mkdir -p $$(@D)
	@$$(CC) $$(ALL_LDFLAGS) -o $$@ $$(filter %.o,$$^) -Wl,--start-group $(call fuzz_libs,$1) -Wl,--end-group $$(PKG_LIBS)
endef
$(foreach t,$(FUZZ_TARGETS),$(eval $(call replay_rule,$t)))

# The variant fuzz is clang's: libFuzzer counts what the program's own files run through.
ifeq ($(VARIANT),fuzz)
define fuzz_rule
$(OUT)/$1: $(OUT)/obj/tests/fuzz/$1.o $(call fuzz_libs,$1)
	@$$(CC) -fsanitize=fuzzer $$(ALL_LDFLAGS) -o $$@ $$< -Wl,--start-group $(call fuzz_libs,$1) -Wl,--end-group $$(PKG_LIBS)
endef
$(foreach t,$(FUZZ_TARGETS),$(eval $(call fuzz_rule,$t)))
endif

.PHONY: fuzz fuzz-merge fuzz-programs fuzz-replay
fuzz-replay: $(patsubst %,$(OUT)/fuzz/%-replay,$(FUZZ_TARGETS))
fuzz-programs: $(patsubst %,$(OUT)/%,$(FUZZ))

fuzz fuzz-merge:
	@sh tests/install-deps fuzz
	@vterm=build/libvterm; sh tests/fuzz/libvterm-source $$vterm || vterm=; \
	 $(MAKE) --no-print-directory VARIANT=fuzz CC=clang VTERM_SOURCE=$$vterm FUZZ="$(FUZZ)" fuzz-programs
	@sh tests/fuzz/run $@ $(FUZZ_TIME) $(FUZZ)
