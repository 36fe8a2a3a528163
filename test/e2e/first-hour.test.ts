import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { checkHistory } from '../support/checker.ts';
import { npmProject, walkFirstHour, walkOf } from '../support/first-hour.ts';
import { gitFacts } from '../support/kill.ts';
import { type Project, program, project } from '../support/project.ts';
import { openPane } from '../support/tmux.ts';

/** An agent that is a shell script: it does what its brief asks for, and more. */
const script = `
case "$(cat)" in
*'Add triple'*) echo 'export const triple = (n) => n * 3;' >> src/math.js; mkdir -p .github/workflows; echo 'on: push' > .github/workflows/ci.yml ;;
*'Describe double'*) echo 'double(n) is twice n.' > words.md ;;
esac
tidegate handoff done -m 'did it'`;

async function scriptedPerson(): Promise<Project> {
  const here = await project({ plan: { tasks: {} }, files: npmProject });
  const config = join(here.environment.HOME, '.config/tidegate/config.yaml');
  mkdirSync(dirname(config), { recursive: true });
  writeFileSync(config, JSON.stringify({ agent: 'command', command: ['/bin/sh', '-ec', script] }));
  return here;
}

const texts = walkOf(() => '');

test('the first hour by keys, without any model: init, go, grant, diff, land, undo of one task', async () => {
  await using here = await scriptedPerson();
  await walkFirstHour(here, [process.execPath, program], texts);
  const events = await here.events();
  expect(events.filter(({ event }) => event.type === 'attempt-intended')).toHaveLength(2);
  expect(checkHistory(events, { git: gitFacts(here) })).toEqual([]);
});

test('from the packed package in an empty home to landed work: at most four commands', async () => {
  await using here = await scriptedPerson();
  const began = performance.now();
  const commands: string[] = [];
  const prefix = join(here.root, 'global');
  const env = {
    ...here.environment,
    PATH: `${join(prefix, 'bin')}:${dirname(process.execPath)}:${here.environment.PATH}`,
  };
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', here.root], { env });
  const [tarball = ''] = readdirSync(here.root).filter((name) => name.endsWith('.tgz'));

  const packed = performance.now();
  commands.push('npm install --global tidegate');
  execFileSync('npm', ['install', '--global', '--silent', '--offline', '--prefix', prefix, join(here.root, tarball)], {
    cwd: here.root,
    env,
  });
  commands.push(`tidegate go "${texts.words}" --land`);
  using pane = openPane(['tidegate', 'go', texts.words, '--land'], { cwd: here.checkout, env });
  const ended = await pane.ended();

  expect(ended).toMatchObject({ code: 0, screen: expect.stringContaining('Landed on main') });
  expect(here.git('show', 'main:words.md')).toContain('twice');
  expect(commands.length).toBeLessThanOrEqual(4);
  const seconds = (from: number): string => ((performance.now() - from) / 1000).toFixed(1);
  console.log(
    `from nothing to landed work: ${commands.length} commands, ${seconds(packed)} s (packing: ${((packed - began) / 1000).toFixed(1)} s)\n  ${commands.join('\n  ')}`,
  );
});
