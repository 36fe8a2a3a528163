import { err, ok, type Result } from '../../../domain/base/result.ts';
import { theRepository } from '../../../domain/repository/repository.ts';
import { followLedger } from '../../../engine/follow-ledger.ts';
import { isDcmStream, repositoryStream, type Stored } from '../../../ports/ledger.ts';
import type { RepositoryHandle } from '../../../ports/repository-handle.ts';
import type { Text } from '../../../ports/terminal.ts';
import { eventDescriber } from '../../../view/event-line.ts';
import { aRun, type Context, command, done, exitCodes, type Outcome, usageError } from '../../frame/command.ts';
import { resolveSubject } from '../../frame/subject.ts';

export const eventsCommand = command({
  name: 'events',
  group: 'look',
  summary: 'list the events of the ledger',
  arguments: {
    run: { ...aRun, about: 'a run, repository, or external:<session> (default: the live run)' },
  },
  options: {
    all: { about: 'list the events of all runs and of the repository' },
    follow: { short: 'f', about: 'keep printing new events' },
  },
  looks: async ({ run: typed, all, follow: isFollowed }, repo, context) => {
    const stream = all ? ok({ run: null }) : await streamOf(repo, typed);
    if (!stream.ok) return stream.error;
    const { run } = stream.value;
    if (isFollowed) return await follow(repo, context, run);
    const stored = run === null ? await repo.ledger.readAll() : await repo.ledger.read(run);
    const textOf = eventDescriber();
    return done(
      stored.map((one) => line(one, textOf)),
      { run, events: stored },
    );
  },
});

/** A session of another program must be named in full. */
async function streamOf(
  repo: RepositoryHandle,
  typed: string | undefined,
): Promise<Result<{ readonly run: string }, Outcome>> {
  if (typed === theRepository) return ok({ run: repositoryStream });
  if (typed === undefined || !isDcmStream(typed)) return await resolveSubject(repo, 'events', typed, 'newest');
  return (await repo.ledger.streams()).includes(typed)
    ? ok({ run: typed })
    : err(usageError('unknown-run', `events: there is no session ${typed}; see tidegate status --all`));
}

async function follow(repo: RepositoryHandle, context: Context, run: string | null): Promise<Outcome> {
  const left = Promise.withResolvers<void>();
  using _signals = context.onSignal(() => left.resolve());
  context.readerGone.addEventListener('abort', () => left.resolve());
  const textOf = eventDescriber();
  const follower = followLedger(repo.ledger, (stored) => {
    if (run !== null && stored.stream !== run) return;
    if (context.json) context.terminal.json(stored);
    else context.terminal.line(line(stored, textOf));
  });
  await using _listening = follower.listen();
  await left.promise;
  return { exit: exitCodes.interrupted, reason: 'interrupted' };
}

type TextOf = ReturnType<typeof eventDescriber>;

const line = ({ seq, at, stream, event }: Stored, textOf: TextOf): Text => [
  { text: `${String(seq).padStart(5)} ${at.slice(0, 19).replace('T', ' ')}  `, tone: 'dim' },
  `${stream}  ${event.type}${meaning(textOf(event))}`,
];

const meaning = (text: string | null): string => (text === null ? '' : `  ${text}`);
