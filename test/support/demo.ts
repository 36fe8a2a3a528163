import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openSqliteLedger } from '../../src/adapters/ledger/sqlite/index.ts';
import { stateDir } from '../../src/domain/ledger/state-dir.ts';
import type { Stored } from '../../src/ports/ledger.ts';
import { program } from './project.ts';

/** The ledger that `tidegate demo` leaves. */
export async function playedDemo(): Promise<readonly Stored[]> {
  const place = mkdtempSync(join(tmpdir(), 'tg-demo-'));
  try {
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: place,
      TMPDIR: place,
      LC_ALL: 'C.UTF-8',
      TIDEGATE_DISK_FREE: '0MB',
    };
    const { stdout } = await promisify(execFile)(process.execPath, [program, 'demo', '--json'], { cwd: place, env });
    const { state } = JSON.parse(stdout) as { readonly state: string };
    const [name = ''] = readdirSync(state);
    await using ledger = await openSqliteLedger(stateDir(join(state, name)).ledger);
    return await ledger.readAll();
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
