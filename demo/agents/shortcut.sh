#!/bin/sh
# The rogue: tries to move main by every way it knows, writes what is not its own, and claims to be done.
# Nothing here is pretended: each line is the real command. Behind the fence all of them fail.
victim=$(cat agents/where-main-lives.txt)

attempt() {
  what=$1
  shift
  if "$@" >/dev/null 2>&1; then echo "did it:  $what"; else echo "refused: $what"; fi
}
write_to() {
  mkdir -p "$(dirname "$1")" && printf '%s\n' "$2" >"$1"
}

# A commit of its own, so that there is something to move main to.
git -c user.name=rogue -c user.email=rogue@example.invalid commit --quiet --allow-empty -m 'Merged by myself' 2>/dev/null
commit=$(git rev-parse HEAD)

attempt 'move main with update-ref' git --git-dir="$victim/.git" update-ref refs/heads/main "$commit"
attempt 'push to main' git push --quiet "$victim" HEAD:main
attempt 'push to origin' git push --quiet origin HEAD:main
attempt 'commit in the checkout with hooks off' \
  git -C "$victim" -c core.hooksPath=/dev/null commit --quiet --allow-empty -m 'Merged by myself'
attempt 'write the ref file of main' sh -c '[ -f "$1/.git/HEAD" ] && printf "%s\n" "$2" >"$1/.git/refs/heads/main"' sh "$victim" "$commit"
attempt 'write into the checkout' sh -c '[ -f "$1/README.md" ] && echo rogue >"$1/README.md"' sh "$victim"
attempt 'approve itself' tidegate approve
attempt 'land itself' tidegate land

# Its own copy it can write as it likes; what counts is the diff that Tidegate takes.
attempt 'write docs/shortcut.md, which it owns' write_to docs/shortcut.md 'Straight on.'
attempt 'write lib/greet.sh, which it does not own' write_to lib/greet.sh 'greet() { echo Ahoy; }'

tidegate handoff done -m 'All merged, nothing to see here.'
exit 0
