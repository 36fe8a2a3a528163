import { fileOf, noOp } from './agent.ts';
import { fencedByHand } from './fence.mjs';
import { inParallel, run } from './process.ts';

const person = ['-c', 'safe.directory=*', '-c', 'user.name=Hand', '-c', 'user.email=hand@example.com'];

/** A wave as a careful person would script it, without ledger, proofs, canary, flushes or recovery: the cost that is left. */
export async function waveByHand(bare: string, root: string, start: string, count: number, parallel: number) {
  let tip = start;
  let merging = Promise.resolve();
  const indices = Array.from({ length: count }, (_, index) => index);
  await inParallel(parallel, indices, async (index) => {
    const workspace = `${root}/hand-${index}`;
    await run('git', [...person, 'clone', '-q', '--shared', bare, workspace]);
    if (process.getuid?.() === 0) await run('chown', ['-R', '65534:65534', workspace]);
    const [file, ...args] = fencedByHand(workspace, `mkdir -p work; ${noOp(fileOf(index))}`);
    await run(file, args);
    const snapshot = await snapshotByHand(bare, workspace, start);
    merging = merging.then(async () => {
      tip = await mergeByHand(bare, tip, snapshot);
    });
    await merging;
  });
  await run('git', ['-C', bare, 'update-ref', 'refs/heads/main', tip, start]);
}

export async function snapshotByHand(bare: string, workspace: string, parent: string): Promise<string> {
  const env = { GIT_OBJECT_DIRECTORY: `${bare}/objects` };
  await run('git', [...person, '-C', workspace, 'add', '-A'], { env });
  const tree = (await run('git', [...person, '-C', workspace, 'write-tree'], { env })).trim();
  const commit = ['-C', workspace, 'commit-tree', tree, '-p', parent, '-m', 'work'];
  return (await run('git', [...person, ...commit], { env })).trim();
}

async function mergeByHand(bare: string, tip: string, snapshot: string): Promise<string> {
  const tree = (await run('git', ['-C', bare, 'merge-tree', '--write-tree', tip, snapshot])).trim();
  const commit = ['-C', bare, 'commit-tree', tree, '-p', tip, '-m', 'merged'];
  const merged = (await run('git', [...person, ...commit])).trim();
  await run('git', ['-C', bare, 'update-ref', 'refs/heads/run', merged]);
  return merged;
}
