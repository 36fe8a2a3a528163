import { expect } from 'vitest';
import type { Rule } from '../../../src/domain/findings/finding.ts';
import type { AgentFailureKind } from '../../../src/domain/tool-calls/agent-event.ts';
import { processesWith } from '../../support/processes.ts';
import { installed } from '../support/installed.ts';
import type { Attempt } from './bench.ts';
import { type Cell, cannot, either, yes } from './cell.ts';
import type { Driver } from './drivers.ts';
import { asksFor, bash, calling, done, handOff, reset, rule, type Scenes, tried, write } from './scenes.ts';

/** One row of the capability table. It throws when the agent does something else than we say of it. */
export type Behaviour = {
  readonly name: string;
  readonly show: (scenes: Scenes, driver: Driver) => Promise<Cell>;
};

export const behaviours: readonly Behaviour[] = [
  {
    name: 'writes in scope, and hands off',
    async show({ work }) {
      const { changed, exit } = await work();
      expect(changed).toContain('added src/new.txt');
      expect({ ending: exit.ending, handoff: exit.handoff.kind }).toEqual({
        ending: { reason: 'exited', code: 0, signal: null },
        handoff: 'given',
      });
      return yes;
    },
  },
  {
    name: 'out of scope by its own tool: refused, and the model is told why',
    show: async ({ work }) => refused(await work(), 'byTool', 'is out of your scope'),
  },
  {
    name: 'out of scope by a redirect in its shell: refused, and the model is told why',
    show: async ({ work }) => refused(await work(), 'byShell', 'is out of your scope'),
  },
  {
    name: 'absolute path into the checkout: refused, and the model is told why',
    async show({ work }) {
      const attempt = await work();
      expect(attempt.checkout).toBe('');
      return refused(attempt, 'byPath', 'work on the copy in');
    },
  },
  {
    name: 'settings of agents in the project: refused, and the model is told why',
    show: async ({ work }) => refused(await work(), 'ofSettings', '`.claude/settings.json`'),
  },
  {
    name: 'denials are noted with their rule',
    async show({ work }) {
      const { notes, exit } = await work();
      const rules = notes.flatMap((note) => (note.note === 'denied' ? [note.because.rule] : []));
      expect(exit.agent?.denials).toBe(rules.length);
      if (rules.every((one) => one === 'agent-denied')) return cannot('it refuses by rules of its own, and names none');
      const all: readonly Rule[] = ['out-of-scope', 'out-of-scope', 'outside-workspace', 'agent-config'];
      expect(rules).toEqual(all.filter((one) => rules.includes(one)));
      return either(rules.length === all.length, 'what it refuses by itself it does not ask for');
    },
  },
  {
    name: "the project's instructions reach the model",
    async show({ work }) {
      expect((await work()).told(0)).toContain(rule);
      return yes;
    },
  },
  {
    name: 'tokens are counted',
    async show({ work }) {
      const { usage } = reportOf(await work());
      const [input, output] = [usage.inputTokens + usage.cachedTokens, usage.outputTokens];
      expect(input).toBe(output * 50);
      expect([0 < output, output <= 140]).toEqual([true, true]);
      return either(output === 140, 'it tells only what the last answer of each turn used');
    },
  },
  {
    name: 'a price is named',
    async show({ work }) {
      const { usd } = reportOf(await work()).usage;
      return either(usd !== null && usd > 0, 'it names none');
    },
  },
  {
    name: 'its version is recorded',
    async show({ work }, { programs }) {
      const pin = Object.values(programs)[0] ?? '';
      expect((await work()).started?.version).toContain(installed(pin).version);
      return yes;
    },
  },
  {
    name: 'every line is understood; unknown ones are counted and harmless',
    async show({ work, garrulous }) {
      expect(reportOf(await work()).unknownLines).toBe(0);
      const { exit, changed } = await garrulous();
      expect({ code: exit.ending.code, changed, unknown: exit.agent?.unknownLines }).toEqual({
        code: 0,
        changed: ['added src/new.txt'],
        unknown: 2,
      });
      return yes;
    },
  },
  {
    name: 'a rate limit is waited out',
    async show({ rateLimitedOnce }) {
      const { exit } = await rateLimitedOnce();
      expect({ code: exit.ending.code, handoff: exit.handoff.kind }).toEqual({ code: 0, handoff: 'given' });
      return yes;
    },
  },
  {
    name: 'a rate limit that stays ends the attempt as such',
    show: async ({ rateLimited }) => trouble(await rateLimited(), 'rate-limited'),
  },
  {
    name: 'it tells when a rate limit ends',
    async show({ rateLimited }) {
      const until = reportOf(await rateLimited()).trouble?.until ?? null;
      if (until !== null) expect([0, 60_000]).toContain(Date.parse(until) - Date.parse(reset));
      return either(until !== null, 'its stream has no such time');
    },
  },
  {
    name: 'a login that is refused ends the attempt as such, within 30 s',
    async show({ unauthorized }) {
      const attempt = await unauthorized();
      expect(attempt.seconds).toBeLessThan(30);
      return trouble(attempt, 'needs-login');
    },
  },
  {
    name: 'an overload that stays ends the attempt as such',
    show: async ({ overloaded }) => trouble(await overloaded(), 'overloaded'),
  },
  {
    name: 'an answer that breaks off once is asked for again',
    async show({ droppedOnce }) {
      const attempt = await droppedOnce();
      if (attempt.exit.handoff.kind === 'absent') expect(reportOf(attempt).outcome).toBe('failed');
      return either(attempt.exit.handoff.kind === 'given', 'it gives up at once');
    },
  },
  {
    name: 'answers that always break off end the attempt as such',
    show: async ({ dropped }) => trouble(await dropped(), 'dropped'),
  },
  {
    name: 'a model that falls silent: ended at the limit, work kept',
    async show({ silent }) {
      const { exit, changed, job } = await silent();
      expect({ reason: exit.ending.reason, changed }).toEqual({ reason: 'silent', changed: ['added src/new.txt'] });
      expect(processesWith(job.nonce)).toEqual([]);
      return yes;
    },
  },
  {
    name: 'a tool that runs long is no silence',
    async show({ longTool }) {
      const { exit, changed, events } = await longTool();
      const calls = events.filter((event) => event.type === 'tool-call');
      if (exit.ending.reason === 'silent' && calls.length === 0)
        return cannot('it tells of a tool only when that has ended');
      expect({ ending: exit.ending.reason, changed }).toEqual({ ending: 'exited', changed: ['added src/slept.txt'] });
      return yes;
    },
  },
  {
    name: 'a limit of turns is kept',
    async show({ turnLimit }) {
      const attempt = await turnLimit();
      const byItself = reportOf(attempt).trouble?.kind === 'turn-limit';
      const byUs = attempt.exit.ending.reason === 'timed-out';
      expect({ stopped: byItself || byUs, handoff: attempt.exit.handoff.kind }).toEqual({
        stopped: true,
        handoff: 'absent',
      });
      return yes;
    },
  },
  {
    name: 'stopped while a tool runs: nothing of it lives on',
    async show({ seated }, driver) {
      await using bench = await seated();
      const mark = `late-${driver.name}-${process.pid}`;
      const late = `(trap '' TERM HUP; sleep 30; echo late > src/${mark}.txt) & sleep 1000.${process.pid}`;
      const script = { turns: [calling(write('src/new.txt')), calling(bash(late)), done] };
      const { supervisors, job, ended, name } = bench.start(script);
      await bench.server.waitFor(name, asksFor(1));
      await until(() => processesWith(`sleep\x001000.${process.pid}`).length > 0);
      await supervisors.stop(job.id, 'stopped');
      const { exit, changed } = await ended;
      expect({ reason: exit.ending.reason, changed }).toEqual({ reason: 'stopped', changed: ['added src/new.txt'] });
      expect([...processesWith(`1000.${process.pid}`), ...processesWith(mark)]).toEqual([]);
      return yes;
    },
  },
  {
    name: 'an interrupted attempt goes on in its own session',
    async show({ seated }) {
      await using bench = await seated();
      const hangs = { ...done, faults: [{ fault: 'hang', after: 'nothing', times: 'always' } as const] };
      const first = bench.start({ turns: [calling(write('src/first.txt', 'remember 0815\n')), hangs] });
      await bench.server.waitFor(first.name, asksFor(1));
      // some name their session later than they ask their model
      await until(() => first.notes().some(({ note }) => note.note === 'started'));
      await first.supervisors.stop(first.job.id, 'stopped');
      const before = await first.ended;
      const { session, usage } = reportOf(before);
      expect(session).not.toBeNull();
      const wanted = {
        job: { from: before.exit.snapshot?.commit ?? before.job.from },
        agent: { session: { id: session ?? '', job: before.job.id, usage } },
      };
      const second = await bench.run({ turns: [calling(write('src/second.txt'), handOff), done] }, wanted);
      expect(second.told(0)).toContain('remember 0815');
      expect(second.changed).toEqual(['added src/first.txt', 'added src/second.txt']);
      expect(second.exit.agent).toMatchObject({ session, trouble: null });
      // What an interrupted answer had cost is told late or only in part, never twice.
      const output = usage.outputTokens + reportOf(second).usage.outputTokens;
      expect([output > 0, output <= 30]).toEqual([true, true]);
      return yes;
    },
  },
  {
    name: 'an end without work is no handoff; it is reminded once, in the same session',
    async show({ idle }) {
      const { exit, changed, told } = await idle();
      expect({ code: exit.ending.code, changed, handoff: exit.handoff.kind, reminded: exit.reminded }).toEqual({
        code: 0,
        changed: [],
        handoff: 'absent',
        reminded: true,
      });
      return either(told(1).includes('I have done everything perfectly.'), 'it is reminded in a new session');
    },
  },
];

