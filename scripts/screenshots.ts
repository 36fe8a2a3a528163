import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { handoff, program, project, scripted } from '../test/support/project.ts';
import { openPane, type Pane } from '../test/support/tmux.ts';
import { svgOf } from './terminal-svg.ts';

/**
 * `npm run screenshots` writes the pictures of docs/images, taken of real runs in a real terminal. Names of runs, commits and
 * places are replaced by fixed ones, so that only what has changed shows in a review.
 */
const size = { columns: 100, rows: 22 };
const prompt = /^\$\n*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: codes begin with it
const codes = /(\x1b\[[\d;]*m)/;

const checkout = {
  name: 'checkout',
  tasks: {
    'limit-login': scripted(`mkdir -p src; echo limit > src/limit.ts; echo "5 requests per minute"; ${handoff}`, {
      owns: ['src/**'],
    }),
    docs: scripted(
      `echo "describing the limit"; sleep 4; mkdir -p docs; echo "Limit: 5/min" > docs/api.md; echo See docs/api.md >> readme.md; ${handoff}`,
      {
        owns: ['docs/**'],
      },
    ),
    changelog: scripted(`echo "reading the last release"; sleep 600; ${handoff}`, {
      owns: ['CHANGELOG.md'],
      needs: ['limit-login'],
    }),
    review: scripted(handoff, { owns: ['REVIEW.md'], needs: ['docs'] }),
  },
};
const release = {
  name: 'release',
  land: 'ask',
  tasks: { notes: scripted(`echo "Version 2.1" > NOTES.md; ${handoff}`, { owns: ['NOTES.md'] }) },
};

mkdirSync('docs/images', { recursive: true });
// Doctor warns about a state directory among temporary files, so this one is in the home directory.
await using here = await project({
  place: homedir(),
  plan: checkout,
  files: { 'release.yaml': stringify(release) },
});
// Few directories, so that doctor shows the same on every machine.
const env = { ...here.environment, PATH: '/usr/local/bin:/usr/bin:/bin' };
const words = [process.execPath, program];

{
  using pane = openPane([...words, 'run', 'plan.yaml', '--yes'], { cwd: here.checkout, env }, size);
  await pane.shows(/● docs +running.*describing the limit/);
  await pane.shows(/● changelog +running.*reading the last release/);
  picture(pane, 'run', 'A run in the terminal');
  await pane.shows(/! docs +held/);
  pane.press('Home');
  await pane.shows(/▸ ! docs/);
  picture(pane, 'held', 'A held task in the terminal');
  pane.press('C-c');
  await pane.shows('d detach');
  pane.press('d');
  await pane.ended();
}

const startup = join(here.root, 'bashrc');
writeFileSync(startup, `PS1='$ '\ntidegate() { ${words.map((word) => JSON.stringify(word)).join(' ')} "$@"; }\n`);
// Wide, so that the terminal breaks no line before names are replaced.
const shellSize = { columns: 400, rows: 60 };
using shell = openPane(['bash', '--noprofile', '--rcfile', startup], { cwd: here.checkout, env }, shellSize);
await shell.shows(prompt);
await type('tidegate why checkout');
keep('why', 'tidegate why');

await here.cli('stop', 'checkout');
await here.cli('run', 'release.yaml', '--yes', '--json');
writeFileSync(join(here.checkout, 'NOTES.md'), 'my own notes\n');
await type('tidegate land release --yes', [/Land 1 task on main\?/, 'n']);
keep('land-refused', 'A refused landing');

await type('rm NOTES.md; unset TIDEGATE_STATE_DIR');
await type('tidegate doctor');
keep('doctor', 'tidegate doctor');

/** Types a command, answers its question, and waits for the next prompt. */
async function type(command: string, ...answers: readonly (readonly [on: RegExp, keys: string])[]): Promise<void> {
  shell.press('C-l');
  await shell.shows(prompt);
  shell.type(command);
  shell.press('Enter');
  for (const [on, keys] of answers) {
    await shell.shows(on);
    shell.press(keys, 'Enter');
  }
  await shell.shows(/\n\$\n*$/);
}

/** Takes a picture of the last command and of the lines that it printed. */
function keep(name: string, title: string): void {
  const lines = reproducible(shell.painted()).trimEnd().split('\n').slice(0, -1).flatMap(wrapped);
  draw(lines.join('\n'), lines.length, name, title);
}

function picture(pane: Pane, name: string, title: string): void {
  draw(reproducible(pane.painted()), size.rows, name, title);
}

function draw(screen: string, rows: number, name: string, title: string): void {
  writeFileSync(`docs/images/${name}.svg`, svgOf(screen, { ...size, rows }, title));
}

/** Replaces what differs from run to run in the text between colour codes. */
function reproducible(screen: string): string {
  return screen
    .split(codes)
    .map((text) => (codes.test(text) ? text : fixedNames(text)))
    .join('');
}

function fixedNames(text: string): string {
  return text
    .replaceAll(here.checkout, '~/shop')
    .replaceAll(here.environment.HOME, '~')
    .replaceAll(/\brepo-[0-9a-f]{12}/g, 'shop-3f9c1e7a2b40')
    .replaceAll(/\b(?=[a-f]*\d)[0-9a-f]{8}\b/g, '4be1c07d')
    .replaceAll(/\b(checkout|release)-[a-z0-9]{4}\b/g, '$1-k3f9')
    .replaceAll(/\b(?:\d+m ?)?\d+s\b/g, (time) => '8s'.padStart(time.length));
}

/** Breaks a line at spaces. Colour codes take no room. */
function wrapped(line: string): readonly string[] {
  const lines: string[] = [''];
  let width = 0;
  for (const word of line.split(/(?<= )/)) {
    const length = word
      .split(codes)
      .filter((part) => !codes.test(part))
      .join('').length;
    if (width + length > size.columns) {
      lines.push('');
      width = 0;
    }
    lines.push(`${lines.pop()}${word}`);
    width += length;
  }
  return lines;
}
