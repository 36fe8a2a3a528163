import { chmodSync, existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { handoff, type Project, project, scripted } from '../support/project.ts';
import { isReachable, ordinary } from '../support/stranger.ts';

const jobFile = (p: Project, task: string, file: string) =>
  globSync(join(p.root, `state/*/jobs/*.${task}.*/workspace/${file}`));
const snapshotted = (p: Project, job: string) =>
  p
    .git('--git-dir', p.state().repository, 'ls-tree', '-r', `refs/tidegate/attempts/${job}`)
    .split('\n')
    .map((line) => line.replace(/ blob [0-9a-f]+\t/, ' '));

describe.skipIf(!isReachable)('S2: what an agent does with modes costs nothing', { timeout: 180_000 }, () => {
  test.each(['555', '000'])(
    'S2: `chmod %s .` as an ordinary user: a snapshot, one launch, and it lands',
    async (mode) => {
      const script = `mkdir -p x; echo 1 > x/z; echo 2 > run.sh; chmod 755 run.sh; ${handoff}; chmod ${mode} .`;
      const one = scripted(script, { owns: ['x/**', 'run.sh'] });
      const plan = { land: 'auto', limits: { attempts: 1 }, tasks: { one } };
      await using p = await project({ plan, as: ordinary });
      const run = await p.cli('run', 'plan.yaml', '--yes', '--json');
      const document = JSON.parse(run.stdout);
      expect(run.stdout + run.stderr).not.toMatch(/at .*\.js:\d+/);
      expect((await p.events()).filter(({ event }) => event.type === 'attempt-intended')).toHaveLength(1);
      expect(run.code).toBe(0);
      expect(snapshotted(p, `${document.run}.one.1`)).toEqual(
        expect.arrayContaining(['100755 run.sh', '100644 x/z', '100644 readme.md']),
      );
      expect(p.git('show', 'main:x/z')).toBe('1');
    },
  );
});

const big = 'head -c 101000000 /dev/zero > big.bin';
const first = (script: string) => `case $TIDEGATE_ATTEMPT in *.1) ${script}; exit 1;; esac`;

describe('S4: what no snapshot holds stays until it is discarded by name', { timeout: 180_000 }, () => {
  test('S4: across a retry, the landing, the disk cap and clean; status names it, and discard frees it', async () => {
    const odd = "echo odd > \"$(printf 'caf\\351')\"";
    const one = scripted(`${first(`${big}; ${odd}; echo half > half.txt`)}; echo done > done.txt; ${handoff}`, {
      owns: ['half.txt', 'done.txt'],
    });
    const env = { TIDEGATE_DISK_CAP: '50MB' };
    await using p = await project({ plan: { land: 'auto', limits: { attempts: 2 }, tasks: { one } }, env });
    const ran = await p.cli('run', 'plan.yaml', '--yes', '--json');
    const { run } = JSON.parse(ran.stdout);
    // the second attempt waits: the file alone is more than the cap
    expect(jobFile(p, 'one', 'big.bin')).toHaveLength(1);
    const document = JSON.parse((await p.cli('status', run, '--json')).stdout);
    expect(document.kept.map(({ path, command }: { path: string; command: string }) => [path, command])).toEqual(
      expect.arrayContaining([
        ['big.bin', `tidegate clean --discard ${run}/one big.bin`],
        ['"caf\\351"', `tidegate clean --discard ${run}/one '"caf\\351"'`],
      ]),
    );
  });
});
