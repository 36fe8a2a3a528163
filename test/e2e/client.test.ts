import { expect, test } from 'vitest';
import { TidegateProblem, tidegateClient } from '../../src/contract/client.ts';
import { holdToContract } from '../support/contract.ts';
import { project } from '../support/project.ts';
import { type Serving, serverOf, smallPlan } from '../support/server.ts';

const clientOf = ({ url, tokens }: Serving) => tidegateClient({ url, token: tokens.approve, fetch: checkedFetch(3) });

test('a whole run by the client alone: ordered, watched over cut connections, approved, read, landed', async () => {
  await using scene = await project({ plan: smallPlan });
  await using server = await serverOf(scene);
  const client = clientOf(server);
  const { items } = await client.repositories();
  const repository = items.find(({ home }) => home)?.id ?? '';
  const { run, hash, tasks } = await client.order({ repository }, { planFile: 'plan.yaml' }, { key: 'once' });
  expect((await client.order({ repository }, { planFile: 'plan.yaml' }, { key: 'once' })).run).toBe(run);
  expect(tasks).toBe(1);

  const place = { repository, run };
  const seen: { readonly id: string; readonly event: string }[] = [];
  let reconnects = 0;
  const onReconnect = () => {
    reconnects += 1;
  };
  for await (const { id, event, data } of client.watch(
    { repository, channel: `run/${run}`, after: '0' },
    { onReconnect },
  )) {
    seen.push({ id, event });
    const tap = event === 'tap-opened' ? (data as { readonly event: { readonly tap: string } }).event.tap : null;
    if (tap === 'start') await client.approve(place, { hash });
    if (tap === 'land') {
      expect(await client.tasks(place)).toMatchObject({ items: [{ id: 'one', status: 'merged' }] });
      expect(await client.diff({ ...place, task: 'one' })).toMatchObject({ files: [{ path: 'one.txt' }] });
      expect(await (await client.prompt({ ...place, task: 'one', attempt: 1 })).whole()).toContain('one.txt');
      await client.land(place);
    }
    if (event === 'run-ended') break;
  }

  expect(scene.git('show', 'main:one.txt')).toBe('one');
  expect(await client.run(place)).toMatchObject({ ended: 'landed' });
  const stored = (await scene.events()).filter(({ stream }) => stream === run);
  const ofLedger = seen.filter(({ id }) => !id.includes('.'));
  expect(ofLedger).toEqual(
    stored.slice(0, ofLedger.length).map(({ seq, event }) => ({ id: `${seq}`, event: event.type })),
  );
  expect(ofLedger.at(-1)?.event).toBe('run-ended');
  expect(reconnects).toBeGreaterThan(2);
});

test('a refusal has the field and what to do next', async () => {
  await using scene = await project({ plan: smallPlan });
  await using server = await serverOf(scene);
  const client = clientOf(server);
  const thrown = await client.run({ repository: 'nobody-0', run: 'x-1' }).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(TidegateProblem);
  expect(thrown).toMatchObject({ problem: { status: 404, field: 'params.repository' } });
});

/** Every document has to be in the contract, and every stream of events is cut after so many pieces. */
function checkedFetch(pieces: number): typeof fetch {
  return async (address, init) => {
    const response = await fetch(address, init);
    const type = response.headers.get('content-type') ?? undefined;
    const { pathname, search } = new URL(String(address));
    if (type === 'text/event-stream') return new Response(response.body?.pipeThrough(cutAfter(pieces)), response);
    const text = await response.clone().text();
    holdToContract({ method: init?.method ?? 'GET', path: pathname + search, status: response.status, type, text });
    return response;
  };
}

function cutAfter(pieces: number): TransformStream<Uint8Array, Uint8Array> {
  let left = pieces;
  return new TransformStream({
    transform(chunk, controller) {
      left -= 1;
      // in the middle of what it says
      controller.enqueue(left > 0 ? chunk : chunk.subarray(0, chunk.length / 2));
      if (left === 0) controller.error(new TypeError('terminated'));
    },
  });
}
