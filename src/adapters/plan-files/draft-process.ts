import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { Finding } from '../../domain/findings/finding.ts';
import type { StateDir } from '../../domain/ledger/state-dir.ts';
import { EnvironmentFailed } from '../../ports/failures.ts';
import type { Drafts } from '../../ports/supervisor.ts';
import { findingSchema } from '../files/finding-schema.ts';
import { parseFields } from '../files/untrusted-json.ts';

/** A plan of a hundred tasks takes one second. */
const usualSeconds = 20;
const mostFindings = 64;
const mostCharacters = 16_384;
/** A process of the same version writes them, so the facts fit their rule. Their text is an agent's. */
const finding = findingSchema.refine((value) => JSON.stringify(value).length <= mostCharacters);
const answer = z.object({ findings: z.array(finding).max(mostFindings) });

type DraftProcess = {
  readonly checkout: string;
  readonly state: StateDir;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The program of the command line. */
  readonly program: string;
};

/**
 * Judges drafts with `tidegate read-draft` in a process of its own: a small document can take hours and all memory to parse, and the
 * coordinator has other runs.
 */
export const draftReader = ({ checkout, state, env, program }: DraftProcess, seconds = usualSeconds): Drafts => ({
  mistakes: ({ commit, file, branch }) =>
    new Promise((resolve, reject) => {
      const place = ['-C', checkout, '--state-dir', dirname(state.root)];
      const order = ['read-draft', commit, '--json', '--', file, branch];
      const argv = ['--max-old-space-size=512', program, ...place, ...order];
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
