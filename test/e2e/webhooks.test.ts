import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { honest } from '../support/crew.ts';
import { allEnded } from '../support/kill.ts';
import { ended, type Project, project } from '../support/project.ts';
import { answers, receiver } from '../support/receiver.ts';
import { serverOf } from '../support/server.ts';
import { armed } from '../support/sweep.ts';

const plan = { land: 'auto', tasks: { honest } };

function says(scene: Project, webhook: string): void {
  mkdirSync(join(scene.root, 'home/.config/tidegate'), { recursive: true });
  const notify = { webhook, secretFrom: 'HOOK_SECRET', on: ['failed', 'done'] };
  writeFileSync(join(scene.root, 'home/.config/tidegate/config.yaml'), stringify({ notify }));
}
const env = { HOOK_SECRET: 'whsec-77d0c2' };
const idsOf = (there: Awaited<ReturnType<typeof receiver>>) =>
  there.received.map(({ headers }) => headers['tidegate-event-id']);

describe('that a run is done reaches a webhook at least once, under one name, though the coordinator is killed', () => {
  test.each([
    ['webhook-record-before', 0, 1],
    ['webhook-recorded', 0, 1],
    ['webhook-taken', 1, 2],
    ['webhook-settled', 1, 1],
  ])('at %s', async (failpoint, before, after) => {
    await using there = await receiver();
    await using scene = await project({ plan, env });
    says(scene, there.url);
    const weapon = armed(scene.root, failpoint, 1);
    await ended(scene.start(['run', 'plan.yaml', '--yes', '--json'], weapon.env));
    await allEnded(scene, ['cli', 'merger']);
    expect([weapon.wasReached(), there.received.length]).toEqual([true, before]);
    await scene.cli('coordinate');
    await scene.cli('coordinate');
    expect(there.received.map(({ body }) => JSON.parse(body) as object)).toMatchObject(
      Array(after).fill({ news: 'done', kind: 'ended' }),
    );
    expect(new Set(idsOf(there)).size).toBe(1);
    expect(readFileSync(join(scene.state().root, 'webhooks.json'), 'utf8')).not.toContain(env.HOOK_SECRET);
  });
});

test('a receiver that was down while the run ended is told by the server that starts next', async () => {
  let isUp = false;
  await using there = await receiver((response, one, count) => answers(isUp ? 204 : 503)(response, one, count));
  await using scene = await project({ plan, env });
  says(scene, there.url);
  expect((await scene.cli('run', 'plan.yaml', '--yes', '--json')).code).toBe(0);
  const tries = there.received.length;
  expect(tries).toBeGreaterThan(0);
  isUp = true;
  await using _server = await serverOf(scene);
  await there.until(tries + 1);
  expect(new Set(idsOf(there)).size).toBe(1);
});
