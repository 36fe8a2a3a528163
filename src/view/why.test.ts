import { expect, test } from 'vitest';
import { partlyLanded, refusedInPart, standings } from '../../test/support/standings.ts';
import { noticesOf } from '../domain/board/notices.ts';
import type { Text } from '../ports/terminal.ts';
import { standingLines, toldLines } from './run-view.ts';

const plain = (line: Text): string =>
  typeof line === 'string' ? line : line.map((part) => (typeof part === 'string' ? part : part.text)).join('');

test('every state of a run and of a task is explained by a sentence, with the age of the fact and the next command', () => {
  const said = Object.entries(standings()).map(([name, why]) =>
    [`[${name}]`, why.sentence.replace(/until \d\d:\d\d/, 'until HH:MM'), ...toldLines(why).map(plain)].join('\n'),
  );
  expect(`\n${said.join('\n')}\n`).toMatchInlineSnapshot(`
    "
    [mode: active]
    checkout-k3f9 has been running hello for 12m 18s.
      tidegate logs -f checkout-k3f9/hello
    [mode: paused]
    checkout-k3f9 has been waiting for you for 12m 30s: paused by ada.
      | to give it up: tidegate abandon checkout-k3f9
      agents under way go on to their end; nothing new starts
      tidegate resume checkout-k3f9
    [mode: stopped]
    checkout-k3f9 has been waiting for you for 12m 30s: stopped by ada.
      | to give it up: tidegate abandon checkout-k3f9
      what agents had done by then is kept
      tidegate resume checkout-k3f9
    [mode: halted]
    checkout-k3f9 has been waiting for you for 12m 30s: only 0 B are free on the disk, and 500.0 MB (disk.free) must be.
      agents under way go on to their end, and nothing is lost
      first: make room on the disk
      then:  tidegate resume checkout-k3f9
    [tap: pending]
    checkout-k3f9 has been waiting for you for 12m 24s: 2 tasks wait for approval.
      nothing has started; to say no: tidegate reject checkout-k3f9
      tidegate approve checkout-k3f9
    [tap: held]
    checkout-k3f9 has been waiting for you for 12m 24s: 2 tasks wait for approval, on hold by ada.
      nothing has started; to say no: tidegate reject checkout-k3f9
      tidegate approve checkout-k3f9
    [tap: approved]
    checkout-k3f9 (12m 17s): what was decided of its start is recorded.
      tidegate watch checkout-k3f9
    [tap: rejected]
    checkout-k3f9 (12m 17s): what was decided of its start is recorded.
      tidegate watch checkout-k3f9
    [tap: expired]
    checkout-k3f9 (12m 17s): what was decided of its start is recorded.
      tidegate watch checkout-k3f9
    [land tap: pending]
    checkout-k3f9 is waiting for you: ready to land on main.
      main stays as it is until you say so
      tidegate land checkout-k3f9
    [land tap: held]
    checkout-k3f9 is waiting for you: ready to land on main, on hold by ada.
      main stays as it is until you say so
      tidegate land checkout-k3f9
    [land tap: approved]
    checkout-k3f9 (12m 17s): it is about to land on main.
      tidegate watch checkout-k3f9
    [land tap: rejected]
    checkout-k3f9 (12m 17s): it ends without landing.
      tidegate watch checkout-k3f9
    [land tap: expired]
    checkout-k3f9 (12m 17s): it is about to land on main.
      tidegate watch checkout-k3f9
    [round: opened]
    checkout-k3f9 (12m 17s): hello is integrated.
      tidegate watch checkout-k3f9
    [round: built]
    checkout-k3f9 (12m 17s): the check test runs on the result.
      tidegate watch checkout-k3f9
    [round: generated]
    checkout-k3f9 (12m 17s): generated files are added to the candidate.
      tidegate watch checkout-k3f9
    [round: completed]
    checkout-k3f9 (12m 17s): the check test runs on the result.
      tidegate watch checkout-k3f9
    [round: closing]
    checkout-k3f9 (12m 17s): hello passed and is merged now.
      tidegate watch checkout-k3f9
    [round: merging]
    checkout-k3f9 (12m 17s): hello passed and is merged now.
      tidegate watch checkout-k3f9
    [round: merged]
    checkout-k3f9 (12m 17s): hello is merged, and the wave closes.
      tidegate watch checkout-k3f9
    [round: abandoned]
    checkout-k3f9 (12m 17s): the integration is made anew: test fails with hello.
      tidegate watch checkout-k3f9
    [landing: none]
    checkout-k3f9 (12m 17s): it is about to land on main.
      tidegate watch checkout-k3f9
    [landing: queued]
    checkout-k3f9 has been waiting for its turn to land on main for 12m 17s.
      tidegate watch checkout-k3f9
    [landing: observed]
    checkout-k3f9 (12m 17s): main has moved; the run is built again on top of it.
      tidegate watch checkout-k3f9
    [landing: refused]
    checkout-k3f9 has been waiting for you for 12m 30s: the run conflicts with what is new on main: a.md.
      nothing of yours was changed, and the work of the run is kept
      first: tidegate edit checkout-k3f9
      then:  tidegate land checkout-k3f9
    [landing: intended]
    checkout-k3f9 (12m 17s): main is being moved.
      tidegate watch checkout-k3f9
    [landing: offering]
    checkout-k3f9 (12m 17s): tidegate/demo-ab12 is being pushed.
      tidegate watch checkout-k3f9
    [landing: offered]
    checkout-k3f9 (12m 17s): Pushed tidegate/demo-ab12 to origin; open the pull request: gh pr create --repo github.com/ada/shop --base main --head tidegate/demo-ab12 --fill.
      tidegate watch checkout-k3f9
    [landing: landed]
    checkout-k3f9 (12m 17s): it has landed on main.
      tidegate watch checkout-k3f9
    [landing: undoing]
    checkout-k3f9 (12m 17s): it is taken back out of main.
      tidegate watch checkout-k3f9
    [landing: undone]
    checkout-k3f9 (12m 17s): it was taken back out of main.
      tidegate watch checkout-k3f9
    [ended: landed]
    checkout-k3f9 ended 2m 30s ago: Landed on main as cccccccc (the plan has no checks).
      tidegate show checkout-k3f9
    [ended: done]
    checkout-k3f9 ended 2m 30s ago: Done; nothing was landed.
      tidegate show checkout-k3f9
    [ended: kept on its branch]
    checkout-k3f9 ended 2m 30s ago: Done, without 1 dropped task; nothing was landed.
      tidegate land checkout-k3f9
    [ended: undone]
    checkout-k3f9 ended 2m 30s ago: Undone: main is at cccccccc again.
      tidegate show checkout-k3f9
    [ended: rejected]
    checkout-k3f9 ended 2m 30s ago: Not started: all its tasks were dropped.
      no agent was started
      tidegate run tidegate.plan.yaml
    [ended: failed]
    checkout-k3f9 ended 2m 30s ago: Failed: it did not pass its first phases.
      no agent was started, and nothing is spent
      first: mend the plan
      then:  tidegate run tidegate.plan.yaml
    [ended: abandoned]
    checkout-k3f9 ended 2m 30s ago: Abandoned by ada.
      its work is kept
      tidegate rescue checkout-k3f9
    [ended: red base]
    checkout-k3f9 ended 2m 30s ago: Failed: check test failed on main itself, before any task began.
      | ok 1
      | not ok 2 - adds
      | all of it: tidegate logs checkout-k3f9 --check test
      no agent was started, and nothing is spent
      first: mend main and commit
      then:  tidegate run tidegate.plan.yaml
    [need: approve]
    checkout-k3f9 has been waiting for you for 12m 24s: 2 tasks wait for approval.
      nothing has started; to say no: tidegate reject checkout-k3f9
      tidegate approve checkout-k3f9
    [need: land]
    checkout-k3f9 is waiting for you: ready to land on main.
      main stays as it is until you say so
      tidegate land checkout-k3f9
    [need: held]
    checkout-k3f9/hello has been waiting for you for 12m 18s: conflicts with other work in a.md, b.md.
      | to begin again on top of what is merged: tidegate retry checkout-k3f9/hello
      its work is kept
      tidegate rework checkout-k3f9/hello -m 'it conflicts with merged work in a.md, b.md'
    [need: failed]
    checkout-k3f9/hello has been waiting for you for 12m 18s: exit 1; the agent left no handoff.
      | what it said:  tidegate logs checkout-k3f9/hello
      | what it did:   tidegate diff checkout-k3f9/hello
      | take it as is: tidegate accept checkout-k3f9/hello
      its work is kept, and nothing of it was merged
      tidegate rework checkout-k3f9/hello -m 'go on with what is there until it is done, then hand off'
    [need: blocked]
    checkout-k3f9/reply is waiting for you: needs hello, which was dropped.
      nothing of it has started
      tidegate drop checkout-k3f9/reply
    [need: launch]
    checkout-k3f9/reply is waiting for you: could not be launched: the program claude is not on the PATH.
      no attempt is used up, and nothing else of its wave starts until you decide
      first: npm install -g @anthropic-ai/claude-code
             or give it to another agent: tidegate retry checkout-k3f9/reply --agent <agent>
             or give it up: tidegate drop checkout-k3f9/reply
      then:  tidegate resume checkout-k3f9
    [need: paused]
    checkout-k3f9 has been waiting for you for 12m 30s: paused by ada.
      | to give it up: tidegate abandon checkout-k3f9
      agents under way go on to their end; nothing new starts
      tidegate resume checkout-k3f9
    [need: stopped]
    checkout-k3f9 has been waiting for you for 12m 30s: stopped by ada.
      | to give it up: tidegate abandon checkout-k3f9
      what agents had done by then is kept
      tidegate resume checkout-k3f9
    [need: halted]
    checkout-k3f9 has been waiting for you for 12m 30s: only 0 B are free on the disk, and 500.0 MB (disk.free) must be.
      agents under way go on to their end, and nothing is lost
      first: make room on the disk
      then:  tidegate resume checkout-k3f9
    [need: disk]
    checkout-k3f9 has been waiting for you for 12m 30s: nothing more starts, because only 300.0 MB of memory are free.
      agents under way go on, and when there is room the rest starts by itself
      first: end something, or lower limits.parallel
      then:  tidegate clean --dry-run
    [need: login]
    checkout-k3f9 has been waiting for you for 12m 30s: no login at anthropic: the provider said so.
      no attempt is used up, and tasks of other agents go on
      first: tidegate auth claude
      then:  tidegate resume checkout-k3f9
    [need: budget]
    checkout-k3f9 is waiting for you: nothing more starts: the run has used $60.00 of $50.00.
      what is done is kept, and nothing more is spent
      tidegate raise checkout-k3f9 --usd 50
    [need: scope]
    checkout-k3f9/hello has been waiting for you for 12m 18s: its agent asks for src/api.ts: the type is declared there.
      it goes on meanwhile
      tidegate grant checkout-k3f9/hello src/api.ts
    [need: question]
    checkout-k3f9/hello has been waiting for you for 12m 18s: its agent asks: "Which of the two tables is in use?".
      the run goes on meanwhile
      tidegate answer checkout-k3f9/1 -m "your answer"
    [need: landing]
    checkout-k3f9 has been waiting for you for 12m 30s: the run conflicts with what is new on main: a.md.
      nothing of yours was changed, and the work of the run is kept
      first: tidegate edit checkout-k3f9
      then:  tidegate land checkout-k3f9
    [task: waiting]
    checkout-k3f9/hello waits for nothing more, and starts next.
      tidegate watch checkout-k3f9
    [task: launching]
    checkout-k3f9/hello is starting for 12m 18s: its workspace is made and its fence is tested.
      tidegate logs -f checkout-k3f9/hello
    [task: running]
    checkout-k3f9/hello has been running for 12m 18s.
      tidegate logs -f checkout-k3f9/hello
    [task: ended]
    checkout-k3f9/hello ended 12m 18s ago, and its snapshot is judged.
      tidegate show checkout-k3f9/hello
    [task: ready]
    checkout-k3f9/hello is ready for 12m 18s, and is merged when reply of its wave is through.
      tidegate why checkout-k3f9/reply
    [task: done]
    checkout-k3f9/hello was done 12m 18s ago: it changed nothing, so there is nothing to merge.
      tidegate show checkout-k3f9/hello
    [task: held]
    checkout-k3f9/hello has been held for 12m 18s: conflicts with other work in a.md, b.md.
      | to begin again on top of what is merged: tidegate retry checkout-k3f9/hello
      its work is kept
      tidegate rework checkout-k3f9/hello -m 'it conflicts with merged work in a.md, b.md'
    [task: failed]
    checkout-k3f9/hello failed 12m 18s ago: exit 1; the agent left no handoff.
      | what it said:  tidegate logs checkout-k3f9/hello
      | what it did:   tidegate diff checkout-k3f9/hello
      | take it as is: tidegate accept checkout-k3f9/hello
      its work is kept, and nothing of it was merged
      tidegate rework checkout-k3f9/hello -m 'go on with what is there until it is done, then hand off'
    [task: merged]
    checkout-k3f9/hello was merged 12m 18s ago as cccccccc, 1 file; main does not have it yet.
      tidegate diff checkout-k3f9/hello
    [task: dropped]
    checkout-k3f9/hello was dropped 12m 18s ago by ada.
      its work is kept
      tidegate rescue checkout-k3f9/hello
    [held by: gate]
    checkout-k3f9/hello has been held for 12m 18s: changed nothing, and was to change something.
      | if that is fine: \`allowEmpty: true\` in the plan, then tidegate resume checkout-k3f9 --replan
      nothing is lost
      tidegate rework checkout-k3f9/hello -m 'nothing is changed yet; do what the task says'
    [held by: conflict]
    checkout-k3f9/hello has been held for 12m 18s: conflicts with other work in a.md, b.md.
      | to begin again on top of what is merged: tidegate retry checkout-k3f9/hello
      its work is kept
      tidegate rework checkout-k3f9/hello -m 'it conflicts with merged work in a.md, b.md'
    [held by: check]
    checkout-k3f9/hello has been held for 12m 18s: breaks the check test.
      | ok 1
      | not ok 2 - adds
      | all of it: tidegate logs checkout-k3f9 --check test
      its work is kept, and nothing of it was merged
      tidegate rework checkout-k3f9/hello -m 'the check test fails'
    [held by: needs]
    checkout-k3f9/hello has been held for 12m 18s: stands on reply, which is held.
      its work is kept, and goes on when reply is settled
      tidegate rework checkout-k3f9/reply -m 'it conflicts with merged work in a.md'
    [gate: secrets]
    checkout-k3f9/hello has been held for 12m 18s: config.js: a secret in added content.
      nothing of it was merged, and the value is shown nowhere
      tidegate rework checkout-k3f9/hello -m 'take the secret out of what you wrote'
    [gate: snapshot]
    checkout-k3f9/hello has been held for 12m 18s: pipe: a FIFO cannot be kept in git.
      | have it mended: tidegate rework checkout-k3f9/hello -m 'take these away: pipe'
      after a drop it is judged again without them; the files stay where they are
      tidegate drop checkout-k3f9/hello pipe
    [gate: scope]
    checkout-k3f9/hello has been held for 12m 18s: added x.md: the task does not own it; added "a b'c.md": the task does not own it.
      its work is kept; granted or dropped, it is judged again at no cost
      tidegate grant checkout-k3f9/hello x.md 'a b'\\''c.md'
    [gate: files]
    checkout-k3f9/hello has been held for 12m 18s: 30 files changed, the limit is 20.
      its work is kept, and nothing of it was merged
      tidegate rework checkout-k3f9/hello -m 'change fewer files'
    [gate: plan]
    checkout-k3f9/hello has been held for 12m 18s: x.plan.yaml:3:12: \`a\` needs \`b\`, which does not exist.
      its work is kept, and nothing of it was merged
      tidegate rework checkout-k3f9/hello -m 'mend what is wrong with the plan'
    [gate: changes]
    checkout-k3f9/hello has been held for 12m 18s: changed nothing, and was to change something.
      | if that is fine: \`allowEmpty: true\` in the plan, then tidegate resume checkout-k3f9 --replan
      nothing is lost
      tidegate rework checkout-k3f9/hello -m 'nothing is changed yet; do what the task says'
    [gate: deliverables]
    checkout-k3f9/hello has been held for 12m 18s: the deliverable a/b.txt was not made.
      its work is kept, and nothing of it was merged
      tidegate rework checkout-k3f9/hello -m 'make a/b.txt'
    [gate: exit]
    checkout-k3f9/hello has been held for 12m 18s: exit 0, but the agent did not say that it had finished.
      | what it did:   tidegate diff checkout-k3f9/hello
      | take it as is: tidegate accept checkout-k3f9/hello
      its work is kept, and nothing of it was merged
      tidegate rework checkout-k3f9/hello -m 'go on with what is there until it is done, then hand off'
    [gate: handoff]
    checkout-k3f9/hello has been held for 12m 18s: the handoff is of another attempt.
      | what it did:   tidegate diff checkout-k3f9/hello
      | take it as is: tidegate accept checkout-k3f9/hello
      its work is kept, and nothing of it was merged
      tidegate rework checkout-k3f9/hello -m 'go on with what is there until it is done, then hand off'
    [waits on: mode]
    checkout-k3f9/reply waits: checkout-k3f9 has been waiting for you for 12m 30s: paused by ada.
      | to give it up: tidegate abandon checkout-k3f9
      agents under way go on to their end; nothing new starts
      tidegate resume checkout-k3f9
    [waits on: launch]
    checkout-k3f9/reply waits: could not be launched: the program claude is not on the PATH.
      no attempt is used up, and nothing else of its wave starts until you decide
      first: npm install -g @anthropic-ai/claude-code
             or give it to another agent: tidegate retry checkout-k3f9/reply --agent <agent>
             or give it up: tidegate drop checkout-k3f9/reply
      then:  tidegate resume checkout-k3f9
    [waits on: wave-halt]
    checkout-k3f9/reply waits: its wave is halted, because hello could not be launched: the program claude is not on the PATH.
      no attempt is used up, and nothing else of its wave starts until you decide
      first: npm install -g @anthropic-ai/claude-code
             or give it to another agent: tidegate retry checkout-k3f9/hello --agent <agent>
             or give it up: tidegate drop checkout-k3f9/hello
      then:  tidegate resume checkout-k3f9
    [waits on: wave]
    checkout-k3f9/reply waits for wave 0, in which hello is running for 12m 18s.
      tidegate why checkout-k3f9/hello
    [waits on: earlier]
    checkout-k3f9/reply waits for hello of an earlier wave, whose paths meet its own.
      tidegate why checkout-k3f9/hello
    [waits on: need]
    checkout-k3f9/reply waits for hello, which is running for 12m 18s.
      tidegate why checkout-k3f9/hello
    [waits on: need that locks]
    checkout-k3f9/reply waits for hello, which is running for 12m 18s and writes api.yaml before the others.
      tidegate why checkout-k3f9/hello
    [waits on: need that was dropped]
    checkout-k3f9/reply waits: needs hello, which was dropped.
      nothing of it has started
      tidegate drop checkout-k3f9/reply
    [waits on: approval]
    checkout-k3f9/reply waits: checkout-k3f9 has been waiting for you for 12m 24s: 2 tasks wait for approval.
      nothing has started; to say no: tidegate reject checkout-k3f9
      tidegate approve checkout-k3f9
    [waits on: budget]
    checkout-k3f9/reply waits: it has used $12.00 of $10.00.
      what it has done is kept, and the next attempt goes on from there
      tidegate raise checkout-k3f9/reply --usd 10
    [waits on: budget of the run]
    checkout-k3f9/reply waits: nothing more starts: the run has used $60.00 of $50.00.
      what is done is kept, and nothing more is spent
      tidegate raise checkout-k3f9 --usd 50
    [waits on: room]
    checkout-k3f9/reply waits: nothing more starts, because only 300.0 MB of memory are free.
      agents under way go on, and when there is room the rest starts by itself
      first: end something, or lower limits.parallel
      then:  tidegate clean --dry-run
    [waits on: run-branch]
    checkout-k3f9/reply waits: checkout-k3f9 has been running hello for 12m 18s.
      tidegate logs -f checkout-k3f9/hello
    [waits on: base-check]
    checkout-k3f9/reply waits for the check test, which runs on main before any task starts.
      tidegate watch checkout-k3f9
    [waits on: provider]
    checkout-k3f9/reply waits for its base, which is made now.
      tidegate watch checkout-k3f9
    [waits on: agents]
    checkout-k3f9/reply waits for its base, which is made now.
      tidegate watch checkout-k3f9
    [waits on: shared]
    checkout-k3f9/reply waits for hello, which is running for 12m 18s: they share p.json, one after the other.
      tidegate why checkout-k3f9/hello
    [waits on: place]
    checkout-k3f9/reply waits for a free place: hello is running for 12m 18s, and 1 at a time may be at work (limits.parallel).
      tidegate why checkout-k3f9/hello
    [waits on: launches]
    checkout-k3f9/reply waits while a, b, c, d start.
      tidegate watch checkout-k3f9
    [waits on: task-base]
    checkout-k3f9/reply waits for its base, which is made now.
      tidegate watch checkout-k3f9
    [waits on: nothing]
    checkout-k3f9/reply waits for nothing more, and starts next.
      tidegate watch checkout-k3f9
    [trouble: rate-limited]
    checkout-k3f9/hello waits for nothing more, and starts next.
      tidegate watch checkout-k3f9
    [trouble: needs-login]
    checkout-k3f9/hello waits for nothing more, and starts next.
      tidegate watch checkout-k3f9
    [around: in line]
    checkout-k3f9 waits to land on main: older-abcd goes first.
      its turn comes by itself
      tidegate why older-abcd
    [around: unattended]
    checkout-k3f9 has been stuck for 12m 17s: no coordinator is alive, so nothing of it goes on.
      agents under way work on for 15 minutes, and all that was done is kept
      tidegate resume checkout-k3f9
    [task around: in line]
    checkout-k3f9/reply waits for hello, which is running for 12m 18s.
      tidegate why checkout-k3f9/hello
    [task around: unattended]
    checkout-k3f9/reply waits: checkout-k3f9 has been stuck for 12m 17s: no coordinator is alive, so nothing of it goes on.
      agents under way work on for 15 minutes, and all that was done is kept
      tidegate resume checkout-k3f9
    [in the way of landing: dirty-checkout]
    checkout-k3f9 has been waiting for you for 12m 30s: you have changes in /repos/shop that this would overwrite; they are untouched: src/cart.ts.
      nothing of yours was changed, and the work of the run is kept
      first: commit them or put them aside (git -C /repos/shop stash)
      then:  tidegate land checkout-k3f9
    [in the way of landing: untracked-files]
    checkout-k3f9 has been waiting for you for 12m 30s: this would overwrite untracked files in /repos/shop; they are untouched: .env, notes.md.
      nothing of yours was changed, and the work of the run is kept
      first: move them away
      then:  tidegate land checkout-k3f9
    [in the way of landing: operation-unfinished]
    checkout-k3f9 has been waiting for you for 12m 30s: a rebase is not finished in /repos/shop.
      nothing of yours was changed, and the work of the run is kept
      first: finish it (git rebase --continue) or give it up (--abort) there
      then:  tidegate land checkout-k3f9
    [in the way of landing: submodules-move]
    checkout-k3f9 has been waiting for you for 12m 30s: submodules would have to move: vendor/lib.
      nothing of yours was changed, and the work of the run is kept
      first: update the submodules by hand
      then:  tidegate land checkout-k3f9
    [in the way of landing: lfs-unusable]
    checkout-k3f9 has been waiting for you for 12m 30s: your git configuration requires git-lfs (filter.lfs.required), which cannot be run; your files are untouched: logo.psd.
      nothing of yours was changed, and the work of the run is kept
      first: install git-lfs
      then:  tidegate land checkout-k3f9
    [in the way of landing: git-locked]
    checkout-k3f9 has been waiting for you for 12m 30s: another git command is running in your repository, or was killed there: /repos/shop/.git/index.lock.
      nothing of yours was changed, and the work of the run is kept
      first: when no git runs any more, remove the lock files
      then:  tidegate land checkout-k3f9
    [in the way of landing: not-a-branch]
    checkout-k3f9 has been waiting for you for 12m 30s: refs/heads/main is not a branch.
      nothing of yours was changed, and the work of the run is kept
      first: land on a branch
      then:  tidegate land checkout-k3f9
    [in the way of landing: several-worktrees]
    checkout-k3f9 has been waiting for you for 12m 30s: refs/heads/main is checked out in several working trees: /repos/shop, /repos/shop-2.
      nothing of yours was changed, and the work of the run is kept
      first: leave it checked out in one of them
      then:  tidegate land checkout-k3f9
    [in the way of landing: worktree-missing]
    checkout-k3f9 has been waiting for you for 12m 30s: refs/heads/main is checked out in /repos/shop, which is not there.
      nothing of yours was changed, and the work of the run is kept
      first: git worktree prune, or bring it back
      then:  tidegate land checkout-k3f9
    [in the way of landing: branch-checked-out]
    checkout-k3f9 has been waiting for you for 12m 30s: refs/heads/main is checked out in /repos/shop.
      nothing of yours was changed, and the work of the run is kept
      first: check out another branch there
      then:  tidegate land checkout-k3f9
    [in the way of landing: files-refused]
    checkout-k3f9 has been waiting for you for 12m 30s: git will not change the files: error: unable to create file a.md: Permission denied.
      nothing of yours was changed, and the work of the run is kept
      tidegate land checkout-k3f9
    [in the way of landing: branch-moved]
    checkout-k3f9 has been waiting for you for 12m 30s: refs/heads/main is at bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb instead of aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: somebody moved it.
      nothing of yours was changed, and the work of the run is kept
      tidegate land checkout-k3f9
    [in the way of landing: branch-gone]
    checkout-k3f9 has been waiting for you for 12m 30s: the branch main is gone.
      nothing of yours was changed, and the work of the run is kept
      first: bring the branch back
      then:  tidegate land checkout-k3f9
    [in the way of landing: landing-cut-off]
    checkout-k3f9 has been waiting for you for 12m 30s: a landing of checkout-k3f9 was cut off (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa to bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb) and cannot be ended: the index is neither as before nor as after the landing: src/cart.ts.
      nothing of yours was changed, and the work of the run is kept
      first: look at /repos/shop; when refs/heads/main and its files are as you want them, remove landing.json from the state directory
      then:  tidegate land checkout-k3f9
    [undo: asked]
    undo: checkout-k3f9 is taken back (12m 30s).
      main moves only when the checks have passed
      tidegate watch checkout-k3f9
    [undo: checked]
    undo: checkout-k3f9 waits for the check test on commits that revert it (12m 30s).
      main moves only when the checks have passed
      tidegate watch checkout-k3f9
    [undo: halted]
    checkout-k3f9 has been waiting for you for 12m 30s: only 0 B are free on the disk, and 500.0 MB (disk.free) must be.
      agents under way go on to their end, and nothing is lost
      first: make room on the disk
      then:  tidegate resume checkout-k3f9
    [landed in part: run]
    checkout-k3f9 ended 2m 30s ago: Landed on main as cccccccc (the plan has no checks); reply stayed on the run branch.
      tidegate land checkout-k3f9
    [landed in part: landed task]
    checkout-k3f9/hello was merged 12m 18s ago as cccccccc, 1 file; it has landed on main.
      tidegate diff checkout-k3f9/hello
    [landed in part: task left]
    checkout-k3f9/reply was merged as cccccccc, 1 file; main does not have it yet.
      tidegate land checkout-k3f9
    [landed in part: task undone]
    checkout-k3f9/hello was merged 12m 18s ago as cccccccc, 1 file; it was taken back out of main.
      tidegate diff checkout-k3f9/hello
    [landed in part: run of it]
    checkout-k3f9 ended 2m 30s ago: Landed on main as cccccccc (the plan has no checks); reply stayed on the run branch; hello taken back since.
      tidegate land checkout-k3f9
    [landed in part: refused]
    checkout-k3f9 has been waiting for you for 12m 30s: the run conflicts with what is new on main: a.md.
      nothing of yours was changed, and the work of the run is kept
      first: tidegate edit checkout-k3f9
      then:  tidegate land checkout-k3f9 --only hello
    "
  `);
});

test('every explanation is one sentence, says what is safe on one line, and has a command', () => {
  for (const [name, { sentence, safe, command }] of Object.entries(standings())) {
    expect({ name, sentence }).toEqual({ name, sentence: expect.stringMatching(/^[^\n!]+\.$/) });
    expect({ name, fits: safe.length <= 76 }).toEqual({ name, fits: true });
    expect({ name, command }).toEqual({ name, command: expect.stringMatching(/^tidegate [a-z]+/) });
  }
});

test('a run that landed in part says in its status what stayed, and how it lands; a refusal of some is told once', () => {
  expect(standingLines(partlyLanded()).map(plain)).toEqual([
    '',
    'Landed on main as cccccccc (the plan has no checks); reply stayed on the run branch: tidegate land checkout-k3f9',
  ]);
  const needs = [partlyLanded().state, refusedInPart].flatMap(noticesOf).filter(({ kind }) => kind !== 'ended');
  expect(needs.map(({ item, message, command }) => ({ item, message, command }))).toEqual([
    {
      item: 'checkout-k3f9 landing ',
      message: 'the run conflicts with what is new on main: a.md',
      command: 'tidegate land checkout-k3f9 --only hello',
    },
  ]);
});
