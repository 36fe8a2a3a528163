import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { nameless } from '../support/nameless.ts';
import { type Ended, handoff, type Project, project, scripted } from '../support/project.ts';
import { untilEvent } from '../support/until-event.ts';

const program = fileURLToPath(new URL('../../bin/tidegate.cjs', import.meta.url));
/** systemd's part of libc knows root without any file. */
const uid = process.getuid?.() ?? 0;

/** The program as it is installed, in exactly these variables. */
const installed = (scene: Project, env: Readonly<Record<string, string | undefined>>, argv: readonly string[]) =>
  new Promise<Ended>((resolve) => {
    const [file = '', ...args] = argv;
    const own = Object.entries({ ...scene.environment, ...env }).filter(([, value]) => value !== undefined);
    execFile(file, args, { cwd: scene.checkout, env: Object.fromEntries(own) }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });

const tidegate = (scene: Project, env: Readonly<Record<string, string | undefined>>, ...args: string[]) =>
  installed(scene, env, [process.execPath, program, ...args]);

const plan = { tasks: { hello: scripted(`echo hello > hello.txt; ${handoff}`) } };

describe('S11: a uid without an entry in the user database', () => {
  const nobody = { HOME: undefined, USER: undefined, LOGNAME: undefined };

  test('runs, looks and lands under a name that says which uid it is', async () => {
    await using scene = await project({ plan });
    const call = (...args: string[]) => installed(scene, nobody, nameless([process.execPath, program, ...args]));
    expect(await call('status')).toMatchObject({ code: 0, stderr: '' });

    const run = await call('run', 'plan.yaml', '--yes', '--land');

    expect(run).toMatchObject({ code: 0, stderr: expect.stringMatching(/^tidegate: note: the state directory .*\n$/) });
    expect(run.stdout).toMatch(new RegExp(`approved by ${uid === 0 ? '(uid-0|root)' : `uid-${uid}`} \\(yes-flag\\)`));
    expect(scene.git('log', '-1', '--format=%an <%ae>')).toBe('Ada <ada@example.com>');
    for (const command of ['why', 'runs', 'verify', 'diff'])
      expect({ command, ...(await call(command)) }).toMatchObject({ command, code: 0, stderr: '' });
    const doctor = await call('doctor');
    expect(doctor.stdout).toMatch(/^ok {3}identity/m);
    expect(doctor.stderr).toBe('');
  });

  test('is told before a run when git knows no name for its commits either', async () => {
    await using scene = await project({ plan });
    scene.git('config', '--unset', 'user.name');
    scene.git('config', '--unset', 'user.email');
    const run = await installed(
      scene,
      nobody,
      nameless([process.execPath, program, 'run', 'plan.yaml', '--yes', '--land']),
    );
    expect(run).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^tidegate: git has no name and email for you, .* git config --global user\.name .*\nnothing was started\n$/,
      ),
    });
  });
});

describe('S11: a directory that is not there or not ours is one line with a way out', () => {
  test('TMPDIR', async () => {
    await using scene = await project({ plan });
    const missing = { TMPDIR: join(scene.root, 'missing') };
    for (const args of [['run', 'plan.yaml', '--yes'], ['demo'], ['doctor'], ['init']]) {
      const { code, stderr } = await tidegate(scene, missing, ...args);
      expect({ args, code, stderr }).toEqual({
        args,
        code: 1,
        stderr: `tidegate: ${args[0]}: cannot create temporary files in ${missing.TMPDIR} (ENOENT). Set TMPDIR to a directory that you can write to\n`,
      });
    }
    expect(await tidegate(scene, missing, 'status')).toMatchObject({ code: 0, stderr: '' });
    expect(await tidegate(scene, missing, 'lint', 'plan.yaml')).toMatchObject({ code: 0, stderr: '' });
  });

  test('HOME that is relative or empty', async () => {
    await using scene = await project({ plan });
    // root keeps its state elsewhere
    for (const home of ['', 'here'])
      for (const args of uid === 0 ? [] : [['status'], ['run', 'plan.yaml', '--yes']])
        expect(await tidegate(scene, { HOME: home, TIDEGATE_STATE_DIR: undefined }, ...args)).toEqual({
          code: 2,
          stdout: '',
          stderr: `tidegate: HOME must be an absolute path, not '${home}'; set it, or choose another with --state-dir or TIDEGATE_STATE_DIR\n`,
        });
  });

  test('the state directory', async () => {
    await using scene = await project({ plan });
    const loop = join(scene.root, 'loop');
    symlinkSync(loop, loop);
    for (const args of [['status'], ['run', 'plan.yaml', '--yes'], ['doctor']]) {
      const { stdout, stderr } = await tidegate(scene, { TIDEGATE_STATE_DIR: join(loop, 'state') }, ...args);
      expect(`${stdout}${stderr}`).toContain(
        `the state directory ${join(loop, 'state')} cannot be read (ELOOP); choose another with --state-dir`,
      );
      expect(stderr).not.toMatch(/ {4}at /);
    }
  });
});

