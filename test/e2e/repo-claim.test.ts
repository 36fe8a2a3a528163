import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { handoff, type Project, project, scripted } from '../support/project.ts';

const one = scripted(`echo one > one.txt; ${handoff}`, { owns: ['one.txt'] });
const directive = (repo: string) => `---\nrepo: ${repo}\n---\nDo what the script does. Acceptance: one.txt is there.\n`;
const rules = async (p: Project, plan: object) => {
  p.write('plan.yaml', JSON.stringify(plan));
  const { stdout } = await p.cli('run', 'plan.yaml', '--yes', '--dry-run', '--json');
  const { exit, findings = [] } = JSON.parse(stdout) as { exit: number; findings?: { rule: string; detail: string }[] };
  return [exit, ...findings.map(({ rule, detail }) => `${rule}: ${detail}`)];
};

test('F12: a plan, a task or its front matter for another repository is refused before anything is made', async () => {
  await using p = await project({ plan: { tasks: { one } } });
  const root = p.git('rev-list', '--max-parents=0', 'HEAD');
  p.git('remote', 'add', 'origin', 'git@example.org:team/shop.git');
  p.git('remote', 'add', 'upstream', 'https://token@example.org/upstream/shop');
  const remote = 'https://example.org/team/other';
  const isFor = `one is for the repository ${remote}, but this one is git@example.org:team/shop.git`;

  expect(await rules(p, { repo: remote, tasks: { one } })).toEqual([2, `repo-claim: ${isFor}`]);
  expect(await p.cli('lint', 'plan.yaml')).toMatchObject({ code: 2, stdout: expect.stringContaining(isFor) });
  expect(await rules(p, { tasks: { one: { ...one, repo: { remote } } } })).toEqual([2, `repo-claim: ${isFor}`]);
  expect(await rules(p, { tasks: { one: { ...one, repo: 'a'.repeat(40) } } })).toEqual([
    2,
    `repo-claim: one is for the repository with the first commit ${'a'.repeat(40)}; the first commit here is ${root}`,
  ]);
  p.write('one.md', directive(remote));
  expect(await rules(p, { tasks: { one: { ...one, do: 'one.md' } } })).toEqual([2, `repo-claim: ${isFor}`]);
  expect(existsSync(`${p.root}/state`)).toBe(false);

  p.write('one.md', directive(root));
  const here = { repo: { root: root.slice(0, 12), remote: 'https://example.org/upstream/shop.git' } };
  expect(await rules(p, { ...here, tasks: { one: { ...one, do: 'one.md' } } })).toEqual([0]);
  expect(await rules(p, { repo: remote, tasks: { one: { ...one, repo: 'example.org/team/shop' } } })).toEqual([0]);
  expect((await p.cli('run', 'plan.yaml', '--yes', '--land', '--json')).code).toBe(0);

  p.write('tidegate.yaml', 'repo: https://example.org/team/shop\n');
  const { stdout } = await p.cli('config', '--origin');
  expect(stdout).toMatch(/repo\.remote: "https:\/\/example\.org\/team\/shop" +# tidegate\.yaml:1/);
}, 60_000);
