import { existsSync } from 'node:fs';
import { makeReviewCopy } from '../adapters/files/review-copy.ts';
import { openEditor, pagerOf, runDifftool, showInPager } from '../adapters/person-programs/index.ts';
import { readComments } from '../adapters/plan-files/source-file.ts';
import type { DiffPrograms, OpenPrograms, ReadComments } from '../cli/frame/ports.ts';

/** Programs of the person's own: they run with the person's environment, and Ctrl-C in them is theirs. */
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
