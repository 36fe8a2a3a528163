import { memoryLedger } from '../../src/adapters/ledger/memory/index.ts';
import { openSqliteLedger } from '../../src/adapters/ledger/sqlite/index.ts';
import type { Ledger } from '../../src/ports/ledger.ts';
import { describeLedger } from './ledger.ts';
import { ledgerPlace } from './ledger-support.ts';

describeLedger('memory', async () => memoryLedger());
describeLedger('sqlite', async () => {
  const place = ledgerPlace();
  const ledger: Ledger = await openSqliteLedger(place.file);
  return {
    ...ledger,
    [Symbol.asyncDispose]: async () => {
      await ledger[Symbol.asyncDispose]();
      place[Symbol.dispose]();
    },
  };
});
