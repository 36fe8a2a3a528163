import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { removeTreeSync } from '../adapters/files/remove-tree.ts';
import { runEditor } from '../adapters/person-programs/index.ts';
import { makeWorkspace } from '../adapters/workspace/index.ts';
import type { EditPrograms } from '../cli/frame/ports.ts';
import { editedFiles } from '../domain/ledger/state-dir.ts';
import { lfsStores } from '../supervisor/job/lfs-stores.ts';

/**
 * What a person edits by hand lies on the disk of the state directory, byte for byte as a workspace would be. Nothing removes it by
 * itself: until it was taken it is all that there is of their work.
 */
export const editPrograms: EditPrograms = {
  copy: async (repo, context, { commit, base }) => {
    const { repository } = repo.state;
    const name = randomBytes(8).toString('hex');
    const path = editedFiles(repo.state, name);
    if (path === null) throw new Error(`${name} is no name of an edit`);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const { stores } = lfsStores({ repository, checkout: repo.checkout }, context.env);
    await makeWorkspace({ repository, directory: path, commit, base, lfs: { attributes: base, stores } });
    return { name, path };
  },
  editor: async (context, path) => {
    using _ = context.onSignal(() => undefined);
    return await runEditor(path, context.env);
  },
  remove: ({ path }) => removeTreeSync(dirname(path)),
};
