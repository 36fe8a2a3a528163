import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { z } from 'zod';
import { parseFields } from '../../adapters/files/untrusted-json.ts';
import { findingSchema } from '../../adapters/merger-process/finding-schema.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import { EnvironmentFailed } from '../../ports/failures.ts';
import type { Drafts } from '../../ports/supervisor.ts';
import { entry } from '../entry.ts';
import type { HostSetting } from './coordinator.ts';

/** A plan of a hundred tasks takes one second. */
const usualSeconds = 20;
const mostFindings = 64;
const mostCharacters = 16_384;
/** A process of the same version writes them, so the facts fit their rule. Their text is an agent's. */
const finding = findingSchema.refine((value) => JSON.stringify(value).length <= mostCharacters);
const answer = z.object({ findings: z.array(finding).max(mostFindings) });

/**
 * Judges drafts with `tidegate read-draft` in a process of its own: a small document can take hours and all memory to parse, and the
 * coordinator has other runs.
 */
export const draftReader = (
  { checkout, state, env }: Pick<HostSetting, 'checkout' | 'state' | 'env'>,
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
        const parsed = answer.safeParse(parseFields(stdout));
        if (parsed.success) resolve(parsed.data.findings);
        else if (child.pid === undefined || child.exitCode === 1 || child.exitCode === 2)
          reject(new EnvironmentFailed({ rule: 'draft-unreadable', file }));
        else resolve([unreadable(file, seconds)]);
      });
    }),
});

const unreadable = (file: string, seconds: number): Finding => ({
  rule: 'draft-slow',
  file,
  seconds,
  where: file,
});
