import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { frozenPlan, plannedTask } from '../../../test/support/plans.ts';
import { spentMs } from '../../../test/support/spent.ts';
import { taskId } from '../base/ids.ts';
import { foldPath } from '../base/paths.ts';
import { explain } from '../explain/explain.ts';
import type { DiffEntry } from '../gates/evidence.ts';
import type { FrozenPlan, PlannedTask } from '../plan/plan.ts';
import { claimsOf } from './claims.ts';
import {
  mayRunBeside,
  mustSerialise,
  ownershipConflicts,
  protectedConfig,
  protectWarnings,
  withLockNeeds,
} from './ownership.ts';
import { indexPatterns } from './pattern.ts';
import { outOfScope, scopeOf } from './scope.ts';

const task = plannedTask;
const conflicts = (...tasks: PlannedTask[]) =>
  ownershipConflicts(frozenPlan([tasks]), 0, []).map((one) => explain(one).detail);

describe('two tasks of a wave', () => {
  test('conflict when both may write a path, and the finding names it', () => {
    expect(conflicts(task('a', { owns: ['src/**'] }), task('b', { owns: ['docs/**', '*/x.ts'] }))).toEqual([
      '`a` (owns `src/**`) and `b` (owns `*/x.ts`) could both write `src/x.ts`',
    ]);
  });

  test('have one finding for all that they could both write, bounded', () => {
    expect(
      conflicts(task('b', { owns: ['src/**', 'docs/*'] }), task('a', { owns: ['src/a', 'src/b', 'docs/c', 'lib'] })),
    ).toEqual([
      '`b` and `a` could both write `docs/c` (owns `docs/*`, owns `docs/c`), `src/a` (owns `src/**`, owns `src/a`), `src/b` (owns `src/**`, owns `src/b`)',
    ]);
    const many = Array.from({ length: 30 }, (_, at) => `src/${at}`);
    const [bounded] = ownershipConflicts(frozenPlan([[task('a', { owns: many }), task('b', { owns: many })]]), 0, []);
    expect([bounded?.overlaps.length, bounded?.more]).toEqual([20, true]);
  });

  test('conflict also when they differ by case or normalisation only', () => {
    expect(conflicts(task('a', { owns: ['Src/**'] }), task('b', { owns: ['src/a'] }))).toEqual([
      '`a` (owns `Src/**`) and `b` (owns `src/a`) could both write `src/a`, on file systems that ignore case or normalisation',
    ]);
  });

  test.each<[string, PlannedTask, PlannedTask]>([
    ['are disjoint', task('a', { owns: ['src/**'] }), task('b', { owns: ['lib/**'] })],
    ['are ordered', task('a', { owns: ['src/**'] }), task('b', { owns: ['src/**'], needs: ['a'] })],
    ['share the path', task('a', { shares: ['package.json'] }), task('b', { shares: ['package.json'] })],
    [
      'share a path that one owns widely',
      task('a', { owns: ['s/**'], shares: ['s/i'] }),
      task('b', { shares: ['s/i'] }),
    ],
    ['one is without owns', task('a'), task('b', { owns: ['src/**'] })],
    ['one is read-only', task('a', { owns: [] }), task('b', { owns: ['**'] })],
    [
      'one locks a part of what the other owns',
      task('a', { owns: [], locks: ['s/api.ts'] }),
      task('b', { owns: ['s/**'] }),
    ],
  ])('do not conflict when they %s', (_, a, b) => {
    expect(conflicts(a, b)).toEqual([]);
  });

  test.each<[string, PlannedTask, PlannedTask]>([
    ['only one shares', task('a', { owns: ['package.json'] }), task('b', { shares: ['package.json'] })],
    ['both lock', task('a', { locks: ['api.ts'] }), task('b', { locks: ['*.ts'], needs: ['a'] })],
    ['one owns just what the other locks', task('a', { locks: ['api.ts'] }), task('b', { owns: ['api.ts'] })],
  ])('conflict when %s', (_, a, b) => {
    expect(conflicts(a, b)).toHaveLength(1);
  });

  test('of a chain of needs are ordered however far apart', () => {
    const chain = [
      task('a', { owns: ['x'] }),
      task('b', { owns: ['y'], needs: ['a'] }),
      task('c', { owns: ['x'], needs: ['b'] }),
    ];
    expect(conflicts(...chain)).toEqual([]);
  });

  test('do not conflict over a generated file', () => {
    const plan = frozenPlan([[task('a', { owns: ['lock.json'] }), task('b', { owns: ['lock.json'] })]], {
      generated: { 'lock.json': 'x' },
    });
    expect(ownershipConflicts(plan, 0, [])).toEqual([]);
  });

  test('conflict when a grant gives one what the other owns', () => {
    const plan = frozenPlan([[task('a', { owns: ['src/**'] }), task('b', { owns: ['lib/**'] })]]);
    expect(ownershipConflicts(plan, 0, [{ task: taskId('b'), paths: ['src/[id].ts'] }])).toHaveLength(1);
    expect(ownershipConflicts(plan, 0, [{ task: taskId('b'), paths: ['docs/x'] }])).toEqual([]);
  });

  test('that share a path run one after the other', () => {
    const plan = frozenPlan([
      [task('a', { shares: ['p.json'] }), task('b', { shares: ['*.json'] }), task('c', { shares: ['q'] })],
    ]);
    const serial = (a: string, b: string) => mustSerialise(plan, taskId(a), taskId(b));
    expect([serial('a', 'b'), serial('b', 'a'), serial('a', 'c'), serial('a', 'a')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

test('a task of a later wave may run beside an earlier one when neither writes what the other uses', () => {
  const plan = frozenPlan([
    [task('early', { owns: ['src/**'], reads: ['spec/**'] }), task('wide')],
    [
      task('apart', { owns: ['docs/**'] }),
      task('reader', { owns: ['x'], reads: ['src/a'] }),
      task('spec', { owns: ['spec/b'] }),
    ],
  ]);
  const beside = (later: string, earlier: string) => mayRunBeside(plan, taskId(later), taskId(earlier));
  expect([
    beside('apart', 'early'),
    beside('reader', 'early'),
    beside('spec', 'early'),
    beside('apart', 'wide'),
  ]).toEqual([true, false, false, false]);
});

test('a lock puts its task before those that could see the path', () => {
  const plan = withLockNeeds(
    frozenPlan([
      [
        task('first', { owns: ['plans/**'] }),
        task('contract', { owns: ['api/**'], locks: ['api/types.ts'], needs: ['first'] }),
        task('client', { owns: ['client/**'], reads: ['api/**'] }),
        task('other', { owns: ['docs/**'] }),
        task('rest'),
      ],
    ]),
  );
  expect(plan.waves[0]?.tasks.map((one) => [one.id, ...one.needs].join(' '))).toEqual([
    'first',
    'contract first',
    'client contract',
    'other',
    'rest contract',
  ]);
});

describe('a change', () => {
  const plan = frozenPlan(
    [
      [task('early', { owns: ['old/**'], locks: ['contract.ts'] })],
      [
        task('owner', { owns: ['src/**', '.vscode/settings.json'], shares: ['package.json'] }),
        task('wide', { owns: ['app/**', '**/x'], needs: ['owner'] }),
        task('rest'),
        task('reader', { owns: [] }),
      ],
    ],
    { generated: { 'package-lock.json': 'npm i' } },
  );
  const change = (path: string, keys: Partial<DiffEntry> = {}): DiffEntry => ({
    path,
    change: 'added',
    oldMode: '000000',
    newMode: '100644',
    ...keys,
  });
  const rules = (id: string, entries: readonly DiffEntry[], grants: string[] = []) => {
    const planned = plan.waves.flatMap((wave) => wave.tasks).find((one) => one.id === id) as PlannedTask;
    return outOfScope(scopeOf(plan, planned, [{ task: taskId(id), paths: grants }]), entries).map(
      (finding) => finding.rule,
    );
  };

  test.each<[string, string, string[]]>([
    ['owner', 'src/a/b', []],
    ['owner', 'package.json', []],
    ['owner', 'package-lock.json', []],
    ['owner', 'lib/a', ['out-of-scope']],
    ['owner', 'Src/a', ['out-of-scope']],
    ['owner', '.vscode/settings.json', []],
    ['owner', '.vscode/tasks.json', ['agent-config']],
    ['owner', 'src/AGENTS.md', ['agent-config']],
    ['owner', '.tidegate/handoff.json', []],
    ['owner', '.Tidegate/handoff.json', ['reserved-path']],
    ['wide', 'app/CLAUDE.md', ['agent-config']],
    ['rest', 'anything', []],
    ['rest', 'src/a', ['out-of-scope']],
    ['rest', 'SRC/a', ['out-of-scope']],
    ['rest', 'app/nfd-e\u0301', ['out-of-scope']],
    ['rest', '.github/workflows/x.yml', ['protected']],
    ['rest', '.GitHub/workflows/x.yml', ['protected']],
    ['rest', '.claude/settings.json', ['agent-config']],
    ['rest', '.CLAUDE/settings.json', ['agent-config']],
    ['rest', 'contract.ts', ['locked']],
    ['rest', 'package.json', ['out-of-scope']],
    ['rest', 'package-lock.json', []],
    ['reader', 'notes.md', ['read-only']],
    ['reader', '.tidegate/x', []],
    ...[
      '.git/config',
      'a/.git/x',
      '.GIT/config',
      'git~1/config',
      '.g\u200cit/hooks/x',
      '.git./x',
      '.git /x',
      '.git::$INDEX/x',
    ].map((path): [string, string, string[]] => ['rest', path, ['git-path']]),
    ...['../x', '/etc/x', 'a//b', 'a/./b'].map((path): [string, string, string[]] => ['rest', path, ['bad-path']]),
    ['rest', 'a\\b', ['bad-path']],
    ['rest', 'a\nb', ['bad-path']],
  ])('by %s of %s: %j', (id, path, expected) => {
    expect(rules(id, [change(path)])).toEqual(expected);
  });

  test.each<[string, string, boolean]>([
    ['a', 'b', true],
    ['d/a', '../b', true],
    ['d/e/a', '../../b/c', true],
    ['a', '/etc/passwd', false],
    ['a', '../x', false],
    ['d/a', '../../x', false],
    ['a', 'b/../../x', false],
    ['d/e/a', 'link/../../f', false],
    ['a', '.git/config', false],
    ['a', '.GIT/config', false],
    ['a', '', false],
  ])('a link %s -> %s is fine: %s', (path, linkTarget, fine) => {
    expect(rules('rest', [change(path, { newMode: '120000', linkTarget })])).toEqual(fine ? [] : ['link-leaves']);
  });

  test('counts as well when it deletes or changes a mode', () => {
    const deleted = change('src/a', { change: 'deleted', oldMode: '100644', newMode: '000000' });
    const executable = change('lib/a', { change: 'modified', oldMode: '100644', newMode: '100755' });
    expect(rules('owner', [deleted])).toEqual([]);
    expect(rules('rest', [deleted])).toEqual(['out-of-scope']);
    expect(rules('owner', [executable])).toEqual(['out-of-scope']);
    expect(
      rules('owner', [change('src/sub', { newMode: '160000' }), change('src/odd', { newMode: '100664' })]),
    ).toEqual(['nested-repository', 'bad-mode']);
  });

  test('that was granted is in scope, whatever its name means in patterns', () => {
    expect(rules('owner', [change('lib/[id].ts')], ['lib/[id].ts'])).toEqual([]);
    expect(rules('owner', [change('lib/i.ts')], ['lib/[id].ts'])).toEqual(['out-of-scope']);
    expect(rules('owner', [change('.git/hooks/x')], ['.git/**'])).toEqual(['git-path']);
    expect(rules('reader', [change('x')], ['x'])).toEqual(['read-only']);
    const rest = plan.waves[1]?.tasks[2] as PlannedTask;
    const elsewhere = scopeOf(plan, rest, [{ task: taskId('owner'), paths: ['lib/x'] }]);
    expect(outOfScope(elsewhere, [change('LIB/x')]).map((finding) => finding.rule)).toEqual(['out-of-scope']);
  });

  test('that a wildcard grants is in scope only where nothing protects the path', () => {
    const checks = [
      { name: 'test', run: 'npm test', minutes: 1, definitions: [{ path: 'package.json', keys: ['scripts'] }] },
    ];
    const guarded = frozenPlan([[task('owner', { owns: ['src/**'] }), task('rest')]], {
      checks,
      protect: ['infra/**'],
    });
    const judged = (id: string, path: string, grant: string, keys: Partial<DiffEntry> = {}) => {
      const planned = guarded.waves[0]?.tasks.find((one) => one.id === id) as PlannedTask;
      const scope = scopeOf(guarded, planned, [{ task: planned.id, paths: [grant] }]);
      return outOfScope(scope, [change(path, keys)]).map((finding) => [
        finding.rule,
        explain(finding).fix?.split(',')[0],
      ]);
    };
    const scripts = { keys: ['scripts.pretest'] };
    for (const id of ['owner', 'rest']) {
      const held = (rule: string, path: string) => [[rule, `tidegate grant ${id} ${path}`]];
      expect(judged(id, 'lib/a', '**')).toEqual([]);
      expect(judged(id, 'package.json', 'package*', { keys: ['dependencies.x'] })).toEqual([]);
      expect(judged(id, 'package.json', 'package*', scripts)).toEqual(held('check-definition', 'package.json'));
      expect(judged(id, 'package.json', '*', scripts)).toEqual(held('check-definition', 'package.json'));
      expect(judged(id, 'package.json', 'package.json', scripts)).toEqual([]);
      expect(judged(id, 'AGENTS.md', '*.md')).toEqual(held('agent-config', 'AGENTS.md'));
      expect(judged(id, '.claude/a', '.claude/')).toEqual(held('agent-config', '.claude/a'));
      expect(judged(id, 'AGENTS.md', 'AGENTS.md')).toEqual([]);
      expect(judged(id, 'infra/main.tf', 'infra/**')).toEqual(held('protected', 'infra/main.tf'));
      expect(judged(id, 'infra/main.tf', 'infra/main.tf')).toEqual([]);
    }
  });

  test('that brings one path under two spellings is found, a change of case is not', () => {
    expect(rules('owner', [change('src/A'), change('src/a')])).toEqual(['two-spellings']);
    expect(rules('owner', [change('src/D/x'), change('src/d/y')])).toEqual(['two-spellings']);
    expect(rules('owner', [change('src/\u00e9'), change('src/e\u0301')])).toEqual(['two-spellings']);
    expect(rules('owner', [change('src/A', { change: 'deleted', newMode: '000000' }), change('src/a')])).toEqual([]);
  });

  test('names the next command', () => {
    const [owner] = plan.waves[1]?.tasks ?? [];
    expect(outOfScope(scopeOf(plan, owner as PlannedTask, []), [change('lib/a b')]).map(explain)).toEqual([
      {
        rule: 'out-of-scope',
        detail: 'added "lib/a b": the task does not own it',
        where: 'lib/a b',
        fix: "tidegate grant owner 'lib/a b', or tidegate drop owner 'lib/a b'",
      },
    ]);
  });

  test('names no command that does more than it says, whatever an agent names its files', () => {
    const [owner] = plan.waves[1]?.tasks ?? [];
    const fixes = (path: string) =>
      outOfScope(scopeOf(plan, owner as PlannedTask, []), [change(path)]).map((one) => explain(one).fix);
    expect(fixes('lib/$(touch x)')).toEqual([
      "tidegate grant owner 'lib/$(touch x)', or tidegate drop owner 'lib/$(touch x)'",
    ]);
    expect(fixes('**')).toEqual(["tidegate drop owner '**'"]);
  });

  test('to protected paths is announced by a warning, and configuration stays read-only unless named', () => {
    const guarded = frozenPlan([
      [task('ci', { owns: ['.github/**', 'docs/AGENTS.md'] }), task('all', { owns: ['**'], needs: ['ci'] })],
    ]);
    expect(protectWarnings(guarded, 0).map((warning) => explain(warning).detail)).toEqual([
      '`ci` owns `.github/**`, but a wildcard does not include the protected `.github`',
      '`ci` may write `docs/AGENTS.md`, which includes the protected `agents.md`',
      '`all` may write `**`, which includes the protected `.github/**`',
    ]);
    const owner = plan.waves[1]?.tasks[0] as PlannedTask;
    const config = (...paths: string[]) => protectedConfig(plan, owner, [{ task: owner.id, paths }]);
    expect(config()).not.toContain('.vscode');
    expect(config('*.md')).toContain('AGENTS.md');
    expect(config('AGENTS.md')).not.toContain('AGENTS.md');
    expect(config('AGENTS.md')).toContain('CLAUDE.md');
  });
});

test('no path is in the scope of two tasks that may run together, unless both share it', () => {
  const segment = fc.constantFrom('a', 'A', 'b', '*', '?', '**', 'a*', '\u00e9');
  const owns = fc.array(
    fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/')),
    { minLength: 1, maxLength: 2 },
  );
  const names = ['a', 'A', 'b', 'ab', '\u00e9', 'e\u0301'];
  const paths = [...names, ...names.flatMap((one) => names.map((other) => `${one}/${other}`))];
  const judged = { sound: 0, conflicting: 0 };
  fc.assert(
    fc.property(owns, owns, (first, second) => {
      const plan = frozenPlan([[task('x', { owns: first }), task('y', { owns: second }), task('z')]]);
      const admits = (id: string) => {
        const planned = plan.waves[0]?.tasks.find((one) => one.id === id) as PlannedTask;
        const scope = scopeOf(plan, planned, []);
        const added = (path: string): DiffEntry => ({ path, change: 'added', oldMode: '000000', newMode: '100644' });
        return new Set(paths.filter((path) => outOfScope(scope, [added(path)]).length === 0).map(foldPath));
      };
      const [x, y, z] = [admits('x'), admits('y'), admits('z')];
      const sound = ownershipConflicts(plan, 0, []).length === 0;
      judged[sound ? 'sound' : 'conflicting']++;
      if (sound) expect([...x].filter((path) => y.has(path))).toEqual([]);
      expect([...z].filter((path) => x.has(path) || y.has(path))).toEqual([]);
    }),
    { numRuns: 500 },
  );
  expect(Math.min(judged.sound, judged.conflicting)).toBeGreaterThan(50);
});

test('1,000 tasks of 20 patterns over 50,000 files are judged in under 2 s', () => {
  const own = (id: number) => [
    ...Array.from({ length: 14 }, (_, part) => `src/mod${id}/part${part}/**`),
    ...Array.from({ length: 3 }, (_, part) => `docs/mod${id}/*-${part}.md`),
    `test/**/mod${id}-*.test.ts`,
    `assets/mod${id}?.png`,
    `config/mod${id}.json`,
  ];
  const tasks = Array.from({ length: 1000 }, (_, id) =>
    task(`t${id}`, { owns: [...own(id), ...(id === 999 ? ['src/MOD5/part1/x'] : [])] }),
  );
  const plan: FrozenPlan = frozenPlan([tasks]);
  const files = Array.from({ length: 50_000 }, (_, file) => {
    const id = file % 1000;
    const kinds = [
      `src/mod${id}/part${file % 14}/deep/f${file}.ts`,
      `docs/mod${id}/f${file}-1.md`,
      `test/a/b/mod${id}-${file}.test.ts`,
      `src/none/${file}`,
    ];
    return kinds[Math.floor(file / 1000) % 4] as string;
  });
  const started = spentMs();
  const found = ownershipConflicts(plan, 0, []);
  const judged = spentMs();
  const index = indexPatterns(tasks.flatMap((one) => claimsOf(plan, one, [])));
  const owned = files.filter((file) => index.owners(file).length === 1).length;
  const ended = spentMs();
  process.stdout.write(
    `ownership: 1,000 tasks x 20 patterns ${Math.round(judged - started)} ms, owners of 50,000 files ${Math.round(ended - judged)} ms\n`,
  );
  expect(found.map((one) => one.rule)).toEqual(['ownership-conflict']);
  expect(owned).toBe(files.filter((file) => !file.startsWith('src/none/')).length);
  expect(ended - started).toBeLessThan(2000);
});
