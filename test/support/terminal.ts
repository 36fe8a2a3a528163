import { spawn } from 'node:child_process';

/** Runs a program on a pseudo terminal and types each answer when its question is on the screen, the next when it is once more. */
export function atTerminal(
  command: readonly string[],
  place: { readonly cwd?: string; readonly env: Readonly<Record<string, string>> },
  answers: Readonly<Record<string, string | readonly string[]>>,
): Promise<{ readonly code: number | null; readonly screen: string }> {
  const child = spawn('script', ['--quiet', '--return', '--command', command.join(' '), '/dev/null'], {
    ...place,
    env: { ...place.env, TERM: 'xterm', NO_COLOR: '1', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const open = Object.entries(answers).map(([question, typed]) => ({ question, typed: [typed].flat(), given: 0 }));
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    screen += chunk;
    for (const one of open) {
      const answer = one.typed[one.given];
      if (answer === undefined || screen.split(one.question).length - 1 <= one.given) continue;
      one.given += 1;
      child.stdin.write(answer);
    }
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, screen }));
  });
}
