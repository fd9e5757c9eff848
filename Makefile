# Stoker. GNU make; everything goes under $(B).
#
#   make [all]          programs, and links for Slurm's command names, in $(B)/bin
#   make run            install what is missing, build, open the screen
#   make test           install what is missing, build, lint, run all tests
#   make check          the same without installing
#   make check-fast     lint, unit and screen tests, 20 whole-program tests: under a minute
#   make check-deep     clang, ThreadSanitizer, static analysis, shellcheck, coverage; DEEP="tsan shell" for some
#   make unit           all unit tests; unit-base, unit-model, ...: those of one library
#   make one T=TEST     one test by its path
#   make lint           the lint alone; check-format, format: the layout of the sources
#   make asan           unit and integration tests with ASan and UBSan
#   make seeds          random tests with new seeds for SEEDS_SECONDS (600)
#   make vopr           the controller in simulated worlds; SECONDS=60 SEED=any, or a SEED alone
#   make soak           200 nodes; a flapping link; everything at random for SOAK_SECONDS (900)
#   make fuzz           each parser for FUZZ_SECONDS (60)
#   make bench          Stoker and Slurm side by side; BENCH="submit squeue" for some pieces
#   make screens        take the screens as they are into golden files, pictures and docs/KEYS.md
#   make recording      record the film of README from the demo
#   make po             takes new texts of the sources into the languages' files, src/po/*.po
#   make install        PREFIX=/usr/local DESTDIR=; make uninstall
#   make dist           the sources of HEAD, as stoker-VERSION.tar.gz under $(B)
#
#   B=DIR: another build directory. V=1: show commands. DEV=0: warnings are not errors.
#   SANITIZE=address,undefined

B ?= build
# Rules and the lists of what an object needs (-MMD) name files below B: one spelling for each.
override B := $(patsubst $(CURDIR)/%,%,$(abspath $(B)))
PREFIX ?= /usr/local
VERSION := 0.1.0
MAKEFLAGS += --no-builtin-rules
# As many jobs as processors; -jN on the command line wins, and one thing after the other where "clean" is among them.
ifeq ($(MAKELEVEL)$(filter clean,$(MAKECMDGOALS)),0)
MAKEFLAGS += -j$(shell nproc)
endif
.SUFFIXES:
.DELETE_ON_ERROR:
.SECONDARY:
.DEFAULT_GOAL := all
SHELL := /bin/bash

ifeq ($(origin CC),default)
CC := gcc
endif
CC ?= gcc
AR ?= ar
NM ?= nm
CFLAGS ?= -O2 -g
DEV ?= $(if $(wildcard .git),1,0)
Q := $(if $(V),,@)
say = @$(if $(V),:,printf '  %-6s %s\n' $(1) $(2))

comma := ,

# ---- flags -----------------------------------------------------------------------------------------------

# All in one go first: one run of the compiler where everything is supported.
probe_ok = $(shell echo 'int main(void){return 0;}' | $(CC) -Werror $(1) -x c - -o /dev/null 2>/dev/null && echo yes)
probe = $(if $(call probe_ok,$(1)),$(1),$(foreach f,$(1),$(if $(call probe_ok,$(f)),$(f))))

# snprintf into a buffer of fixed size is how we cut on purpose: hence no warning about that.
WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef -Wformat=2 \
    -Wcast-qual -Wwrite-strings -Wswitch-enum -Wimplicit-fallthrough $(call probe,-Wno-format-truncation) \
    $(if $(filter 1,$(DEV)),-Werror)

# Records are walked through their descriptors and lists of records through one common shape (src/record/rec.h):
# hence no strict aliasing.
BASE_FLAGS := -std=c17 -I. -D_GNU_SOURCE -DSTOKER_VERSION=\"$(VERSION)\" -pthread -fno-strict-aliasing

