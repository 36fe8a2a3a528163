import { spawn } from 'node:child_process';

export type Call = {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Told the pid as soon as there is one. */
  onSpawn?(pid: number): void;
};

/** Runs a program to its end and gives its stdout; anything but exit 0 is an error that shows what it said. */
export function run(file: string, args: readonly string[], call: Call = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd: call.cwd ?? '/',
      env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', ...call.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (child.pid !== undefined) call.onSpawn?.(child.pid);
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk;
    });
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve(stdout);
      else reject(new Error(`${file} ${args.join(' ')}: ${signal ?? code}\n${stdout}${stderr}`));
    });
  });
}

/** Does the work for each item, `width` at a time, in order of the list. */
export async function inParallel<T>(width: number, items: readonly T[], work: (item: T) => Promise<void>) {
  const rest = items.values();
  const worker = async () => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: width }, worker));
}
