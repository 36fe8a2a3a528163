import { expect, test } from 'vitest';
import { partlyLanded, refusedInPart, standings } from '../../test/support/standings.ts';
import { noticesOf } from '../domain/board/notices.ts';
import type { Text } from '../ports/terminal.ts';
import { adviceLines, standingLines } from './run-view.ts';

const plain = (line: Text): string =>
  typeof line === 'string' ? line : line.map((part) => (typeof part === 'string' ? part : part.text)).join('');

test('every state of a run and of a task is explained by a sentence, with the age of the fact and the next command', () => {
  const said = Object.entries(standings()).map(([name, why]) =>
    [`[${name}]`, why.sentence.replace(/until \d\d:\d\d/, 'until HH:MM'), ...adviceLines(why).map(plain)].join('\n'),
  );
  expect(`\n${said.join('\n')}\n`).toMatchInlineSnapshot(`
    "
    [mode: active]
    checkout-k3f9 has been running hello for 12m 18s.
      tidegate logs -f checkout-k3f9/hello
    [mode: paused]
    checkout-k3f9 has been waiting for you for 12m 30s: paused by ada.
      | to end the run: tidegate abandon checkout-k3f9
      running agents finish; nothing new starts
      tidegate resume checkout-k3f9
    [mode: stopped]
    checkout-k3f9 has been waiting for you for 12m 30s: stopped by ada.
      | to end the run: tidegate abandon checkout-k3f9
      the work of its agents is kept
      tidegate resume checkout-k3f9
    [mode: halted]
    checkout-k3f9 has been waiting for you for 12m 30s: only 0 B of disk space is free, and disk.free requires 500.0 MB.
      running agents finish, and no work is lost
      first: free some disk space
      then:  tidegate resume checkout-k3f9
    [tap: pending]
    checkout-k3f9 has been waiting for you for 12m 24s: 2 tasks are waiting for approval.
      nothing has started; to reject the plan: tidegate reject checkout-k3f9
      tidegate approve checkout-k3f9
    [tap: held]
    checkout-k3f9 has been waiting for you for 12m 24s: 2 tasks are waiting for approval (put on hold by ada).
      nothing has started; to reject the plan: tidegate reject checkout-k3f9
      tidegate approve checkout-k3f9
    [tap: approved]
    checkout-k3f9 has been recording the decision about its start for 12m 17s.
      tidegate watch checkout-k3f9
    [tap: rejected]
    checkout-k3f9 has been recording the decision about its start for 12m 17s.
      tidegate watch checkout-k3f9
    [tap: expired]
    checkout-k3f9 has been recording the decision about its start for 12m 17s.
      tidegate watch checkout-k3f9
    [land tap: pending]
    checkout-k3f9 is waiting for you: ready to land on main.
      main does not move until you approve
      tidegate land checkout-k3f9
    [land tap: held]
    checkout-k3f9 is waiting for you: ready to land on main (put on hold by ada).
      main does not move until you approve
      tidegate land checkout-k3f9
    [land tap: approved]
    checkout-k3f9 has been preparing to land on main for 12m 17s.
      tidegate watch checkout-k3f9
    [land tap: rejected]
    checkout-k3f9 ends without landing.
      tidegate watch checkout-k3f9
    [land tap: expired]
    checkout-k3f9 has been preparing to land on main for 12m 17s.
      tidegate watch checkout-k3f9
    [round: opened]
    checkout-k3f9 has been integrating hello for 12m 17s.
      tidegate watch checkout-k3f9
    [round: built]
    checkout-k3f9 has been running the check test on the result for 12m 17s.
      tidegate watch checkout-k3f9
    [round: generated]
    checkout-k3f9 has been adding generated files to the candidate for 12m 17s.
      tidegate watch checkout-k3f9
    [round: completed]
    checkout-k3f9 has been running the check test on the result for 12m 17s.
      tidegate watch checkout-k3f9
    [round: closing]
    checkout-k3f9 has been merging hello for 12m 17s.
      tidegate watch checkout-k3f9
    [round: merging]
    checkout-k3f9 has been merging hello for 12m 17s.
      tidegate watch checkout-k3f9
    [round: merged]
    checkout-k3f9 has been closing the wave after merging hello for 12m 17s.
      tidegate watch checkout-k3f9
    [round: abandoned]
    checkout-k3f9 has been integrating again for 12m 17s, because test fails with hello.
      tidegate watch checkout-k3f9
    [landing: none]
    checkout-k3f9 has been preparing to land on main for 12m 17s.
      tidegate watch checkout-k3f9
    [landing: queued]
    checkout-k3f9 has been waiting for its turn to land on main for 12m 17s.
      tidegate watch checkout-k3f9
    [landing: observed]
    checkout-k3f9 has been rebuilding its commits for 12m 17s, because main has moved.
      tidegate watch checkout-k3f9
    [landing: refused]
    checkout-k3f9 has been waiting for you for 12m 30s: the run conflicts with new commits on main: a.md.
      Tidegate has changed nothing, and the work of the run is kept
      first: tidegate edit checkout-k3f9
      then:  tidegate land checkout-k3f9
    [landing: intended]
    checkout-k3f9 has been moving main for 12m 17s.
      tidegate watch checkout-k3f9
    [landing: offering]
    checkout-k3f9 has been pushing tidegate/demo-ab12 for 12m 17s.
      tidegate watch checkout-k3f9
    [landing: offered]
    checkout-k3f9 has finished: Pushed tidegate/demo-ab12 to origin; open the pull request: gh pr create --repo github.com/ada/shop --base main --head tidegate/demo-ab12 --fill.
      tidegate watch checkout-k3f9
    [landing: landed]
    checkout-k3f9 has landed on main.
      tidegate watch checkout-k3f9
    [landing: undoing]
    checkout-k3f9 has been reverting its commits on main for 12m 17s.
      tidegate watch checkout-k3f9
    [landing: undone]
    checkout-k3f9 was undone on main.
      tidegate watch checkout-k3f9
    [ended: landed]
    checkout-k3f9 ended 2m 30s ago: Landed on main as cccccccc (the plan has no checks).
      tidegate show checkout-k3f9
    [ended: done]
    checkout-k3f9 ended 2m 30s ago: Done; nothing has landed.
      tidegate show checkout-k3f9
    [ended: kept on its branch]
    checkout-k3f9 ended 2m 30s ago: Done without 1 dropped task; nothing has landed.
      tidegate land checkout-k3f9
    [ended: undone]
    checkout-k3f9 ended 2m 30s ago: Undone: main is at cccccccc again.
      tidegate show checkout-k3f9
    [ended: rejected]
    checkout-k3f9 ended 2m 30s ago: Not started: all its tasks were dropped.
      no agent was started
      tidegate run tidegate.plan.yaml
    [ended: failed]
    checkout-k3f9 ended 2m 30s ago: Failed: a phase before approval did not pass.
      no agent was started, and nothing was spent
      first: fix the plan
      then:  tidegate run tidegate.plan.yaml
    [ended: abandoned]
    checkout-k3f9 ended 2m 30s ago: Abandoned by ada.
      its work is kept
      tidegate rescue checkout-k3f9
    [ended: red base]
    checkout-k3f9 ended 2m 30s ago: Failed: the check test failed on main before any task started.
      | ok 1
      | not ok 2 - adds
      | full output: tidegate logs checkout-k3f9 --check test
      no agent was started, and nothing was spent
      first: fix main and commit, or let the run start from it: \`policy: ratchet\` in that check
      then:  tidegate run tidegate.plan.yaml
    [need: approve]
    checkout-k3f9 has been waiting for you for 12m 24s: 2 tasks are waiting for approval.
      nothing has started; to reject the plan: tidegate reject checkout-k3f9
      tidegate approve checkout-k3f9
    [need: land]
    checkout-k3f9 is waiting for you: ready to land on main.
      main does not move until you approve
      tidegate land checkout-k3f9
    [need: held]
    checkout-k3f9/hello has been waiting for you for 12m 18s: conflicts with other work in a.md, b.md.
      | to start again from the merged state: tidegate retry checkout-k3f9/hello
      its work is kept
      tidegate rework checkout-k3f9/hello -m 'it conflicts with merged work in a.md, b.md'
    [need: failed]
    checkout-k3f9/hello has been waiting for you for 12m 18s: exit 1; the agent exited without a handoff.
      | its output:    tidegate logs checkout-k3f9/hello
      | its changes:   tidegate diff checkout-k3f9/hello
      | accept as is:  tidegate accept checkout-k3f9/hello
      its work is kept, and nothing was merged
      tidegate rework checkout-k3f9/hello -m 'continue from the existing work, finish the task, then hand off'
    [need: blocked]
    checkout-k3f9/reply is waiting for you: needs hello, which was dropped.
      the task has not started
      tidegate drop checkout-k3f9/reply
    [need: launch]
    checkout-k3f9/reply is waiting for you: could not be started: the program claude is not on the PATH.
      no attempt is used up; no other task of its wave starts until you decide
      first: npm install -g @anthropic-ai/claude-code
             or use another agent: tidegate retry checkout-k3f9/reply --agent <agent>
             or drop the task: tidegate drop checkout-k3f9/reply
      then:  tidegate resume checkout-k3f9
    [need: paused]
    checkout-k3f9 has been waiting for you for 12m 30s: paused by ada.
      | to end the run: tidegate abandon checkout-k3f9
      running agents finish; nothing new starts
      tidegate resume checkout-k3f9
    [need: stopped]
    checkout-k3f9 has been waiting for you for 12m 30s: stopped by ada.
      | to end the run: tidegate abandon checkout-k3f9
      the work of its agents is kept
      tidegate resume checkout-k3f9
    [need: halted]
    checkout-k3f9 has been waiting for you for 12m 30s: only 0 B of disk space is free, and disk.free requires 500.0 MB.
      running agents finish, and no work is lost
      first: free some disk space
      then:  tidegate resume checkout-k3f9
    [need: disk]
    checkout-k3f9 has been waiting for you for 12m 30s: no more tasks start: only 300.0 MB of memory is free.
      running agents continue; the other tasks start when there is room
      first: close other programs, or lower limits.parallel
      then:  tidegate clean --dry-run
    [need: login]
    checkout-k3f9 has been waiting for you for 12m 30s: not logged in to anthropic: the provider said so.
      no attempt is used up; tasks of other agents continue
      first: tidegate auth claude
      then:  tidegate resume checkout-k3f9
    [need: budget]
    checkout-k3f9 is waiting for you: no more tasks start: the run has used $60.00 of its $50.00 budget.
      finished work is kept, and nothing more is spent
      tidegate raise checkout-k3f9 --usd 50
    [need: scope]
    checkout-k3f9/hello has been waiting for you for 12m 18s: the agent requests access to src/api.ts: the type is declared there.
      the agent continues in the meantime
      tidegate grant checkout-k3f9/hello src/api.ts
    [need: question]
    checkout-k3f9/hello has been waiting for you for 12m 18s: its agent asks: "Which of the two tables is in use?".
      the run continues in the meantime
      tidegate answer checkout-k3f9/1 -m "your answer"
    [need: barrier]
    checkout-k3f9/wave-1-qa is waiting for you: qa reports blocked: the import is missing.
      | its output:            tidegate logs checkout-k3f9/wave-1-qa
      | to run the role again: tidegate retry checkout-k3f9/wave-1-qa
      | to decide it yourself: tidegate resolve checkout-k3f9/wave-1-qa -m "your reason"
      nothing of this wave is merged until it closes
      tidegate rework checkout-k3f9/hello -m 'qa reports blocked: the import is missing'
    [need: landing]
    checkout-k3f9 has been waiting for you for 12m 30s: the run conflicts with new commits on main: a.md.
      Tidegate has changed nothing, and the work of the run is kept
      first: tidegate edit checkout-k3f9
      then:  tidegate land checkout-k3f9
    [need: requires]
    checkout-k3f9 is waiting: dependency d1 on prices-7f2c is open: the new price list.
      | to decide it yourself: tidegate dep resolve d1 -m "your reason"
      nothing lands until prices-7f2c has landed on main
      tidegate why prices-7f2c
    [need: dependency]
    checkout-k3f9 has been waiting for you for 12m 30s: dependency d1 on prices-7f2c is open: the new price list; prices-7f2c has ended (abandoned).
      | if it is not needed any more: tidegate dep cancel d1 -m "your reason"
      nothing lands until you decide
      tidegate dep resolve d1 -m "your reason"
    [task: waiting]
    checkout-k3f9/hello starts next.
      tidegate watch checkout-k3f9
    [task: launching]
    checkout-k3f9/hello has been starting for 12m 18s: its workspace and fence are being prepared.
      tidegate logs -f checkout-k3f9/hello
    [task: running]
    checkout-k3f9/hello has been running for 12m 18s.
      tidegate logs -f checkout-k3f9/hello
    [task: ended]
    checkout-k3f9/hello ended 12m 18s ago, and its snapshot is being judged.
      tidegate show checkout-k3f9/hello
    [task: ready]
    checkout-k3f9/hello has been ready for 12m 18s and will be merged when reply has finished.
      tidegate why checkout-k3f9/reply
    [task: done]
    checkout-k3f9/hello finished 12m 18s ago: it made no changes, so there is nothing to merge.
      tidegate show checkout-k3f9/hello
    [task: held]
    checkout-k3f9/hello has been held for 12m 18s: conflicts with other work in a.md, b.md.
      | to start again from the merged state: tidegate retry checkout-k3f9/hello
      its work is kept
      tidegate rework checkout-k3f9/hello -m 'it conflicts with merged work in a.md, b.md'
    [task: failed]
    checkout-k3f9/hello failed 12m 18s ago: exit 1; the agent exited without a handoff.
      | its output:    tidegate logs checkout-k3f9/hello
      | its changes:   tidegate diff checkout-k3f9/hello
      | accept as is:  tidegate accept checkout-k3f9/hello
      its work is kept, and nothing was merged
      tidegate rework checkout-k3f9/hello -m 'continue from the existing work, finish the task, then hand off'
    [task: merged]
    checkout-k3f9/hello was merged 12m 18s ago as cccccccc (1 file); it has not landed on main yet.
      tidegate diff checkout-k3f9/hello
    [task: dropped]
    checkout-k3f9/hello was dropped 12m 18s ago by ada.
      its work is kept
      tidegate rescue checkout-k3f9/hello
    [held by: gate]
    checkout-k3f9/hello has been held for 12m 18s: made no changes, but the task owns files.
      | if that is correct: set \`allowEmpty: true\` in the plan, then run: tidegate resume checkout-k3f9 --replan
      no work is lost
      tidegate rework checkout-k3f9/hello -m 'you made no changes yet; do what the task says'
    [held by: conflict]
    checkout-k3f9/hello has been held for 12m 18s: conflicts with other work in a.md, b.md.
      | to start again from the merged state: tidegate retry checkout-k3f9/hello
      its work is kept
      tidegate rework checkout-k3f9/hello -m 'it conflicts with merged work in a.md, b.md'
    [held by: check]
    checkout-k3f9/hello has been held for 12m 18s: breaks the check test.
      | ok 1
      | not ok 2 - adds
      | full output: tidegate logs checkout-k3f9 --check test
      its work is kept, and nothing was merged
      tidegate rework checkout-k3f9/hello -m 'the check test fails'
    [held by: needs]
    checkout-k3f9/hello has been held for 12m 18s: builds on reply, which is held.
      its work is kept and continues when reply is resolved
      tidegate rework checkout-k3f9/reply -m 'it conflicts with merged work in a.md'
    [gate: secrets]
    checkout-k3f9/hello has been held for 12m 18s: config.js: the added content contains a secret.
      nothing was merged, and the secret is not shown anywhere
      tidegate rework checkout-k3f9/hello -m 'remove the secret from your changes'
    [gate: snapshot]
    checkout-k3f9/hello has been held for 12m 18s: pipe: git cannot store a FIFO.
      | or let an agent fix it: tidegate rework checkout-k3f9/hello -m 'remove these: pipe'
      after the drop the task is judged without these files; they stay on disk
      tidegate drop checkout-k3f9/hello pipe
    [gate: scope]
    checkout-k3f9/hello has been held for 12m 18s: added x.md: the task does not own it; added "a b'c.md": the task does not own it.
      its work is kept; after a grant or drop it is judged again at no cost
      tidegate grant checkout-k3f9/hello x.md 'a b'\\''c.md'
    [gate: sides]
    checkout-k3f9/hello has been held for 12m 18s: a.txt: the result lacks lines 3 to 4 of the task, and the handoff does not name that.
      its work is kept, and nothing was merged
      tidegate rework checkout-k3f9/hello -m 'keep the changes of both sides, or name each one that you leave out with --dropped'
    [gate: files]
    checkout-k3f9/hello has been held for 12m 18s: 30 files were changed; the limit is 20.
      its work is kept, and nothing was merged
      tidegate rework checkout-k3f9/hello -m 'change fewer files'
    [gate: plan]
    checkout-k3f9/hello has been held for 12m 18s: x.plan.yaml:3:12: \`a\` needs \`b\`, which does not exist.
      its work is kept, and nothing was merged
      tidegate rework checkout-k3f9/hello -m 'fix the errors in the plan'
    [gate: changes]
    checkout-k3f9/hello has been held for 12m 18s: made no changes, but the task owns files.
      | if that is correct: set \`allowEmpty: true\` in the plan, then run: tidegate resume checkout-k3f9 --replan
      no work is lost
      tidegate rework checkout-k3f9/hello -m 'you made no changes yet; do what the task says'
    [gate: deliverables]
    checkout-k3f9/hello has been held for 12m 18s: the deliverable a/b.txt was not created.
      its work is kept, and nothing was merged
      tidegate rework checkout-k3f9/hello -m 'create a/b.txt'
    [gate: exit]
    checkout-k3f9/hello has been held for 12m 18s: exit 0, but the agent did not report completion.
      | its changes:   tidegate diff checkout-k3f9/hello
      | accept as is:  tidegate accept checkout-k3f9/hello
      its work is kept, and nothing was merged
      tidegate rework checkout-k3f9/hello -m 'continue from the existing work, finish the task, then hand off'
    [gate: handoff]
    checkout-k3f9/hello has been held for 12m 18s: the handoff belongs to another attempt.
      | its changes:   tidegate diff checkout-k3f9/hello
      | accept as is:  tidegate accept checkout-k3f9/hello
      its work is kept, and nothing was merged
      tidegate rework checkout-k3f9/hello -m 'continue from the existing work, finish the task, then hand off'
    [gate: exit-contract]
    checkout-k3f9/hello has been held for 12m 18s: the handoff claims proof unit; the contract requires integration.
      | let it pass:   tidegate resolve checkout-k3f9/contract-hello -m "your reason"
      its work is kept, and nothing was merged
      tidegate rework checkout-k3f9/hello -m 'reach and claim proof=integration'
    [gate: evidence]
    checkout-k3f9/hello has been held for 12m 18s: the proof out/report.json was not left.
      | let it pass:   tidegate resolve checkout-k3f9/contract-hello -m "your reason"
      its work is kept, and nothing was merged
      tidegate rework checkout-k3f9/hello -m 'write the proof out/report.json'
    [gate: report]
    checkout-k3f9/hello has been held for 12m 18s: qa has not reported on this tree.
      its work is kept, and nothing was merged
      tidegate rework checkout-k3f9/hello -m 'end with your report: tidegate verdict'
    [waits on: mode]
    checkout-k3f9/reply is waiting: checkout-k3f9 has been waiting for you for 12m 30s: paused by ada.
      | to end the run: tidegate abandon checkout-k3f9
      running agents finish; nothing new starts
      tidegate resume checkout-k3f9
    [waits on: launch]
    checkout-k3f9/reply could not be started: the program claude is not on the PATH.
      no attempt is used up; no other task of its wave starts until you decide
      first: npm install -g @anthropic-ai/claude-code
             or use another agent: tidegate retry checkout-k3f9/reply --agent <agent>
             or drop the task: tidegate drop checkout-k3f9/reply
      then:  tidegate resume checkout-k3f9
    [waits on: wave-halt]
    checkout-k3f9/reply is waiting: wave 1 is halted: hello could not be started: the program claude is not on the PATH.
      no attempt is used up; no other task of its wave starts until you decide
      first: npm install -g @anthropic-ai/claude-code
             or use another agent: tidegate retry checkout-k3f9/hello --agent <agent>
             or drop the task: tidegate drop checkout-k3f9/hello
      then:  tidegate resume checkout-k3f9
    [waits on: wave]
    checkout-k3f9/reply is waiting for wave 1: hello (running for 12m 18s).
      tidegate why checkout-k3f9/hello
    [waits on: earlier]
    checkout-k3f9/reply is waiting for hello of an earlier wave, because their paths overlap.
      tidegate why checkout-k3f9/hello
    [waits on: need]
    checkout-k3f9/reply is waiting for hello (running for 12m 18s).
      tidegate why checkout-k3f9/hello
    [waits on: need that locks]
    checkout-k3f9/reply is waiting for hello (running for 12m 18s), which writes api.yaml first.
      tidegate why checkout-k3f9/hello
    [waits on: need that was dropped]
    checkout-k3f9/reply needs hello, which was dropped.
      the task has not started
      tidegate drop checkout-k3f9/reply
    [waits on: approval]
    checkout-k3f9/reply is waiting: checkout-k3f9 has been waiting for you for 12m 24s: 2 tasks are waiting for approval.
      nothing has started; to reject the plan: tidegate reject checkout-k3f9
      tidegate approve checkout-k3f9
    [waits on: budget]
    checkout-k3f9/reply has used $12.00 of its $10.00 budget.
      its work is kept, and the next attempt continues from it
      tidegate raise checkout-k3f9/reply --usd 10
    [waits on: budget of the run]
    checkout-k3f9/reply is waiting: no more tasks start: the run has used $60.00 of its $50.00 budget.
      finished work is kept, and nothing more is spent
      tidegate raise checkout-k3f9 --usd 50
    [waits on: room]
    checkout-k3f9/reply is waiting: no more tasks start: only 300.0 MB of memory is free.
      running agents continue; the other tasks start when there is room
      first: close other programs, or lower limits.parallel
      then:  tidegate clean --dry-run
    [waits on: run-branch]
    checkout-k3f9/reply is waiting: checkout-k3f9 has been running hello for 12m 18s.
      tidegate logs -f checkout-k3f9/hello
    [waits on: base-check]
    checkout-k3f9/reply is waiting for the check test, which runs on main before any task starts.
      tidegate watch checkout-k3f9
    [waits on: provider]
    checkout-k3f9/reply is waiting for its base commit, which is being prepared.
      tidegate watch checkout-k3f9
    [waits on: agents]
    checkout-k3f9/reply is waiting for its base commit, which is being prepared.
      tidegate watch checkout-k3f9
    [waits on: shared]
    checkout-k3f9/reply is waiting for hello (running for 12m 18s): both share p.json and run one after the other.
      tidegate why checkout-k3f9/hello
    [waits on: place]
    checkout-k3f9/reply is waiting for a slot behind hello (running for 12m 18s): limits.parallel is 1.
      tidegate why checkout-k3f9/hello
    [waits on: launches]
    checkout-k3f9/reply is waiting while a, b, c, d start.
      tidegate watch checkout-k3f9
    [waits on: task-base]
    checkout-k3f9/reply is waiting for its base commit, which is being prepared.
      tidegate watch checkout-k3f9
    [waits on: nothing]
    checkout-k3f9/reply starts next.
      tidegate watch checkout-k3f9
    [trouble: rate-limited]
    checkout-k3f9/hello starts next.
      tidegate watch checkout-k3f9
    [trouble: needs-login]
    checkout-k3f9/hello starts next.
      tidegate watch checkout-k3f9
    [around: in line]
    checkout-k3f9 is waiting to land on main after older-abcd.
      it continues automatically
      tidegate why older-abcd
    [around: unattended]
    checkout-k3f9 has been stuck for 12m 17s: no coordinator is running.
      running agents continue for 15 minutes, and all work is kept
      tidegate resume checkout-k3f9
    [task around: in line]
    checkout-k3f9/reply is waiting for hello (running for 12m 18s).
      tidegate why checkout-k3f9/hello
    [task around: unattended]
    checkout-k3f9/reply is waiting: checkout-k3f9 has been stuck for 12m 17s: no coordinator is running.
      running agents continue for 15 minutes, and all work is kept
      tidegate resume checkout-k3f9
    [in the way of landing: dirty-checkout]
    checkout-k3f9 has been waiting for you for 12m 30s: landing would overwrite uncommitted changes in /repos/shop: src/cart.ts.
      Tidegate has changed nothing, and the work of the run is kept
      first: commit or stash them (git -C /repos/shop stash)
      then:  tidegate land checkout-k3f9
    [in the way of landing: untracked-files]
    checkout-k3f9 has been waiting for you for 12m 30s: landing would overwrite untracked files in /repos/shop: .env, notes.md.
      Tidegate has changed nothing, and the work of the run is kept
      first: move them
      then:  tidegate land checkout-k3f9
    [in the way of landing: operation-unfinished]
    checkout-k3f9 has been waiting for you for 12m 30s: a rebase is in progress in /repos/shop.
      Tidegate has changed nothing, and the work of the run is kept
      first: finish it there (git rebase --continue) or cancel it (--abort)
      then:  tidegate land checkout-k3f9
    [in the way of landing: submodules-move]
    checkout-k3f9 has been waiting for you for 12m 30s: landing would have to move submodules: vendor/lib.
      Tidegate has changed nothing, and the work of the run is kept
      first: update the submodules by hand
      then:  tidegate land checkout-k3f9
    [in the way of landing: lfs-unusable]
    checkout-k3f9 has been waiting for you for 12m 30s: your git configuration requires git-lfs (filter.lfs.required), which cannot be run: logo.psd.
      Tidegate has changed nothing, and the work of the run is kept
      first: install git-lfs
      then:  tidegate land checkout-k3f9
    [in the way of landing: git-locked]
    checkout-k3f9 has been waiting for you for 12m 30s: another git command is running in your repository, or was killed there: /repos/shop/.git/index.lock.
      Tidegate has changed nothing, and the work of the run is kept
      first: wait until no git command runs, then remove the lock files
      then:  tidegate land checkout-k3f9
    [in the way of landing: not-a-branch]
    checkout-k3f9 has been waiting for you for 12m 30s: refs/heads/main is not a branch.
      Tidegate has changed nothing, and the work of the run is kept
      first: land on a branch
      then:  tidegate land checkout-k3f9
    [in the way of landing: several-worktrees]
    checkout-k3f9 has been waiting for you for 12m 30s: refs/heads/main is checked out in several working trees: /repos/shop, /repos/shop-2.
      Tidegate has changed nothing, and the work of the run is kept
      first: check out another branch in all but one of them
      then:  tidegate land checkout-k3f9
    [in the way of landing: worktree-missing]
    checkout-k3f9 has been waiting for you for 12m 30s: refs/heads/main is checked out in /repos/shop, which does not exist.
      Tidegate has changed nothing, and the work of the run is kept
      first: git worktree prune, or restore the directory
      then:  tidegate land checkout-k3f9
    [in the way of landing: branch-checked-out]
    checkout-k3f9 has been waiting for you for 12m 30s: refs/heads/main is checked out in /repos/shop.
      Tidegate has changed nothing, and the work of the run is kept
      first: check out another branch there
      then:  tidegate land checkout-k3f9
    [in the way of landing: files-refused]
    checkout-k3f9 has been waiting for you for 12m 30s: git cannot update the files: error: unable to create file a.md: Permission denied.
      Tidegate has changed nothing, and the work of the run is kept
      tidegate land checkout-k3f9
    [in the way of landing: branch-moved]
    checkout-k3f9 has been waiting for you for 12m 30s: somebody moved refs/heads/main: it is at bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb instead of aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.
      Tidegate has changed nothing, and the work of the run is kept
      tidegate land checkout-k3f9
    [in the way of landing: branch-gone]
    checkout-k3f9 has been waiting for you for 12m 30s: the branch main no longer exists.
      Tidegate has changed nothing, and the work of the run is kept
      first: restore the branch
      then:  tidegate land checkout-k3f9
    [in the way of landing: landing-cut-off]
    checkout-k3f9 has been waiting for you for 12m 30s: a landing of checkout-k3f9 was interrupted (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa to bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb) and cannot be completed: the index matches neither the old nor the new commit: src/cart.ts.
      the work of the run is kept
      first: inspect /repos/shop; when refs/heads/main and its files are correct, remove landing.json from the state directory
      then:  tidegate land checkout-k3f9
    [undo: asked]
    undo: reverting checkout-k3f9 (12m 30s).
      main moves only after the checks pass
      tidegate watch checkout-k3f9
    [undo: checked]
    undo: running the check test on the commits that revert checkout-k3f9 (12m 30s).
      main moves only after the checks pass
      tidegate watch checkout-k3f9
    [undo: halted]
    checkout-k3f9 has been waiting for you for 12m 30s: only 0 B of disk space is free, and disk.free requires 500.0 MB.
      running agents finish, and no work is lost
      first: free some disk space
      then:  tidegate resume checkout-k3f9
    [landed in part: run]
    checkout-k3f9 ended 2m 30s ago: Landed on main as cccccccc (the plan has no checks); reply stayed on the run branch.
      tidegate land checkout-k3f9
    [landed in part: landed task]
    checkout-k3f9/hello was merged 12m 18s ago as cccccccc (1 file); it has landed on main.
      tidegate diff checkout-k3f9/hello
    [landed in part: task left]
    checkout-k3f9/reply was merged as cccccccc (1 file); it has not landed on main yet.
      tidegate land checkout-k3f9
    [landed in part: task undone]
    checkout-k3f9/hello was merged 12m 18s ago as cccccccc (1 file); it was undone on main.
      tidegate diff checkout-k3f9/hello
    [landed in part: run of it]
    checkout-k3f9 ended 2m 30s ago: Landed on main as cccccccc (the plan has no checks); reply stayed on the run branch; hello was undone later.
      tidegate land checkout-k3f9
    [landed in part: refused]
    checkout-k3f9 has been waiting for you for 12m 30s: the run conflicts with new commits on main: a.md.
      Tidegate has changed nothing, and the work of the run is kept
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
      message: 'the run conflicts with new commits on main: a.md',
      command: 'tidegate land checkout-k3f9 --only hello',
    },
  ]);
});