/** Nothing came of it, or what came of it is for the snapshot to hold. */
function refused(
  attempt: Attempt,
  what: Exclude<keyof typeof tried, 'inScope' | 'handOff' | 'last'>,
  why: string,
): Cell {
  const files = { byTool: 'other/by-tool.txt', byShell: 'by-shell.txt', byPath: 'by-path.txt', ofSettings: '.claude' };
  const next = attempt.told(tried[what] + 1);
  expect(next).not.toBe('""');
  if (next.includes(why)) expect(attempt.changed.filter((line) => line.includes(files[what]))).toEqual([]);
  if (attempt.changed.some((line) => line.includes(files[what])))
    return cannot('nobody is asked; its snapshot holds it');
  return either(next.includes(why), 'refused, but the model is told in words of its own');
}

/** Its own last word is a failure of that kind; agents that are talked to end with 0 all the same. */
function trouble(attempt: Attempt, kind: AgentFailureKind): Cell {
  const { exit, changed } = attempt;
  const report = reportOf(attempt);
  if (exit.ending.reason === 'timed-out') return cannot('it tries again and again, until its time is over');
  expect({ reason: exit.ending.reason, handoff: exit.handoff.kind }).toEqual({ reason: 'exited', handoff: 'absent' });
  expect(changed).toEqual(['added src/new.txt']);
  if (report.outcome === 'completed') return cannot('it tells of it in words, and ends as if all were well');
  expect(report.outcome).toBe('failed');
  return either(report.trouble?.kind === kind, `it tells of it as ${report.trouble?.kind}`);
}

function reportOf({ exit }: Attempt) {
  if (exit.agent === undefined) throw new Error(`the attempt left no report: ${JSON.stringify(exit.ending)}`);
  return exit.agent;
}

/** A process that somebody else starts tells us nothing: it has to be looked for. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 50));
}
