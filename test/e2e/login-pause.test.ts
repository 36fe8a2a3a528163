import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { checkHistory } from '../support/checker.ts';
import { fakeClaude } from '../support/fake-claude.ts';
import { gitFacts } from '../support/kill.ts';
import { ended, handoff, type Project, project } from '../support/project.ts';

/** Works with the right key only; what it writes has a name of its own. */
const script = `
[ "$ANTHROPIC_API_KEY" = good ] || { result '"subtype":"success","is_error":true,"api_error_status":401'; exit 1; }
mkdir -p out; mktemp -p out x.XXXXXX; ${handoff}; through 0.1`;
const planOf = (name: string) => ({
  name,
  land: 'auto',
  tasks: { one: { do: 'Write a file. Acceptance: it is there.', agent: 'claude', owns: ['out/**'] } },
});

async function twoPlans() {
  // not where temporary files are: that may be a place that no fence shows
  const beside = mkdtempSync('/var/tmp/tg-claude-');
  chmodSync(beside, 0o755);
  const env = { PATH: fakeClaude(beside, script), ANTHROPIC_API_KEY: 'bad' };
  const p = await project({ plan: planOf('first'), files: { 'b.yaml': stringify(planOf('second')) }, env });
  return {
    p,
    async [Symbol.asyncDispose]() {
      await p[Symbol.asyncDispose]();
      rmSync(beside, { recursive: true, force: true });
    },
  };
}

/** A run that waits for a login: its name, and the command that is shown. */
async function waits(p: Project, file: string) {
  const { code, stdout } = await p.cli('run', file, '--yes', '--json');
  const document = JSON.parse(stdout) as { run: string; reason: string; needs: readonly { command: string }[] };
  expect([code, document.reason]).toEqual([43, 'login']);
  return { run: document.run, command: document.needs[0]?.command ?? '' };
}

const withLogin = (p: Project, command: string) =>
  ended(p.start([...command.split(' ').slice(1), '--json'], { ANTHROPIC_API_KEY: 'good' }));

test('after a login the command that is shown lets the run go on', async () => {
  await using scene = await twoPlans();
  const { p } = scene;
  const { run, command } = await waits(p, 'plan.yaml');
  expect(command).toBe(`tidegate resume ${run}`);
  expect((await withLogin(p, command)).code).toBe(0);
  expect(checkHistory(await p.events(), { git: gitFacts(p) })).toEqual([]);
}, 60_000);

test('a run that was stopped keeps no other run waiting for its login', async () => {
  await using scene = await twoPlans();
  const { p } = scene;
  const first = await waits(p, 'plan.yaml');
  expect((await p.cli('stop', first.run)).code).toBe(0);
  const second = await waits(p, 'b.yaml');
  expect(second.command).toBe(`tidegate resume ${second.run}`);
  expect((await withLogin(p, second.command)).code).toBe(0);
  expect((await p.cli('status', first.run)).stdout).toContain('stopped by');
  expect(checkHistory(await p.events(), { git: gitFacts(p) })).toEqual([]);
}, 60_000);

test('a run that waits for the login of another names the command that lets both go on', async () => {
  await using scene = await twoPlans();
  const { p } = scene;
  const first = await waits(p, 'plan.yaml');
  const second = await waits(p, 'b.yaml');
  expect(second.command).toBe(`tidegate resume ${first.run}`);
  expect((await withLogin(p, second.command)).code).toBe(0);
  expect((await withLogin(p, `tidegate watch ${second.run}`)).code).toBe(0);
  expect(checkHistory(await p.events(), { git: gitFacts(p) })).toEqual([]);
}, 60_000);
