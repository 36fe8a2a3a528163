import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { z } from 'zod';
import { parseFields } from '../adapters/agent-lines.ts';
import type { Finding } from '../domain/findings/finding.ts';
import type { Drafts } from '../ports/drafts.ts';
import { EnvironmentFailed } from '../ports/failures.ts';
import { entry, type Setting } from './host.ts';

/** A plan of a hundred tasks takes one. */
const usualSeconds = 20;
const answer = z.object({
  findings: z.array(
    z.object({
      rule: z.string(),
      detail: z.string(),
      where: z.string().exactOptional(),
      fix: z.string().exactOptional(),
    }),
  ),
});

/**
 * By `tidegate read-draft` in a process of its own: a document that is no longer than a plan can take hours to parse, and all the
 * memory there is, and the coordinator has other runs to see to.
 */
export const draftReader = (
  { checkout, state, env }: Pick<Setting, 'checkout' | 'state' | 'env'>,
  seconds = usualSeconds,
): Drafts => ({
  mistakes: ({ commit, file, branch }) =>
    new Promise((resolve, reject) => {
      const place = ['-C', checkout, '--state-dir', dirname(state.root)];
      const argv = [
        '--max-old-space-size=512',
        entry('cli'),
        ...place,
        'read-draft',
        commit,
        '--json',
        '--',
        file,
        branch,
      ];
      const limits = { timeout: seconds * 1000, killSignal: 'SIGKILL', maxBuffer: 1 << 20 } as const;
      const child = execFile(process.execPath, argv, { ...limits, env: { ...env }, cwd: '/' }, (_, stdout) => {
        const said = answer.safeParse(parseFields(stdout));
        if (said.success) resolve(said.data.findings);
        else if (child.pid === undefined || child.exitCode === 1 || child.exitCode === 2)
          reject(new EnvironmentFailed({ rule: 'draft-unreadable', file }));
        else resolve([unreadable(file, seconds)]);
      });
    }),
});

const unreadable = (file: string, seconds: number): Finding => ({
  rule: 'unreadable',
  detail: `${file} could not be read within ${seconds} seconds`,
  where: file,
  fix: 'write it as a plain document: less of it, without anchors',
});
