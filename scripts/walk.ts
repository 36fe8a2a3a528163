import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { handoff, program, project, scripted } from '../test/support/project.ts';
import { openPane } from '../test/support/tmux.ts';

/**
 * An ordinary day in a real terminal, kept word for word in docs/how-to/an-ordinary-day.md. Fails when a step does not show what it
 * should, and when a line says that something waits and not for what.
 */
type Step = {
  readonly type: string;
  /** What to press once the screen shows this; then the next. */
  readonly answer?: readonly (readonly [on: RegExp, keys: string])[];
  /** What is on the screen at the end. */
  readonly shows: RegExp;
};
type Scene = { readonly title: string; readonly about: string; readonly steps: readonly Step[] };

const writes = (file: string, text: string) =>
  scripted(`echo "writing ${file}"; echo "${text}" > ${file}; ${handoff}`, { owns: [file] });
const plan = (name: string, tasks: object, more: object = {}): string => stringify({ name, ...more, tasks });

const files = {
  'login.yaml': plan('login', {
    limit: scripted(`echo "looking for the limit"; sleep 600; ${handoff}`, { owns: ['limit.txt'] }),
  }),
  'fixed.yaml': plan('login', { limit: writes('limit.txt', '5 a minute') }),
  'docs.yaml': plan('docs', { docs: writes('docs.txt', 'Docs') }, { land: 'ask' }),
  'port.yaml': plan('port', { port: writes('config.txt', 'port = 8080') }, { land: 'ask' }),
  'host.yaml': plan('host', { host: writes('config.txt', 'host = example.org') }, { land: 'ask' }),
};

const start = /Start 1 task\? \[/;
const land = /Land .*\? \[/;
const scenes: readonly Scene[] = [
  {
    title: 'Reject a run, start again, stop',
    about: 'Rejecting ends the run. Ctrl-C asks; `s` stops the agents and keeps their work.',
    steps: [
      { type: 'tidegate run login.yaml', answer: [[start, 'n Enter']], shows: /rejected by/ },
      { type: 'tidegate runs', shows: /login-/ },
      {
        type: 'tidegate run login.yaml',
        answer: [
          [start, 'y Enter'],
          [/looking for the limit/, 'C-c'],
          [/d detach/, 's'],
        ],
        shows: /stopped by/,
      },
      { type: 'tidegate runs', shows: /login-/ },
    ],
  },
  {
    title: 'Fix the plan, run again, abandon the old run',
    about: 'The stopped run blocks nothing. Abandoning it keeps its work.',
    steps: [
      { type: 'cp fixed.yaml login.yaml && git commit -qam "fix the plan"', shows: /./ },
      { type: 'tidegate run login.yaml --yes --land', shows: /Landed on main/ },
      { type: 'tidegate abandon login', shows: /Abandoned login-/ },
      { type: 'tidegate runs', shows: /Abandoned/ },
    ],
  },
  {
    title: 'Three runs side by side',
    about: '`docs` writes its own file; `port` and `host` both write config.txt, and Tidegate warns about it.',
    steps: [
      { type: 'tidegate run docs.yaml --yes -d', shows: /docs-/ },
      { type: 'tidegate run port.yaml --yes -d', shows: /port-/ },
      { type: 'tidegate run host.yaml --yes -d', shows: /config\.txt/ },
      { type: 'tidegate watch docs', answer: [[land, 'y Enter']], shows: /Landed on main/ },
      { type: 'tidegate watch port', answer: [[land, 'y Enter']], shows: /Landed on main/ },
    ],
  },
  {
    title: 'A conflict, resolved by hand',
    about: '`edit` opens both sides; your result is checked and landed.',
    steps: [
      {
        type: 'tidegate watch host',
        answer: [
          [land, 'y Enter'],
          [/conflicts with new commits on main/, 'q'],
        ],
        shows: /conflicts/,
      },
      { type: 'tidegate why host', shows: /tidegate edit/ },
      { type: 'EDITOR=settle tidegate edit host', shows: /Took your changes/ },
      { type: 'tidegate land host --yes', shows: /Landed on main/ },
      { type: 'git log --oneline -5 && cat config.txt', shows: /host = example\.org/ },
      { type: 'tidegate runs', shows: /host-/ },
      { type: 'tidegate verify', shows: /Sound/ },
    ],
  },
];

// a state directory among temporary files would be warned of
await using here = await project({
  place: homedir(),
  plan: { name: 'unused', tasks: { one: writes('one.txt', 'one') } },
  files,
});
const bin = join(here.root, 'bin');
mkdirSync(bin);
script('tidegate', `exec ${JSON.stringify(process.execPath)} ${JSON.stringify(program)} "$@"`);
script('settle', 'cd "$1" && printf "port = 8080\\nhost = example.org\\n" > config.txt');

using pane = openPane(
  ['bash', '--norc', '--noprofile'],
  { cwd: here.checkout, env: { ...here.environment, PATH: `${bin}:${here.environment.PATH}`, PS1: '$ ' } },
  { columns: 120, rows: 50 },
);
await pane.shows(/^\$\n*$/);

const said: string[] = [];
for (const { title, about, steps } of scenes) {
  said.push(`## ${title}`, '', about, '');
  for (const step of steps) said.push('```console', await walked(step), '```', '');
}
const waits = said
  .flatMap((block) => block.split('\n'))
  .filter(
    (line) => /\bwait(s|ing|ed)?\b/i.test(line) && !/\bwait(s|ing|ed)?\b.* (for|until|behind|while)\b/i.test(line),
  );
if (waits.length > 0) throw new Error(`waits, and does not say for what:\n${waits.join('\n')}`);
writeFileSync('docs/how-to/an-ordinary-day.md', page(said));

function script(name: string, body: string): void {
  const path = join(bin, name);
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
}

/** What the terminal showed from the command to the next prompt. */
async function walked({ type, answer = [], shows }: Step): Promise<string> {
  pane.press('C-l');
  await pane.shows(/^\$\n*$/);
  pane.type(type);
  pane.press('Enter');
  const parts: string[] = [];
  let told = '';
  const tell = (screen: string): void => {
    parts.push(screen.slice(told.length));
    told = screen;
  };
  for (const [on, keys] of answer) {
    const seen = (await pane.shows(on)).trimEnd();
    if (pane.isOnAlternateScreen()) parts.push(`${seen.replaceAll(/\n{3,}/g, '\n\n')}\n\n(${keys})`);
    else tell(seen);
    pane.press(...keys.split(' '));
  }
  await pane.shows(/\n\$\n*$/);
  tell(pane.screen().trimEnd().replace(/\n\$$/, ''));
  const all = parts.filter((part) => part !== '').join('\n\n');
  if (!shows.test(all)) throw new Error(`${type} did not show ${shows}:\n${all}`);
  return all.replaceAll(here.root, '~').replaceAll(/\n{3,}/g, '\n\n');
}

function page(lines: readonly string[]): string {
  return [
    '# An ordinary day',
    '',
    'Recorded in a real terminal by `npm run walk`. The agents are shell scripts, so that it can be done again at any time.',
    '',
    ...lines,
  ].join('\n');
}
