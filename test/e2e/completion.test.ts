import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { honest } from '../support/crew.ts';
import { program, project } from '../support/project.ts';

type Shell = { readonly start: string; ask(words: readonly string[]): string };
const listed = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ');

/** How a real shell loads its script, and what it would offer after some words. */
const shells: Readonly<Record<string, Shell>> = {
  bash: {
    start: 'eval "$(tidegate completion bash)"',
    ask: (words) =>
      `COMP_WORDS=(${listed(words)}); COMP_CWORD=${words.length - 1}; _tidegate; printf '%s\\n' "\${COMPREPLY[@]}"`,
  },
  zsh: {
    start: `compdef() { : }; _files() { : }; compadd() { shift; print -l -- "$@" }
_describe() { print -l -- "\${(@)commands%%:*}" }
eval "$(tidegate completion zsh)"`,
    ask: (words) => `words=(${listed(words)}); CURRENT=${words.length}; _tidegate`,
  },
  fish: {
    start: 'tidegate completion fish | source',
    ask: (words) => `complete -C '${words.join(' ')}'`,
  },
};

const isThere = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0;
for (const shell of Object.keys(shells).filter((name) => !isThere(name)))
  console.log(`completion for ${shell} is not tried: ${shell} is not installed here`);

test('shells offer commands, options, runs and tasks, for the repository that is typed about', async () => {
  await using scene = await project({ plan: { tasks: { honest } } });
  const { run } = JSON.parse((await scene.cli('run', 'plan.yaml', '--json')).stdout) as { run: string };
  const bin = join(scene.root, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'tidegate'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  chmodSync(join(bin, 'tidegate'), 0o755);
  const env = { ...scene.environment, PATH: `${bin}:${scene.environment.PATH}` };
  const questions = [
    ['-C', scene.checkout, ''],
    ['-C', scene.checkout, 'grant', run.slice(0, 4)],
    ['init', '--d'],
    ['post', '--kind', ''],
    ['handoff', ''],
  ];
  for (const [name, { start, ask }] of Object.entries(shells).filter(([shell]) => isThere(shell))) {
    const script = [start, ...questions.map((words) => `${ask(['tidegate', ...words])}; echo ---`)].join('\n');
    const answers = execFileSync(name, ['-c', script], { cwd: '/', env, encoding: 'utf8' })
      .split('---\n')
      .map((answer) => answer.split('\n').map((line) => line.split('\t')[0] ?? ''));
    expect(answers[0], name).toEqual(expect.arrayContaining(['status', 'run', 'init']));
    expect(answers[0], name).not.toContain('coordinate');
    expect(answers[1], name).toEqual(expect.arrayContaining([run, `${run}/honest`]));
    expect(answers[2], name).toContain('--dry-run');
    expect(answers[3], name).toEqual(expect.arrayContaining(['note', 'question', 'decision']));
    expect(answers[3], name).not.toContain('--message');
    expect(answers[4], name).toEqual(expect.arrayContaining(['done', 'partial', 'failed']));
  }
});
