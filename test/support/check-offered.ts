import type { Stored } from '../../src/ports/ledger.ts';
import type { GitFacts, Violation } from './checker.ts';
import { all } from './events-found.ts';
import { versionAt } from './plan-versions.ts';

/** I4 with `land: pr`: each step has its intent, what is offered is what was merged, and the target is never moved by us. */
export function checkOffered(history: readonly Stored[], git: GitFacts | undefined): readonly Violation[] {
  const found: Violation[] = [];
  const say = (seq: number, what: string): number => found.push({ invariant: 'I4', seq, what });
  for (const { seq, event } of all(history, 'landed'))
    if (versionAt(history, seq).plan.land === 'pr')
      say(seq, `landed ${event.branch}, but the plan asks for a pull request`);
  for (const { seq, event } of all(history, 'branch-made')) {
    const intent = all(history, 'landing-intended').findLast((one) => one.seq < seq)?.event;
    if (intent?.branch !== event.branch || intent.old !== event.old || intent.new !== event.new)
      say(seq, 'a branch was made other than intended');
    const tip = all(history, 'merged').findLast((one) => one.seq < seq)?.event.new;
    if (event.new !== tip) say(seq, `${event.branch} was made at ${event.new}, the run branch is at ${tip}`);
  }
  for (const { seq, event } of [...all(history, 'pushed'), ...all(history, 'pull-request-opened')]) {
    const before = history.filter((one) => one.seq < seq);
    const type = event.type === 'pushed' ? 'push-intended' : 'pull-request-intended';
    if (all(before, type).at(-1)?.event.commit !== event.commit) say(seq, `${event.type} without an intent`);
    if (all(before, 'branch-made').at(-1)?.event.new !== event.commit) say(seq, `${event.type} of what was never made`);
  }
  for (const { seq, event } of all(history, 'pull-request-landed')) {
    const offered = all(history, 'pushed').findLast((one) => one.seq < seq)?.event.commit;
    if (offered === undefined) say(seq, 'landed what was never offered');
    else if (git !== undefined && !isIn(git, offered, event.commit))
      say(seq, `${event.commit} does not contain ${offered}`);
    const merged = all(history, 'merged').flatMap((one) => (one.seq < seq ? one.event.tasks : []));
    for (const { task, commit } of event.commits)
      if (!merged.some((one) => one.task === task && one.commit === commit))
        say(seq, `${commit} was never merged for ${task}`);
    if (event.commits.map(({ task }) => task).join() !== event.tasks.join()) say(seq, 'a task landed without a commit');
  }
  return found;
}

function isIn(git: GitFacts, commit: string, tip: string): boolean {
  const seen = new Set<string>();
  for (const waiting = [tip]; waiting.length > 0; ) {
    const id = waiting.pop() ?? '';
    if (id === commit) return true;
    if (!seen.has(id)) waiting.push(...(git.commit(id)?.parents ?? []));
    seen.add(id);
  }
  return false;
}
