import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { explain } from '../../domain/explain/explain.ts';
import { clauseTexts, directiveText } from '../../domain/explain/text.ts';
import { type Directive, roles } from '../../domain/plan/plan.ts';
import { lintDirectives } from '../../domain/plan/plan-lint.ts';
import { loadPlan, looseningHash, noConfig } from './index.ts';

type Files = Readonly<Record<string, string | Uint8Array>>;

async function load(files: Files, options: Partial<Parameters<typeof loadPlan>[0]> = {}) {
  await using folder = await tempFolder(files);
  return await loadPlan({ root: folder.path, planFile: 'plan.yaml', currentBranch: 'main', ...options });
}

async function tempFolder(files: Files) {
  const path = await mkdtemp(join(tmpdir(), 'tidegate-plan-'));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), content);
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** `rule where` of everything found, in order. */
async function mistakes(plan: string | Uint8Array, files: Files = {}) {
  const loaded = await load({ 'plan.yaml': plan, ...files });
  return loaded.ok ? [] : loaded.findings.map((finding) => `${finding.rule} ${finding.where}`);
}

async function loadedPlan(plan: string, files: Files = {}) {
  const loaded = await load({ 'plan.yaml': plan, ...files });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.findings, null, 1));
  return loaded;
}

const short = `agent: command
command: [agent]
tasks:
  limit-login: Rate-limit POST /login to 5/min per IP, with tests.
  docs:
    do: Document the limit in docs/api.md
    owns: [docs/**]
    needs: [limit-login]
`;

describe('a plan', () => {
  test('in short form is one wave with every default filled in', async () => {
    const { plan, hash, warnings } = await loadedPlan(short);
    expect(warnings).toEqual([]);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(plan.waves.map((wave) => wave.tasks.map((task) => task.id))).toEqual([['limit-login', 'docs']]);
    expect({ ...plan, waves: [] }).toEqual({
      version: 1,
      name: 'plan',
      base: 'main',
      land: 'ask',
      dispatch: 'isolated',
      schedule: 'strict',
      strict: false,
      partial: 'merge',
      fence: { mode: 'auto', network: null, read: [], write: [], env: [] },
      limits: { parallel: 4, attempts: 2, minutes: 60, silence: 15, usd: 10, turns: null, files: null, runUsd: 50 },
      taps: { start: 'run', expiresMinutes: 1440 },
      board: { acknowledgeSeconds: 300, staleSeconds: 1800, answerSeconds: 1800 },
      setup: null,
      teardown: null,
      checks: [],
      generated: {},
      protect: ['.github/**'],
      forbid: [],
      block: [],
      breaker: 'normal',
      waves: [],
    });
    expect(plan.waves[0]?.tasks[1]).toMatchObject({
      agent: ['command'],
      command: ['agent'],
      owns: ['docs/**'],
      priority: 5,
    });
  });

  test('means the same as map or list, in any key order, with BOM or CRLF', async () => {
    const listed = `tasks:
  - id: limit-login
    do: Rate-limit POST /login to 5/min per IP, with tests.
  - { needs: [limit-login], owns: [docs/**], do: Document the limit in docs/api.md, id: docs }
command: [agent]
agent: [command]
version: 1
`;
    const waves = short.replace('tasks:', 'waves:\n- tasks:').replace(/\n {2}(?=\S|\s)/g, '\n    ');
    const { hash } = await loadedPlan(short);
    for (const same of [listed, waves, `\uFEFF${short}`, short.replaceAll('\n', '\r\n'), `${short}land: ask\n`])
      expect((await loadedPlan(same)).hash).toBe(hash);
  });

  test('means the same whatever the order of what it lists', async () => {
    const lists = (owns: string, needs: string, forbid: string) =>
      `${short}  last: { do: x, owns: [${owns}], needs: [${needs}] }\nforbid: [${forbid}]\n`;
    const { hash } = await loadedPlan(lists('a, b', 'docs, limit-login', 'x, y'));
    expect((await loadedPlan(lists('b, a, b', 'limit-login, docs', 'y, x'))).hash).toBe(hash);
  });

  test.each([
    short.replace('5/min', '6/min'),
    short.replace('[agent]', '[agent, x]'),
    `${short}land: auto\n`,
    `${short}forbid: [drop tables]\n`,
    `${short}block: [npm publish]\n`,
    `${short}breaker: strict\n`,
    `${short}setup: npm ci\n`,
    `${short}limits: { minutes: 61 }\n`,
    short.replace('    needs: [limit-login]\n', ''),
    short.replace('owns: [docs/**]', 'owns: [docs/*]'),
    short.replace('owns: [docs/**]', 'owns: []'),
  ])('of another meaning has another hash (%#)', async (other) => {
    expect((await loadedPlan(other)).hash).not.toBe((await loadedPlan(short)).hash);
  });

  test('S7: says what setup is made from, and is as it was where it does not', async () => {
    const { plan } = await loadedPlan(`setup: { run: make deps, inputs: [src/**, Makefile] }\n${short}`);
    expect([plan.setup, plan.setupInputs]).toEqual(['make deps', ['Makefile', 'src/**']]);
    expect((await loadedPlan(`setup: make deps\n${short}`)).plan).not.toHaveProperty('setupInputs');
    expect(await mistakes(`setup: { run: make, inputs: [../x] }\n${short}`)).toEqual([
      'leaves-repository plan.yaml:1:30',
    ]);
    expect(await mistakes(`setup: { run: make }\n${short}`)).toHaveLength(1);
  });

  test('S6: with a credential in it is refused', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const plan = short.replace('with tests.', `with ${token}.`);
    expect(await mistakes(`setup: login ${token}\n${plan}`)).toEqual([
      'plan-secret plan.yaml:1:8',
      'plan-secret plan.yaml:5:16',
    ]);
  });

  test('is followed through one redirect, not through two', async () => {
    const files = { 'plans/real.yaml': short, 'plans/again.yaml': 'plan: real.yaml\n' };
    expect((await loadedPlan('plan: plans/real.yaml\n', files)).planFile).toBe('plans/real.yaml');
    expect(await mistakes('plan: plans/again.yaml\n', files)).toEqual(['bad-redirect plans/again.yaml:1:7']);
    expect(await mistakes('plan: ../x.yaml\n')).toEqual(['bad-redirect plan.yaml:1:7']);
    expect(await mistakes('plan: plans/real.yaml\nland: ask\n', files)).toEqual(['bad-redirect plan.yaml:1:7']);
  });

  test('needs a branch to land on', async () => {
    expect(await load({ 'plan.yaml': short }, { currentBranch: null })).toMatchObject({
      findings: [{ rule: 'no-base' }],
    });
    expect((await loadedPlan(`${short}base: dev\n`)).plan.base).toBe('dev');
  });
});

