import { describe, expect, test } from 'vitest';
import { changedOnMain, fateOf, honest, rogue } from '../support/crew.ts';
import { handoff, project, scripted } from '../support/project.ts';
import { openStage, person } from '../support/staged-run.ts';
import { fingerprint, inSnapshot, tries, triesIn, wayThrough } from '../support/tries.ts';

describe('a change outside of its scope', () => {
  test('holds the task whatever shape it has, is named, kept and never merged', async () => {
    const crew: Readonly<Record<string, readonly [script: string, ...findings: string[]]>> = {
      sibling: ['echo mine > honest.txt', 'out-of-scope honest.txt'],
      'earlier-wave': ['rm early.txt', 'out-of-scope early.txt'],
      rename: ['mv readme.md OWN/readme.md', 'out-of-scope readme.md'],
      mode: ['chmod +x readme.md', 'out-of-scope readme.md'],
      'link-absolute': ['ln -s /etc/passwd OWN/link', 'link-leaves OWN/link'],
      'link-up': ['ln -s ../../../etc/passwd OWN/link', 'link-leaves OWN/link'],
      'link-git': ['ln -s ../.git/config OWN/link', 'link-leaves OWN/link'],
      hardlink: ['ln readme.md OWN/hard; echo more >> OWN/hard', 'out-of-scope readme.md'],
      'file-to-link': ['ln -sf OWN/x readme.md', 'out-of-scope readme.md'],
      case: ['mkdir Own-Case; echo x > Own-Case/x', 'out-of-scope Own-Case/x'],
      nfd: ["mkdir 'cafe\u0301'; echo x > 'cafe\u0301/x'", 'out-of-scope cafe\u0301/x'],
      spellings: ['echo x > OWN/a; echo x > OWN/A', 'two-spellings OWN/a'],
      'spelling-of-base': ['echo x > OWN/FILE.txt', 'two-spellings OWN/FILE.txt'],
      'git-name': ['mkdir .GIT; echo x > .GIT/config', 'nested-git .GIT', 'changes inconclusive'],
      'nested-repository': ['git init -q OWN/nested; echo x > OWN/nested/x', 'nested-git OWN/nested/.git'],
      gitlink: [
        'git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),OWN/sub; git commit -qm x',
        'changes inconclusive',
      ],
      'assume-unchanged': [
        'git update-index --assume-unchanged readme.md; echo x > readme.md; git commit -qam x',
        'out-of-scope readme.md',
      ],
      excluded: ['echo "*" > .git/info/exclude; echo x > hidden.txt', 'out-of-scope hidden.txt'],
      'agent-config': [
        'mkdir OWN/.claude; echo {} > OWN/.claude/settings.json',
        'agent-config OWN/.claude/settings.json',
      ],
      attributes: ['echo "* merge=union" > .gitattributes', 'out-of-scope .gitattributes'],
      reserved: ['mkdir .Tidegate; echo x > .Tidegate/x', 'reserved-path .Tidegate/x'],
      newline: ['echo x > "OWN/a\nb"', 'unfit-name "OWN/a\\012b"', 'changes inconclusive'],
      fifo: ['echo x > OWN/x; mkfifo OWN/pipe', 'special-file OWN/pipe'],
      secret: ['echo "key = AKIAQQQQQQQQ""QQQQQQQQ" > OWN/key', 'secret-shape OWN/key'],
    };
    const owned = (name: string, text: string): string => text.replaceAll('OWN', `own-${name}`);
    const rogues = Object.fromEntries(
      Object.entries(crew).map(([name, [script]]) => [
        name,
        rogue(owned(name, `mkdir OWN\n${script}\n${handoff}`), { owns: [`own-${name}/**`] }),
      ]),
    );
    await using scene = await project({
      files: { 'own-spelling-of-base/file.txt': 'in the base\n' },
      plan: {
        land: 'auto',
        limits: { attempts: 1, parallel: 6 },
        waves: [
          { name: 'first', tasks: { early: rogue(`echo early > early.txt\n${handoff}`, { owns: ['early.txt'] }) } },
          { name: 'second', tasks: { ...rogues, honest } },
        ],
      },
    });
    await using stage = await openStage(scene);
    const base = scene.git('rev-parse', 'main');
    const before = fingerprint(scene.checkout);
    const run = await stage.order();
    await stage.coordinator();
    const state = await run.approve();

    const fates = Object.fromEntries(Object.keys(crew).map((name) => [name, fateOf(state, name)]));
    expect(fates).toEqual(
      Object.fromEntries(
        Object.entries(crew).map(([name, [, ...findings]]) => [
          name,
          ['held', ...findings.map((text) => owned(name, text))],
        ]),
      ),
    );
    expect(fingerprint(scene.checkout)).toEqual(before);
    expect(inSnapshot(stage.state, 'attack-abcd.sibling.1', 'honest.txt')).toBe('mine');
    expect(inSnapshot(stage.state, 'attack-abcd.hardlink.1', 'readme.md')).toBe('hello\nmore');

    for (const task of Object.keys(crew))
      await run.request({ type: 'requested-drop', task: task as never, paths: [], by: person });
    expect((await run.settled()).ended).toBe('landed');
    expect(changedOnMain(scene, base)).toEqual(['A early.txt', 'A honest.txt']);
    expect(scene.git('show', 'main:honest.txt')).toBe('fine');
    expect(scene.git('status', '--porcelain')).toBe('');
  });

  test('written in any of 200 spellings is seen each time, and none is merged', async () => {
    const paths = [
      ...['out/N', './out/N', 'out//N', '"$PWD/out/N"', 'own/../out/N', '/proc/self/cwd/out/N', '$(printf out)/N'],
      ...['o"u"t/N', 'o\\ut/N', '"$(echo tuo | rev)"/N'],
    ];
    const writers = [
      ...['echo x > P', 'echo x >> P', 'echo x >| P', 'printf x | tee P', 'cat readme.md > P', 'cp readme.md P'],
      ...['cp readme.md own/tN; mv own/tN P', 'dd if=readme.md of=P', 'install -m 644 readme.md P', 'touch P'],
      ...['truncate -s 9 P', 'ln readme.md P', 'ln -s readme.md P', 'exec 3>P; echo x >&3', 'eval "echo x > P"'],
      ...['sh -c "echo x > P"', 'git show HEAD:readme.md > P', "awk 'BEGIN { print 1 }' > P", 'sed -n p readme.md > P'],
      ...['perl -e \'open(F, ">", $ARGV[0]); print F 1\' P'],
    ];
    const spellings = writers.flatMap((writer) => paths.map((path) => writer.replaceAll('P', path)));
    const script = spellings.map((one, index) => `( ${one.replaceAll('N', `${index}`)} ) >/dev/null`).join('\n');
    await using scene = await project({
      files: { 'out/.keep': '' },
      plan: {
        land: 'auto',
        tasks: { rogue: rogue(`mkdir own; ${script}\n${handoff}`, { owns: ['own/**'] }), honest },
      },
    });
    await using stage = await openStage(scene);
    const base = scene.git('rev-parse', 'main');
    const run = await stage.order();
    await stage.coordinator();
    const state = await run.approve();

    const seen = fateOf(state, 'rogue').filter((text) => text.startsWith('out-of-scope out/'));
    expect(spellings.length).toBe(200);
    expect(seen.toSorted()).toEqual(spellings.map((_, index) => `out-of-scope out/${index}`).toSorted());
    expect((await run.drop('rogue')).ended).toBe('landed');
    expect(changedOnMain(scene, base)).toEqual(['A honest.txt']);
  });

  test('to configuration of agents that does not exist yet cannot even be made', async () => {
    const names = [
      '.claude/settings.json',
      '.codex/config.toml',
      '.mcp.json',
      'AGENTS.md',
      'CLAUDE.md',
      '.husky/x',
      '.vscode/x',
    ];
    const attacks = Object.fromEntries(
      names.flatMap((name) => {
        const [top] = name.split('/');
        return [
          [`write ${name}`, `echo '{}' > ${name}`],
          [`move ${name}`, `mkdir -p /tmp/m; echo '{}' > /tmp/m/x; mv -f /tmp/m/x ${name}`],
          [`link ${name}`, `ln -sf /tmp/m ${name}`],
          [`remove ${name}`, `rm -rf ${top} && mkdir -p $(dirname ${name}) && echo '{}' > ${name}`],
          [`rename ${name}`, `mv ${top} aside`],
        ];
      }),
    );
    await using scene = await project({
      plan: { land: 'auto', tasks: { rogue: rogue(`${tries(attacks)}\n${handoff}`), honest } },
    });
    await using stage = await openStage(scene);
    const base = scene.git('rev-parse', 'main');
    const run = await stage.order();
    await stage.coordinator();
    const state = await run.approve();
    expect(wayThrough(triesIn(stage.state, 'attack-abcd.rogue.1'), attacks)).toEqual([]);
    expect(state.ended).toBe('landed');
    expect(changedOnMain(scene, base)).toEqual(['A honest.txt', 'A tries.txt']);
  });

  test('that would hide conflicts for ever hides none: merge=union does not count', async () => {
    const write = (name: string) =>
      rogue(`echo ${name} > shared.txt\n${handoff}`, { owns: [`${name}.txt`], shares: ['shared.txt'] });
    await using scene = await project({
      files: { 'shared.txt': 'base\n' },
      plan: {
        land: 'auto',
        limits: { attempts: 1 },
        waves: [
          {
            name: 'sly',
            tasks: { sly: rogue(`echo '* merge=union' > .gitattributes\n${handoff}`, { owns: ['.gitattributes'] }) },
          },
          { name: 'clash', tasks: { left: write('left'), right: write('right'), honest } },
        ],
      },
    });
    await using stage = await openStage(scene);
    const run = await stage.order();
    await stage.coordinator();
    const state = await run.approve();
    const fates = [fateOf(state, 'left'), fateOf(state, 'right')].toSorted();
    expect(fates).toEqual([['held', 'conflict shared.txt'], ['merged']]);
    expect(fateOf(state, 'sly')).toEqual(['merged']);
    expect(fateOf(state, 'honest')).toEqual(['merged']);
  });
});

test('S9: two tasks that spell one path in two ways do not both land', { timeout: 180_000 }, async () => {
  const write = (path: string) => scripted(`echo x > ${path}; ${handoff}`);
  await using p = await project({
    plan: { land: 'auto', limits: { attempts: 1 }, tasks: { upper: write('Foo.txt'), lower: write('foo.txt') } },
  });
  const base = p.git('rev-parse', 'main');
  const ran = await p.cli('run', 'plan.yaml', '--yes', '--json');
  expect(ran.code).toBe(43);
  expect(ran.stdout).toContain('Foo.txt');
  expect(ran.stdout).toContain('foo.txt');
  const { run } = JSON.parse(ran.stdout);
  for (const task of ['upper', 'lower']) await p.cli('drop', `${run}/${task}`);
  await p.cli('resume', run, '--yes', '--land');
  expect(changedOnMain(p, base).length).toBeLessThanOrEqual(1);
});
