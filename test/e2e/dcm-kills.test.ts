import { once } from 'node:events';
import { expect, test } from 'vitest';
import { checkHistory } from '../support/checker.ts';
import { dcmOf } from '../support/dcm.ts';
import { project } from '../support/project.ts';
import { serverOf, smallPlan } from '../support/server.ts';

const steps = Array.from({ length: 12 }, (_, at) => at);

/** Each step changes the one subtask, so that a step which is done once more would undo those after it. */
test.each(['ledger-before-commit#3', 'ledger-after-commit#3', 'ledger-after-head#3'])(
  'a server killed at %s has recorded what it answered, once; what is asked again under its key is done once',
  async (failpoint) => {
    await using scene = await project({ plan: smallPlan });
    const arranging = await serverOf(scene);
    const { subtasks } = await dcmOf(arranging, 'killed').submit(0, [{}]);
    await arranging.stop();

    const doomed = await serverOf(scene, { env: { TIDEGATE_FAILPOINT: failpoint } });
    const patch = (server: typeof doomed, step: number) =>
      server.ask('PATCH', `/api/subtasks/${subtasks[0]}`, {
        token: server.tokens.operate,
        headers: { 'idempotency-key': `step-${step}` },
        body: { result: { step } },
      });
    const answered: number[] = [];
    const ask = async (step: number): Promise<void> => {
      if ((await patch(doomed, step)).status === 200) answered.push(step);
    };
    for (const step of steps.slice(0, 2)) await ask(step);
    await Promise.allSettled(steps.slice(2).map(ask));
    if (doomed.child.signalCode === null) await once(doomed.child, 'close');
    expect(doomed.child.signalCode).toBe('SIGKILL');
    const recorded = async (): Promise<readonly unknown[]> =>
      (await scene.events()).flatMap(({ event }) =>
        event.type === 'external-subtask-updated' ? [event.result?.['step']] : [],
      );
    const before = await recorded();
    expect(before).toEqual([...new Set(before)]);
    expect(before).toEqual(expect.arrayContaining(answered));
    expect(answered.length).toBeLessThan(steps.length);

    await using server = await serverOf(scene);
    const again = await Promise.all(steps.map((step) => patch(server, step)));
    expect(again.map(({ status }) => status)).toEqual(steps.map(() => 200));
    expect((await recorded()).toSorted((a, b) => Number(a) - Number(b))).toEqual(steps);
    expect(checkHistory(await scene.events())).toEqual([]);
  },
);