describe('mistakes', () => {
  test('are reported all at once, each with its place and a hint', async () => {
    const plan = `version: 1
lnad: ask
strict: yes please
agent: command
command: [agent]
limits: { parallel: 0 }
protect: [/etc/**]
taps: { expires: soon }
waves:
  - name: one
    tasks:
      a:
        do: directives/a.md
        ows: [src/**]
        needs: [bb, c]
      b: { do: directives/b.md, needs: [a], owns: ['{x,y}'] }
      Bad Id: text
  - tasks:
      a: twice
      c: { do: later, needs: [d] }
      d: { do: "circle", needs: [c] }
  - tasks: {}
`;
    const files = { 'directives/b.md': '---\nowns: [z]\nxyz: 1\n---\n\n' };
    const loaded = await load({ 'plan.yaml': plan, ...files });
    expect(
      loaded.ok ? [] : loaded.findings.map((one) => [one.where, one.rule, explain(one).fix ?? ''].join(' | ')),
    ).toEqual([
      'directives/b.md | empty-directive | write the brief',
      'directives/b.md:2:7 | front-matter-contradicts | set it in one place only',
      'directives/b.md:3:1 | unknown-key | remove it',
      'plan.yaml:2:1 | unknown-key | did you mean `land`?',
      'plan.yaml:3:9 | wrong-type | ',
      'plan.yaml:6:21 | wrong-value | ',
      'plan.yaml:7:11 | leaves-repository | ',
      'plan.yaml:8:18 | wrong-value | write it as `30m`, `24h` or `7d`',
      'plan.yaml:13:13 | file-missing | create directives/a.md; paths are relative to the plan file',
      'plan.yaml:14:9 | unknown-key | did you mean `owns`?',
      'plan.yaml:15:17 | unknown-need | did you mean `b`?',
      'plan.yaml:15:21 | later-need | move one of them to another wave',
      'plan.yaml:16:52 | bad-pattern | ',
      'plan.yaml:17:7 | bad-id | use up to 64 lower-case letters, digits and `-`, starting with a letter or digit',
      'plan.yaml:19:7 | duplicate-id | give each task its own id',
      'plan.yaml:21:34 | cycle | ',
      'plan.yaml:22:5 | empty-wave | add a task or remove the wave',
    ]);
  });

  const nine = (item: string): string => Array(9).fill(item).join(',');
  const bomb = `a: &a [${nine('x')}]\nb: &b [${nine('*a')}]\nc: &c [${nine('*b')}]\nd: &d [${nine('*c')}]\n`;
  const task = 'agent: command\ncommand: [x]\n';
  test.each<[string, string | Uint8Array, string[]]>([
    ['nothing', '', ['empty-plan plan.yaml:1:1']],
    ['only comments', '# hi\n', ['empty-plan plan.yaml:1:1']],
    ['a list', '- a\n', ['empty-plan plan.yaml:1:1']],
    ['no task', 'tasks: {}\n', ['empty-plan plan.yaml:1:1']],
    ['no wave', 'waves: []\n', ['empty-plan plan.yaml:1:8']],
    ['only settings', 'land: ask\n', ['empty-plan plan.yaml:1:1']],
    ['both forms', `${task}tasks: { a: x }\nwaves: []\n`, ['tasks-and-waves plan.yaml:3:1']],
    ['open bracket', 'tasks: [a\n', ['yaml-syntax plan.yaml:2:1']],
    ['tabs', 'tasks:\n\ta: b\n', ['yaml-syntax plan.yaml:2:1']],
    ['a key twice', `${task}tasks:\n  a: x\n  a: y\n`, ['duplicate-key plan.yaml:5:3']],
    ['an alias of nothing', 'tasks:\n  a: *b\n', ['yaml-alias plan.yaml:2:6']],
    ['an alias in itself', 'tasks: &b\n  a: *b\n', ['yaml-alias plan.yaml:2:6']],
    ['few aliases of very much', `${bomb}tasks: { a: x }\n`, ['yaml-alias plan.yaml:1:1']],
    ['two documents', 'a: 1\n---\nb: 1\n', ['yaml-syntax plan.yaml:2:1']],
    ['a tag', 'tasks: !!js {}\n', ['yaml-syntax plan.yaml:1:8']],
    ['not UTF-8', new Uint8Array([0x61, 0xff, 0x62]), ['not-utf-8 plan.yaml']],
    ['1 MB and more', `#${'x'.repeat(1024 * 1024)}`, ['file-too-large plan.yaml']],
    ['__proto__', `${task}tasks:\n  a: x\n  __proto__: y\n`, ['unknown-key plan.yaml:5:3']],
    ['a reserved id', `${task}tasks: { constructor: x }\n`, ['bad-id plan.yaml:3:10']],
    ['a key that objects have', `${task}constructor: x\ntasks: { a: x }\n`, ['unknown-key plan.yaml:3:1']],
    ['a number as brief', `${task}tasks: { a: 5 }\n`, ['wrong-type plan.yaml:3:13']],
    ['an empty brief', `${task}tasks: { a: " " }\n`, ['empty-directive plan.yaml:3:13']],
    ['no brief', `${task}tasks:\n  a: { owns: [] }\n`, ['missing-key plan.yaml:4:3']],
    ['a need of itself', `${task}tasks: { a: { do: x, needs: [a] } }\n`, ['cycle plan.yaml:3:30']],
    ['a directive outside', `${task}tasks: { a: ../../x.md }\n`, ['leaves-repository plan.yaml:3:13']],
    ['an absolute directive', `${task}tasks: { a: /etc/x.md }\n`, ['leaves-repository plan.yaml:3:13']],
    ['no argv', 'agent: command\ntasks: { a: x }\n', ['command-missing plan.yaml:2:10']],
    ['no argv of an ACP agent', 'agent: acp\ntasks: { a: x }\n', ['command-missing plan.yaml:2:10']],
    ['an agent that nobody knows', 'agent: clawed\ntasks: { a: x }\n', ['unknown-agent plan.yaml:2:10']],
    [
      'dispatch',
      `${task}dispatch: worktree\ntasks: { a: x }\n`,
      ['not-in-this-version plan.yaml:3:11', 'needs-confirmation plan.yaml:3:11'],
    ],
    ['repair', `${task}repair: claude\ntasks: { a: x }\n`, ['not-in-this-version plan.yaml:3:9']],
    ['an option as branch', `${task}base: --force\ntasks: { a: x }\n`, ['bad-branch plan.yaml:3:7']],
    ['a reserved path', `${task}tasks: { a: { do: x, owns: [.Tidegate/x] } }\n`, ['reserved-pattern plan.yaml:3:29']],
    [
      'two checks of a name',
      `${task}checks: [{ name: t, run: a }, { name: t, run: b }]\ntasks: { a: x }\n`,
      ['duplicate-check plan.yaml:3:39'],
    ],
    ['a check without run', `${task}checks: [{ name: t }]\ntasks: { a: x }\n`, ['missing-key plan.yaml:3:10']],
    [
      'strict without owns',
      `${task}strict: true\ntasks: { a: x.md }\n`,
      ['file-missing plan.yaml:4:13', 'owns-required plan.yaml:4:10'],
    ],
  ])('%s', async (_, plan, expected) => {
    expect((await mistakes(plan)).sort()).toEqual(expected.sort());
  });

  test.each([
    ['strict: please', '`strict` is text but must be true or false', undefined],
    ['base: 5', '`base` is a number but must be text', 'put quotes around it'],
    ['base:', '`base` is empty but must be text', 'put quotes around it'],
    ['base: " "', '`base` is empty', undefined],
    ['command: npm', '`command` is text but must be a list', 'put it in brackets: `[ ]`'],
    ['command: []', '`command` must have >=1 items', undefined],
    ['agent: 5', '`agent` is a number but must be text or a list', undefined],
    ['fence: open', '`fence` must be one of auto, none', undefined],
    ['fence: 5', '`fence` is a number but must be a mapping', undefined],
    ['fence: { network: 5 }', '`network` is a number but must be a list or empty', undefined],
    ['fence: { network: [5] }', 'an item of `network` is a number but must be text', 'put quotes around it'],
    ['fence: { env: [a-b] }', 'an item of `env` has an invalid format', undefined],
    ['limits: { parallel: 0 }', '`parallel` must be >=1', undefined],
    ['limits: { parallel: 2.5 }', '`parallel` is a number but must be a whole number', undefined],
    ['limits: { usd: 0 }', '`usd` must be >0', undefined],
    ['limits: { usd: .nan }', '`usd` is not a number but must be a number', undefined],
    ['land: here', '`land` must be one of ask, auto, branch, pr, wave', undefined],
    ['version: 2', '`version` must be 1', undefined],
    ['taps: { expires: soon }', '`expires` is not a duration', 'write it as `30m`, `24h` or `7d`'],
    ['checks: [{ name: t }]', '`run` is missing', 'add `run:`'],
    [
      'name: A B',
      '`name` is not an id',
      'use up to 64 lower-case letters, digits and `-`, starting with a letter or digit',
    ],
    ['protect: [""]', 'an item of `protect` must have >=1 characters', undefined],
    ['protect: ["{a}"]', '`{a}`: `{` is not supported: use only `*`, `**` and `?` (any one character)', undefined],
    ['generated: { "a/*": x }', '`a/*`: a generated file is one path', undefined],
  ])('%s', async (line, detail, fix) => {
    const loaded = await load({ 'plan.yaml': `tasks: { a: { do: x, agent: command, command: [x] } }\n${line}\n` });
    const [first] = loaded.ok ? [] : loaded.findings.map(explain);
    expect([first?.detail, first?.fix]).toEqual([detail, fix]);
  });

  test('overlaps stand where each task says what it owns, in the plan or in its directive', async () => {
    const brief = '\nWrite `x`.\n\n## Acceptance\nx\n';
    const files = { 'a.md': `---\nowns: [x, src/**]\n---${brief}`, 'b.md': `---\nrole: docs\n---${brief}` };
    const overlaps = async (plan: Parameters<typeof loadPlan>[0]['planFile']) => {
      await using folder = await tempFolder({ ...files, 'plan.yaml': typeof plan === 'string' ? plan : plan.text });
      const planFile = typeof plan === 'string' ? 'plan.yaml' : plan;
      const loaded = await loadPlan({ root: folder.path, planFile, currentBranch: 'main' });
      return loaded.ok ? [] : loaded.findings.map(explain).map(({ where, detail }) => [where, detail]);
    };
    const text = `${task}tasks:\n  a: a.md\n  b: { do: b.md, owns: [src/b] }\n`;
    expect(await overlaps(text)).toEqual([
      ['a.md:2:11', '`a` (owns `src/**`) and `b` (owns `src/b`, plan.yaml:5:25) could both write `src/b`'],
    ]);
    expect(await overlaps({ text, isSketch: true })).toEqual([
      ['a.md:2:11', '`a` (owns `src/**`) and `b` (owns `src/b`) could both write `src/b`'],
    ]);
    const broken = `${text}  c: { do: x, agent: clawed }\n`;
    expect((await overlaps(broken)).map(([where]) => where)).toEqual(['a.md:2:11', 'plan.yaml:6:15']);
  });

  test('a base that is not there is told once, where it is said', async () => {
    const hasBranch = async (branch: string) => branch === 'main';
    const found = async (plan: string, currentBranch = 'main') => {
      const loaded = await load({ 'plan.yaml': plan }, { hasBranch, currentBranch });
      return loaded.ok ? [] : loaded.findings.map(({ rule, where }) => `${rule} ${where}`);
    };
    expect(await found(short)).toEqual([]);
    expect(await found(`${short}base: gone\n`)).toEqual(['base-missing plan.yaml:9:7']);
    expect(await found(short, 'unborn')).toEqual(['base-missing plan.yaml']);
    expect(await found(`${short}base: -x\n`)).toEqual(['bad-branch plan.yaml:9:7']);
  });

  test('F18: a key that another level has is told that level, and a misspelt one what it may mean', async () => {
    const fixes = async (plan: string) => {
      const loaded = await load({ 'plan.yaml': plan });
      return loaded.ok ? [] : loaded.findings.map((one) => explain(one).fix);
    };
    const tasks = 'tasks: { a: { do: x } }\n';
    expect(await fixes(`${task}${tasks}owns: [x]\n`)).toEqual(['`owns` belongs in a task']);
    expect(await fixes(`${task}${tasks}minutes: 5\n`)).toEqual([
      '`minutes` belongs in `limits` or an entry of `checks`',
    ]);
    expect(await fixes(`${task}${tasks}notify: off\n`)).toEqual([
      '`notify` belongs in `tidegate.yaml` or your own configuration',
    ]);
    expect(await fixes(`${task}${tasks}setup: { rnu: x, inputs: [y] }\n`)).toContain('did you mean `run`?');
    expect(await fixes(`${task}${tasks}prompt: x\n`)).toEqual(['did you mean `do`? It belongs in a task']);
    expect(await fixes(`${task}${tasks}limits: { network: on }\n`)).toEqual(['`network` belongs in `fence`']);
    expect(await fixes(`${task}tasks: { a: { do: x, limits: { minutes: 5 } } }\n`)).toEqual([
      '`limits` belongs in the top level of the plan',
    ]);
    expect(await fixes(`${task}waves: [{ model: y, tasks: { a: x } }]\n`)).toEqual([
      '`model` belongs in the top level of the plan or a task',
    ]);
    expect(await fixes(`${task}tasks: { a: { do: x, exit: { owns: [x] } } }\n`)).toEqual(['`owns` belongs in a task']);
    expect(await fixes(`${task}tasks: { a: { do: x, modle: y } }\n`)).toEqual(['did you mean `model`?']);
    expect(await fixes(`${task}tasks: { a: { do: x, lmits: y } }\n`)).toEqual([
      'did you mean `limits`? It belongs in the top level of the plan',
    ]);
    expect(await fixes(`${task}tasks: { a: { do: x, id: b } }\n`)).toEqual(['remove it']);
  });

  test('F27: roles that only report own nothing, unless other keys say that they write', async () => {
    const owned = async (keys: string) => {
      const { plan } = await loadedPlan(`${task}tasks: { a: { do: x, ${keys} } }\n`);
      return plan.waves[0]?.tasks[0]?.owns;
    };
    const byRole = await Promise.all(roles.map(async (role) => [role, await owned(`role: ${role}`)] as const));
    expect(byRole.flatMap(([role, owns]) => (owns === null ? [] : [role]))).toEqual([
      ...['discovery', 'research', 'eval', 'security', 'qa'],
    ]);
    expect(await owned('role: qa, owns: null')).toBe(null);
    expect(await owned('role: qa, deliverables: [report.md]')).toBe(null);
    expect(await owned('role: qa, owns: [report.md]')).toEqual(['report.md']);
  });

  test('a missing plan, a directory, a link out of the repository', async () => {
    await using folder = await tempFolder({ 'dir/x': '', 'plan.yaml': `${task}tasks: { a: out.md, b: dir.md }\n` });
    await mkdir(join(folder.path, 'dir.md'));
    await symlink('/etc/hostname', join(folder.path, 'out.md'));
    const rules = async (planFile: string) => {
      const loaded = await loadPlan({ root: folder.path, planFile, currentBranch: 'main' });
      return loaded.ok ? [] : loaded.findings.map((finding) => finding.rule);
    };
    expect(await rules('nothing.yaml')).toEqual(['file-missing']);
    expect(await rules('dir')).toEqual(['not-a-file']);
    expect(await rules('plan.yaml')).toEqual(['leaves-repository', 'not-a-file']);
  });
});

