#!/usr/bin/env bash
# The system's clocks are read in src/os/clock_system.c alone: one place to change, and one that a test can replace.
set -u
cd "$(dirname "$0")/../.." || exit 1
only=src/os/clock_system.c
pattern='(^|[^a-z0-9_])(clock_gettime|clock_gettime64|gettimeofday|timespec_get|ftime|time)[[:space:]]*\(|[^a-z0-9_]clock\(\)'

# Lines FILE:TEXT in, those that read a clock out. Comments and strings name clocks too.
readers() { sed -E 's,/\*.*,,; s/^([^:]*):[[:space:]]*\*.*/\1:/; s/"([^"\\]|\\.)*"//g' | grep -E "$pattern"; }

for bad in 'x.c:    t = time(NULL);' 'x.c:clock_gettime(CLOCK_REALTIME, &ts);' 'x.c:    return clock();'; do
    readers <<<"$bad" >/dev/null || { echo "the checker itself is wrong: passes $bad"; exit 1; }
done
for good in 'x.c: * time(NULL) is read' 'x.c:    print_time(t);' 'x.c:    puts("time (s)");'; do
    ! readers <<<"$good" >/dev/null || { echo "the checker itself is wrong: refuses $good"; exit 1; }
done

wrong=$(grep -rHE "$pattern" --include='*.[ch]' src ui backend | grep -v "^$only:" | readers)
[ -z "$wrong" ] || { echo "$wrong"; echo "read clocks with src/os/clock.h"; exit 1; }
