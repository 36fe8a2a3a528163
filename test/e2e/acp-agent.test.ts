import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { toolScopeOf } from '../../src/domain/tool-calls/tool-scope.ts';
import { frozenPlan, plannedTask } from '../support/plans.ts';
import { follow, supervisedScene } from '../support/supervised.ts';

describe('an agent that speaks ACP', () => {
  test('is asked to end its turn when it is stopped; what it says of the turn is kept', async () => {
    await using small = await smallAgent('Do it.');
    await small.supervisors.stop(small.job.id, 'stopped');
    const { record } = await small.ended;
    expect(small.heard().slice(0, 2)).toEqual(['Do it.', 'cancel']);
    expect(record.ending).toMatchObject({ reason: 'stopped' });
    expect(record.agent).toMatchObject({
      session: 'small-1',
      usage: { inputTokens: 70, outputTokens: 7 },
      trouble: null,
    });
    expect(record.snapshot?.diff.map(({ path }) => path)).toEqual(['heard.txt']);
  });

  test('is ended as every other when it does not', async () => {
    await using small = await smallAgent('Be stubborn.');
    await small.supervisors.stop(small.job.id, 'stopped');
    const { record } = await small.ended;
    expect(small.heard()).toEqual(['Be stubborn.', 'cancel', 'TERM']);
    expect(record.ending).toMatchObject({ reason: 'stopped' });
  });

  test('hears a message when its turn is over', async () => {
    await using small = await smallAgent('Do it.');
    expect(await small.supervisors.send(small.job.id, 1, 'Mind the gap.')).toBe('taken');
    writeFileSync(join(small.workspace, 'go'), '');
    await small.ended;
    expect(small.heard().slice(0, 2)).toEqual(['Do it.', 'Mind the gap.']);
  });
});

/** At work on its first prompt. */
async function smallAgent(brief: string) {
  const scene = await supervisedScene();
  const root = resolve(import.meta.dirname, '../..');
  const bin = join(scene.repo.home, 'bin');
  mkdirSync(bin);
  const text = `#!${process.execPath}\nimport(${JSON.stringify(join(root, 'test/support/acp-agent.mjs'))});\n`;
  writeFileSync(join(bin, 'small'), text, { mode: 0o755 });
  const packages = join(root, 'node_modules');
  const read = [...new Set([packages, realpathSync(packages), join(root, 'test/support')])];
  const task = plannedTask('task', { owns: ['**'] });
  const job = scene.job({
    executor: 'acp',
    brief: `${brief}\n`,
    fence: { mode: 'auto', network: 'off', read, write: [], env: [] },
    agent: {
      program: 'small',
      arguments: [],
      credentials: [],
      variables: [],
      model: null,
      turns: null,
      usd: 10,
      session: null,
      scope: toolScopeOf(frozenPlan([[task]]), task, []),
      breaker: 'normal',
    },
  });
  const supervisors = scene.coordinator({ PATH: `${bin}:${process.env['PATH'] ?? ''}` });
  const { workspace } = scene.files(job);
  const ended = follow(supervisors, job).ended.then(async (event) => {
    await supervisors.acknowledge(job.id);
    return event;
  });
  const file = join(workspace, 'heard.txt');
  await vi.waitUntil(() => existsSync(file), { timeout: 20_000 });
  const heard = () => readFileSync(file, 'utf8').trimEnd().split('\n');
  return { job, supervisors, workspace, ended, heard, [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose]() };
}
