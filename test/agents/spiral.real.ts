import { describe, expect, test } from 'vitest';
import type { Trip } from '../../src/domain/breaker/breaker.ts';
import type { Call, Turn } from './model-server/script.ts';
import { type FencedAgent, fencedRun, isInstalled, over } from './support/fenced-run.ts';

const agents: readonly FencedAgent[] = [
  {
    agent: 'claude',
    model: null,
    programs: { claude: 'claude' },
    environment: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'test-key-of-nobody' }),
  },
  {
    agent: 'codex',
    model: 'gpt-5.5',
    programs: { codex: 'codex' },
    environment: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'test-key-of-nobody' }),
  },
];

const turns = (calls: readonly Call[]): readonly Turn[] => [...calls.map((call) => ({ calls: [call] })), over];
const times = (count: number, call: Call): readonly Call[] => Array.from({ length: count }, () => call);

const look: Call = { tool: 'bash', command: 'ls src' };
const stray: Call = { tool: 'write', path: 'other/x.txt', content: 'x\n' };
const long: Call = { tool: 'bash', command: 'seq 300 > src/long.txt' };
const read = (offset: number): Call => ({ tool: 'read', path: 'src/long.txt', offset, limit: 100 });
const put = (content: string): Call => ({ tool: 'write', path: 'src/there.txt', content: `${content}\n` });

/** What a model does that no longer gets on, and how the breaker calls it. */
const spirals: readonly [string, readonly Call[], Trip['pattern']][] = [
  ['the same command again and again', times(9, look), 'turn-key-repetition'],
  [
    'the same lines read anew',
    [long, ...Array.from({ length: 9 }, (_, index) => read(1 + 3 * index))],
    'pagination-spiral',
  ],
  ['the same write that is refused', times(9, stray), 'error-echo'],
  [
    'a file put back to what it was',
    Array.from({ length: 20 }, (_, index) => put(index % 2 === 0 ? 'new' : 'old')),
    'self-revert',
  ],
];

for (const agent of agents)
  describe.skipIf(!isInstalled(agent))(
    `${agent.agent} in a spiral${isInstalled(agent) ? '' : ': IS NOT INSTALLED'}`,
    () => {
      test.each(spirals)('%s: told at the first trip, stopped at the second', async (_, calls, pattern) => {
        await using scene = await fencedRun(agent, turns(calls));
        const { code, told } = await scene.run();
        expect(code, told).toBe(43);
        const [report] = await scene.reports();
        expect(report?.trips.map((trip) => [trip.pattern, trip.occurrences])).toEqual([
          [pattern, 3],
          [pattern, 3],
        ]);
        const events = (await scene.scene.events()).map(({ event }) => event);
        expect(events.find((event) => event.type === 'attempt-ended')).toMatchObject({ ending: { reason: 'spiral' } });
        const noted = events.filter((event) => event.type === 'attempt-noted' && event.note.note === 'tripped');
        expect(noted).toHaveLength(2);
      });
    },
  );
