import { aRun } from '../../frame/arguments.ts';
import { command } from '../../frame/definition.ts';

export const eventsCommand = command({
  name: 'events',
  group: 'look',
  summary: 'the ledger, event by event',
  arguments: {
    run: { ...aRun, about: 'a run or the beginning of its name, or external:<session>; without it the live one' },
  },
  options: {
    all: { about: 'every run, and the repository itself' },
    follow: { short: 'f', about: 'go on as events come' },
  },
  looks: async (...call) => (await import('../../follow/events.ts')).listEvents(...call),
});