ifdef SANITIZE
HARDEN := -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer $(FUZZ_FLAGS)
HARDEN_LD := -fsanitize=$(SANITIZE)
else
HARDEN := $(call probe,-fstack-protector-strong -fPIE -fcf-protection -ftrivial-auto-var-init=zero) \
    $(if $(filter -O0 -Og,$(CFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
HARDEN_LD := $(call probe,-pie -Wl$(comma)-z$(comma)relro$(comma)-z$(comma)now)
endif

ALL_CFLAGS := $(CFLAGS) $(BASE_FLAGS) $(WARNINGS) $(HARDEN)
ALL_LDFLAGS = $(CFLAGS) -pthread $(HARDEN_LD) -Wl,--as-needed $(LDFLAGS)

# A library linked statically where its archive is there, dynamically elsewhere. Names are tried in order.
archive_of = $(realpath $(filter /%,$(foreach n,$(1),$(shell $(CC) -print-file-name=lib$(n).a 2>/dev/null))))
shared_of = $(patsubst %,-l%,$(firstword $(foreach n,$(1),$(if $(filter /%,$(shell $(CC) -print-file-name=lib$(n).so)),$(n))) $(1)))
static_lib = $(or $(firstword $(call archive_of,$(1))),$(call shared_of,$(1)))
MSGPACK := $(call static_lib,msgpackc msgpack-c)
CONFIG := $(call static_lib,config)
CURSES := -ltinfo
SQLITE := -lsqlite3
SSH := -lssh
ZLIB := -lz

# ---- layers: src/LAYERS ----------------------------------------------------------------------------------

# One word for each row: NAME|FOLDER ...|LIBRARY ..., with commas for blanks and each library with those that it uses.
ROWS := $(shell awk ' \
    function closure(name, n, i, w) { \
        if (name in seen) return; \
        seen[name] = 1; order = order "," name; \
        n = split(uses[name], w, ","); for (i = 1; i <= n; i++) if (w[i] != "-") closure(w[i]) } \
    !/^\#/ && NF >= 3 { names[++count] = $$1; folders[$$1] = $$2; uses[$$1] = $$3 } \
    END { for (k = 1; k <= count; k++) { \
        delete seen; order = ""; closure(names[k]); gsub("!", "", folders[names[k]]); \
        print names[k] "|" folders[names[k]] "|" substr(order, 2) } }' src/LAYERS)
column = $(subst $(comma), ,$(word $(2),$(subst |, ,$(1))))
$(foreach r,$(ROWS),$(eval FOLDERS_$(call column,$(r),1) := $(call column,$(r),2)))
$(foreach r,$(ROWS),$(eval USES_$(call column,$(r),1) := $(call column,$(r),3)))
PROGRAMS_ALL := $(foreach r,$(ROWS),$(if $(filter %.c,$(call column,$(r),2)),$(call column,$(r),1)))
LAYERS := $(filter-out $(PROGRAMS_ALL),$(foreach r,$(ROWS),$(call column,$(r),1)))
USES_all := $(LAYERS)

obj = $(patsubst %.c,$(B)/obj/%.o,$(1))
lib = $(foreach l,$(1),$(B)/lib/lib$(l).a)
group = -Wl,--start-group $(1) -Wl,--end-group

# $(B)/lib/NAME.list holds the members' names: a file that went away must leave the archive too.
define layer_rules
OBJS_$(1) := $$(call obj,$$(sort $$(foreach d,$$(FOLDERS_$(1)),$$(wildcard $$(d)/*.c))))
$$(B)/lib/$(1).list: FORCE
	@mkdir -p $$(@D); echo '$$(OBJS_$(1))' | cmp -s - $$@ || echo '$$(OBJS_$(1))' >$$@
$$(B)/lib/lib$(1).a: $$(OBJS_$(1)) $$(B)/lib/$(1).list
	$$(call say,AR,$$@)
	$$(Q)rm -f $$@; $$(AR) rcs $$@ $$(OBJS_$(1))
endef
$(foreach l,$(LAYERS),$(eval $(call layer_rules,$(l))))

# ---- programs --------------------------------------------------------------------------------------------

# Libraries from outside. A program without its main file is left out.
LIBS_stoker := $(CONFIG) -lm
LIBS_stoker-batch := $(CONFIG) -lm
LIBS_stoker-ui := $(CURSES) $(CONFIG) -lm
LIBS_stokerd := $(SQLITE) $(CONFIG) -lm
LIBS_stoker-agent := -ldl
LIBS_stoker-link := $(SSH)
LIBS_stoker-slurm := -lm
LIBS_stoker-demo := $(SQLITE) $(CONFIG) -lm
LIBS_stoker-sim := $(CONFIG) $(ZLIB) -lm
# The shim is root and speaks with users' processes, and root starts the PMI server: static, so that they load
# nothing, and at an address that cannot be guessed. A warning of the linker would be a call that needs the name service's shared libraries.
# stoker-slurm is carried to other machines (stoker user@host), with any C library or none: static for that.
# stoker-batch is sbatch and srun, and starts in half the time.
ifndef SANITIZE
LDFLAGS_stoker-batch := $(or $(call probe,-static-pie),-static -no-pie) -Wl,--gc-sections -Wl,--fatal-warnings
LDFLAGS_stoker-slurm := $(or $(call probe,-static-pie),-static -no-pie) -Wl,--gc-sections -Wl,--strip-debug -Wl,--fatal-warnings
LDFLAGS_stoker-pmi = $(LDFLAGS_stoker-shim)
LDFLAGS_stoker-shim := $(or $(call probe,-static-pie),-static -no-pie) -Wl,--gc-sections -Wl,--fatal-warnings
endif

$(foreach p,$(PROGRAMS_ALL),$(eval MAIN_$(p) := $(FOLDERS_$(p))) $(eval NEEDS_$(p) := $(filter-out $(p),$(USES_$(p)))))
PROGRAMS := $(foreach p,$(PROGRAMS_ALL),$(if $(wildcard $(MAIN_$(p))),$(p)))

define program_rules
$$(B)/bin/$(1): $$(call obj,$$(MAIN_$(1))) $$(call lib,$$(NEEDS_$(1))) $$(B)/.settings
	$$(call say,LINK,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(ALL_LDFLAGS) $$(LDFLAGS_$(1)) -o $$@ $$(call obj,$$(MAIN_$(1))) \
	    $$(call group,$$(call lib,$$(NEEDS_$(1)))) $$(LIBS_$(1))
endef
$(foreach p,$(PROGRAMS),$(eval $(call program_rules,$(p))))

# The names that are links to stoker, and those that are links to stoker-batch.
SLURM_NAMES := $(shell sed -n "/Slurm's names/,/clang-format on/s/.*X(\([a-z]*\)).*/\1/p" src/cli/stoker/commands.h)
LINK_NAMES := $(if $(filter stoker,$(PROGRAMS)),$(SLURM_NAMES))
BATCH_NAMES := $(if $(filter stoker-batch,$(PROGRAMS)),sbatch srun)
program_of = $(if $(filter $(1),$(BATCH_NAMES)),stoker-batch,stoker)

# Made again where it leads elsewhere: the build of another release.
define link_rule
$$(B)/bin/$(1): $$(if $$(filter $$(call program_of,$(1)),$$(shell readlink $$(B)/bin/$(1))),,FORCE) | $$(B)/bin/$$(call program_of,$(1))
	$$(Q)ln -sfn $$(call program_of,$(1)) $$@
endef
$(foreach n,$(LINK_NAMES),$(eval $(call link_rule,$(n))))

# Manual pages and completions, printed by the programs.
MANUAL := $(B)/share/.manual
$(MANUAL): $(PROGRAMS:%=$(B)/bin/%) $(LINK_NAMES:%=$(B)/bin/%) docs/man.sh
	$(call say,MAN,$(B)/share/man)
	$(Q)mkdir -p $(@D) && PATH="$(abspath $(B))/bin:$$PATH" docs/man.sh $(abspath $(@D)) && touch $@

# Programs find their themes at ../share/stoker/themes from where they lie, installed or not.
$(B)/share/stoker/themes:
	$(Q)mkdir -p $(@D) && ln -sfnr themes $@

# Catalogues of the languages, at ../share/locale from where the programs lie. Without msgfmt all texts are English.
MSGFMT := $(shell command -v msgfmt)
PO := $(wildcard src/po/*.po)
CATALOGUES := $(if $(MSGFMT),$(patsubst src/po/%.po,$(B)/share/locale/%/LC_MESSAGES/stoker.mo,$(PO)))
$(B)/share/locale/%/LC_MESSAGES/stoker.mo: src/po/%.po
	$(call say,MSGFMT,$@)
	$(Q)mkdir -p $(@D) && $(MSGFMT) --check-format --check-domain -o $@ $<

# The texts of the sources that have a mark, as a template; and the .po files with those that they do not have yet.
POT := $(B)/stoker.pot
.PHONY: pot po
pot:
	$(Q)mkdir -p $(B) && src/po/extract >$(POT)
po: pot
	$(Q)for f in $(PO); do src/po/merge $(POT) $$f || exit 1; done

.PHONY: all FORCE
all: $(CATALOGUES) $(call lib,$(LAYERS)) $(PROGRAMS:%=$(B)/bin/%) $(LINK_NAMES:%=$(B)/bin/%) $(B)/share/stoker/themes $(MANUAL)

FORCE:

# ---- objects ---------------------------------------------------------------------------------------------

SETTINGS := $(CC) $(ALL_CFLAGS) / $(ALL_LDFLAGS) / $(MSGPACK) $(CONFIG)
$(B)/.settings: FORCE
	@mkdir -p $(@D); echo '$(SETTINGS)' | cmp -s - $@ || echo '$(SETTINGS)' >$@

$(B)/obj/%.o: %.c $(B)/.settings
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# ---- tests -----------------------------------------------------------------------------------------------
#
# tests/unit/LAYER/test_*.c    linked with what the layer may use
# tests/KIND/test_*.c, *.sh    prop sim screen pty integ attack crash fuzz vopr: linked with everything
# tests/lint/*.sh              the lint
# tests/lib/*.c                helpers, an archive that every test program is linked with
# tests/tools/*.c              small programs that tests call, in $(B)/tests/tools

TEST_KINDS := prop sim screen pty integ attack crash fuzz vopr
# Its loop and its store's worker take the place of the product's.
MORE_vopr := $(sort $(filter-out tests/vopr/test_%,$(wildcard tests/vopr/*.c)))
UNIT_SRC := $(sort $(wildcard tests/unit/*/test_*.c))
OTHER_SRC := $(sort $(foreach k,$(TEST_KINDS),$(wildcard tests/$(k)/test_*.c)))
UNIT_TESTS := $(UNIT_SRC:%.c=$(B)/%)
OTHER_TESTS := $(OTHER_SRC:%.c=$(B)/%)
SCRIPTS := $(sort $(foreach k,$(TEST_KINDS),$(wildcard tests/$(k)/test_*.sh)))
LINT := $(filter-out %.allow %/exempt,$(sort $(wildcard tests/lint/*)))
FAKE_NVML := $(B)/tests/lib/libfakenvml.so
SLOW_FS := $(B)/tests/lib/libslowfs.so
FAKE_CLOCK := $(B)/tests/lib/libfakeclock.so
CLOCKED_SHIM := $(B)/tests/clocked/stoker-shim
BROKEN_DISK := $(B)/tests/lib/libbrokendisk.so
NO_MEMORY := $(B)/tests/lib/libnomemory.so
COUNTS := $(B)/tests/lib/libcounts.so
SLOW_NAMES := $(B)/tests/lib/libslownames.so
TOOLS := $(patsubst %.c,$(B)/%,$(sort $(wildcard tests/tools/*.c))) $(FAKE_NVML) $(SLOW_FS) $(FAKE_CLOCK) $(BROKEN_DISK) $(NO_MEMORY) $(COUNTS) $(SLOW_NAMES) $(CLOCKED_SHIM)
BENCH_PROGRAMS := $(patsubst %.c,$(B)/%,$(sort $(wildcard tests/bench/bench_*.c)))
FUZZERS := $(patsubst %.c,$(B)/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
TEST_LIBS := -lcmocka -lvterm $(CURSES) $(SQLITE) $(SSH) $(CONFIG) $(MSGPACK) $(ZLIB) -lm -lutil -ldl

TESTLIB_OBJS := $(call obj,$(sort $(filter-out tests/lib/fakenvml.c tests/lib/slowfs.c tests/lib/fakeclock.c tests/lib/brokendisk.c tests/lib/nomemory.c tests/lib/counts.c tests/lib/slownames.c,$(wildcard tests/lib/*.c))))
$(B)/lib/test.list: FORCE
	@mkdir -p $(@D); echo '$(TESTLIB_OBJS)' | cmp -s - $@ || echo '$(TESTLIB_OBJS)' >$@
$(B)/lib/libtest.a: $(TESTLIB_OBJS) $(B)/lib/test.list
	$(call say,AR,$@)
	$(Q)rm -f $@; $(AR) rcs $@ $(TESTLIB_OBJS)

# $(1): program, $(2): its object files, $(3): layers
define test_program_rules
$(1): $(2) $$(call lib,$(3)) $$(B)/lib/libtest.a $$(B)/.settings
	$$(call say,LINK,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(ALL_LDFLAGS) -o $$@ $(2) $$(call group,$$(B)/lib/libtest.a $$(call lib,$(3))) $$(TEST_LIBS)
endef
kind_of = $(word 2,$(subst /, ,$(1)))
layer_of = $(word 3,$(subst /, ,$(1)))
# The policy gives causes; its tests compare sentences.
TEST_USES_sched := text
TEST_USES_slurm := text
unit_uses = $(strip $(USES_$(call layer_of,$(1))) $(TEST_USES_$(call layer_of,$(1))))
$(foreach s,$(UNIT_SRC),$(eval $(call test_program_rules,$(s:%.c=$(B)/%),$(call obj,$(s)),$(or $(call unit_uses,$(s)),$(USES_all)))))
$(foreach s,$(OTHER_SRC) $(wildcard tests/bench/bench_*.c),$(eval $(call test_program_rules,$(s:%.c=$(B)/%),$(call obj,$(s) $(MORE_$(call kind_of,$(s)))),$(USES_all))))
# fuzz_LAYER.c and fuzz_LAYER_WHAT.c get what the layer may use, other names everything.
fuzz_layer = $(word 2,$(subst _, ,$(basename $(notdir $(1)))))
# LIBFUZZER=1 (make fuzz, with clang): libFuzzer's main instead of the driver.
$(foreach s,$(wildcard tests/fuzz/fuzz_*.c),$(eval $(call test_program_rules,$(s:%.c=$(B)/%),$(call obj,$(s) $(if $(LIBFUZZER),,tests/fuzz/driver.c)),$(or $(USES_$(call fuzz_layer,$(s))),$(USES_all)))))

# Tools stand alone: the guard must not depend on what it watches.
$(B)/tests/tools/%: $(B)/obj/tests/tools/%.o $(B)/.settings
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $< -lutil

# Loaded in place of NVIDIA's library, and in front of the C library: plain, also where the programs have sanitizers.
$(FAKE_NVML) $(SLOW_FS) $(FAKE_CLOCK) $(BROKEN_DISK) $(NO_MEMORY) $(COUNTS) $(SLOW_NAMES): $(B)/tests/lib/lib%.so: tests/lib/%.c $(B)/.settings
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(BASE_FLAGS) $(WARNINGS) -fPIC -shared -o $@ $<

# The shim is static and gets no environment: a dynamic one with the clock in it takes its place in tests that move the clock.
$(CLOCKED_SHIM): $(call obj,$(MAIN_stoker-shim) tests/lib/fakeclock.c) $(call lib,$(NEEDS_stoker-shim)) $(B)/.settings
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(call group,$(call lib,$(NEEDS_stoker-shim))) $(LIBS_stoker-shim)

RUN_TESTS := B=$(abspath $(B)) NM=$(NM) tests/run
# The tree with the sanitizers. -O1: it compiles in half the time, and less undefined behaviour is optimised away unseen.
ASAN := B=$(B)/asan SANITIZE=address,undefined CFLAGS="-O1 -g1"
FUZZ_SECONDS ?= 60
SOAK_SECONDS ?= 900
SEEDS_SECONDS ?= 600

.PHONY: setup test check check-fast check-user check-deep tests unit unit-tests asan asan-unit-tests lint bench soak seeds fuzz check-format format run install uninstall clean
setup:
	@.ci/setup test

# The set-up may bring the compiler itself, so what is found out about it is found out by a second make.
test: setup
	@+$(MAKE) --no-print-directory check

# Benchmarks are compiled, so that a change of an interface cannot break them unseen.
tests: all $(UNIT_TESTS) $(OTHER_TESTS) $(FUZZERS) $(TOOLS) $(BENCH_PROGRAMS:$(B)/%=$(B)/obj/%.o)
unit-tests: $(UNIT_TESTS) $(TOOLS)
asan-unit-tests:
	@+$(MAKE) --no-print-directory $(ASAN) unit-tests

check: tests asan-unit-tests
	@$(RUN_TESTS) $(LINT) $(UNIT_TESTS) $(UNIT_SRC:%.c=$(B)/asan/%) $(OTHER_TESTS) $(SCRIPTS)

# Less than a minute: what to run before each commit.
selected = $(patsubst %.c,$(B)/%,$(shell grep -l $(1) $(UNIT_SRC) $(OTHER_SRC) $(SCRIPTS)))
check-fast: all unit-tests $(filter $(B)/tests/screen/%,$(OTHER_TESTS))
	@$(RUN_TESTS) $(sort $(LINT) $(UNIT_TESTS) $(filter $(B)/tests/screen/%,$(OTHER_TESTS)) $(call selected,test-fast))

# What behaves differently for an ordinary user. .ci/run as root runs it once more as one.
check-user: tests
	@$(RUN_TESTS) $(call selected,test-user)

unit: unit-tests
	@$(RUN_TESTS) $(UNIT_TESTS)

UNIT_LAYERS := $(sort $(foreach s,$(UNIT_SRC),$(call layer_of,$(s))))
.PHONY: $(UNIT_LAYERS:%=unit-%)
define unit_layer_rules
unit-$(1): $$(filter $$(B)/tests/unit/$(1)/%,$$(UNIT_TESTS)) $$(TOOLS)
	@$$(RUN_TESTS) $$(filter $$(B)/tests/unit/$(1)/%,$$(UNIT_TESTS))
endef
$(foreach l,$(UNIT_LAYERS),$(eval $(call unit_layer_rules,$(l))))

# One script or program by its path: make one T=tests/integ/test_x.sh
.PHONY: one
one: all $(TOOLS) $(if $(filter %.c,$(T)),$(T:%.c=$(B)/%))
	@$(RUN_TESTS) $(if $(filter %.c,$(T)),$(T:%.c=$(B)/%),$(T))

asan:
	@+$(MAKE) --no-print-directory $(ASAN) tests
	@B=$(abspath $(B)/asan) tests/run $(UNIT_SRC:%.c=$(B)/asan/%) $(OTHER_SRC:%.c=$(B)/asan/%) $(filter tests/integ/%,$(SCRIPTS))

lint: $(call lib,$(LAYERS)) $(B)/bin/stoker-launcher $(B)/bin/stoker-shim $(B)/bin/stoker-pmi $(TOOLS)
	@$(RUN_TESTS) $(LINT)

# Tests at a size that `make test` has no time for.
soak: all $(TOOLS)
	@STOKER_TEST_SEED=$${STOKER_TEST_SEED:-any} MANY=200 SOAK_SECONDS=$(SOAK_SECONDS) $(RUN_TESTS) tests/crash/test_ssh_many.sh \
	    tests/soak/flaps.sh tests/soak/soak.sh

# The random tests with new seeds, again and again, until one fails or the time is over.
SEEDED = $(patsubst %.c,$(B)/%,$(shell grep -l 'check_seed()' $(UNIT_SRC) $(OTHER_SRC))) $(B)/tests/vopr/test_vopr
seeds: tests
	@end=$$(($$(date +%s) + $(SEEDS_SECONDS))); while [ $$(date +%s) -lt $$end ]; do \
	    STOKER_TEST_SEED=any $(RUN_TESTS) $(SEEDED) || exit 1; done

# The controller in simulated worlds. SECONDS (60) from SEED on (any: a new one), until one fails; a SEED alone: that world.
SEED ?= any
.PHONY: vopr
vopr: $(B)/tests/vopr/test_vopr
	@$< $(or $(SECONDS),$(if $(filter any,$(SEED)),60,0)) $(SEED)

# What make test has no time for: clang, ThreadSanitizer, the static analyzer, shellcheck, coverage. DEEP="tsan shell": only these.
check-deep:
	@.ci/setup deep
	@B=$(abspath $(B)) tests/deep/run $(DEEP)

bench:
	@.ci/setup bench
	@+$(MAKE) --no-print-directory bench-run
.PHONY: bench-run
bench-run: all $(BENCH_PROGRAMS) $(TOOLS)
	@B=$(abspath $(B)) tests/bench/run $(BENCH)

# fuzz_controller and fuzz_agent speak to programs of their own, built with the sanitizers.
# With libFuzzer where there is clang, else with the driver of tests/fuzz. What is found lies in $(B)/fuzz/NAME-*; new
# inputs in $(B)/fuzz/corpus: those worth keeping go into tests/fuzz/corpus by hand.
FUZZ_CLANG := $(shell command -v clang 2>/dev/null)
FUZZ_B := $(B)/$(if $(FUZZ_CLANG),libfuzzer,asan)
FUZZ_NAMES := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
fuzz: export STOKERD := $(abspath $(B))/asan/bin/stokerd
fuzz: export STOKER_AGENT := $(abspath $(B))/asan/bin/stoker-agent
fuzz:
	@+$(MAKE) --no-print-directory $(ASAN) $(B)/asan/bin/stokerd $(B)/asan/bin/stoker-agent
ifeq ($(FUZZ_CLANG),)
	@+$(MAKE) --no-print-directory $(ASAN) $(FUZZERS:$(B)/%=$(FUZZ_B)/%)
	@for f in $(FUZZERS:$(B)/%=$(FUZZ_B)/%); do echo "== $$f"; $$f -s $(FUZZ_SECONDS) || exit 1; done
else
	@+$(MAKE) --no-print-directory B=$(FUZZ_B) CC=clang DEV=0 LIBFUZZER=1 SANITIZE=address,undefined \
	    CFLAGS="-O1 -g -fsanitize=fuzzer-no-link" FUZZ_FLAGS=-fno-sanitize=pointer-overflow LDFLAGS=-fsanitize=fuzzer $(FUZZERS:$(B)/%=$(FUZZ_B)/%)
	@for n in $(FUZZ_NAMES); do echo "== $$n"; mkdir -p $(B)/fuzz/corpus/$$n; \
	    $(FUZZ_B)/tests/fuzz/fuzz_$$n -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -timeout=10 -verbosity=0 \
	        -print_final_stats=0 -artifact_prefix=$(B)/fuzz/$$n- $(B)/fuzz/corpus/$$n tests/fuzz/corpus/$$n || exit 1; done
endif

check-format:
	@tests/lint/format.sh
format:
	@tests/lint/format.sh --fix

# Takes the screens as they are now: golden files, pictures, docs/KEYS.md.
.PHONY: screens
screens: $(filter $(B)/tests/screen/%,$(OTHER_TESTS)) | $(CATALOGUES)
	@for t in $^; do UPDATE=1 $$t >/dev/null || exit 1; done

# The film that opens README: a session in the demo, as an SVG that plays by itself.
.PHONY: recording
recording: $(B)/tests/screen/test_pictures
	@RECORD=1 $< >/dev/null && ls -l docs/screens/demo.svg

# Stoker beside a real Slurm, answer by answer; fetches Debian's packages, installs nothing.
.PHONY: test-slurm-diff
test-slurm-diff: all $(B)/tests/bench/bench_box
	@B=$(abspath $(B)) tests/slurm-diff/run

# The screens over a real Slurm; fetches Debian's packages, installs nothing.
.PHONY: test-slurm
test-slurm: all
	@B=$(abspath $(B)) tests/slurm/run
	@B=$(abspath $(B)) tests/slurm/nested
	@B=$(abspath $(B)) tests/slurm/causes
	@B=$(abspath $(B)) tests/slurm/keys
	@B=$(abspath $(B)) tests/slurm/accounts
	@B=$(abspath $(B)) tests/slurm/remote
	@B=$(abspath $(B)) tests/slurm/load

# ---- run, install, clean ---------------------------------------------------------------------------------

run:
	@.ci/setup build
	@+$(MAKE) --no-print-directory all
	@export PATH="$(abspath $(B))/bin:$$PATH"; \
	if [ -t 0 ] && [ -t 1 ]; then exec docs/examples/run-samples.sh --screen; else exec docs/examples/run-samples.sh; fi

D := $(DESTDIR)$(PREFIX)
install: all
	$(Q)install -d $(D)/bin $(D)/share/stoker/themes $(D)/share/doc/stoker/examples
	$(Q)for p in $(PROGRAMS); do install -m 755 $(B)/bin/$$p $(D)/bin/$$p || exit 1; done
	$(Q)for n in $(LINK_NAMES); do ln -sfn $$(readlink $(B)/bin/$$n) $(D)/bin/$$n || exit 1; done
	$(Q)for f in $(wildcard themes/*.theme); do install -m 644 $$f $(D)/share/stoker/themes/ || exit 1; done
	$(Q)for f in $(wildcard docs/examples/*); do \
	    install -m $$([ -x $$f ] && echo 755 || echo 644) $$f $(D)/share/doc/stoker/examples/ || exit 1; done
	$(Q)cd $(B)/share && for f in man/man?/* bash-completion/completions/stoker $(CATALOGUES:$(B)/share/%=%); do install -D -m 644 $$f $(abspath $(D))/share/$$f || exit 1; done
	$(Q)for n in $(LINK_NAMES); do ln -sfn stoker $(D)/share/bash-completion/completions/$$n || exit 1; done

# What install has put there; folders that others use too stay, and an sbatch that is not ours.
uninstall: $(MANUAL)
	$(Q)for n in $(LINK_NAMES); do for f in $(D)/bin/$$n $(D)/share/bash-completion/completions/$$n; do \
	    case $$(readlink $$f) in stoker | stoker-batch) rm -f $$f ;; esac; done; done
	$(Q)rm -f $(PROGRAMS:%=$(D)/bin/%) $(D)/share/bash-completion/completions/stoker
	$(Q)cd $(B)/share && for f in man/man?/* $(CATALOGUES:$(B)/share/%=%); do rm -f $(abspath $(D))/share/$$f; done
	$(Q)rm -rf $(D)/share/stoker $(D)/share/doc/stoker

.PHONY: dist
dist:
	$(Q)mkdir -p $(B) && git archive --format=tar.gz --prefix=stoker-$(VERSION)/ -o $(B)/stoker-$(VERSION).tar.gz HEAD
	$(call say,DIST,$(B)/stoker-$(VERSION).tar.gz)

clean:
	$(Q)[ ! -e $(B)/.settings ] || rm -rf $(B)

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)
