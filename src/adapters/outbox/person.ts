import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import { safeLine } from '../../domain/base/safe-text.ts';
import type { Notice } from '../../domain/board/notices.ts';
import type { NotifySetting } from '../../domain/settings/settings.ts';
import type { Notices } from '../../ports/outbox.ts';
import { type DeliveryProblem, deliveryQueue, noticeItems } from './delivery-queue.ts';

type PersonOptions = {
  /** The checkout. */
  readonly repository: string;
  readonly stateDirectory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Returns the setting in force now, without values of a repository that nobody confirmed. */
  setting(): Promise<NotifySetting>;
  /** Null where there is no terminal. */
  readonly bell: (() => void) | null;
};

/**
 * Rings the bell, shows the notice on the desktop if there is one, and runs the person's command with the notice as JSON on its stdin.
 * Each is tried once. The end of a run is not announced here: people look for it anyway.
 */
export function personsNotices(options: PersonOptions): Notices {
  const { stateDirectory } = options;
  const queue = deliveryQueue({ stateDirectory, waits: [] });
  return {
    sent: () => noticeItems.read(stateDirectory),
    remember: (items) => noticeItems.write(stateDirectory, items),
    async send(notice) {
      const setting = notice.kind === 'ended' ? 'off' : await options.setting();
      if (setting === 'off') return;
      options.bell?.();
      const calls = [
        { argv: desktopCommand(notice, options.env), input: '' },
        { argv: commandOf(setting), input: `${JSON.stringify(documentOf(notice, options))}\n` },
      ];
      for (const { argv, input } of calls) {
        const [program, ...args] = argv ?? [];
        if (program === undefined) continue;
        queue.deliver({ lane: program, label: program, send: () => runProgram(program, args, input, options) });
      }
    },
    settle: () => queue.settle(),
  };
}

function commandOf(setting: Exclude<NotifySetting, 'off'>): readonly string[] | null {
  if (setting === null) return null;
  return 'webhook' in setting ? (setting.command ?? null) : setting;
}

const documentOf = ({ item: _, lasting: __, news: ___, ...notice }: Notice, { repository }: PersonOptions) => ({
  schema: 'tidegate.notice/1',
  repository,
  ...notice,
});

/** Text is passed as arguments, never as part of a script, and without markup: some of it comes from agents. */
function desktopCommand(notice: Notice, env: PersonOptions['env']): readonly string[] | null {
  const title = safeLine(`Tidegate: ${notice.run}${notice.task === null ? '' : `/${notice.task}`}`);
  const body = safeLine(`${notice.message} · ${notice.command}`).slice(0, 300);
  const isDesktop = ['DISPLAY', 'WAYLAND_DISPLAY'].some((name) => env[name]);
  const notifySend = isDesktop ? onPath('notify-send', env) : null;
  if (notifySend !== null) return [notifySend, '--app-name=Tidegate', '--', title, withoutMarkup(body)];
  const osascript = onPath('osascript', env);
  if (osascript === null) return null;
  const script = ['on run argv', 'display notification (item 2 of argv) with title (item 1 of argv)', 'end run'];
  return [osascript, ...script.flatMap((line) => ['-e', line]), title, body];
}

const withoutMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function onPath(program: string, env: PersonOptions['env']): string | null {
  const places = (env['PATH'] ?? '').split(':').filter((place) => place.startsWith('/'));
  return places.map((place) => join(place, program)).find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

const patienceMs = 10_000;

async function runProgram(
  program: string,
  args: readonly string[],
  input: string,
  { env }: PersonOptions,
): Promise<DeliveryProblem | null> {
  const { promise, resolve } = Promise.withResolvers<DeliveryProblem | null>();
  const child = spawn(program, args, {
    cwd: '/',
    env: { ...env },
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  const timer = setTimeout(() => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGKILL');
  }, patienceMs);
  child.once('error', (error) => resolve({ why: error.message }));
  child.once('exit', (code, signal) => resolve(code === 0 ? null : { why: `ended with ${code ?? signal}` }));
  // it may not read
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const problem = await promise;
  clearTimeout(timer);
  return problem;
}
