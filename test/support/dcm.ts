import type { Answered, Serving } from './server.ts';

/** DCM's API as its clients call it, with the token added. */
export function dcmOf(server: Pick<Serving, 'ask' | 'tokens'>, session: string) {
  const token = server.tokens.operate;
  const post = (path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answered> =>
    server.ask('POST', path, { token, headers, ...(body === undefined ? {} : { body }) });
  const get = (path: string): Promise<Answered> => server.ask('GET', path, { token: server.tokens.read });
  return {
    post,
    get,
    wave: (what: 'create' | 'start', wave_number: number) => post(`/api/waves/${session}/${what}`, { wave_number }),
    transition: () => post(`/api/waves/${session}/transition`),
    current: () => get(`/api/waves/${session}/current`),
    history: () => get(`/api/waves/${session}/history`),
    submit: async (wave_number: number, tasks: readonly object[], headers: Readonly<Record<string, string>> = {}) => {
      const order = tasks.map((task, at) => ({
        task_id: `task-${at + 1}`,
        agent_type: 'backend-laravel',
        description: `task ${at + 1}`,
        ...task,
      }));
      const answered = await post(
        '/api/orchestration/batch-submit',
        { session_id: session, wave_number, tasks: order },
        headers,
      );
      const { batch } = answered.json as {
        readonly batch?: { readonly id: string; readonly subtask_ids: readonly string[] };
      };
      return { answered, batch: batch?.id ?? '', subtasks: batch?.subtask_ids ?? [] };
    },
    set: (subtask: string | undefined, status: string, result?: object) =>
      server.ask('PATCH', `/api/subtasks/${subtask}`, {
        token,
        body: { status, ...(result === undefined ? {} : { result }) },
      }),
    patch: (subtask: string | undefined, body: object) =>
      server.ask('PATCH', `/api/subtasks/${subtask}`, { token, body }),
    batch: (id: string) => get(`/api/orchestration/batch/${id}`),
    complete: (id: string, body?: object) => post(`/api/orchestration/batch/${id}/complete`, body),
    synthesis: (id: string) => get(`/api/orchestration/synthesis/${id}`),
    conflicts: (id: string) => get(`/api/orchestration/conflicts/${id}`),
  };
}
