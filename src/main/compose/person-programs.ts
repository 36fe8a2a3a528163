import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { removeTreeSync } from '../../adapters/files/remove-tree.ts';
import { makeReviewCopy } from '../../adapters/files/review-copy.ts';
import { openEditor, pagerOf, runDifftool, runEditor, showInPager } from '../../adapters/person-programs/index.ts';
import { readComments } from '../../adapters/plan-files/source-file.ts';
import { makeWorkspace } from '../../adapters/workspace/index.ts';
import type { DiffPrograms, EditPrograms, OpenPrograms, ReadComments } from '../../cli/frame/ports.ts';
import { editedFiles } from '../../domain/ledger/state-dir.ts';
import { lfsStores } from '../../supervisor/job/workspace.ts';

/** Programs of the person run with their environment and get their Ctrl-C. */
export const diffPrograms: DiffPrograms = {
  page: async (repo, context, lines) => {
    if (process.stdout.isTTY !== true) return false;
    const pager = await pagerOf(repo.checkout, context.env);
    if (pager === null) return false;
    using _ = context.onSignal(() => undefined);
    return await showInPager(pager, context.terminal.paint(lines), context.env);
  },
  difftool: async (repo, context, base, commit, tool) => {
    using _ = context.onSignal(() => undefined);
    return await runDifftool({ repository: repo.state.repository, base, commit, tool, env: context.env });
  },
};

export const openPrograms: OpenPrograms = {
  workspace: (repo, attempt) => {
    const path = `${repo.state.job(attempt)}/workspace`;
    return attempt !== '' && existsSync(path) ? path : null;
  },
  copy: (repo, commit, name) => makeReviewCopy(repo.state, commit, name),
  editor: async (context, path) => {
    using _ = context.onSignal(() => undefined);
    return await openEditor(path, context.env);
  },
};

export const readCommentsOf: ReadComments = (context, file) => readComments(file, context.cwd, process.stdin);

/**
 * Copies for `tidegate edit` lie in the state directory, byte for byte like a workspace. Nothing removes them automatically: until a
 * copy is taken, it is the only copy of the person's work.
 */
export const editPrograms: EditPrograms = {
  copy: async (repo, context, { commit, base }) => {
    const { repository } = repo.state;
    const name = randomBytes(8).toString('hex');
    const path = editedFiles(repo.state, name);
    if (path === null) throw new Error(`${name} is not the name of an edit`);
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
