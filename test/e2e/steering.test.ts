import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkHistory } from '../support/checker.ts';
import { fakeClaude } from '../support/fake-claude.ts';
import { gitFacts } from '../support/kill.ts';
import { handoff, type Project, project, scripted } from '../support/project.ts';
import { untilEvent } from '../support/until-event.ts';

const asksForB = scripted(
  `echo a > a.txt; tidegate ask --scope b.txt -m 'they belong together' --wait 60; echo b > b.txt; ${handoff}`,
  { owns: ['a.txt'] },
);

test('an agent asks for a path, a person grants it while it works, and the same attempt lands it', async () => {
  await using here = await project({ plan: { tasks: { one: asksForB } } });
  await here.cli('run', 'plan.yaml', '--yes', '--land', '-d');
  await untilEvent(here, (event) => event.type === 'attempt-noted' && event.note.note === 'asked');
  expect((await here.cli('status')).stdout).toContain('the agent requests access to b.txt: they belong together');
  expect(await here.cli('grant', 'one', 'b.txt')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('its agent may change them now'),
  });
  expect((await here.cli('watch')).code).toBe(0);
  expect(here.git('show', 'main:b.txt')).toBe('b');
  const events = await here.events();
  expect(events.filter(({ event }) => event.type === 'attempt-intended')).toHaveLength(1);
  expect(events.some(({ event }) => event.type === 'attempt-told')).toBe(true);
  expect(checkHistory(events, { git: gitFacts(here) })).toEqual([]);
});

test('an instruction file granted while its agent works is open from the next attempt on, and both are told so', async () => {
  const writes = `echo a > a.txt
    if (echo x > AGENTS.md); then ${handoff}; exit; fi
    tidegate ask --scope AGENTS.md --wait 60 && echo granted-now > a.txt
    tidegate handoff partial -m 'AGENTS.md is left'`;
  const one = scripted(writes, { owns: ['a.txt'] });
  await using here = await project({ plan: { limits: { attempts: 2 }, tasks: { one } } });
  await here.cli('run', 'plan.yaml', '--yes', '--land', '-d');
  await untilEvent(here, (event) => event.type === 'attempt-noted' && event.note.note === 'asked');
  expect((await here.cli('grant', 'one', 'AGENTS.md')).stdout).toMatch(
    /^Granted AGENTS.md to \S+; read-only until its next attempt: AGENTS.md.\n$/,
  );
  expect((await here.cli('watch')).code).toBe(0);
  expect((await here.cli('logs', 'one', '--attempt', '1')).stdout).toContain(
    'granted from the next attempt on; read-only in this one: AGENTS.md. Go on without it, or hand off partial',
  );
  expect([here.git('show', 'main:a.txt'), here.git('show', 'main:AGENTS.md')]).toEqual(['a', 'x']);
});

test('what a sibling owns is not granted, and what lies outside cannot be asked for', async () => {
  const one = scripted(`tidegate ask --scope ../x || echo refused; tidegate ask --scope c.txt --wait 60`, {
    owns: ['a.txt'],
  });
  const beside = scripted(`echo c > c.txt; ${handoff}`, { owns: ['c.txt'] });
  await using here = await project({ plan: { tasks: { one, beside } } });
  await here.cli('run', 'plan.yaml', '--yes', '-d');
  await untilEvent(here, (event) => event.type === 'attempt-noted' && event.note.note === 'asked');
  expect(await here.cli('grant', 'one', 'c.txt')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('the grant would violate ownership'),
  });
  expect((await here.cli('logs', 'one')).stdout).toContain('refused');
});

/** What the agent was told after its prompt is in a.txt; a message with `finish` in it is the last. */
const listens = `
while IFS= read -r line; do
  printf '%s\\n' "$line" >> a.txt
  case "$line" in *finish*) break ;; esac
done
tidegate handoff done -m listened
through 0.25`;

