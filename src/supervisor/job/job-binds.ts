import { type Bind, certificateBinds } from '../../adapters/fence/index.ts';
import { objectsBeside } from '../../adapters/git/stores/index.ts';
import type { Job } from '../../ports/supervisor.ts';
import type { RuntimeDirectory } from './runtime-directory.ts';

/** What every process of a job may reach besides its workspace. */
export const jobBinds = (
  { fence }: Pick<Job, 'fence'>,
  workspace: string,
  runtime: Pick<RuntimeDirectory, 'binds'>,
  environment: Readonly<Record<string, string | undefined>>,
  readOnly: readonly Bind[],
): readonly Bind[] => [
  ...runtime.binds,
  { source: objectsBeside(workspace), target: objectsBeside(workspace), access: 'read' },
  ...certificateBinds(environment),
  ...fence.read.map((path): Bind => ({ source: path, target: path, access: 'read' })),
  ...fence.write.map((path): Bind => ({ source: path, target: path, access: 'write' })),
  ...readOnly,
];
