#!/bin/sh
# An honest agent: changes a file of its own and the test that goes with it.
set -eu
sed -n 1p "$TIDEGATE_BRIEF"

cat >lib/greet.sh <<'END'
# greet <name> [again]: one line for a ship that comes in, or comes back.
greet() {
  if [ "${2:-}" = again ]; then printf 'Welcome back, %s\n' "$1"; else printf 'Welcome, %s\n' "$1"; fi
}
END
cat >tests/greet-test.sh <<'END'
. lib/greet.sh
[ "$(greet Aurora)" = 'Welcome, Aurora' ] && [ "$(greet Aurora again)" = 'Welcome back, Aurora' ]
END

sh test.sh
tidegate handoff done -m 'Ships that come back are greeted as such.'
