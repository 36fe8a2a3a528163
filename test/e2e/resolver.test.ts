import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/domain/ledger/events.ts';
import { checkHistory } from '../support/checker.ts';
import { type Project, project, scripted } from '../support/project.ts';

const sh = (script: string) => ({ agent: 'command', command: ['/bin/sh', '-c', script] });

/** Both tasks change the first line of the same file. */
const conflict = (resolver: object | null, plan: object = {}) => ({
  land: 'auto',
  ...(resolver === null ? {} : { resolver }),
  tasks: {
    left: scripted('printf "left\\nmiddle\\n" > list.txt; tidegate handoff done -m "wrote left"'),
    right: scripted('printf "right\\nmiddle\\n" > list.txt; tidegate handoff done -m "wrote right"'),
  },
  ...plan,
});
const files = { 'list.txt': 'first\nmiddle\n' };

async function ran(p: Project) {
  const { code, stdout, stderr } = await p.cli('run', 'plan.yaml', '--yes', '--json');
  const stored = await p.events();
  expect(checkHistory(stored)).toEqual([]);
  const events = stored.map(({ event }) => event);
  return { code, said: stdout + stderr, events };
}

const derivedIn = (events: readonly { readonly type: string }[]) =>
  events.filter((event): event is RunEvent & { readonly type: 'task-derived' } => event.type === 'task-derived');
const holdsOf = (events: readonly { readonly type: string }[], task: string) =>
  (events as readonly RunEvent[]).flatMap((event) =>
    event.type === 'phase-judged' && event.phase === 'monitor' && event.task === task
      ? event.verdicts.flatMap((verdict) => (verdict.outcome === 'pass' ? [] : [verdict.gate]))
      : [],
  );

test('a conflict of text is resolved by a command, passes every gate and lands', async () => {
  const both = 'printf "left\\nright\\nmiddle\\n" > list.txt; tidegate handoff done -m "kept both"';
  await using p = await project({ files, plan: conflict(sh(both)) });
  const { code, said, events } = await ran(p);
  expect({ code, said: code === 0 ? '' : said }).toEqual({ code: 0, said: '' });
  expect(p.git('show', 'main:list.txt')).toBe('left\nright\nmiddle');
  const [derived, ...more] = derivedIn(events);
  expect([derived?.task, derived?.standsFor, derived?.inputs.paths, more]).toEqual([
    'resolve-right-1',
    ['right'],
    ['list.txt'],
    [],
  ]);
  const messages = p.git('log', '--format=%B', 'main');
  expect(messages).toContain('Tidegate-Task: right\nTidegate-Resolved-by: resolve-right-1\n');
}, 60_000);

/** The check passes while no file says `bad`. The second task breaks it. */
const culprit = (resolver: object) => ({
  land: 'auto',
  resolver,
  checks: [{ name: 'test', run: '! grep -rn bad --include=*.txt . && test -f one.txt' }],
  tasks: {
    one: scripted('echo more >> one.txt; tidegate handoff done -m "more"', { owns: ['one.txt'] }),
    two: scripted('printf "good\\nbad\\n" > two.txt; tidegate handoff done -m "two lines"', { owns: ['two.txt'] }),
  },
});

test('a task that breaks a check is repaired by a command, passes every gate and lands', async () => {
  const repair =
    'printf "good\\nfine\\n" > two.txt; tidegate handoff done -m "mended" --dropped "two.txt:1-2 the check forbids it"';
  await using p = await project({ files: { 'one.txt': 'one\n' }, plan: culprit(sh(repair)) });
  const { code, said, events } = await ran(p);
  expect({ code, said: code === 0 ? '' : said }).toEqual({ code: 0, said: '' });
  expect([p.git('show', 'main:two.txt'), p.git('show', 'main:one.txt')]).toEqual(['good\nfine', 'one\nmore']);
  expect(derivedIn(events).map(({ task, inputs }) => [task, inputs.check, inputs.paths])).toEqual([
    ['resolve-two-1', 'test', ['two.txt']],
  ]);
}, 60_000);

test('a wave with closure roles is resolved as a whole before anything is merged', async () => {
  const both = 'printf "left\\nright\\nmiddle\\n" > list.txt; tidegate handoff done -m "kept both"';
  const qa = { ...sh('grep -q right list.txt && tidegate verdict pass -m "both are there"') };
  await using p = await project({ files, plan: conflict(sh(both), { closure: { qa } }) });
  const { code, said, events } = await ran(p);
  expect({ code, said: code === 0 ? '' : said }).toEqual({ code: 0, said: '' });
  expect(p.git('show', 'main:list.txt')).toBe('left\nright\nmiddle');
  expect(events.filter(({ type }) => type === 'merged')).toHaveLength(1);
}, 60_000);

test('what needs a resolved task and runs again starts from the resolved work', async () => {
  const both = 'printf "left\\nright\\nmiddle\\n" > list.txt; tidegate handoff done -m "kept both"';
  const qa = sh(
    'grep -q left copy.txt && tidegate verdict pass -m "both" || tidegate verdict blocked -m "left is missing"',
  );
  const { tasks, ...keys } = conflict(sh(both), { closure: { qa } });
  const copy = scripted('cat list.txt > copy.txt; tidegate handoff done -m "copied"', { needs: ['right'] });
  await using p = await project({ files, plan: { ...keys, tasks: { ...tasks, copy } } });
  const { code, said } = await ran(p);
  expect([code, p.git('show', 'main:list.txt')]).toEqual([42, 'first\nmiddle']);
  const { run } = JSON.parse(said.split('\n')[0] ?? '');
  expect(await p.cli('retry', run, '--only', 'copy')).toMatchObject({ code: 0 });
  expect(await p.cli('resume', run, '--json')).toMatchObject({ code: 0 });
  expect(p.git('show', 'main:copy.txt')).toBe('left\nright\nmiddle');
  expect(checkHistory(await p.events())).toEqual([]);
}, 60_000);