describe('S11: a file that is nested 20,000 levels deep is one finding, in every file that people write', () => {
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const files: Readonly<Record<string, string>> = {
    'deep.yaml': `tasks:\n  a: ${deep}\n`,
    'block.yaml': `${'- '.repeat(20_000)}x\n`,
    'maps.yaml': `tasks: ${'{a: '.repeat(20_000)}x${'}'.repeat(20_000)}\n`,
    'deep.json': `{"tasks": ${deep}}\n`,
    'brief.md': `---\nowns: ${deep}\n---\nDo it.\n`,
  };

  test('plans and front matter', async () => {
    await using scene = await project({ plan: { tasks: { a: { do: 'brief.md' } } }, files });
    for (const [file, at] of [
      ['deep.yaml', 'deep.yaml:2:'],
      ['block.yaml', 'block.yaml:1:'],
      ['maps.yaml', 'maps.yaml:1:'],
      ['deep.json', 'deep.json:1:'],
      ['plan.yaml', 'brief.md:2:'],
    ] as const) {
      const { code, stdout, stderr } = await tidegate(scene, {}, 'lint', file);
      expect({ file, code, errors: errorsIn(`${stdout}${stderr}`) }).toEqual({
        file,
        code: 2,
        errors: [expect.stringMatching(`^${at}\\d+: error: the document is nested more than 100 levels deep$`)],
      });
    }
  });

  test('the configuration of the project, of the checkout and of the person', async () => {
    await using scene = await project({ plan });
    const own = join(scene.root, 'home/.config/tidegate/config.yaml');
    mkdirSync(join(own, '..'), { recursive: true });
    for (const file of [join(scene.checkout, 'tidegate.yaml'), join(scene.checkout, 'tidegate.local.yaml'), own]) {
      writeFileSync(file, `fence: ${deep}\n`);
      const { code, stdout, stderr } = await tidegate(scene, {}, 'lint', 'plan.yaml');
      expect({ code, errors: errorsIn(`${stdout}${stderr}`) }).toEqual({
        code: 2,
        errors: [expect.stringMatching(/:1:\d+: error: the document is nested more than 100 levels deep$/)],
      });
      rmSync(file);
    }
  });

  const errorsIn = (text: string): readonly string[] => text.split('\n').filter((line) => line.includes('error: '));
});

test('S11: a plan that is a link out of the repository is not followed', async () => {
  await using scene = await project({ plan });
  writeFileSync(join(scene.root, 'private.yaml'), 'secret: of somebody\n');
  symlinkSync('../private.yaml', join(scene.checkout, 'linked.yaml'));
  symlinkSync('plan.yaml', join(scene.checkout, 'inside.yaml'));
  for (const command of ['lint', 'run']) {
    const { code, stdout, stderr } = await tidegate(scene, {}, command, 'linked.yaml');
    expect({ code, said: `${stdout}${stderr}` }).toEqual({
      code: 2,
      said: 'linked.yaml: error: `linked.yaml` is outside the repository\n1 mistake; nothing was started\n',
    });
  }
  expect(await tidegate(scene, {}, 'lint', 'inside.yaml')).toMatchObject({ code: 0 });
  // A person who names a file outside means it.
  writeFileSync(join(scene.root, 'mine.yaml'), JSON.stringify(plan));
  expect(await tidegate(scene, {}, 'lint', '../mine.yaml')).toMatchObject({ code: 0 });
});

test('S11: with a stopped coordinator every command names it and the way out, and none waits for it', async () => {
  await using scene = await project({
    plan: { tasks: { hello: scripted('sleep 600') } },
  });
  expect((await scene.cli('run', 'plan.yaml', '--yes', '-d')).code).toBe(0);
  await untilEvent(scene, (event) => event.type === 'attempt-started');
  const started = (await scene.events())
    .map(({ event }) => event)
    .findLast(({ type }) => type === 'coordinator-started');
  const coordinator = started?.type === 'coordinator-started' ? started.pid : 0;
  process.kill(coordinator, 'SIGSTOP');
  try {
    const line = `the coordinator (process ${coordinator}) is suspended and does not answer. Continue it: kill -CONT ${coordinator}`;
    for (const args of [['status'], ['why'], ['inbox']])
      expect({ args, ...(await scene.cli(...args)) }).toMatchObject({
        args,
        stderr: expect.stringContaining(`tidegate: note: ${line}\n`),
      });
    for (const args of [['pause'], ['stop'], ['resume'], ['run', 'plan.yaml', '--yes']])
      expect({ args, ...(await scene.cli(...args)) }).toMatchObject({
        args,
        code: 32,
        stderr: expect.stringContaining(line),
      });
  } finally {
    process.kill(coordinator, 'SIGCONT');
  }
  expect((await scene.cli('status')).stderr).toBe('');
});
