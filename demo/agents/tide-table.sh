#!/bin/sh
# An honest agent: reads its brief, writes what it owns, tests it, hands off.
set -eu
sed -n 1p "$TIDEGATE_BRIEF"

cat >lib/tide.sh <<'END'
# gate <hour>: is the tide gate open at this hour?
gate() {
  if [ "$1" -ge 6 ] && [ "$1" -lt 18 ]; then echo open; else echo closed; fi
}
END
cat >tests/tide-test.sh <<'END'
. lib/tide.sh
[ "$(gate 5)" = closed ] && [ "$(gate 6)" = open ] && [ "$(gate 17)" = open ] && [ "$(gate 18)" = closed ]
END

sh test.sh
tidegate handoff done -m 'The gate is open from 6 to 17; four hours are tested.'
