import { chmodSync, existsSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isAlive } from '../../src/adapters/process/process-identity.ts';
import { follow, supervisedScene } from '../support/supervised.ts';

const source = resolve(import.meta.dirname, '../../src');

/** Every failpoint that a supervisor can reach, read from the source so that none is forgotten. */
const folders = [
  'supervisor',
  ...['supervisors', 'git/stores', 'workspace', 'snapshot'].map((name) => `adapters/${name}`),
];
const points = folders.flatMap((folder) =>
  globSync('**/*.ts', { cwd: join(source, folder) })
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => [...readFileSync(join(source, folder, file), 'utf8').matchAll(/failpoint\('([^']+)'\)/g)])
    .map(([, name]) => name ?? '')
    .filter((name) => !name.startsWith('supervisors-')),
);

describe('a supervisor killed at', () => {
  test.each(points)('%s starts its agent at most once and loses no work', async (point) => {
    await using scene = await supervisedScene();
    const counted = join(scene.repo.home, 'counted');
    mkdirSync(counted);
    chmodSync(counted, 0o777);
    const job = scene.job({
      argv: ['/bin/sh', '-c', `echo start >> ${counted}/starts; echo x > work; tidegate handoff done -m x`],
      fence: { mode: 'auto', network: 'off', read: [], write: [counted], env: [] },
      readOnly: ['.mcp.json'],
    });
    const killed = scene.coordinator({ TIDEGATE_FAILPOINT: point });
    await follow(killed, job).ended;
    await killed.detach();
    const supervisors = scene.coordinator();
    const { record } = await follow(supervisors, job).ended;
    await supervisors.acknowledge(job.id);

    const starts = existsSync(join(counted, 'starts')) ? readFileSync(join(counted, 'starts'), 'utf8') : '';
    expect(['', 'start\n']).toContain(starts);
    if (starts !== '') expect(record.snapshot?.diff.map((entry) => entry.path)).toEqual(['work']);
    if (starts !== '') expect(scene.files(job).started()).not.toBeNull();
    if (record.ending.reason === 'exited') expect(record.handoff.kind).toBe('given');
    else expect(record.ending).toMatchObject({ reason: 'lost', code: null });
    const first = scene.files(job).fenceProcess();
    expect(first !== null && isAlive(first)).toBe(false);
  });
});