test.each([
  [
    'drops the hunk of a side',
    'printf "right\\nmiddle\\n" > list.txt; tidegate handoff done -m "took right"',
    ['sides'],
  ],
  [
    'changes another file, too',
    'printf "left\\nright\\nmiddle\\n" > list.txt; echo x > readme.md; tidegate handoff done -m "both"',
    ['scope'],
  ],
  ['keeps the markers', 'echo end >> list.txt; tidegate handoff done -m "resolved"', ['sides']],
  ['keeps one marker', 'printf "left\\n=======\\nright\\n" > list.txt; tidegate handoff done -m "resolved"', ['sides']],
  ['reports done without a change', 'tidegate handoff done -m "resolved"', ['changes', 'sides']],
])(
  'a resolver that %s is held, and the branch has only the other work',
  async (_, script, gates) => {
    await using p = await project({ files, plan: conflict(sh(script)) });
    const { code, events } = await ran(p);
    expect(code).toBe(43);
    expect(holdsOf(events, 'resolve-right-1')).toEqual(gates);
    expect([p.git('show', 'main:list.txt'), p.git('show', 'main:readme.md')]).toEqual(['first\nmiddle', 'hello']);
    expect(derivedIn(events)).toHaveLength(1);
    const { stdout } = await p.cli('why', '--all');
    expect(stdout).toContain('resolve-right-1');
  },
  60_000,
);

test('a hunk that the handoff names may be left out', async () => {
  const named =
    'printf "right\\nmiddle\\n" > list.txt; tidegate handoff done -m "took right" --dropped "list.txt:1 said twice"';
  await using p = await project({ files, plan: conflict(sh(named)) });
  const { code, said } = await ran(p);
  expect({ code, said: code === 0 ? '' : said }).toEqual({ code: 0, said: '' });
  expect(p.git('show', 'main:list.txt')).toBe('right\nmiddle');
}, 60_000);

test('a plan without a resolver holds the task for a person, and records nothing more than before', async () => {
  await using p = await project({ files, plan: conflict(null) });
  const { code, events } = await ran(p);
  expect(code).toBe(43);
  expect(derivedIn(events)).toEqual([]);
  expect(JSON.stringify(events)).not.toContain('"repair"');
}, 60_000);

test('work of a resolver counts no longer once a person starts the task again', async () => {
  const drops = 'printf "right\\nmiddle\\n" > list.txt; tidegate handoff done -m "took right"';
  await using p = await project({ files, plan: conflict(sh(drops)) });
  await ran(p);
  const accepted = await p.cli('accept', 'resolve-right-1');
  expect(accepted.stdout + accepted.stderr).toContain('accept');
  expect((await p.cli('retry', 'right')).code).toBe(0);
  const late = await p.cli('rework', 'resolve-right-1', '-m', 'keep both');
  expect(late.stdout + late.stderr).toContain('counts no longer');
  // the new attempt starts from the work of the other task, and fits
  const { code } = await p.cli('resume', '--json');
  expect(code).toBe(0);
  expect(p.git('show', 'main:list.txt')).toBe('right\nmiddle');
  expect(checkHistory(await p.events())).toEqual([]);
}, 60_000);

test('status, show, why and the log of events name both tasks', async () => {
  const both = 'printf "left\\nright\\nmiddle\\n" > list.txt; tidegate handoff done -m "kept both"';
  await using p = await project({ files, plan: conflict(sh(both)) });
  await ran(p);
  const said = async (...words: string[]): Promise<string> => (await p.cli(...words)).stdout;
  const status = await said('status');
  expect(status).toMatch(/right +merged .*through resolve-right-1/);
  expect(status).toMatch(/resolve-right-1 +done .*for right · its work is merged/);
  const { waves } = JSON.parse(await said('status', '--json')) as { waves: [{ tasks: { id: string }[] }] };
  expect(waves[0].tasks.map(({ id, ...task }) => [id, task])).toMatchObject([
    ['left', { status: 'merged' }],
    ['right', { status: 'merged', through: 'resolve-right-1' }],
    ['resolve-right-1', { status: 'done', purpose: 'resolver', standsFor: ['right'] }],
  ]);
  expect(await said('show', 'resolve-right-1')).toContain('for       right (resolver)');
  expect(await said('show', 'resolve-right-1', '--prompt')).toMatch(
    /Two tasks changed the same lines[\s\S]*wrote right[\s\S]*--dropped/,
  );
  expect(await said('why', 'right')).toContain('with the work of resolve-right-1');
  expect(await said('why', 'resolve-right-1')).toContain('its work is merged for right');
  expect(await said('events')).toContain('resolve-right-1: made to resolve the conflict of right in list.txt');
  expect(await said('show')).toContain('resolve /bin/sh -c');
}, 60_000);
