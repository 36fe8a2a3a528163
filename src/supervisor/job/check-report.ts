import { lstatSync, rmSync } from 'node:fs';
import { fencedWorkspace } from '../../adapters/fence/index.ts';
import { openWay, readPlainFile } from '../../adapters/files/agent-files.ts';
import { type CheckParse, type CheckReport, longestReport, readCheckReport } from '../../domain/checks/report.ts';
import type { Ending } from '../../domain/gates/evidence.ts';
import type { AgentWords } from '../output/agent-words.ts';

/** The report of a check: from the file that it writes, or from its output. */
export type ReportReader = {
  /** Takes the output of the check; null when the report is a file. */
  readonly words: AgentWords | null;
  /** Removes a report that was there before. Otherwise a check that never writes one would have that of another tree. */
  clear(): void;
  /** Call when the process tree is dead. Undefined for a check that was stopped. */
  read(ending: Ending): CheckReport | undefined;
};

export function openReport(parse: CheckParse, workspace: string): ReportReader {
  const { file } = parse;
  const output = file === undefined ? hearCheck() : null;
  const content = (): Buffer | Fault =>
    file === undefined ? (output?.content() ?? 'too-long') : readPlainFile(workspace, file, longestReport);
  return {
    words: output,
    clear() {
      if (file !== undefined) removePlainFile(workspace, file);
    },
    read({ reason }) {
      if (reason !== 'exited') return undefined;
      const bytes = content();
      if (typeof bytes === 'string') return { unreadable: bytes };
      return readCheckReport(new TextDecoder('utf-8').decode(bytes), parse, [workspace, fencedWorkspace]);
    },
  };
}

type Fault = Exclude<ReturnType<typeof readPlainFile>, Buffer>;

/** Removes the file, or a link in its place, if only real directories lead to it. */
function removePlainFile(root: string, path: string): void {
  openWay(root, path);
  const parts = path.split('/');
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const place = [root, ...parts.slice(0, depth)].join('/');
    const stats = lstatSync(place, { throwIfNoEntry: false });
    if (stats === undefined) return;
    if (depth === parts.length && !stats.isDirectory()) rmSync(place, { force: true });
    else if (!stats.isDirectory()) return;
  }
}

/** Keeps all that a check prints, up to the length of a report. `content` is null when it printed more. */
function hearCheck(): AgentWords & { content(): Buffer | null } {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const content = (): Buffer | null => (bytes > longestReport ? null : Buffer.concat(chunks));
  return {
    add(chunk) {
      bytes += chunk.length;
      // the memory of a chunk is used again for the next
      if (bytes <= longestReport) chunks.push(Buffer.from(chunk));
      else chunks.length = 0;
    },
    text: () => '',
    content,
  };
}
