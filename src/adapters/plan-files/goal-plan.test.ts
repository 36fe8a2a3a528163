import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyGoal } from '../../../test/support/goals.ts';
import { planText } from '../../domain/plan/plan-text.ts';
import { ownershipConflicts } from '../../domain/scope/ownership.ts';
import { longestGoal, planOfGoal } from '../../planner/goal-plan.ts';
import { registryOf } from '../../planner/registry.ts';
import { type TemplateName, templateNames } from '../../planner/templates.ts';
import { loadPlan } from './index.ts';

const how = { registry: registryOf({}), protect: ['.github/**'], matrix: null, closure: {} };
const planned = (goal: string, template: TemplateName = 'implementation') => planOfGoal(goal, { ...how, template });
const textOf = (goal: string, template?: TemplateName) => {
  const made = planned(goal, template);
  if (!made.ok) throw new Error(made.error);
  return planText(made.value.sketch, '');
};
const read = (text: string) => loadPlan({ root: '/nowhere', planFile: { text }, currentBranch: 'main' });

describe('a plan of a goal', () => {
  test('reads as a person would write it', () => {
    const text = textOf('Rate-limit POST /login to 5/min in src/login.ts. Document it in docs/api.md');
    expect(text.slice(text.indexOf('      document-docs-api-md:'))).toBe(`      document-docs-api-md:
        do: |-
          ## Goal

          Document it in docs/api.md

          It is a part of this: Rate-limit POST /login to 5/min in src/login.ts. Document it in docs/api.md

          ## Scope

          - Change only \`docs/api.md\`.

          ## Acceptance

          - All that the goal asks for is written down where a reader would look for it.
          - Every command, name and claim agrees with the code as it is now.
        role: docs
        owns: [docs/api.md]
        needs: [rate-limit-post-login-5-min]
        components: [rate-limit-post-login-5]
        exit: { completion: repo-landed }
    closure:
      qa:
        do: "Review and validate changes from: Rate-limit POST /login to 5/min in src/login.ts. Document it in docs/api.md"
`);
  });

  test('names no level where a matrix would make it a promotion, and keeps the closure roles of the settings', async () => {
    const closure = { security: { command: ['./scan.sh'] }, qa: { command: ['./judge.sh'] } };
    const made = planOfGoal('Write the parser to src/parser.ts', {
      ...how,
      template: 'implementation',
      matrix: 'docs/matrix.json',
      closure,
    });
    if (!made.ok) throw new Error(made.error);
    expect(made.value.sketch.closures?.at(-1)).toEqual(closure);
    const text = `${planText(made.value.sketch, '')}matrix: docs/matrix.json\n`;
    expect(await read(text)).toMatchObject({ ok: true, warnings: [] });
  });

  test('owns what is to change: not what is to be read, not what is protected, and not too little for its tests', () => {
    const owned = (goal: string) => {
      const made = planned(goal);
      return made.ok ? [made.value.sketch.waves[1]?.map(({ keys }) => keys?.owns), made.value.notes] : made.error;
    };
    expect(owned('Answer GET /items as described in docs/api.md, in src/items/')).toEqual([[['src/items/']], []]);
    expect(owned('Answer GET /items in src/items/')).toEqual([
      [['src/items/', 'test/**/*items*', 'tests/**/*items*', 'test/**/items/**', 'tests/**/items/**']],
      [],
    ]);
    expect(owned('Split src/lib into src/lib/a.ts')).toEqual([
      [['src/lib', 'src/lib/**', 'test/**', 'tests/**', 'src/lib/*.ts', 'src/lib/a/**', 'src/lib/__tests__/**']],
      [],
    ]);
    expect(owned('Add a limit to src/login.ts, with tests')).toEqual([[undefined], []]);
    expect(owned('Add a limit to src/login.ts, with tests in test/login.ts')).toEqual([
      [['src/login.ts', 'test/login.ts']],
      [],
    ]);
    expect(owned('Update .github/workflows/ci.yml')).toEqual([
      [undefined],
      [expect.stringContaining('.github/workflows/ci.yml is protected')],
    ]);
    expect(owned('Update CLAUDE.md')).toEqual([[undefined], [expect.stringContaining('CLAUDE.md is protected')]]);
  });

  test('F16: can be done: what is divided owns its siblings and tests, and no test is asked for that may not be written', () => {
    const tasksOf = (goal: string, template?: TemplateName) => {
      const made = planned(goal, template);
      if (!made.ok) throw new Error(made.error);
      return made.value.sketch.waves.flat().filter(({ keys }) => keys?.owns?.length !== 0);
    };
    const [divided] = tasksOf('Refactor lib/utils.js into three modules');
    expect(divided?.keys?.owns).toEqual(['lib/*.js', 'lib/utils/**', 'lib/__tests__/**', 'test/**', 'tests/**']);
    expect(divided?.do).toContain('Change at most 10 files');
    expect(divided?.do).toContain('each case has one that fails without the change');
    expect(divided?.do).toContain('Imports of the old path in other files work as before');
    const [named] = tasksOf('Split lib/utils.js, covered by test/utils.js');
    expect(named?.keys?.owns).toEqual(expect.arrayContaining(['lib/*.js', 'test/**']));
    const [taken] = tasksOf('Extract the parser from src/app.py');
    expect(taken?.keys?.owns).toEqual(['src/*.py', 'src/app/**', 'test/**', 'tests/**']);
    const [changed] = tasksOf('Rate-limit POST /login to 5/min in src/login.ts');
    expect(changed?.keys?.owns).toEqual([
      ...['src/login.ts', 'src/login?test.*', 'src/login?spec.*', 'src/__tests__/*login*'],
      ...['test/**/*login*', 'tests/**/*login*'],
    ]);
    const [configured] = tasksOf('Set the port to 8080 in config/app.yaml');
    expect(configured?.keys?.owns).toEqual(['config/app.yaml']);
    expect(configured?.do).not.toContain('tests');
    const [proved] = tasksOf('Prove that docs/api.md has 3 examples', 'qa');
    expect(proved?.keys?.owns).toBeUndefined();
  });

  test('of each template has its waves and roles, and goes from level to level by one step', () => {
    const waves = (template: TemplateName, goal: string) => {
      const made = planned(goal, template);
      if (!made.ok) throw new Error(made.error);
      const { waveNames = [], waves: groups, closures = [] } = made.value.sketch;
      return groups.map((tasks, at) => [
        waveNames[at],
        tasks[0]?.keys?.exit?.completion,
        tasks.map(({ keys }) => keys?.role),
        ...(Object.keys(closures[at] ?? {}).length === 0 ? [] : [Object.keys(closures[at] ?? {})]),
      ]);
    };
    const goal = 'Move the build to esbuild. Pin its version in package.json';
    expect(waves('qa', goal)).toEqual([
      ['survey', 'repo-landed', ['discovery']],
      ['prove', 'baseline-proved', ['quality', 'quality'], ['qa']],
    ]);
    expect(waves('infra', goal)).toEqual([
      ['design', 'contract-frozen', ['design']],
      ['build', 'repo-landed', ['infra', 'infra'], ['security', 'qa']],
    ]);
    expect(waves('release', goal)).toEqual([
      ['survey', 'repo-landed', ['discovery']],
      ['prepare', 'repo-landed', ['finalization', 'finalization'], ['qa']],
      ['prove', 'baseline-proved', ['deploy']],
    ]);
    expect(waves('implementation', 'Review src/a.ts')).toEqual([
      ['explore', 'contract-frozen', ['discovery']],
      ['validate', 'repo-landed', ['qa']],
    ]);
  });

  test('has no more tasks side by side than five, and none is left out', () => {
    const goal = Array.from({ length: 12 }, (_, at) => `- add page ${at}`).join('\n');
    const made = planned(goal, 'infra');
    const sizes = made.ok ? made.value.sketch.waves.map((tasks) => tasks.length) : [];
    expect(sizes).toEqual([1, 5, 5, 2]);
  });

  test('is refused of nothing and of too much', () => {
    expect(planned(' \n')).toEqual({ ok: false, error: 'the goal says nothing; say what is to be done' });
    expect(planned('x'.repeat(longestGoal)).ok).toBe(true);
    expect(planned('x'.repeat(longestGoal + 1)).ok).toBe(false);
  });

  test('says nothing to lint, whatever the goal', { timeout: 60_000 }, async () => {
    const rule = async (goal: string, template: TemplateName) => {
      const sketched = planned(goal, template);
      fc.pre(sketched.ok);
      const loaded = await read(planText(sketched.value.sketch, ''));
      expect(loaded).toMatchObject({ ok: true, warnings: [] });
      if (!loaded.ok) return;
      expect(loaded.plan.waves.flatMap((_, wave) => ownershipConflicts(loaded.plan, wave, []))).toEqual([]);
      expect(loaded.plan.waves.map(({ tasks }) => tasks.length <= 5)).not.toContain(false);
      expect(planned(goal, template)).toEqual(sketched);
    };
    await fc.assert(fc.asyncProperty(anyGoal, fc.constantFrom(...templateNames), rule), { numRuns: 300 });
  });
});
