import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export type DemoRepository = {
  /** A temporary directory of its own, with `harbour/` (the repository) and room for `state/`. */
  readonly directory: string;
  readonly path: string;
  readonly plan: string;
  readonly state: string;
  /** The task that misbehaves, and that a person drops by name. */
  readonly rogue: string;
};

/** Makes the demo's repository by the package's `make-repository.sh`. Nothing of it is removed: people want to look. */
export async function makeDemoRepository(script: string, path: string): Promise<DemoRepository> {
  const directory = await mkdtemp(join(tmpdir(), 'tidegate-demo-'));
  const repository = join(directory, 'harbour');
  await promisify(execFile)('/bin/sh', [script, repository], { env: { PATH: path } });
  return {
    directory,
    path: repository,
    plan: join(repository, 'tidegate.plan.yaml'),
    state: join(directory, 'state'),
    rogue: 'shortcut',
  };
}
