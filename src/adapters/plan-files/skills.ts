import { parseDocument } from 'yaml';
import type { Skill } from '../../domain/plan/plan.ts';
import { type GitCall, openObjects, runGit } from '../git/process/index.ts';
import { splitNul } from '../git/read/tree.ts';
import { tooDeepAt } from './yaml-depth.ts';

/** Where projects keep skills; of two with one name the first is meant. */
const skillDirectories = ['.claude/skills', '.agents/skills'];

/** The skills that a branch of the person's repository has, by name: what lies in the checkout alone reaches no workspace. */
export async function skillsOn(checkout: string, branch: string): Promise<ReadonlyMap<string, Skill>> {
  const at = { cwd: checkout };
  const [gitDir] = await lines({ ...at, args: ['rev-parse', '--absolute-git-dir'] });
  const tree = `refs/heads/${branch}^{tree}`;
  const [id] = await lines({ ...at, args: ['rev-parse', '--verify', '--quiet', '--end-of-options', tree] });
  if (gitDir === undefined || id === undefined) return new Map();
  const listed = await runGit({
    ...at,
    args: ['--literal-pathspecs', 'ls-tree', '-r', '-z', '--full-tree', id, '--', ...skillDirectories],
  });
  const found = splitNul(listed.stdout).flatMap((record) => {
    const [, blob, path = '', name = ''] = skillFile.exec(record) ?? [];
    return blob === undefined ? [] : [{ blob, path, name }];
  });
  await using objects = openObjects(gitDir);
  const skills = new Map<string, Skill>();
  for (const { blob, path, name } of found.toSorted(byDirectory))
    if (!skills.has(name)) {
      const text = (await objects.read(blob))?.toString('utf8') ?? '';
      skills.set(name, { name, path, description: descriptionIn(text) });
    }
  return skills;
}

/** A plain file: a link may lead anywhere. */
const skillFile = /^100\d{3} blob ([0-9a-f]+)\t((?:\.claude|\.agents)\/skills\/([^/]+)\/SKILL\.md)$/;

const byDirectory = (a: { readonly path: string }, b: { readonly path: string }): number =>
  skillDirectories.findIndex((one) => a.path.startsWith(one)) -
  skillDirectories.findIndex((one) => b.path.startsWith(one));

/** Empty where the front matter has none, or cannot be read: an agent sees the file anyway. */
function descriptionIn(text: string): string {
  const matter = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text)?.[1];
  const document = matter === undefined || tooDeepAt(matter) !== null ? null : parseDocument(matter);
  const description: unknown = document === null || document.errors.length > 0 ? null : document.get('description');
  return typeof description === 'string' ? description.replaceAll(/\s+/g, ' ').trim() : '';
}

async function lines(call: GitCall): Promise<readonly string[]> {
  const { exitCode, stdout } = await runGit(call);
  return exitCode === 0 ? stdout.toString('utf8').split('\n') : [];
}
