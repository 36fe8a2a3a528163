import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { adoptCommit } from '../../src/adapters/git/bare/index.ts';
import { commitId } from '../../src/domain/base/ids.ts';
import type { Job } from '../../src/ports/supervisor.ts';
import { runOnly } from './run-only.ts';
import { supervisedScene } from './supervised.ts';
import { type Tried, triedIn, tries, wayThrough } from './tries.ts';

/**
 * A repository in which a job has neighbours: objects of the person that its commit does not reach, in packs that our
 * repository shares, and snapshots of other tasks and runs.
 */
export async function openNeighbours() {
  const scene = await supervisedScene({ 'readme.md': 'hello\n' });
  const { repo } = scene;
  const start = commitId(repo.git('rev-parse', 'main'));
  repo.git('checkout', '-q', '-b', 'private');
  const branch = repo.commit('private work', { 'private.txt': 'of another branch\n' });
  repo.git('checkout', '-q', 'main');
  repo.write('readme.md', 'in a stash\n');
  repo.git('stash');
  const stash = repo.git('rev-parse', 'stash@{0}');
  const reflog = repo.commit('taken back', { 'reflog.txt': 'only in the reflog\n' });
  repo.git('reset', '-q', '--hard', start);
  const commit = repo.commit('second', { 'src/a.txt': 'a\n', 'src/b.txt': 'b\n' });
  repo.git('repack', '-q', '-a', '-d', '-k');
  const { repository } = scene.job();
  await adoptCommit(repository, join(repo.path, '.git'), commit);
  const ours = (...args: string[]): string => runOnly('git', ['--git-dir', repository, ...args], '/');
  const at = { from: commit, base: commit };
  const work = (id: string, text: string) =>
    scene.run({ ...at, id, argv: ['/bin/sh', '-c', `echo ${text} > own.txt; tidegate handoff done -m x`] });
  const sibling = (await work('demo-ab12.sibling.1', 'a held secret')).snapshot;
  const foreign = (await work('other-cd34.task.1', 'of another run')).snapshot;
  if (sibling === null || foreign === null) throw new Error('the neighbours left nothing');
  const unreachable = ours('hash-object', '-w', fileURLToPath(import.meta.url));
  return {
    scene,
    commit,
    repository,
    hidden: {
      'snapshot of another task': sibling.commit,
      'file of another task': ours('rev-parse', `${sibling.commit}:own.txt`),
      'snapshot of another run': foreign.commit,
      'another branch': branch,
      'file of another branch': ours('rev-parse', `${branch}:private.txt`),
      stash,
      'only in the reflog': reflog,
      'in no commit': unreachable,
    },
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}

export type Neighbours = Awaited<ReturnType<typeof openNeighbours>>;

/** Every way that git offers to objects which the job should not have; each succeeds if it leads to one of them. */
export function waysTo({ scene, repository, hidden }: Neighbours): Readonly<Record<string, string>> {
  const borrowed = 'above=$(dirname $(cat .git/objects/info/alternates)); jobs=$(dirname $above)';
  const places = [
    `${repository}/objects`,
    `${scene.repo.path}/.git/objects`,
    '$above',
    '$above/workspace/.git/objects',
    '$jobs/demo-ab12.sibling.1/workspace.objects',
    '$jobs/demo-ab12.sibling.1/workspace/.git/objects',
    '$jobs/../stores/*',
  ];
  const ids = Object.values(hidden);
  const anyFound = `printf '%s\\n' ${ids.join(' ')} | git cat-file --batch-check | grep -v ' missing$'`;
  const anyListed = `grep ${ids.map((id) => `-e ${id}`).join(' ')}`;
  const each = Object.entries(hidden).map(([name, id]) => [`${name}, by its id`, `git cat-file -p ${id}`]);
  return {
    ...Object.fromEntries(each),
    'the list of all objects': `git cat-file --batch-all-objects --batch-check | ${anyListed}`,
    'alternates written by the agent': `${borrowed}; cp .git/objects/info/alternates /tmp/kept; for p in ${places.join(' ')}; do echo $p >> .git/objects/info/alternates; done; ${anyFound}; code=$?; cp /tmp/kept .git/objects/info/alternates; exit $code`,
    'alternates of the environment': `${borrowed}; GIT_ALTERNATE_OBJECT_DIRECTORIES=${places.join(':').replace('/*', '')}; export GIT_ALTERNATE_OBJECT_DIRECTORIES; ${anyFound}`,
    fetch: `${borrowed}; for p in ${repository} file://${repository} ${scene.repo.path} $above $jobs/demo-ab12.sibling.1/workspace; do git fetch -q $p '+refs/*:refs/stolen/*'; for i in ${ids.join(' ')}; do git fetch -q $p $i; done; done; ${anyFound}`,
    'any pack there is': `for i in $(find / -xdev -name '*.idx' 2>/dev/null; find /dev/shm /tmp /srv -name '*.idx' 2>/dev/null); do git show-index < $i; done | ${anyListed}`,
  };
}

/** What git is used for every day has to work with what is left. */
const everyday = [
  ['log', 'test "$(git log --format=%s | tr "\\n" " ")" = "second first "'],
  ['diff', 'git diff --stat HEAD~1 HEAD'],
  ['blame', 'git blame src/a.txt'],
  ['whole', 'git fsck --full --strict'],
  ['commit', 'echo x > tmp.txt && git add tmp.txt && git commit -qm x && git reset -q --hard HEAD~1'],
  ['gc', 'git gc -q --prune=now && git log -1'],
] as const;

/** Tries all of it in one job; the ways that led somewhere and the everyday commands that failed. */
export async function tryNeighbours(
  neighbours: Neighbours,
  more: Partial<Job> = {},
): Promise<{ readonly through: readonly Tried[]; readonly broken: readonly Tried[] }> {
  const { scene, commit } = neighbours;
  const attacks = waysTo(neighbours);
  const usual = Object.fromEntries(everyday);
  const script = `${tries({ ...attacks, ...usual })}\ncat tries.txt\ntidegate handoff done -m x`;
  const exit = await scene.run({ from: commit, base: commit, argv: ['/bin/sh', '-c', script], ...more });
  const tried = triedIn(exit.output.split('\n').filter((line) => /\t\d+\t/.test(line)));
  const isUsual = ({ name }: Tried): boolean => name in usual;
  const missing = Object.keys(usual).filter((name) => tried.every((one) => one.name !== name));
  return {
    through: wayThrough(
      tried.filter((one) => !isUsual(one)),
      attacks,
    ),
    broken: [
      ...tried.filter((one) => isUsual(one) && one.code !== 0),
      ...missing.map((name) => ({ name, code: -1, said: JSON.stringify(exit.ending) })),
    ],
  };
}
