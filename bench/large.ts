import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { stateDir } from '../src/domain/ledger/state-dir.ts';
import { actsIn, noOpHandedOff } from './agent.ts';
import { run } from './process.ts';
import { place } from './repository.ts';
import { seconds } from './statistics.ts';
import { program } from './tidegate.ts';

export type LargeFigures = {
  readonly files: number;
  readonly megabytes: number;
  /** First and second `go`, each with the clone that was made right before it. */
  readonly rounds: readonly { readonly go: number; readonly clone: number; readonly progressLines: number }[];
};

/** From typing `go` to the first act of its agent, in a large repository, beside a bare shared clone of it. */
export async function measureLarge({ files, bytes }: { readonly files: number; readonly bytes: number }) {
  using here = place();
  const checkout = join(here.root, 'repo');
  await makeLarge(checkout, files, bytes);
  return await measureGo(checkout, here.root, { files, megabytes: (files * bytes) / 1e6 });
}

async function measureGo(
  checkout: string,
  root: string,
  size: Pick<LargeFigures, 'files' | 'megabytes'>,
): Promise<LargeFigures> {
  const rounds = [];
  for (const round of [1, 2]) {
    // what one copy leaves to be written must not slow the next one down
    await run('sync', []);
    const workers = `checkout.workers=${availableParallelism()}`;
    const clone = await seconds(() =>
      run('git', [
        '-c',
        'safe.directory=*',
        '-c',
        workers,
        'clone',
        '-q',
        '--shared',
        checkout,
        join(root, `clone-${round}`),
      ]),
    );
    await run('sync', []);
    rounds.push({ clone, ...(await firstAct(checkout, root, round)) });
  }
  return { ...size, rounds };
}

async function firstAct(checkout: string, root: string, round: number) {
  const states = join(root, 'state');
  mkdirSync(join(root, 'home'), { recursive: true });
  const started = BigInt(Date.now()) * 1_000_000n;
  const said = await run(process.execPath, [program, 'go', `Write round ${round}`, '--yes', '--land'], {
    cwd: checkout,
    env: {
      HOME: join(root, 'home'),
      TIDEGATE_STATE_DIR: states,
      TIDEGATE_AGENT: 'command',
      TIDEGATE_COMMAND: JSON.stringify(['/bin/sh', '-ec', noOpHandedOff(`round-${round}.txt`)]),
    },
  });
  const state = stateDir(join(states, readdirSync(states)[0] ?? ''));
  const job = readdirSync(state.jobs).find((name) => name.startsWith(`go-write-round-${round}-`));
  const { first } = actsIn(readFileSync(join(state.job(job ?? ''), 'output.log'), 'utf8'));
  const progressLines = said.split('making its copy of the repository').length - 1;
  return { go: Number(first - started) / 1e9, progressLines };
}

/** By one stream of one commit: writing the files and adding them would take several times as long. */
async function makeLarge(checkout: string, files: number, bytes: number): Promise<void> {
  await run('git', ['init', '-q', '-b', 'main', checkout]);
  for (const setting of ['user.name=Ada', 'user.email=ada@example.com']) {
    const [key = '', value = ''] = setting.split('=');
    await run('git', ['-C', checkout, 'config', key, value]);
  }
  const git = spawn('git', ['-C', checkout, '-c', 'core.compression=1', 'fast-import', '--quiet', '--done'], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = once(git, 'close');
  const say = async (text: string) => {
    if (!git.stdin.write(text, 'latin1')) await once(git.stdin, 'drain');
  };
  await say('commit refs/heads/main\ncommitter Ada <ada@example.com> 1700000000 +0000\ndata 5\nlarge\n');
  for (let index = 0; index < files; index += 1) {
    const text = contentOf(index, bytes);
    const path = `src/part-${Math.floor(index / 1000)}/group-${Math.floor(index / 100) % 10}/file-${index}.txt`;
    await say(`M 100644 inline ${path}\ndata ${text.length}\n${text}\n`);
  }
  await say('done\n');
  git.stdin.end();
  const [code] = await ended;
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
  await run('git', ['-C', checkout, 'reset', '-q', '--hard']);
}

/** Lines that differ from file to file, about as compressible as source. */
function contentOf(index: number, bytes: number): string {
  let seed = index + 1;
  let text = `file ${index}\n`;
  while (text.length < bytes) {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    text += `${words[seed % words.length]} ${seed.toString(36)}${seed % 7 === 0 ? '\n' : ' '}`;
  }
  return text.slice(0, bytes);
}

const words = 'const return function export import type readonly string number await if else for of new this'.split(
  ' ',
);
