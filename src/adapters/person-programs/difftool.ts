import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommitId } from '../../domain/base/ids.ts';
import { objectId } from '../git/process/index.ts';

/**
 * The person's own difftool on two commits of our bare repository: git gives it the blobs in files of its own. No tree that an
 * agent wrote is read, nor any attribute of one: git wants a working tree here, and gets an empty one. Their configuration
 * names the tool, nothing more.
 */
export async function runDifftool(from: {
  readonly repository: string;
  readonly base: CommitId;
  readonly commit: CommitId;
  /** Null: the one that they configured. */
  readonly tool: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
}): Promise<number | null> {
  const nowhere = await mkdtemp(join(tmpdir(), 'tidegate-diff-'));
  const settings = [
    'core.hooksPath=/dev/null',
    'core.fsmonitor=false',
    'core.attributesFile=/dev/null',
    'core.pager=cat',
  ];
  const args = [
    ...[...settings, 'safe.bareRepository=all', 'protocol.allow=never'].flatMap((setting) => ['-c', setting]),
    `--git-dir=${from.repository}`,
    `--work-tree=${nowhere}`,
    'difftool',
    '--no-prompt',
    '--no-renames',
    ...(from.tool === null ? [] : [`--tool=${from.tool}`]),
    objectId(from.base),
    objectId(from.commit),
  ];
  const env = { ...from.env, GIT_ATTR_NOSYSTEM: '1', GIT_NO_LAZY_FETCH: '1', GIT_NO_REPLACE_OBJECTS: '1' };
  try {
    return await new Promise((resolve) => {
      const child = spawn('git', args, {
        cwd: nowhere,
        env: { ...env, GIT_INDEX_FILE: join(nowhere, '.no-index') },
        stdio: 'inherit',
      });
      child.once('error', () => resolve(null));
      child.once('close', (code) => resolve(code ?? 1));
    });
  } finally {
    await rm(nowhere, { recursive: true, force: true });
  }
}