test('whatever is written, loading answers and never throws', async () => {
  const scraps = [
    '',
    ' ',
    '\n',
    '\t',
    ':',
    '- ',
    '[',
    '}',
    '"',
    '&a ',
    '*a',
    '!!x ',
    '? ',
    '|',
    '---\n',
    '../',
    '\u0000',
    'é',
    '{ a: 1 }',
    '#',
    '<<: ',
  ];
  const edit = fc.tuple(fc.nat({ max: short.length }), fc.nat({ max: 12 }), fc.constantFrom(...scraps));
  await using folder = await tempFolder({});
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 4 }), async (edits) => {
      const text = edits.reduce(
        (written, [at, cut, scrap]) => written.slice(0, at) + scrap + written.slice(at + cut),
        short,
      );
      await writeFile(join(folder.path, 'plan.yaml'), text);
      const loaded = await loadPlan({ root: folder.path, planFile: 'plan.yaml', currentBranch: 'main' });
      if (!loaded.ok) for (const one of loaded.findings) expect(one.where).toMatch(/^plan\.yaml(:\d+:\d+)?$/);
      expect(loaded.ok || loaded.findings.length > 0).toBe(true);
    }),
    { numRuns: 300 },
  );
});

describe('a directive', () => {
  const plan = 'command: [x]\nagent: command\ntasks: { a: d.md }\n';
  const complete = '---\nowns: [src/**]\n---\n# Goal\nx\n## Scope\nsrc\n## Acceptance\n- `npm test` passes\n';

  test('brings its front matter, and its text without it, and names the clauses that go with it', async () => {
    const { plan: frozen, warnings } = await loadedPlan(plan, { 'd.md': complete });
    const task = frozen.waves[0]?.tasks[0];
    expect(warnings).toEqual([]);
    expect(task?.owns).toEqual(['src/**']);
    const text = '# Goal\nx\n## Scope\nsrc\n## Acceptance\n- `npm test` passes\n';
    expect(task?.directive).toEqual({ file: 'd.md', text, clauses: ['merge-gate'] });
    expect(lintDirectives(frozen, 0)).toEqual({ errors: [], warnings: [] });
    const { plan: forbidding } = await loadedPlan(`forbid: [rm -rf]\n${plan}`, { 'd.md': complete });
    expect(forbidding.waves[0]?.tasks[0]?.directive.clauses).toEqual(['merge-gate', 'forbid']);
  });

  test('has each clause once where it is shown, also when the person copied it', () => {
    const [gate = '', forbidden = ''] = clauseTexts(['merge-gate', 'forbid'], ['rm -rf']);
    const shown = (text: string) => directiveText({ file: null, text, clauses: ['merge-gate', 'forbid'] }, ['rm -rf']);
    expect(shown('Do it.\n')).toBe(`Do it.\n\n${gate}\n\n${forbidden}\n`);
    expect(shown(shown('Do it.\n'))).toBe(shown('Do it.\n'));
    expect(shown(`Do it.\n\n${gate}\n`)).toBe(shown('Do it.\n'));
  });

  test('without the merge gate, or without a word beside it, is refused', async () => {
    const { plan: frozen } = await loadedPlan(plan, { 'd.md': complete });
    const judged = (change: Partial<Directive>) => {
      const waves = frozen.waves.map((wave) => ({
        ...wave,
        tasks: wave.tasks.map((task) => ({ ...task, directive: { ...task.directive, ...change } })),
      }));
      return lintDirectives({ ...frozen, waves }, 0).errors;
    };
    expect(judged({ clauses: [] })).toEqual([{ rule: 'merge-gate', task: 'a', file: 'd.md', where: 'd.md' }]);
    expect(judged({ text: clauseTexts(['merge-gate'], [])[0] ?? '' })).toEqual([
      { rule: 'empty-directive', task: 'a', file: 'd.md', where: 'd.md' },
    ]);
  });

  test('that is incomplete or vague warns, and fails when strict', async () => {
    const files = { 'd.md': 'Improve the performance.\n' };
    const loaded = await loadedPlan(plan, files);
    expect(loaded.warnings.map((warning) => warning.rule)).toEqual(['directive-section', 'directive-vague']);
    expect(lintDirectives(loaded.plan, 0).warnings.map((warning) => warning.rule)).toEqual([
      'directive-section',
      'directive-vague',
    ]);
    const strict = await load({ 'plan.yaml': `strict: true\n${plan}`, ...files });
    expect(strict.ok ? [] : strict.findings.map((finding) => finding.rule).sort()).toEqual([
      'directive-front-matter',
      'directive-section',
      'directive-section',
      'directive-section',
      'directive-vague',
      'owns-required',
    ]);
    expect((await loadedPlan(`strict: true\n${plan}`, { 'd.md': complete })).warnings).toEqual([]);
  });

  test('that is longer than a prompt should be only warns, strict or not', async () => {
    const long = complete.replace('# Goal', `# Goal\n\n${'word '.repeat(8_000)}\n`);
    for (const head of ['', 'strict: true\n']) {
      const loaded = await loadedPlan(`${head}${plan}`, { 'd.md': long });
      expect(loaded.warnings.map((warning) => warning.rule)).toEqual(['directive-long']);
      expect(lintDirectives(loaded.plan, 0).warnings.map((warning) => warning.rule)).toEqual(['directive-long']);
    }
  });

  test('is not vague when it says what', async () => {
    const { warnings } = await loadedPlan(`${plan.replace('d.md', '"Optimize `parse` to under 5 ms"')}`);
    expect(warnings).toEqual([]);
  });
});