test('a message reaches the agent once, is a fact, and is in its transcript; costs are what it named', async () => {
  await using scene = await claudeProject(listens);
  const { here } = scene;
  await here.cli('run', 'plan.yaml', '--yes', '--land', '-d');
  await untilEvent(here, (event) => event.type === 'attempt-started');
  expect(await here.cli('send', 'one', 'look at "the" tests')).toMatchObject({ code: 0 });
  expect(await here.cli('send', 'one', 'finish now')).toMatchObject({ code: 0 });
  expect((await here.cli('watch')).code).toBe(0);
  expect(here.git('show', 'main:a.txt').match(/look at/g)).toHaveLength(1);
  const events = await here.events();
  expect(messages(events)).toEqual(['look at "the" tests', 'finish now']);
  expect((await here.cli('attach', 'one')).stdout).toContain('← a person says: finish now');
  expect((await here.cli('costs')).stdout).toContain('$0.25');
  expect(checkHistory(events, { git: gitFacts(here) })).toEqual([]);
});

test('a supervisor killed right after it handed a message over has noted it: it counts as sent', async () => {
  await using scene = await claudeProject(listens, { TIDEGATE_FAILPOINT: 'supervisor-message-handed' });
  const { here } = scene;
  await here.cli('run', 'plan.yaml', '--yes', '-d');
  await untilEvent(here, (event) => event.type === 'attempt-started');
  expect(await here.cli('send', 'one', 'one word')).toMatchObject({ code: 0 });
  expect(messages(await here.events())).toEqual(['one word']);
});

test('killed before, nothing was sent, and the person is told', async () => {
  await using scene = await claudeProject(listens, { TIDEGATE_FAILPOINT: 'supervisor-message-before#1' });
  const { here } = scene;
  await here.cli('run', 'plan.yaml', '--yes', '-d');
  await untilEvent(here, (event) => event.type === 'attempt-started');
  await here.cli('pause');
  expect(await here.cli('send', 'one', 'one word')).toMatchObject({ code: 1 });
  expect(messages(await here.events())).toEqual([]);
});

test('an agent over its budget waits for a raise, which brings it on where it was', async () => {
  const script = `
if [ -e a.txt ]; then tidegate handoff done -m 'mended'; through 13
else echo a > a.txt; result '"subtype":"error_max_budget_usd","is_error":true,"terminal_reason":"budget","total_cost_usd":12'; exit 1
fi`;
  await using scene = await claudeProject(script);
  const { here } = scene;
  const ran = await here.cli('run', 'plan.yaml', '--yes', '--json');
  expect(ran.code).toBe(43);
  const run = (await here.events()).find(({ stream }) => stream !== 'repo')?.stream;
  const { needs } = JSON.parse(ran.stdout) as { needs: unknown };
  const command = `tidegate raise ${run}/one --usd 10`;
  expect(needs).toMatchObject([
    { kind: 'budget', task: 'one', message: 'has used $12.00 of its $10.00 budget', command },
  ]);
  expect(await here.cli('raise', 'one', '--usd', '10')).toMatchObject({ code: 0 });
  expect((await here.cli('resume', '--land')).code).toBe(0);
  const events = await here.events();
  expect(events.filter(({ event }) => event.type === 'attempt-intended')).toHaveLength(2);
  expect((await here.cli('costs')).stdout).toContain('$13.00 of $20.00 (65 %)');
  expect(checkHistory(events, { git: gitFacts(here) })).toEqual([]);
});

const messages = (events: Awaited<ReturnType<Project['events']>>): readonly string[] =>
  events.flatMap(({ event }) => (event.type === 'message-sent' ? [event.message] : []));

async function claudeProject(script: string, env: Readonly<Record<string, string>> = {}) {
  // not where temporary files are: that may be a place that no fence shows
  const beside = mkdtempSync('/var/tmp/tg-claude-');
  chmodSync(beside, 0o755);
  const PATH = fakeClaude(beside, script);
  const one = { do: 'Write a.txt. Acceptance: it is there.', agent: 'claude', owns: ['a.txt'] };
  const here = await project({ plan: { tasks: { one } }, env: { PATH, ANTHROPIC_API_KEY: 'test-key', ...env } });
  return {
    here,
    async [Symbol.asyncDispose]() {
      await here[Symbol.asyncDispose]();
      rmSync(beside, { recursive: true, force: true });
    },
  };
}
