#!/bin/sh
# Makes the demo's repository with plain git commands: sh make-repository.sh <new directory>
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
target=${1:?usage: sh make-repository.sh <new directory>}
mkdir "$target"
target=$(CDPATH='' cd -- "$target" && pwd)

cp -R "$here/repository/." "$target/"
mkdir "$target/agents"
cp "$here"/agents/*.sh "$target/agents/"
# What the rogue is after: where the person's repository really lies.
printf '%s\n' "$target" >"$target/agents/where-main-lives.txt"

# The person's own git settings (hooks, signing, templates) have no part in a demo.
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
cd "$target"
git init --quiet --template= --initial-branch=main
git config user.name 'Demo Person'
git config user.email 'demo@example.invalid'
git add --all
git commit --quiet --message 'A harbour with a greeting'
