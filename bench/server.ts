import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tokenOf } from '../src/server/http/keys.ts';
import { planOf } from './agent.ts';
import { type Asking, answerOf, type Load, load } from './load.ts';
import { machineLine } from './report.ts';
import { makeRepository, place } from './repository.ts';
import { fanout } from './server-fanout.ts';
import { median } from './statistics.ts';
import { program, runTidegate } from './tidegate.ts';

/**
 * `npm run bench:server`: requests per second of `tidegate serve` beside a bare `node:http` server, in turns over the same kept-alive
 * connections. `--quick` does less.
 */
export type ServerFigures = {
  readonly what: string;
  readonly beside: string;
  readonly connections: number;
  readonly ours: Load;
  readonly bare: Load;
  /** Medians of the rounds' own: requests per second, and requests per second of processor time. */
  readonly ratio: number;
  readonly cpuRatio: number;
};
type Size = { readonly rounds: number; readonly reads: number; readonly writes: number; readonly connections: number };

const full: Size = { rounds: 7, reads: 3_000, writes: 1_500, connections: 32 };
export const quick: Size = { rounds: 1, reads: 200, writes: 50, connections: 8 };

export async function measureServer(size: Size): Promise<readonly ServerFigures[]> {
  using here = place();
  const checkout = join(here.root, 'repo');
  mkdirSync(checkout);
  await makeRepository(checkout, 20, planOf(5, 'wave', 2));
  await runTidegate(here.root);
  await using ours = await tidegateServer(here.root, checkout);
  const { items } = await answerOf<{ items: readonly { id: string }[] }>(ours.asks('GET', '/v1/repositories'));
  const runs = `/v1/repositories/${items[0]?.id}/runs`;
  const listed = await answerOf<{ items: readonly { run: string }[] }>(ours.asks('GET', runs));
  const status = ours.asks('GET', `${runs}/${listed.items[0]?.run}`);
  const document = JSON.stringify(await answerOf(status));
  await using bare = await processWith([bareServer, document, join(here.root, 'bare.db')], {});
  const bareAsks = (method: Asking['method']): Asking => ({ port: Number(bare.said), method, path: '/' });

  const subtask = await openSubtask(ours.asks);
  const body = (index: number) => ({ result: { summary: `step ${index}`, files: ['src/a.ts'] } });
  const { rounds, reads, writes, connections } = size;
  const reading = { requests: reads, connections };
  const writing = { requests: writes, connections };
  const change = { ...ours.asks('PATCH', `/api/subtasks/${subtask}`), body };
  return [
    await compared(
      { what: 'GET status of a run', beside: `the same ${document.length} bytes, written as JSON` },
      { rounds, connections },
      timed(ours.pid, () => load(status, reading)),
      timed(bare.pid, () => load(bareAsks('GET'), reading)),
    ),
    await compared(
      { what: 'PATCH of a subtask, durable', beside: 'JSON read, one SQLite row, WAL, FULL' },
      { rounds, connections },
      timed(ours.pid, () => load(change, writing)),
      timed(bare.pid, () => load({ ...bareAsks('PATCH'), body }, writing)),
    ),
  ];
}

type Timed = Load & { readonly cpu: number };

/** With the processor time that the server took meanwhile, in ticks of the kernel: on a busy machine it says more than the clock. */
const timed = (pid: number, work: () => Promise<Load>) => async (): Promise<Timed> => {
  const ticks = (): number => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  };
  const before = ticks();
  const done = await work();
  return { ...done, cpu: Math.max(1, ticks() - before) };
};

