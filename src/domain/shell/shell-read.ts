import { plainCommands } from './plain-commands.ts';

/** What a command that does nothing but show a part of one file shows; null for all others. Some agents have no other way to read. */
export function shellRead(
  command: string,
): { readonly path: string; readonly lines: { readonly from: number; readonly to: number | null } | null } | null {
  if (command.length > 1000) return null;
  const [one, another] = plainCommands(command, '.').filter(({ program }) => !/^(ba|z|da)?sh$/.test(program));
  if (!one || another || one.redirects.length > 0 || one.args.some(({ plain }) => !plain)) return null;
  const words = one.args.map(({ text }) => text);
  const path = words.at(-1);
  if (path === undefined || path.startsWith('-')) return null;
  const options = words.slice(0, -1).join(' ');
  if (/^(cat|nl)$/.test(one.program)) return /^(-\w+)?$/.test(options) ? { path, lines: null } : null;
  const part = one.program === 'sed' ? /^-n (\d+)(?:,(\d+))?p$/.exec(options) : null;
  if (part) return { path, lines: { from: Number(part[1]), to: Number(part[2] ?? part[1]) } };
  const head = one.program === 'head' ? /^(?:-n ?|-)(\d+)$/.exec(options) : null;
  return head ? { path, lines: { from: 1, to: Number(head[1]) } } : null;
}
