#!/usr/bin/env bash
# docs/COMMANDS.md is what the commands' tables say.
. stoker.sh
is "docs/COMMANDS.md: run docs/commands.sh >docs/COMMANDS.md" "$("$ROOT/docs/commands.sh")" "$(cat "$ROOT/docs/COMMANDS.md")"
