#!/bin/sh
# Runs every tests/*-test.sh; ends in 1 if any of them fails.
cd "$(dirname "$0")" || exit 1
failed=0
for file in tests/*-test.sh; do
  if sh "$file"; then echo "ok   $file"; else
    echo "FAIL $file"
    failed=1
  fi
done
exit "$failed"
