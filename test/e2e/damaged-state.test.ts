import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Ended, handoff, type Project, project, scripted } from '../support/project.ts';
import { isReachable, ordinary } from '../support/stranger.ts';

const one = scripted(`echo one > one.txt; ${handoff}`, { owns: ['one.txt'] });
const stack = /\n\s+at |node:internal|ZodError|SyntaxError/;

const damages: Readonly<Record<string, (path: string) => void>> = {
  'half of it': (path) => writeFileSync(path, '{'),
  nothing: (path) => writeFileSync(path, ''),
  bytes: (path) => writeFileSync(path, Buffer.from([0, 255, 254, 10, 1])),
  'another document': (path) => writeFileSync(path, '[1]'),
  'a directory': (path) => {
    rmSync(path, { force: true });
    mkdirSync(join(path, 'x'), { recursive: true });
  },
  'a file of nobody': (path) => writeFileSync(path, '{}', { mode: 0o000 }),
};
const kinds = Object.keys(damages);

/** A run that waits for its landing, with its coordinator gone. */
async function waiting(): Promise<{ readonly p: Project; readonly run: string }> {
  const p = await project({ plan: { land: 'ask', tasks: { one } }, as: ordinary });
  const { run } = JSON.parse((await p.cli('run', 'plan.yaml', '--yes', '--json')).stdout);
  return { p, run };
}

function damage(p: Project, file: string, kind: string): string {
  const path = join(p.state().root, file);
  damages[kind]?.(path);
  if (ordinary !== undefined) p.own(path);
  return path;
}

const isToldPlainly = ({ stdout, stderr }: Ended): void => expect(stdout + stderr).not.toMatch(stack);

describe.skipIf(!isReachable)(
  'S8: a damaged file of ours is named in one line, with a way out',
  { timeout: 180_000 },
  () => {
    test.each([
      { name: 'merger.json', advice: (file: string) => `mv ${file} ${file}.damaged` },
      { name: 'landing.json', advice: () => 'git status' },
    ])('S8: $name, damaged in each way, one after the other', async ({ name, advice }) => {
      const { p, run } = await waiting();
      await using _ = p;
      const before = p.git('rev-parse', 'main');
      await p.cli('pause', run);
      await p.cli('land', run, '--json');
      for (const kind of kinds) {
        const file = damage(p, name, kind);
        isToldPlainly(await p.cli('resume', run, '--json'));
        const status = await p.cli('status', run);
        isToldPlainly(status);
        expect(status.stdout, kind).toContain(`${file} is damaged`);
        expect(status.stdout, kind).toContain(advice(file));
        expect(p.git('rev-parse', 'main')).toBe(before);
        renameSync(file, `${file}.${kind.replaceAll(' ', '-')}`);
      }
      expect(await p.cli('resume', run, '--json')).toMatchObject({ code: 0 });
      expect(p.git('show', 'main:one.txt')).toBe('one');
    });

    test('S8: ledger.db.head is a directory', async () => {
      const { p, run } = await waiting();
      await using _ = p;
      const file = join(p.state().root, 'ledger.db.head');
      renameSync(file, `${file}.before`);
      damage(p, 'ledger.db.head', 'a directory');
      for (const words of [['status'], ['land', run], ['verify']]) {
        const said = await p.cli(...words);
        isToldPlainly(said);
        expect(said.stdout + said.stderr).toContain(`its head ${file} is a directory`);
        expect(said.stdout + said.stderr).toContain('Restore ');
        expect(said.stdout + said.stderr).not.toContain('EISDIR');
      }
      rmSync(file, { recursive: true });
      renameSync(`${file}.before`, file);
      expect(await p.cli('land', run, '--json')).toMatchObject({ code: 0 });
    });

    test.each([0, 1, 2])('S8: what is only a memory is made anew, however it is damaged (%i)', async (turn) => {
      const { p, run } = await waiting();
      await using _ = p;
      const memories = ['confirmed.json', 'notices.json', 'webhooks.json', 'repository.json', 'serving.json'];
      // every damage, spread over the files and turns
      for (const [at, file] of memories.entries()) damage(p, file, kinds[(at + 2 * turn) % kinds.length] ?? '');
      const landed = await p.cli('land', run, '--json');
      isToldPlainly(landed);
      expect(landed.code).toBe(0);
      isToldPlainly(await p.cli('status', run));
      expect(p.git('show', 'main:one.txt')).toBe('one');
    });

    test.each(['exit.json', 'started.json', 'supervisor.json', 'notes.jsonl', 'job.json'])(
      'S8: %s of a job that has not ended costs an attempt at most, and no work',
      async (name) => {
        const gate = scripted(
          `case $TIDEGATE_ATTEMPT in *.1) echo work > one.txt; touch begun; while :; do sleep 1; done;; esac; echo one > one.txt; ${handoff}`,
          { owns: ['one.txt'] },
        );
        await using p = await project({
          plan: { land: 'auto', limits: { attempts: 2 }, tasks: { gate } },
          as: ordinary,
        });
        const running = p.start(['run', 'plan.yaml', '--yes', '--json']);
        const begun = () => globSync(join(p.root, 'state/*/jobs/*.gate.1/workspace/begun'));
        while (begun().length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
        running.kill('SIGKILL');
        const [job] = globSync(join(p.root, 'state/*/jobs/*.gate.1'));
        const file = join(job ?? '', name);
        // a supervisor that lives has read its job
        const { pid } = JSON.parse(readFileSync(join(job ?? '', 'supervisor.json'), 'utf8'));
        if (name === 'job.json') process.kill(pid, 'SIGKILL');
        writeFileSync(file, '{\n');
        p.own(file);
        const resumed = await p.cli('resume', '--yes', '--json');
        isToldPlainly(resumed);
        expect(resumed.code).toBe(0);
        expect(p.git('show', 'main:one.txt')).toBe('one');
        // what the first attempt left is in a snapshot, or in its workspace and named
        const { kept } = JSON.parse((await p.cli('status', '--json')).stdout);
        const { snapshots } = JSON.parse((await p.cli('rescue', '--json')).stdout);
        const first = (list: readonly { attempt?: string }[]) =>
          list.some(({ attempt }) => attempt?.endsWith('.gate.1'));
        expect(first(kept) || first(snapshots)).toBe(true);
        await p.cli('clean');
        expect(first(snapshots) || existsSync(join(job ?? '', 'workspace/one.txt'))).toBe(true);
      },
    );
  },
);
