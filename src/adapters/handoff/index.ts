import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { err, type Result } from '../../domain/base/result.ts';
import { isMilder, type ReportNames, reportMisfit } from '../../domain/closure/report.ts';
import { type ClosureRole, roleWords } from '../../domain/closure/roles.ts';
import type { HandoffRules } from '../../domain/findings/attempt-rules.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { Handoff, HandoffEvidence } from '../../domain/gates/evidence.ts';
import { openWay } from '../files/agent-files.ts';
import { handoffLimit, parseHandoff } from './parse.ts';

/** The attempt that a handoff is for. `closes` is set for a closure role. */
export type HandoffSource = { readonly nonce: string; readonly closes?: ClosureRole; readonly names?: ReportNames };

/**
 * A handoff counts only with the nonce of this attempt: one of an earlier attempt, or one committed to the base, is stale. A closure
 * role ends with a report, and no other task does.
 */
export function judgeHandoff(bytes: Uint8Array, { nonce, closes }: HandoffSource): Result<Handoff, Finding> {
  const parsed = parseHandoff(bytes);
  // the words of its own role help an agent, those of all roles do not
  if (!parsed.ok && closes !== undefined && 'fault' in parsed.error && parsed.error.fault === 'report-word')
    return err({ rule: 'report-absent', role: closes, choices: roleWords[closes].words });
  if (!parsed.ok) return parsed;
  if (parsed.value.nonce !== nonce) return err({ rule: 'handoff-stale' });
  const misfit = reportMisfit(closes, parsed.value);
  return misfit === null ? parsed : err(misfit);
}

/**
 * One answer from two ways in. What came through the attempt's own socket is attributed by the channel and wins over a file;
 * a broken file beside it voids nothing. Of two reports of a closure role the stricter one counts.
 */
export function chooseHandoff(socket: Handoff | null, file: HandoffEvidence, role?: ClosureRole): HandoffEvidence {
  if (socket === null) return file;
  const filed = file.kind === 'given' ? file.handoff.report : undefined;
  const isStricter =
    role !== undefined && filed !== undefined && socket.report !== undefined && isMilder(role, socket.report, filed);
  return isStricter ? file : { kind: 'given', handoff: socket, via: 'socket' };
}

/** The handoff file in the workspace of an agent that does not have our client. */
export const handoffFile = '.tidegate/handoff.json';

/**
 * Reads the handoff that an agent left. Call it when the process tree is dead. Whatever the agent put there, this neither
 * blocks nor follows a link nor reads more than a handoff may be long.
 */
export function readHandoffFile(workspace: string, source: HandoffSource): HandoffEvidence {
  openWay(workspace, handoffFile);
  const directory = lstatSync(join(workspace, '.tidegate'), { throwIfNoEntry: false });
  if (directory === undefined) return { kind: 'absent' };
  if (!directory.isDirectory()) return invalid({ rule: 'handoff-directory', where: '.tidegate' });
  const bytes = readSmall(join(workspace, handoffFile));
  if (bytes === null) return { kind: 'absent' };
  if ('rule' in bytes) return invalid(bytes);
  const judged = judgeHandoff(bytes, source);
  return judged.ok ? { kind: 'given', handoff: judged.value, via: 'file' } : invalid(judged.error);
}

/** The bytes, null when there is no file, or why it is not read. */
function readSmall(path: string): Uint8Array | Finding | null {
  const file = openPlain(path);
  if (typeof file !== 'number') return file;
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) return unfit('irregular');
    if (stats.size > handoffLimit)
      return { rule: 'handoff-size', where: handoffFile, bytes: stats.size, limit: handoffLimit };
    const buffer = Buffer.alloc(handoffLimit);
    let length = 0;
    for (let got = -1; got !== 0 && length < buffer.length; length += got)
      got = readSync(file, buffer, length, buffer.length - length, length);
    return buffer.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

/** O_NONBLOCK: opening a FIFO without a writer would wait for ever. */
function openPlain(path: string): number | Finding | null {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return null;
    if (code === 'ELOOP') return unfit('link');
    if (code === 'ENXIO') return unfit('socket');
    if (code === 'EACCES' || code === 'EPERM') return unfit('unreadable');
    throw error;
  }
}

const unfit = (kind: HandoffRules['handoff-file']['kind']): Finding => ({
  rule: 'handoff-file',
  where: handoffFile,
  kind,
});
const invalid = (because: Finding): HandoffEvidence => ({ kind: 'invalid', because });
