import { adoptCommit, ensureBareRepository } from '../../src/adapters/git/bare/index.ts';
import { armFailpoints } from '../../src/adapters/process/failpoint.ts';
import { takeSnapshot } from '../../src/adapters/snapshot/index.ts';
import { makeWorkspace } from '../../src/adapters/workspace/index.ts';
import type { CommitId } from '../../src/domain/base/ids.ts';

/** A process that does the git steps of one attempt and may be killed on the way: argv is a failpoint and the places. */
const [, , failpoint = '', checkoutGitDir = '', repository = '', directory = '', commit = ''] = process.argv;
const base = commit as CommitId;
armFailpoints(failpoint);
await ensureBareRepository(repository, checkoutGitDir);
await adoptCommit(repository, checkoutGitDir, base);
const { record } = await makeWorkspace({ repository, directory, commit: base });
const request = { repository, workspace: directory, base, from: base, statCache: record, message: 'snapshot' };
process.stdout.write(JSON.stringify(await takeSnapshot({ ...request, ref: 'refs/tidegate/attempts/a.b.1' })));
