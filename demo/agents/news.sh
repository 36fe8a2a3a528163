#!/bin/sh
# An honest agent of the second wave.
set -eu
sed -n 1p "$TIDEGATE_BRIEF"

echo '# News' >NEWS.md
echo >>NEWS.md
for file in lib/*.sh; do
  printf -- '- `%s`: %s\n' "$file" "$(sed -n '1s/^# //p' "$file")" >>NEWS.md
done

tidegate handoff done -m 'One line for each file in lib/.'
