import { spawn } from 'node:child_process';

/** Runs a program on a pseudo terminal and types each answer when its question is on the screen. */
export function atTerminal(
  command: readonly string[],
  place: { readonly cwd?: string; readonly env: Readonly<Record<string, string>> },
  answers: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | null; readonly screen: string }> {
  const child = spawn('script', ['--quiet', '--return', '--command', command.join(' '), '/dev/null'], {
    ...place,
    env: { ...place.env, TERM: 'xterm', NO_COLOR: '1', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const open = new Map(Object.entries(answers));
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    screen += chunk;
    for (const [question, answer] of open)
      if (screen.includes(question)) {
        open.delete(question);
        child.stdin.write(answer);
      }
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, screen }));
  });
}
