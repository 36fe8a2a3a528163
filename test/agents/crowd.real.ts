import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { ended, project } from '../support/project.ts';
import { modelServer } from './model-server/server.ts';
import { installed } from './support/installed.ts';

/** Of each kind, all at once. `TIDEGATE_CROWD=12 npm run test:agents -- crowd` is the full size. */
const size = Number(process.env['TIDEGATE_CROWD'] ?? 2);
const kinds = ['claude', 'codex'] as const;
const missing = kinds.filter((kind) => installed(kind).program === null);

test.skipIf(missing.length > 0)(
  `${size} of ${kinds.join(' and ')} each at once end well, and ours take little memory${missing.map((one) => `: ${one} IS NOT INSTALLED`)}`,
  { timeout: 600_000 },
  async () => {
    const names = kinds.flatMap((kind) => Array.from({ length: size }, (_, index) => `${kind}-${index}`));
    const turns = (name: string) => [
      { calls: [{ tool: 'write', path: `${name}/a.txt`, content: `${name}\n` } as const] },
      { calls: [{ tool: 'bash', command: 'tidegate handoff done -m "did it"' } as const] },
      { text: 'All done.' },
    ];
    await using server = await modelServer({
      scripts: Object.fromEntries(names.map((name) => [name, { turns: turns(name) }])),
    });
    await using scene = await project({
      plan: {
        land: 'auto',
        limits: { parallel: names.length, minutes: 9 },
        tasks: Object.fromEntries(
          names.map((name) => [
            name,
            {
              do: `[[script:${name}]] Write ${name}/a.txt. Acceptance: it is there.`,
              owns: [`${name}/**`],
              agent: name.split('-')[0],
              ...(name.startsWith('codex') ? { model: 'gpt-5.5' } : {}),
            },
          ]),
        ),
      },
      env: {
        ANTHROPIC_BASE_URL: server.url,
        ANTHROPIC_API_KEY: 'test-key-of-nobody',
        OPENAI_BASE_URL: `${server.url}/v1`,
        OPENAI_API_KEY: 'test-key-of-nobody',
      },
    });
    const programs = join(scene.root, 'programs');
    mkdirSync(programs);
    for (const kind of kinds) symlinkSync(installed(kind).program ?? '', join(programs, kind));
    const path = `${programs}${delimiter}${scene.environment.PATH}`;

    const run = scene.start(['run', 'plan.yaml', '--yes', '--json'], { PATH: path });
    const memory = watch(run.pid ?? 0);
    const { code, stdout, stderr } = await ended(run);
    const { together, coordinator, atOnce } = memory.stop();
    expect(code, `${stdout.slice(0, 500)}\n${stderr}`).toBe(0);
    const landed = scene.git('ls-tree', '-r', '--name-only', 'main').split('\n');
    expect(landed).toEqual(expect.arrayContaining(names.map((name) => `${name}/a.txt`)));
    const charged = (await scene.events()).filter(({ event }) => event.type === 'attempt-intended');
    expect(charged.length).toBe(names.length);
    console.log(
      `${names.length} agents; ours: at most ${atOnce} processes, together ${Math.round(together)} MB (PSS), coordinator ${Math.round(coordinator)} MB`,
    );
    expect(together).toBeLessThan(1024);
    expect(coordinator).toBeLessThan(200);
  },
);

/** Proportional set size of our own processes, now and then. */
function watch(coordinator: number) {
  const peaks = { together: 0, coordinator: 0, atOnce: 0 };
  const look = (): void => {
    const ours = readdirSync('/proc').filter(
      (name) => /^\d+$/.test(name) && (Number(name) === coordinator || isOurs(read(`${name}/cmdline`))),
    );
    const sizes = ours.map((pid) => [Number(pid), megabytes(read(`${pid}/smaps_rollup`))] as const);
    const sum = sizes.reduce((total, [, size]) => total + size, 0);
    peaks.together = Math.max(peaks.together, sum);
    peaks.coordinator = Math.max(peaks.coordinator, sizes.find(([pid]) => pid === coordinator)?.[1] ?? 0);
    peaks.atOnce = Math.max(peaks.atOnce, sizes.length);
  };
  const timer = setInterval(look, 250);
  return {
    stop: () => {
      clearInterval(timer);
      return peaks;
    },
  };
}

const here = new URL('../../dist/main/', import.meta.url).pathname;
/** `cat`: what an agent keeps of `tidegate mcp`. */
const isOurs = (commandLine: string): boolean =>
  commandLine.includes(here) || commandLine.includes('/run/tidegate/client.mjs') || commandLine === 'cat\0';
const megabytes = (rollup: string): number => Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) / 1024;

function read(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'latin1');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // EACCES: without root, what is in a fence and what belongs to others cannot be measured.
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES') return '';
    throw error;
  }
}
