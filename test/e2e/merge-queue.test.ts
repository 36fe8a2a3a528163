import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { RunEvent } from '../../src/domain/ledger/events.ts';
import { foldRun } from '../../src/domain/run/run.ts';
import { checkHistory } from '../support/checker.ts';
import { listenTo } from '../support/gate.ts';
import { gitFacts } from '../support/kill.ts';
import { handoff, type Project, project, scripted } from '../support/project.ts';

const writes = (file: string, text: string) => scripted(`echo ${text} > ${file}; ${handoff}`, { owns: [file] });
const names = Array.from({ length: 10 }, (_, at) => `r${at}`);

/** Three tasks each. Every third run also writes what the others of its kind write; one breaks the check. */
function planOf(name: string, at: number): string {
  const third = at % 3 === 0 ? writes('shared.txt', name) : writes(`${name}-c.txt`, at === 4 ? 'broken' : name);
  const tasks = {
    [`${name}-a`]: writes(`${name}-a.txt`, name),
    [`${name}-b`]: writes(`${name}-b.txt`, name),
    [`${name}-c`]: third,
  };
  return stringify({ name, checks: [{ name: 'sound', run: '! grep -qr broken --include=*.txt .' }], tasks });
}

/** A commit of somebody else: the same files, another tip. Who finds that the branch has moved meanwhile tries again. */
function commitOutside(p: Project, tries = 20): void {
  const tip = p.git('rev-parse', 'main');
  const next = p.git('commit-tree', `${tip}^{tree}`, '-p', tip, '-m', 'from outside');
  try {
    p.git('update-ref', 'refs/heads/main', next, tip);
  } catch (error) {
    if (tries === 0 || p.git('rev-parse', 'main') === tip) throw error;
    commitOutside(p, tries - 1);
  }
}

test('ten runs of three tasks on one branch: conflicts, kills, failing checks, commits from outside, an undo, and one that waits', async () => {
  await using p = await project({
    plan: { name: 'waits', tasks: { idle: writes('idle.txt', 'idle') } },
    files: Object.fromEntries(names.map((name, at) => [`${name}.yaml`, planOf(name, at)])),
  });
  expect((await p.cli('run', 'plan.yaml', '--json')).code).toBe(43);
  const runs: string[] = [];
  for (const name of names) {
    const ordered = await p.cli('run', `${name}.yaml`, '--yes', '--land', '-d', '--json');
    runs.push((JSON.parse(ordered.stdout) as { run: string }).run);
  }
  const eventsOf = async (): Promise<readonly RunEvent['type'][]> =>
    (await p.events()).map(({ event }) => event.type as RunEvent['type']);
  {
    await using heard = await listenTo(p);
    for (const [at, type] of (['landed', 'landing-queued', 'landing-rebuilt'] as const).entries()) {
      if (at > 0 || !(await eventsOf()).includes(type)) await heard.next(type);
      commitOutside(p);
      await heard.killCoordinator();
      await p.cli('resume', runs[at] ?? '', '-d', '--json');
    }
  }
  // one that nothing else builds on
  const landed = (await p.events()).flatMap(({ stream, event }) => (event.type === 'landed' ? [stream] : []));
  const alone = landed.find((run) => Number(run[1]) % 3 !== 0) ?? '';
  expect(await p.cli('undo', alone, '--yes', '--json')).toMatchObject({ code: 0 });
  for (const run of runs) await p.cli('resume', run, '--json');

  const stored = await p.events();
  expect(checkHistory(stored, { git: gitFacts(p) })).toEqual([]);
  const states = runs.map((run) => foldRun(stored.filter(({ stream }) => stream === run)));
  const ends = states.map((state) =>
    state?.landing.status === 'undone' ? 'undone' : (state?.ended ?? state?.landing.status),
  );
  expect(ends.filter((end) => end === 'landed').length).toBeGreaterThanOrEqual(5);
  expect(ends.filter((end) => end === 'undone')).toHaveLength(1);
  // a landing that meets the same file is refused by name and breaks nothing
  const refused = stored.flatMap(({ event }) => (event.type === 'landing-refused' ? [event.because.rule] : []));
  const expected = ['landing-conflicts', 'landing-busy'];
  expect(refused.filter((rule) => !expected.includes(rule))).toEqual([]);
  const idle = stored.filter(({ stream }) => stream.startsWith('waits-')).map(({ event }) => event.type);
  expect(idle).not.toContain('run-branch-made');
}, 300_000);
