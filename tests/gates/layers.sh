#!/usr/bin/env bash
# Arrows point down only: every #include "..." against the table of who may include whom. Makefile links by the same table.
set -u
cd "$(dirname "$0")/../.." || exit 1

# folder: prefixes that its files may include, besides their own folder. The longest matching folder counts.
table='
src/base/
src/model/        src/base/
src/conf/         src/model/ src/base/
src/proto/        src/model/ src/base/
src/client/       src/proto/ src/conf/ src/model/ src/base/
src/jobspec/      src/client/ src/conf/ src/model/ src/base/
src/cli/          src/jobspec/ src/client/ src/conf/ src/model/ src/base/
ui/               ui/ src/jobspec/ src/client/ src/conf/ src/model/ src/base/
backend/sched/    src/model/ src/base/
backend/sim/      backend/sched/ src/proto/ src/conf/ src/model/ src/base/
backend/loop/     src/base/
backend/store/    backend/loop/ src/proto/ src/conf/ src/model/ src/base/
backend/server/   backend/loop/ src/proto/ src/conf/ src/model/ src/base/
backend/launch/   backend/loop/ backend/server/ src/proto/ src/conf/ src/model/ src/base/
backend/control/  backend/sched/ backend/sim/ backend/loop/ backend/ferry/ backend/store/ backend/server/ backend/launch/ src/proto/ src/conf/ src/model/ src/base/
backend/ferry/    backend/loop/ src/proto/ src/model/ src/base/
backend/agent/    backend/ferry/ backend/loop/ src/proto/ src/model/ src/base/
backend/link/     backend/loop/ src/proto/ src/base/
src/main_stoker.c src/
src/main_ui.c     ui/ src/
src/main_stokerd.c backend/control/ backend/sched/ backend/sim/ backend/loop/ backend/ferry/ backend/store/ backend/server/ backend/launch/ src/
src/main_agent.c  backend/agent/ backend/ferry/ backend/loop/ src/proto/ src/model/ src/base/
src/main_shim.c   backend/agent/ src/proto/ src/model/ src/base/
src/main_link.c   backend/link/ backend/loop/ src/proto/ src/base/
src/main_sim.c    backend/sim/ backend/sched/ src/
'

# A library's header, and the folder that it belongs to: the others do not know that it exists.
libraries='
curses.h ui/term/
ncurses.h ui/term/
ncursesw/ ui/term/
libssh/ backend/link/
sqlite3.h backend/store/
msgpack src/proto/
zlib.h backend/sim/
'

# Lines "FILE HEADER" ("<HEADER" where it is in angle brackets) in, the wrong ones out.
check() {
    awk -v table="$table" -v libraries="$libraries" '
        BEGIN {
            n = split(table, lines, "\n")
            for (i = 1; i <= n; i++) {
                m = split(lines[i], w, " ")
                if (!m) continue
                allowed[w[1]] = lines[i] " " w[1] # its own folder
            }
            n = split(libraries, lines, "\n")
            for (i = 1; i <= n; i++)
                if (split(lines[i], w, " ")) owner[w[1]] = w[2]
        }
        function starts(s, prefix) { return substr(s, 1, length(prefix)) == prefix }
        {
            rule = ""
            for (f in allowed)
                if (starts($1, f) && length(f) > length(rule)) rule = f
            if (rule == "") { print $1 ": its folder is not in the table of layers"; next }
            if (starts($2, "<")) {
                for (h in owner)
                    if (starts($2, "<" h) && !starts($1, owner[h])) print $1 ": only " owner[h] " includes " $2 ">"
                next
            }
            n = split(allowed[rule], w, " ")
            for (i = 2; i <= n; i++)
                if (starts($2, w[i])) next
            print $1 ": may not include " $2
        }'
}

# First the table itself: what must be refused, is refused.
refused=$(check <<'LINES' | wc -l
ui/view/jobs.c src/proto/codec.h
src/cli/sbatch.c backend/sched/plan.h
src/base/str.c src/model/job.h
src/model/apply.c backend/loop/loop.h
backend/sched/plan.c backend/loop/loop.h
backend/control/control.c src/client/client.h
backend/control/control.c backend/link/link.h
backend/agent/shim.c src/conf/conf.h
src/model/job.c job.h
ui/view/jobs.c <curses.h
backend/launch/node.c <libssh/libssh.h
elsewhere/x.c src/base/str.h
LINES
)
allowed=$(check <<'LINES' | wc -l
ui/view/jobs.c ui/widget/table.h
ui/term/term.c <curses.h
backend/control/control.c backend/sched/plan.h
src/main_stokerd.c backend/control/control.h
src/model/apply.c <stdlib.h
LINES
)
if [ "$refused" -ne 12 ] || [ "$allowed" -ne 0 ]; then
    echo "the checker itself is wrong: $refused of 12 refused, $allowed of 5 good ones refused"
    exit 1
fi

wrong=$(grep -rHE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]' --include='*.[ch]' src ui backend |
    sed -E 's/^([^:]*):[^"<]*"([^"]*)".*/\1 \2/; s/^([^:]*):[^"<]*<([^>]*)>.*/\1 <\2/' | check)
[ -z "$wrong" ] || { echo "$wrong"; exit 1; }
