import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import {
  fenceCommand,
  fencedEnvironment,
  fencedWorkspace,
  findHost,
  launch,
  startCommand,
} from '../../src/adapters/fence/index.ts';
import { fencedByHand } from '../fence.mjs';
import { run } from '../process.ts';
import { place } from '../repository.ts';
import { program } from '../tidegate.ts';
import { inTurns, type Row } from './row.ts';

/** What it costs to get something started at all. */
export async function startRows(rounds: number): Promise<readonly Row[]> {
  using here = place();
  const workspace = `${here.root}/workspace`;
  mkdirSync(workspace);
  // ours and theirs are different users there
  chmodSync(workspace, 0o777);
  const [byHand, ...args] = fencedByHand(workspace, 'true');
  const fence = await inTurns(
    rounds,
    () => provenFence(workspace, here.root),
    () => run(byHand, args),
  );
  const bare = await inTurns(
    rounds,
    () => provenFence(workspace, here.root),
    () => run('/bin/sh', ['-c', 'true']),
  );
  const version = await inTurns(
    rounds,
    () => run(process.execPath, [program, '--version']),
    () => run(process.execPath, ['-e', '0']),
  );
  const name = 'fence with its canary, start to end of `true`';
  return [
    { name, ...fence, beside: 'bwrap by hand', unit: 'ms' },
    { name, ...bare, beside: 'no fence at all', unit: 'ms' },
    { name: 'tidegate --version', ...version, beside: 'node -e 0', unit: 'ms' },
  ];
}

async function provenFence(workspace: string, outside: string): Promise<void> {
  const host = findHost(process.env);
  const token = 'bench';
  const inner = startCommand(
    { token, network: 'off', fenced: true, outside: [outside], stdin: '/dev/null', argv: ['true'] },
    host,
  );
  const quiet = openSync('/dev/null', 'r+');
  const fenced = launch({
    command: fenceCommand({ workspace, binds: [], network: 'off' }, host, inner),
    environment: fencedEnvironment(process.env, host, {
      network: 'off',
      pass: [],
      set: { TIDEGATE_WORKSPACE: fencedWorkspace },
      client: null,
    }),
    output: quiet,
    errors: quiet,
    stdin: null,
    cwd: '/',
    canary: { token, workspace, outside: [outside] },
  });
  closeSync(quiet);
  const readiness = await fenced.ready;
  if (readiness.outcome !== 'held') throw new Error(`the fence did not hold: ${JSON.stringify(readiness)}`);
  fenced.go();
  await fenced.ended;
}
