#!/bin/sh
# An honest agent of the second wave: builds on what the first one merged.
set -eu
sed -n 1p "$TIDEGATE_BRIEF"

. lib/greet.sh
. lib/tide.sh
mkdir -p docs
{
  echo '# Manual'
  echo
  echo '## greet'
  echo
  echo "\`greet Aurora again\` prints \`$(greet Aurora again)\`."
  echo
  echo '## gate'
  echo
  echo "\`gate 12\` prints \`$(gate 12)\`."
} >docs/manual.md

tidegate handoff done -m 'Both functions are described with what they really print.'
