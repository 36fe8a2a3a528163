import { readFile } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { personsHome } from '../adapters/process/caller.ts';
import { armFailpoints } from '../adapters/process/failpoint.ts';
import { closeInherited } from '../adapters/process/process-identity.ts';
import { jobDirectory } from '../adapters/supervisors/job-directory.ts';
import { tokensFile, withStoredTokens } from '../agents/common/login.ts';
import { atHome } from '../supervisor/job/context.ts';
import { rescue } from '../supervisor/job/rescue.ts';
import { supervise } from '../supervisor/job/supervise.ts';

/**
 * `node supervisor.js <job directory>`: one per attempt or check. Exit 0 also when another supervisor has the job.
 * `--rescue`: writes the exit record of one that died. `--wait <jobs>` instead: the directory comes on descriptor 3 when
 * there is something to do, and never if the coordinator is gone.
 */
const [place, mode] = process.argv.slice(2);
if (place === undefined) throw new Error('usage: supervisor <job directory>');
const path = place === '--wait' ? await untilOrdered() : place;
if (path === '') process.exit(0);
closeInherited();
armFailpoints(process.env['TIDEGATE_FAILPOINT']);
const files = jobDirectory(path);
const ordered = files.job();
if (ordered === null) throw new Error(`there is no job.json in ${path}`);
const job = atHome(ordered, personsHome());
const environment = withStoredTokens(process.env, job.agent?.credentials ?? [], tokensFile(process.env, personsHome()));
const terminated = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => terminated.abort());
process.on('SIGHUP', () => undefined);
if (mode === '--rescue') {
  await rescue(job, files, environment);
  process.exit(0);
}
await supervise(job, files, {
  environment,
  clock: { monotonic: () => performance.now(), wall: () => Date.now() },
  node: process.execPath,
  client: fileURLToPath(new URL('./fence-client.js', import.meta.url)),
  abandonAfterMs: Number(process.env['TIDEGATE_ABANDON_SECONDS'] ?? 15 * 60) * 1000,
  terminated: terminated.signal,
});
process.exit(0);

/** The whole of descriptor 3. Empty: the coordinator ended, or has no use for us. */
function untilOrdered(): Promise<string> {
  return new Promise((resolve, reject) =>
    readFile(3, 'utf8', (error, text) => (error === null ? resolve(text) : reject(error))),
  );
}