describe('a plan from a repository', () => {
  test('cannot open the fence by itself', async () => {
    const hostile = `${short}fence: { mode: none, read: [/root], write: [/], env: [AWS_SECRET], network: on }\n`;
    expect(await mistakes(hostile)).toEqual([
      'needs-confirmation plan.yaml:9:16',
      'needs-confirmation plan.yaml:9:28',
      'needs-confirmation plan.yaml:9:44',
      'needs-confirmation plan.yaml:9:54',
      'needs-confirmation plan.yaml:9:77',
    ]);
    expect(await mistakes(`${short}fence: none\n`)).toEqual(['needs-confirmation plan.yaml:9:8']);
    expect(await mistakes(`${short}fence: { network: off }\n`)).toEqual([]);
  });

  test('names the command that confirms what it asks for', async () => {
    const loaded = await load({ 'plan.yaml': `${short}unprotect: [AGENTS.md]\n` });
    expect(loaded.ok ? [] : loaded.findings.map((one) => explain(one).fix)).toEqual([
      'review it, then run `tidegate config confirm --plan plan.yaml`; or remove it',
    ]);
  });

  test('opens it when the person confirmed exactly that', async () => {
    const confirmed = [looseningHash({ key: 'fence.read', value: ['/opt'] })];
    const config = { ...noConfig, confirmed };
    const asked = (path: string) => load({ 'plan.yaml': `${short}fence: { read: [${path}] }\n` }, { config });
    expect(await asked('/opt')).toMatchObject({ ok: true, plan: { fence: { read: ['/opt'] } } });
    expect(await asked('/root')).toMatchObject({ ok: false });
  });
});
