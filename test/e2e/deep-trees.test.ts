import { globSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { handoff, type Project, project, scripted } from '../support/project.ts';
import { isReachable, ordinary } from '../support/stranger.ts';

/** Directories one in the other, of names so long. */
const deep = (top: string, levels: number, length: number, end = ':'): string =>
  `(mkdir ${top}; cd ${top}; n=$(printf '%0${length}d' 0); i=0; while [ $i -lt ${levels} ]; do mkdir $n; cd -P $n; i=$((i+1)); done; ${end})`;
const workspaces = (p: Project) => globSync(join(p.root, 'state/*/jobs/*/workspace'));
const kept = async (p: Project, run: string): Promise<readonly { readonly path: string }[]> =>
  JSON.parse((await p.cli('status', run, '--json')).stdout).kept;

const people = isReachable && ordinary !== undefined ? [undefined, ordinary] : [undefined];

test.each(people)(
  'S4: a directory too deep to be named is kept, and discarded by its name (as %o)',
  {
    timeout: 180_000,
  },
  async (as) => {
    const closed = `${deep('closed', 150, 31, 'echo x > x')}; chmod -R 000 closed 2>/dev/null || true`;
    const one = scripted(`${deep('far', 140, 31, 'echo x > x')}; ${closed}; echo work > work.txt; ${handoff}`, {
      owns: ['**'],
    });
    await using p = await project({ plan: { land: 'auto', limits: { attempts: 1 }, tasks: { one } }, as });
    const { run } = JSON.parse((await p.cli('run', 'plan.yaml', '--yes', '--json')).stdout);
    const names = (await kept(p, run)).map(({ path }) => path);
    expect(names.map((path) => path.split('/')[0])).toEqual(['closed', 'far']);
    const [first = '', second = ''] = names;
    expect((await p.cli('why', `${run}/one`)).stdout).toContain('far/');
    await p.cli('clean');
    expect(workspaces(p)).toHaveLength(1);
    expect(await p.cli('clean', '--discard', `${run}/one`, first)).toMatchObject({ code: 0 });
    expect(await p.cli('clean', '--discard', `${run}/one`, second)).toMatchObject({ code: 0 });
    expect(await kept(p, run)).toEqual([]);
    await p.cli('drop', `${run}/one`);
    expect(await p.cli('clean')).toMatchObject({ code: 0 });
    expect(workspaces(p)).toEqual([]);
  },
);

test.each(people)(
  'S4: a file whose path only just cannot be named costs no snapshot of the others (as %o)',
  {
    timeout: 180_000,
  },
  async (as) => {
    const file = 'echo x > $(printf "%0250d" 0)';
    const one = scripted(`${deep('far', 19, 200, file)}; echo work > work.txt; ${handoff}`, { owns: ['**'] });
    await using p = await project({ plan: { limits: { attempts: 1 }, tasks: { one } }, as });
    const { run } = JSON.parse((await p.cli('run', 'plan.yaml', '--yes', '--json')).stdout);
    const snapshot = `refs/tidegate/attempts/${run}.one.1`;
    expect(p.git('--git-dir', p.state().repository, 'show', `${snapshot}:work.txt`)).toBe('work');
    const [only = { path: '' }, ...others] = await kept(p, run);
    expect(others).toEqual([]);
    expect(await p.cli('clean', '--discard', `${run}/one`, only.path)).toMatchObject({ code: 0 });
    expect(await kept(p, run)).toEqual([]);
    await p.cli('drop', `${run}/one`);
    expect(await p.cli('clean')).toMatchObject({ code: 0 });
    expect(workspaces(p)).toEqual([]);
  },
);

test.each(people)(
  'a setup that makes a directory too deep to be named runs, and clean removes it (as %o)',
  {
    timeout: 180_000,
  },
  async (as) => {
    const setup = `test -e made || ${deep('made', 140, 31)}`;
    const files = { 'tidegate.yaml': stringify({ setup }), '.gitignore': 'made/\n' };
    const one = scripted(`echo work > work.txt; ${handoff}`, { owns: ['work.txt'] });
    const checks = [{ name: 'made', run: 'test -d made' }];
    await using p = await project({ files, plan: { land: 'auto', checks, tasks: { one } }, as });
    const ran = await p.cli('run', 'plan.yaml', '--yes', '--json');
    expect(ran).toMatchObject({ code: 0 });
    expect(p.git('show', 'main:work.txt')).toBe('work');
    expect(await p.cli('clean')).toMatchObject({ code: 0 });
    expect(workspaces(p)).toEqual([]);
    expect(globSync(join(p.root, 'state/*/cache/setup/*')).flatMap((path) => readdirSync(path))).toEqual([]);
  },
);
