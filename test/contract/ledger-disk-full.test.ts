import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSqliteLedger } from '../../src/adapters/ledger/sqlite/index.ts';
import { LedgerUnavailable, type Stored } from '../../src/ports/ledger.ts';
import { failure } from '../support/findings.ts';
import { appendedTo, closed, epochOf, ledgerPlace } from './ledger-support.ts';

test('a full disk loses nothing acknowledged, and the same process goes on when there is space (D1)', async ({
  skip,
}) => {
  using place = ledgerPlace();
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1500k', 'tidegate-test', place.directory], {
    encoding: 'utf8',
  });
  if (mounted.status !== 0) {
    const why = mounted.error?.message ?? mounted.stderr.trim();
    console.log(`skipped, a small tmpfs cannot be mounted: ${why}`);
    skip(why);
  }
  try {
    await fillAndGoOn(place.directory, place.file);
  } finally {
    spawnSync('umount', [place.directory]);
  }
});

async function fillAndGoOn(directory: string, file: string): Promise<void> {
  const ballast = join(directory, 'ballast');
  writeFileSync(ballast, Buffer.alloc(700 * 1024));
  const acknowledged: Stored[] = [];
  {
    await using ledger = await openSqliteLedger(file);
    const epoch = await epochOf(ledger);
    const append = async () => {
      const event = { type: 'run-halted', because: failure('x'.repeat(5000)) } as const;
      const outcome = await ledger.append('run', acknowledged.length, [event], epoch);
      if (outcome.outcome !== 'appended') throw new Error(outcome.outcome);
      acknowledged.push(...outcome.stored);
    };
    const full = await appendUntilRefused(append);
    expect(full).toBeInstanceOf(LedgerUnavailable);
    expect(full).toMatchObject({
      file,
      cause: { errcode: expect.toSatisfy((code: number) => [10, 13].includes(code & 0xff)) },
    });
    expect(acknowledged.length).toBeGreaterThan(5);
    expect(await appendedTo(ledger)).toEqual(acknowledged);
    await expect(append()).rejects.toThrow(LedgerUnavailable);

    rmSync(ballast);
    await append();
    expect(await appendedTo(ledger)).toEqual(acknowledged);
    expect(await ledger.append('other', 0, [closed(0)], epoch)).toMatchObject({ outcome: 'appended' });
  }
  await using again = await openSqliteLedger(file);
  expect(await again.read('run')).toEqual(acknowledged);
}

async function appendUntilRefused(append: () => Promise<void>): Promise<unknown> {
  for (;;) {
    try {
      await append();
    } catch (error) {
      return error;
    }
  }
}
