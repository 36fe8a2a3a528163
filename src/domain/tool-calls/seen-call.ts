import { fingerprint } from '../base/fingerprint.ts';
import { below, resolvePath } from '../base/paths.ts';
import { safeLine } from '../base/safe-text.ts';
import type { Finding } from '../findings/finding.ts';
import { shellRead } from '../shell/command-files.ts';
import type { ToolCall } from './agent-event.ts';

/** A tool call as the breaker remembers it: of fixed size, whatever the agent passed. */
export type SeenCall = {
  readonly id: string;
  /** Equal for identical calls. A read of other lines, another pattern or another text makes another call. */
  readonly key: string;
  readonly kind: ToolCall['kind'];
  /** The first path, as people write it. */
  readonly file: string | null;
  /** One name per path, equal however it is spelled. */
  readonly paths: readonly string[];
  readonly lines: { readonly from: number; readonly to: number };
  /** True for a call that asks how far something is: the same answer again is no sign of a spiral. */
  readonly waits: boolean;
  readonly shown: string;
};

/** A call that has ended. Only these are counted. */
export type Settled = {
  readonly call: SeenCall;
  readonly outcome: 'ok' | 'failed' | 'denied';
  /** The result in the form that is compared: of a denied call the rule and its facts. */
  readonly text: string;
  /** Why it was denied; null when it was not. */
  readonly because: Finding | null;
};

export function seenCall(call: ToolCall, workspace: string): SeenCall {
  const command = call.command?.trim() ?? null;
  const read = call.kind === 'run' && command !== null ? shellRead(command) : null;
  const paths = (read ? [read.path] : call.paths).map((path) => callPlace(path, workspace));
  return {
    id: fingerprint(call.id),
    key: fingerprint(JSON.stringify([call.kind, call.tool, paths, command, call.lines, call.input])),
    kind: read ? 'read' : call.kind,
    file: paths[0] === undefined ? null : short(paths[0], 256),
    paths: paths.slice(0, 64).map(fingerprint),
    lines: linesOf(read ? read.lines : call.lines),
    waits: waitingTool.test(call.tool) || (command !== null && waitingCommand.test(command.slice(0, 2000))),
    shown: short(`${call.tool} ${command ?? paths[0] ?? call.input}`, 160),
  };
}

/** One spelling for each place: relative inside the workspace, absolute outside. */
export function callPlace(path: string, workspace: string): string {
  const place = resolvePath(workspace, path);
  return below(workspace, place) || place;
}

export const short = (text: string, length: number): string => {
  const line = safeLine(text.slice(0, length * 4)).trim();
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
};

/** Returns the range that a call reads. Without an end, it is the most that agents read in one call. */
function linesOf(lines: ToolCall['lines']): SeenCall['lines'] {
  const from = Math.max(1, wholeNumber(lines?.from ?? 1, 1));
  return { from, to: Math.max(from, wholeNumber(lines?.to ?? from + onePage - 1, from)) };
}
const onePage = 2000;
const wholeNumber = (value: number, otherwise: number): number =>
  Number.isSafeInteger(Math.trunc(value)) ? Math.trunc(value) : otherwise;

/** Each agent calls our tools by a name of its own: `mcp__tidegate__inbox`, `tidegate_inbox`, `inbox (tidegate MCP Server)`. */
const waitingTool = /wait|poll|monitor|stdin|output|tidegate.*inbox|inbox.*tidegate/i;
const waitingCommand = /\b(sleep|wait|watch|tidegate\s+inbox)\b/;
