import { err, ok, type Result } from '../../domain/base/result.ts';
import { followLedger } from '../../engine/follow-ledger.ts';
import { isExternalStream, type Stored } from '../../ports/ledger.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import type { Text } from '../../ports/terminal.ts';
import { eventTeller } from '../../view/event-line.ts';
import { type Context, done, exitCodes, misused, type Outcome } from '../frame/command.ts';
import { subjectOf } from '../frame/subject.ts';

type EventInput = { readonly run: string | undefined; readonly all: boolean; readonly follow: boolean };

/** `tidegate events [run]`: the ledger itself, one line per event; with `--json` the whole event. */
export async function listEvents(
  { run: given, all, follow: isFollowed }: EventInput,
  repo: RepositoryHandle,
  context: Context,
): Promise<Outcome> {
  const stream = all ? ok({ run: null }) : await streamOf(repo, given);
  if (!stream.ok) return stream.error;
  const { run } = stream.value;
  if (isFollowed) return await follow(repo, context, run);
  const stored = run === null ? await repo.ledger.readAll() : await repo.ledger.read(run);
  const textOf = eventTeller();
  return done(
    stored.map((one) => line(one, textOf)),
    { run, events: stored },
  );
}

/** A session that others drive is named as a whole. */
async function streamOf(
  repo: RepositoryHandle,
  given: string | undefined,
): Promise<Result<{ readonly run: string }, Outcome>> {
  if (given === undefined || !isExternalStream(given)) return await subjectOf(repo, 'events', given, 'newest');
  return (await repo.ledger.streams()).includes(given)
    ? ok({ run: given })
    : err(misused('unknown-run', `events: no session ${given}; see tidegate status --all`));
}

async function follow(repo: RepositoryHandle, context: Context, run: string | null): Promise<Outcome> {
  const left = Promise.withResolvers<void>();
  using _signals = context.onSignal(() => left.resolve());
  context.readerGone.addEventListener('abort', () => left.resolve());
  const textOf = eventTeller();
  const follower = followLedger(repo.ledger, (stored) => {
    if (run !== null && stored.stream !== run) return;
    if (context.json) context.terminal.json(stored);
    else context.terminal.line(line(stored, textOf));
  });
  await using _listening = follower.listen();
  await left.promise;
  return { exit: exitCodes.interrupted, reason: 'interrupted' };
}

type TextOf = ReturnType<typeof eventTeller>;

const line = ({ seq, at, stream, event }: Stored, textOf: TextOf): Text => [
  { text: `${String(seq).padStart(5)} ${at.slice(0, 19).replace('T', ' ')}  `, tone: 'dim' },
  `${stream}  ${event.type}${meaning(textOf(event))}`,
];

const meaning = (text: string | null): string => (text === null ? '' : `  ${text}`);