/** Rounds take turns in who goes first, after one each that is not counted. */
async function compared(
  names: Pick<ServerFigures, 'what' | 'beside'>,
  { rounds, connections }: { readonly rounds: number; readonly connections: number },
  ours: () => Promise<Timed>,
  bare: () => Promise<Timed>,
): Promise<ServerFigures> {
  const found: { readonly ours: Timed; readonly bare: Timed }[] = [];
  await ours();
  await bare();
  for (let round = 0; round < rounds; round += 1) {
    const first = round % 2 === 0 ? await ours() : null;
    const theirs = await bare();
    found.push({ ours: first ?? (await ours()), bare: theirs });
  }
  const middle = (of: 'ours' | 'bare'): Load => ({
    perSecond: median(found.map((one) => one[of].perSecond)),
    p50: median(found.map((one) => one[of].p50)),
    p95: median(found.map((one) => one[of].p95)),
  });
  const ratio = median(found.map((one) => one.ours.perSecond / one.bare.perSecond));
  const cpuRatio = median(found.map((one) => one.bare.cpu / one.ours.cpu));
  return { ...names, connections, ours: middle('ours'), bare: middle('bare'), ratio, cpuRatio };
}

const bareServer = fileURLToPath(new URL('./bare-server.mjs', import.meta.url));

async function tidegateServer(root: string, checkout: string) {
  const state = join(root, 'state');
  const env = { HOME: join(root, 'home'), TIDEGATE_STATE_DIR: state };
  const server = await processWith([program, 'serve', '--port', '0', '--json'], { cwd: checkout, env });
  const port = Number(new URL((JSON.parse(server.said) as { serving: string }).serving).port);
  const secret = Buffer.from(readFileSync(join(state, 'server', 'key'), 'utf8').trim(), 'base64url');
  const headers = { authorization: `Bearer ${tokenOf(secret, 'operate')}` };
  const asks = (method: Asking['method'], path: string): Asking => ({ port, method, path, headers });
  return { asks, pid: server.pid, [Symbol.asyncDispose]: server[Symbol.asyncDispose] };
}

/** A session of its own with one subtask at work. */
async function openSubtask(asks: (method: Asking['method'], path: string) => Asking): Promise<string> {
  const tasks = [{ task_id: 'one', agent_type: 'general', description: 'work' }];
  await answerOf({ ...asks('POST', '/api/waves/bench/create'), body: () => ({ wave_number: 0 }) });
  await answerOf({ ...asks('POST', '/api/waves/bench/start'), body: () => ({ wave_number: 0 }) });
  const submit = asks('POST', '/api/orchestration/batch-submit');
  const body = () => ({ session_id: 'bench', wave_number: 0, tasks });
  const { batch } = await answerOf<{ batch: { subtask_ids: readonly string[] } }>({ ...submit, body });
  return batch.subtask_ids[0] ?? '';
}

/** A process of Node's whose first line says that it is ready. */
async function processWith(
  args: readonly string[],
  { cwd = '/', env = {} }: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> },
) {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const over = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const said = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\n')) resolve(text.split('\n')[0] ?? '');
    });
    void over.then(() => reject(new Error(`${args[0]} ended: ${text}`)));
  });
  return {
    said,
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await over;
    },
  };
}

export function serverTable(figures: readonly ServerFigures[]): string {
  const head = [
    '| what | tidegate /s | p50 | p95 | beside | /s | p50 | p95 | ratio | by processor time |',
    '|---|---|---|---|---|---|---|---|---|---|',
  ];
  const cells = ({ perSecond, p50, p95 }: Load) =>
    `${perSecond.toFixed(0)} | ${p50.toFixed(1)} ms | ${p95.toFixed(1)} ms`;
  const lines = figures.map(
    ({ what, beside, ours, bare, ratio, cpuRatio }) =>
      `| ${what} | ${cells(ours)} | ${beside} | ${cells(bare)} | ${ratio.toFixed(2)}x | ${cpuRatio.toFixed(2)}x |`,
  );
  return [`Requests over ${figures[0]?.connections} kept-alive connections`, '', ...head, ...lines].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const isQuick = process.argv.includes('--quick');
  process.stdout.write(`${machineLine()}\n\n${serverTable(await measureServer(isQuick ? quick : full))}\n\n`);
  process.stdout.write(`${await fanout({ quick: isQuick })}\n`);
}
