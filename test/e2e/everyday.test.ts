import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { handoff, project, scripted } from '../support/project.ts';
import { serverOf } from '../support/server.ts';
import { untilEvent } from '../support/until-event.ts';

const writes = (name: string) => scripted(`echo ${name} > ${name}.txt; ${handoff}`, { owns: [`${name}.txt`] });

test('F28: undo without a terminal moves nothing unless --yes says so', async () => {
  await using here = await project({ plan: { tasks: { one: writes('one') } } });
  const ran = await here.cli('run', 'plan.yaml', '--yes', '--land');
  expect(ran.code).toBe(0);
  // F25: without a check nothing holds anything together
  expect(ran.stdout).toContain('verify: wave 1 merges cleanly; the plan has no checks');
  const landed = here.git('rev-parse', 'main');
  const refused = await here.cli('undo', '--json');
  expect(refused.code).toBe(43);
  const { reason, needs, run } = JSON.parse(refused.stdout) as Record<string, unknown> & { run: string };
  expect({ reason, needs }).toMatchObject({
    reason: 'not-confirmed',
    needs: [{ kind: 'undo', command: `tidegate undo ${run} --yes` }],
  });
  expect((await here.cli('undo')).stdout).toContain(`tidegate undo ${run} --yes`);
  expect(here.git('rev-parse', 'main')).toBe(landed);
  expect((await here.cli('undo', '--yes')).code).toBe(0);
  expect(here.git('rev-parse', 'main')).not.toBe(landed);
});

test('F28: diff --stat counts lines, and status --json says what agents do and changed', async () => {
  const wait = 'echo counting sheep; touch .tidegate/there; until test -e .tidegate/go; do sleep 0.05; done';
  const one = scripted(`printf 'a\\nb\\n' > one.txt; echo more >> readme.md; ${handoff}`, {
    owns: ['one.txt', 'readme.md'],
  });
  const two = scripted(`mkdir -p .tidegate; ${wait}; ${handoff}`, { owns: ['two.txt'], allowEmpty: true });
  await using here = await project({ plan: { tasks: { one, two } } });
  await here.cli('run', 'plan.yaml', '--yes', '-d');
  await untilEvent(here, (event) => event.type === 'attempt-ended' && event.task === 'one');
  const tasks = async () => {
    const { waves } = JSON.parse((await here.cli('status', '--json')).stdout) as {
      waves: readonly { tasks: readonly { id: string; doing: string | null; changes: object | null }[] }[];
    };
    return Object.fromEntries((waves[0]?.tasks ?? []).map(({ id, doing, changes }) => [id, { doing, changes }]));
  };
  let seen = await tasks();
  while (seen['two']?.doing == null || seen['one']?.changes == null) seen = await tasks();
  expect(seen).toEqual({
    one: { doing: null, changes: { files: 2, added: 3, removed: 0 } },
    two: { doing: 'counting sheep', changes: null },
  });
  expect((await here.cli('status')).stdout).toContain('counting sheep');
  const watching = here.start(['watch', '--json']);
  const told = await new Promise<string>((resolve) => {
    let text = '';
    watching.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('"doing":"counting sheep"') && text.includes('"added":3')) resolve(text);
    });
  });
  watching.kill('SIGTERM');
  expect(told).toMatch(/^\{"run":"plan-\w{4}","task":"two","doing":"counting sheep","changes":null\}$/m);
  const { stdout } = await here.cli('diff', '--stat');
  expect(stdout).toMatch(/added +one\.txt +\+2 −0/);
  expect(stdout).toMatch(/modified +readme\.md +\+1 −0/);
  expect(stdout).toContain('  2 files, +3 −0');
  const [file] =
    (
      JSON.parse((await here.cli('diff', '--stat', '--json')).stdout) as {
        tasks: readonly { files: readonly object[] }[];
      }
    ).tasks[0]?.files ?? [];
  expect(file).toMatchObject({ path: 'one.txt', added: 2, removed: 0 });
});

test('F28: init says what it does while setup takes long', async () => {
  await using here = await project({ plan: { tasks: { one: writes('one') } } });
  here.write('tidegate.yaml', 'setup: sleep 4\n');
  here.git('add', '-A');
  here.git('commit', '-qm', 'setup');
  const { stdout } = await here.cli('init');
  expect(stdout).toMatch(/…\s+making a copy of the repository, then sleep 4 \(\d+ s\)/);
});

test('F28: a browser without a link reads what to type', async () => {
  await using here = await project({ plan: { tasks: { one: writes('one') } } });
  await using server = await serverOf(here);
  const asked = (accept: string, path = '/') => fetch(new URL(path, server.url), { headers: { accept } });
  const page = await asked('text/html,application/xhtml+xml');
  expect([page.status, page.headers.get('content-type')]).toEqual([401, 'text/html; charset=utf-8']);
  expect(await page.text()).toContain('tidegate token --link');
  const used = await asked('text/html', `/enter/${'x'.repeat(43)}`);
  expect([used.status, await used.text()]).toEqual([401, expect.stringContaining('tidegate token --link')]);
  const program = await asked('application/json');
  expect([program.status, program.headers.get('content-type')]).toEqual([401, 'application/problem+json']);
});

test('a late landing that is refused does not end as if all were done', async () => {
  await using here = await project({ plan: { land: 'ask', tasks: { one: writes('one') } } });
  const { run } = JSON.parse((await here.cli('run', 'plan.yaml', '--yes', '--json')).stdout) as { run: string };
  expect((await here.cli('reject', run)).code).toBe(0);
  here.write('one.txt', 'mine\n');
  const refused = await here.cli('land', run);
  expect(refused.code).toBe(43);
  expect(refused.stdout).toContain('Not landed on main');
  expect(refused.stdout).toContain('one.txt');
  expect(refused.stdout).not.toContain('Done');
});

test('retry names an agent that there is, or is misused like go', async () => {
  await using here = await project({
    plan: { limits: { attempts: 1 }, tasks: { one: scripted('exit 1', { owns: ['one.txt'] }) } },
  });
  await here.cli('run', 'plan.yaml', '--yes', '--json');
  const refused = await here.cli('retry', 'one', '--agent', 'nobody');
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('there is no agent nobody')]);
});

test('a check that prints colours is shown without them', async () => {
  const checks = [{ name: 'lint', run: "printf '\\033[1;31mError: broken\\033[0m\\n'; test ! -f one.txt" }];
  await using here = await project({ plan: { checks, tasks: { one: writes('one') } } });
  writeFileSync(join(here.checkout, 'plan.yaml'), stringify({ checks, tasks: { one: writes('one') } }));
  const { stdout } = await here.cli('run', 'plan.yaml', '--yes', '--land');
  expect(stdout).toContain('| Error: broken');
  expect(stdout).not.toContain('u001b');
});

test('a name that a run and its task begin with means the run where only a run can be meant', async () => {
  await using p = await project({ plan: { name: 'docs', tasks: { docs: scripted('true', { owns: ['a.txt'] }) } } });
  expect((await p.cli('run', 'plan.yaml', '--json')).code).toBe(43);
  const abandoned = await p.cli('abandon', 'docs');
  expect([abandoned.code, abandoned.stdout]).toEqual([0, expect.stringMatching(/^Abandoned docs-\w+/)]);
}, 60_000);
