#!/usr/bin/env bash
# Dependencies point down only: every #include and every symbol that a library takes from another, against src/LAYERS.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
NM=${NM:-nm}

# A header from outside, and the folder whose files alone include it.
libraries='
curses.h ui/term/
ncurses.h ui/term/
ncursesw/ ui/term/
libssh/ LIBSSH/
sqlite3.h backend/store/
msgpack -
zlib.h backend/sim/
'
for d in backend/sshlink backend/link; do [ ! -d $d ] || libraries=${libraries/LIBSSH/$d}; done

# Awk functions that read the table: owner[FOLDER/] = library, sealed[FOLDER/] = its public header, may(A, B).
table_functions='
    function read_table(file,   line, w, n, i, f, header) {
        while ((getline line <file) > 0) {
            if (line ~ /^#/ || split(line, w, " ") < 3) continue
            uses[w[1]] = w[3]
            n = split(w[2], f, ",")
            for (i = 1; i <= n; i++) {
                if (sub(/!$/, "", f[i])) { header = f[i]; sub(/.*\//, "", header); sealed[f[i] "/"] = f[i] "/" header ".h" }
                owner[f[i] (f[i] ~ /\.c$/ ? "" : "/")] = w[1]
            }
        }
    }
    function may(a, b,   key, w, n, i) {
        if (a == b) return 1
        key = a " " b
        if (key in known) return known[key]
        known[key] = 0
        n = split(uses[a], w, ",")
        for (i = 1; i <= n; i++)
            if (w[i] != "-" && may(w[i], b)) { known[key] = 1; break }
        return known[key]
    }
    function starts(s, prefix) { return substr(s, 1, length(prefix)) == prefix }
    function folder_of(path,   f, best) {
        best = ""
        for (f in owner)
            if (starts(path, f) && length(f) > length(best)) best = f
        return best
    }'

# Lines "FILE HEADER" ("<HEADER" where it is in angle brackets) in, the wrong ones out. $1: the table
check_includes() {
    awk -v table="$1" -v libraries="$libraries" "$table_functions"'
        BEGIN {
            read_table(table)
            n = split(libraries, lines, "\n")
            for (i = 1; i <= n; i++)
                if (split(lines[i], w, " ")) only[w[1]] = w[2]
        }
        {
            from = folder_of($1)
            if (from == "") { print $1 ": its folder is not in src/LAYERS"; next }
            if (starts($2, "<")) {
                for (h in only)
                    if (starts($2, "<" h) && !starts($1, only[h])) print $1 ": only " only[h] " includes " $2 ">"
                next
            }
            to = folder_of($2)
            if (to == "") print $1 ": the folder of " $2 " is not in src/LAYERS"
            else if (!may(owner[from], owner[to])) print $1 ": may not include " $2
            else if (from != to && to in sealed && $2 != sealed[to]) print $1 ": includes " $2 ", not " sealed[to]
        }'
}

# The checker itself: what must be refused is refused, what is allowed passes.
trial=$(mktemp)
trap 'rm -f "$trial"' EXIT
cat >"$trial" <<'LINES'
base   src/base      -
model  src/model     base
plan   backend/plan! model  pure
loop   backend/loop  base
ui     ui/view,ui/term  model
main   src/main.c    plan,loop
LINES
refused=$(check_includes "$trial" <<'LINES' | wc -l
ui/view/jobs.c backend/plan/plan.h
src/base/str.c src/model/job.h
src/model/fold/apply.c backend/loop/loop.h
backend/plan/slots.c backend/loop/loop.h
src/main.c backend/plan/slots_internal.h
src/main.c ui/view/jobs.h
src/model/job.c job.h
ui/view/jobs.c <curses.h
elsewhere/x.c src/base/str.h
LINES
)
allowed=$(check_includes "$trial" <<'LINES' | wc -l
ui/view/jobs.c ui/view/table.h
ui/view/jobs.c src/base/str.h
ui/term/term.c <curses.h
backend/plan/slots.c backend/plan/slots_internal.h
src/main.c backend/plan/plan.h
src/model/fold/apply.c <stdlib.h
LINES
)
if [ "$refused" -ne 9 ] || [ "$allowed" -ne 0 ]; then
    echo "the checker itself is wrong: $refused of 9 refused, $allowed of 6 allowed ones refused"
    exit 1
fi

# Symbols that a library takes from one that it may not use. An include may be missing where a declaration was copied.
check_symbols() {
    for lib in "$B"/lib/lib*.a; do
        name=$(basename "$lib" .a)
        [ "$name" = libtest ] || "$NM" "$lib" 2>/dev/null | awk -v lib="${name#lib}" 'NF >= 2 { print lib, $(NF - 1), $NF }'
    done | awk -v table=src/LAYERS "$table_functions"'
        BEGIN { read_table(table) }
        $2 == "U" { wanted[$1 " " $3] = 1; next }
        $2 ~ /[TDBRV]/ { homes[$3] = homes[$3] " " $1 }
        END {
            for (k in wanted) {
                split(k, w, " ")
                n = w[1] in uses ? split(homes[w[2]], home, " ") : 0
                for (i = 1; i <= n && !may(w[1], home[i]); i++) {}
                if (i > n && n > 0) print "lib" w[1] " calls " w[2] " of" homes[w[2]] ", which src/LAYERS does not allow"
            }
        }'
}

wrong=$(
    grep -rHE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]' --include='*.[ch]' src ui backend |
        sed -E 's/^([^:]*):[^"<]*"([^"]*)".*/\1 \2/; s/^([^:]*):[^"<]*<([^>]*)>.*/\1 <\2/' | check_includes src/LAYERS
    check_symbols
)
[ -z "$wrong" ] || { echo "$wrong"; exit 1; }
