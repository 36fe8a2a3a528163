import type { LedgerEvent } from '../../src/domain/ledger/events.ts';
import type { Stored } from '../../src/ports/ledger.ts';
import type { Project } from './project.ts';

/** Resolves with the first event that is like this, past or to come: of the live run, or `of` the run that is named. */
export async function untilEvent(
  here: Project,
  isMeant: (event: LedgerEvent) => boolean,
  ...of: readonly string[]
): Promise<LedgerEvent> {
  const child = here.start(['events', '--follow', '--json', ...of]);
  try {
    return await new Promise<LedgerEvent>((resolve, reject) => {
      let text = '';
      child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
          const stored = JSON.parse(text.slice(0, end)) as Stored;
          text = text.slice(end + 1);
          if (stored.event !== undefined && isMeant(stored.event)) resolve(stored.event);
        }
      });
      child.once('close', () => reject(new Error('nobody tells events any more')));
    });
  } finally {
    child.kill('SIGTERM');
  }
}
