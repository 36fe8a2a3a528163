import { execFileSync } from 'node:child_process';
import { setTimeout as nextLook } from 'node:timers/promises';

export type Pane = ReturnType<typeof openPane>;

/** A program in a real terminal of its own, whose screen is read and whose keys are pressed. Ended with the scope. */
export function openPane(
  command: readonly string[],
  place: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  size: { readonly columns: number; readonly rows: number } = { columns: 80, rows: 24 },
) {
  const socket = `tidegate-${process.pid}-${Math.random().toString(36).slice(2)}`;
  const tmux = (...args: string[]): string =>
    execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...args], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', TERM: 'xterm-256color', ...place.env },
    });
  const [columns, rows] = [String(size.columns), String(size.rows)];
  tmux('new-session', '-d', '-x', columns, '-y', rows, '-c', place.cwd, ...command);
  tmux('set', '-g', 'remain-on-exit', 'on');
  const pane = (format: string): string => tmux('display-message', '-p', format).trim();
  const screen = (): string => tmux('capture-pane', '-p');
  const until = async (isThere: () => boolean, what: string): Promise<void> => {
    const end = Date.now() + 40_000;
    while (!isThere()) {
      if (Date.now() > end) throw new Error(`${what} never came:\n${screen()}`);
      await nextLook(50);
    }
  };
  return {
    screen,
    /** The screen with its colours. */
    painted: (): string => tmux('capture-pane', '-p', '-e'),
    press: (...keys: string[]): void => void tmux('send-keys', ...keys),
    type: (text: string): void => void tmux('send-keys', '-l', text),
    resize: (to: { readonly columns: number; readonly rows: number }): void =>
      void tmux('resize-window', '-x', String(to.columns), '-y', String(to.rows)),
    /** The process that was started. */
    pid: (): number => Number(pane('#{pane_pid}')),
    isOnAlternateScreen: (): boolean => pane('#{alternate_on}') === '1',
    async shows(text: string | RegExp): Promise<string> {
      const isThere = (): boolean => (typeof text === 'string' ? screen().includes(text) : text.test(screen()));
      await until(isThere, String(text));
      return screen();
    },
    /** How the program ended. */
    async ended(): Promise<{ readonly code: number; readonly screen: string }> {
      await until(() => pane('#{pane_dead}') === '1', 'the end');
      // tmux may have missed how the program ended: it looks again when it is told that a child of its changed
      const isTold = (): boolean => {
        process.kill(Number(pane('#{pid}')), 'SIGCHLD');
        return pane('#{pane_dead_status}#{pane_dead_signal}') !== '';
      };
      await until(isTold, 'how it ended');
      return { code: Number(pane('#{pane_dead_status}')), screen: screen() };
    },
    [Symbol.dispose]: () => void tmux('kill-server'),
  };
}
