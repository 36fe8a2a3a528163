import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempRepo } from '../../../test/support/temp-repo.ts';
import { explain } from '../../domain/explain/explain.ts';
import { loadPlan, skillsOn } from './index.ts';

const skill = (description: string) => `---\nname: x\n${description}\n---\n\nDo it so.\n`;
const files = {
  '.claude/skills/api/SKILL.md': skill('description: How the API\n  is written'),
  '.claude/skills/api/example.md': 'x\n',
  '.claude/skills/bare/SKILL.md': 'No front matter.\n',
  '.claude/skills/broken/SKILL.md': skill('description: "'),
  '.agents/skills/api/SKILL.md': skill('description: another of the same name'),
  '.agents/skills/db/SKILL.md': skill('description: >-\n  Migrations:\n  one each'),
};
const api = { name: 'api', path: '.claude/skills/api/SKILL.md', description: 'How the API is written' };
const db = { name: 'db', path: '.agents/skills/db/SKILL.md', description: 'Migrations: one each' };

async function repository() {
  const repo = await tempRepo();
  repo.commit('skills', files);
  symlinkSync('api', join(repo.path, '.claude/skills/link'));
  repo.commit('a link');
  repo.write('.claude/skills/new/SKILL.md', skill('description: not committed'));
  return repo;
}

test('skills are those that the branch has as plain files, with what their front matter says', async () => {
  await using repo = await repository();
  expect([...(await skillsOn(repo.path, 'main')).values()]).toEqual([
    api,
    { name: 'bare', path: '.claude/skills/bare/SKILL.md', description: '' },
    { name: 'broken', path: '.claude/skills/broken/SKILL.md', description: '' },
    db,
  ]);
  expect(await skillsOn(repo.path, 'nowhere')).toEqual(new Map());
});

test('a plan has the skills that its tasks name in it, sorted and once; others are errors with their place', async () => {
  await using repo = await repository();
  const load = async (skills: string) => {
    const text = `agent: claude\ntasks:\n  a:\n    do: Write it. Acceptance is that src/a has 1.\n    skills: ${skills}\n`;
    repo.write('plan.yaml', text);
    return await loadPlan({
      root: repo.path,
      planFile: 'plan.yaml',
      currentBranch: 'main',
      skills: (branch) => skillsOn(repo.path, branch),
    });
  };
  const [sound, other, without] = [await load('[db, api, db]'), await load('[api, db]'), await load('[]')];
  expect(sound).toMatchObject({ ok: true, plan: { waves: [{ tasks: [{ skills: [api, db] }] }] } });
  if (!sound.ok || !other.ok || !without.ok) throw new Error('not sound');
  expect(other.hash).toBe(sound.hash);
  expect(without.plan.waves[0]?.tasks[0]).not.toHaveProperty('skills');

  repo.git('rm', '-q', '--cached', '.claude/skills/api/SKILL.md');
  repo.git('commit', '-qm', 'the other one');
  expect(await load('[api, db]')).not.toMatchObject({ hash: sound.hash });

  const unknown = await load('[db, dbs, new]');
  expect(unknown.ok ? [] : unknown.findings.map(explain)).toMatchObject([
    {
      rule: 'unknown-skill',
      detail: '`a` names the skill `dbs`, which does not exist on main',
      where: 'plan.yaml:5:18',
      fix: 'did you mean `db`?',
    },
    { rule: 'unknown-skill', where: 'plan.yaml:5:23', fix: 'commit .claude/skills/new/SKILL.md on main' },
  ]);
  expect(await load('[../../etc]')).toMatchObject({ ok: false, findings: [{ rule: 'wrong-value' }] });
});
