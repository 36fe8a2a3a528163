import { connect } from 'node:net';
import { openClientChannel } from '../../src/supervisor/channel/client-channel.ts';
import { plan, task } from '../../test/support/plans.ts';
import { watchedAgent } from '../../test/support/watched-agent.ts';
import { place } from '../repository.ts';
import { quantile } from '../statistics.ts';
import type { Row } from './row.ts';

/** One tool call through the attempt's socket: judged and recorded as the supervisor does it, beside an answer at once. */
export async function hookRow(calls: number): Promise<Row> {
  using here = place();
  const frozen = plan([{ a: {}, b: {}, c: {} }], { forbid: ['drop tables'] });
  const watch = watchedAgent(`${here.root}/job`, frozen, task('a'));
  const keep = (): void => undefined;
  const channels = { ours: `${here.root}/judged`, theirs: `${here.root}/at-once` };
  await using _ours = await openClientChannel(channels.ours, { nonce: 'n' }, { ...nothing, keep, hook: watch.hook });
  await using _theirs = await openClientChannel(
    channels.theirs,
    { nonce: 'n' },
    {
      ...nothing,
      keep,
      hook: () => ({ stdout: '', exit: 0 }),
    },
  );
  const spent: { readonly ours: number[]; readonly theirs: number[] } = { ours: [], theirs: [] };
  for (let index = 0; index < calls; index += 1)
    for (const who of ['ours', 'theirs'] as const) {
      const start = performance.now();
      await asked(channels[who], payload(index));
      spent[who].push(performance.now() - start);
    }
  watch.close();
  const [ours, theirs] = [quantile(spent.ours, 0.95), quantile(spent.theirs, 0.95)];
  return { name: 'tool call judged, p95', ours, beside: 'the same socket, answered at once, p95', theirs, unit: 'ms' };
}

/** Whatever else the channel may be asked. */
const nothing = {} as Omit<Parameters<typeof openClientChannel>[2], 'keep' | 'hook'>;

/** Nine of ten as they should be; every tenth is denied, and so goes to the disk before it is answered. */
function payload(index: number): unknown {
  const own = { tool_name: 'Write', tool_input: { file_path: `/workspace/a/${index}.txt`, content: 'x'.repeat(2000) } };
  const command = { tool_name: 'Bash', tool_input: { command: `cd a && grep -rn "needle ${index}" . | head -20` } };
  const stray = { tool_name: 'Write', tool_input: { file_path: `/workspace/b/${index}.txt`, content: 'x' } };
  const call = index % 10 === 0 ? stray : index % 2 === 0 ? command : own;
  return { hook_event_name: 'PreToolUse', tool_use_id: `t${index}`, cwd: '/workspace', ...call };
}

function asked(path: string, payloadOf: unknown): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => socket.write(`${JSON.stringify({ do: 'hook', payload: payloadOf })}\n`));
    socket.setEncoding('utf8').once('data', (text: string) => {
      socket.end();
      resolve(text);
    });
    socket.once('error', reject);
  });
}
