import type { CommitId } from '../../src/domain/base/ids.ts';
import { goneHunks, hasMarkers, type SideHunk } from '../../src/domain/derived/sides.ts';
import type { ComparedSides, RepairInputs } from '../../src/domain/ledger/derived-task-events.ts';
import type { Chaos } from './chaos.ts';
import type { Files, SimulatedGit } from './simulated-git.ts';

const [ours, between, theirs] = ['<<<<<<< others', '=======', '>>>>>>> task'];

/** The files that a resolver starts from: the tree that failed, or both sides of each file that conflicts. */
export function filesToRepair(git: SimulatedGit, { onto, snapshot, base, failing, paths }: RepairInputs): Files {
  if (failing !== undefined) return git.read(failing).files;
  const [mine, other, before] = [git.read(snapshot).files, git.read(onto).files, git.read(base).files];
  const rest = Object.fromEntries(Object.entries(mine).filter(([path]) => !paths.includes(path)));
  const merged = git.merge({ ...before, ...pick(before, paths) }, other, { ...rest, ...pick(before, paths) });
  const marked = paths.map((path) => [path, [ours, other[path] ?? '', between, mine[path] ?? '', theirs].join('\n')]);
  return { ...(merged.ok ? merged.value : other), ...Object.fromEntries(marked) };
}

const pick = (files: Files, paths: readonly string[]): Files =>
  Object.fromEntries(paths.flatMap((path) => (files[path] === undefined ? [] : [[path, files[path]]])));

/** A file of the simulation is one hunk. */
export function comparedIn(git: SimulatedGit, inputs: RepairInputs, result: CommitId): ComparedSides {
  const linesOf = (commit: CommitId, path: string): readonly string[] =>
    git.read(commit).files[path]?.split('\n') ?? [];
  const compared = inputs.paths.map((path) => {
    const files = {
      base: linesOf(inputs.base, path),
      ours: linesOf(inputs.onto, path),
      theirs: linesOf(inputs.snapshot, path),
      result: linesOf(result, path),
    };
    const hunks = (['ours', 'theirs'] as const).flatMap((side): readonly SideHunk[] =>
      files[side].join('\n') === files.base.join('\n')
        ? []
        : [{ side, from: 1, to: Math.max(1, files[side].length), added: files[side], removed: files.base }],
    );
    return { path, isMarked: hasMarkers(files), gone: goneHunks(path, files, hunks) };
  });
  return {
    markers: compared.filter(({ isMarked }) => isMarked).map(({ path }) => path),
    gone: compared.flatMap(({ gone }) => gone),
  };
}

/** A resolver keeps both sides of a conflict, or mends what breaks a check and says so. Mostly. */
export function repair(files: Files, chaos: Chaos): { readonly work: Files; readonly dropped: readonly string[] } {
  const work: Record<string, string> = { ...files };
  const dropped: string[] = [];
  for (const [path, content] of Object.entries(files)) {
    if (chaos.strikes(0.2)) continue;
    if (content.includes(ours ?? '')) {
      const lines = content.split('\n').filter((line) => ![ours, between, theirs].includes(line));
      work[path] = (chaos.strikes(0.3) ? lines.slice(1) : lines).join('\n');
    } else if (content.startsWith('breaks ')) {
      work[path] = 'mended';
      if (!chaos.strikes(0.3)) dropped.push(`${path} it broke the check`);
    }
  }
  return { work, dropped };
}
