import { expect, test } from 'vitest';
import { project } from '../support/project.ts';
import { serverOf, smallPlan } from '../support/server.ts';

test('the board of a run is read, written and answered over HTTP, once for each key', { timeout: 60_000 }, async () => {
  await using here = await project({ plan: smallPlan });
  const ordered = await here.cli('run', 'plan.yaml', '--json');
  const { run } = JSON.parse(ordered.stdout) as { run: string };
  await using server = await serverOf(here);
  const { read, approve } = server.tokens;
  const repositories = await server.ask('GET', '/v1/repositories', { token: read });
  const [{ id }] = (repositories.json as { items: [{ id: string }] }).items;
  const path = `/v1/repositories/${id}/runs/${run}/board`;
  const post = (body: object, headers = {}, token = approve) => server.ask('POST', path, { token, body, headers });
  const answer = (record: string, text: string | null) =>
    server.ask('POST', `${path}/${record}/answer`, { token: approve, body: { text } });

  expect((await post({ text: 'x' }, {}, read)).status).toBe(403);
  const question = { kind: 'question', target: 'person', text: 'who looks after it?' };
  for (const _ of [1, 2]) expect((await post(question, { 'idempotency-key': 'one' })).status).toBe(202);
  expect((await post({ target: 'one', text: 'mind the gap' })).status).toBe(202);
  expect((await post({ target: 'nobody', text: 'x' })).json).toMatchObject({ detail: `${run} has no task nobody` });
  expect((await post({ text: ' ' })).json).toMatchObject({ status: 422, field: 'body.text' });
  expect((await server.ask('GET', '/v1/inbox', { token: read })).json).toMatchObject({
    items: [
      { kind: 'approve' },
      { kind: 'question', record: '1', command: `tidegate answer ${run}/1 -m "your answer"` },
    ],
  });
  expect((await answer('1', 'I do')).status).toBe(202);
  expect((await answer('1', null)).status).toBe(409);
  const from = { person: expect.any(String) };
  const at = expect.any(String);
  expect((await server.ask('GET', path, { token: read })).json).toEqual({
    items: [
      { id: '1', ...question, status: 'answered', from, at, answer: { text: 'I do', ...from } },
      { id: '2', kind: 'note', status: 'closed', target: 'one', text: 'mind the gap', from, at },
    ],
  });
  const act = (record: string, body: object, token = approve) =>
    server.ask('POST', `${path}/${record}/act`, { token, body });
  const request = { kind: 'request', target: 'one', text: 'rename it', severity: 'normal', references: ['a.txt'] };
  expect((await post(request)).status).toBe(202);
  expect((await act('3', { act: 'start' }, read)).status).toBe(403);
  expect((await act('3', { act: 'start' })).status).toBe(202);
  expect((await act('3', { act: 'acknowledge' })).json).toMatchObject({ status: 409 });
  expect((await act('3', { act: 'dismiss' })).json).toMatchObject({ status: 409 });
  expect((await act('3', { act: 'dismiss', text: 'not now' })).status).toBe(202);
  expect((await server.ask('GET', path, { token: read })).json).toMatchObject({
    items: [{}, {}, { id: '3', status: 'closed', references: ['path:a.txt'], reason: { text: 'not now', ...from } }],
  });
});
