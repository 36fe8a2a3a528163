import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import { safeLine } from '../../domain/base/safe-text.ts';
import type { Notice } from '../../domain/board/notices.ts';
import type { NotifySetting } from '../../domain/settings/settings.ts';
import type { Notices } from '../../ports/notices.ts';
import { writeDurably } from '../files/durable-file.ts';
import { keepLine, readItems } from './log.ts';

export { owesDeliveries } from './journal.ts';
export { webhookNotices } from './webhook-notices.ts';

export type NoticeOrigin = {
  /** The checkout. */
  readonly repository: string;
  readonly stateDirectory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** As it holds now, with every layer; what a repository asks for and nobody confirmed is not in it. */
  setting(): Promise<NotifySetting>;
  /** Null where there is no terminal. */
  readonly bell: (() => void) | null;
};

/**
 * A bell, the desktop where there is one, and the person's own command with the notice as JSON on its stdin. That a run has ended is
 * not told this way: whoever wants to know looks anyway.
 */
export function personsNotices(around: NoticeOrigin): Notices {
  const file = join(around.stateDirectory, 'notices.json');
  return {
    told: () => readItems(file),
    remember: (items) => writeDurably(file, `${JSON.stringify(items)}\n`),
    async send(notice) {
      if (notice.kind === 'ended') return;
      const setting = await around.setting();
      if (setting === 'off') return;
      const command = commandOf(setting);
      around.bell?.();
      const desktop = desktopCommand(notice, around.env);
      const calls = [
        ...(desktop === null ? [] : [run(desktop, '', around)]),
        ...(command === null ? [] : [run(command, `${JSON.stringify(documentOf(notice, around))}\n`, around)]),
      ];
      await Promise.all(calls);
    },
    settle: async () => undefined,
  };
}

function commandOf(setting: Exclude<NotifySetting, 'off'>): readonly string[] | null {
  if (setting === null) return null;
  return 'webhook' in setting ? (setting.command ?? null) : setting;
}

const documentOf = ({ item: _, lasting: __, news: ___, ...notice }: Notice, { repository }: NoticeOrigin) => ({
  schema: 'tidegate.notice/1',
  repository,
  ...notice,
});

/** Text goes as arguments, never as part of a script, and without markup: agents have a say in it. */
function desktopCommand(notice: Notice, env: NoticeOrigin['env']): readonly string[] | null {
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

function onPath(program: string, env: NoticeOrigin['env']): string | null {
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

/** Ended, however it ended; what went wrong is kept for the person who wonders. */
function run([program = '', ...args]: readonly string[], input: string, around: NoticeOrigin): Promise<void> {
  return new Promise((resolve) => {
    const end = (problem: string | null): void => {
      clearTimeout(timer);
      if (problem !== null) keepLine(around.stateDirectory, `${program}: ${problem}`);
      resolve();
    };
    const child = spawn(program, args, {
      cwd: '/',
      env: { ...around.env },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    const timer = setTimeout(() => {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
        process.kill(-child.pid, 'SIGKILL');
    }, patienceMs);
    child.once('error', (error) => end(error.message));
    child.once('exit', (code, signal) => end(code === 0 ? null : `ended with ${code ?? signal}`));
    // it may not read
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
