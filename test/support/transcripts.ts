import fc from 'fast-check';
import { taskId } from '../../src/domain/base/ids.ts';
import { describeFinding } from '../../src/domain/explain/explain.ts';
import type { Finding } from '../../src/domain/findings/finding.ts';
import type { AgentEvent, ToolCall } from '../../src/domain/tool-calls/agent-event.ts';

/** Writes down what an agent does, call by call, as executors would tell it. */
export function transcript() {
  const events: AgentEvent[] = [];
  let calls = 0;
  const call = (keys: Partial<ToolCall>): ToolCall => ({
    id: `call-${++calls}`,
    tool: { read: 'Read', search: 'Grep', write: 'Edit', run: 'Bash', fetch: 'WebFetch', other: 'Task' }[
      keys.kind ?? 'other'
    ],
    kind: 'other',
    paths: [],
    command: null,
    lines: null,
    input: '',
    ...keys,
  });
  const done = (keys: Partial<ToolCall>, text = 'ok', outcome: 'ok' | 'failed' = 'ok') => {
    const made = call(keys);
    events.push({ type: 'tool-call', call: made }, { type: 'tool-result', id: made.id, outcome, text });
  };
  return {
    events,
    add: (...more: readonly AgentEvent[]) => events.push(...more),
    call,
    done,
    read: (path: string, lines: ToolCall['lines'] = null, text = `text of ${path} ${JSON.stringify(lines)}`) =>
      done({ kind: 'read', paths: [path], lines }, text),
    edit: (path: string, input: string, text = 'ok', outcome: 'ok' | 'failed' = 'ok') =>
      done({ kind: 'write', paths: [path], input }, text, outcome),
    run: (command: string, text = '', outcome: 'ok' | 'failed' = 'ok') => done({ kind: 'run', command }, text, outcome),
    deny: (keys: Partial<ToolCall>, because: Finding = foreign(keys.paths?.[0] ?? '')) => {
      const made = call(keys);
      events.push({ type: 'tool-call', call: made }, { type: 'denied', call: made, because });
      events.push({ type: 'tool-result', id: made.id, outcome: 'failed', text: describeFinding(because) });
    },
    seen: (path: string, digest: string | null) => events.push({ type: 'file-seen', path, digest }),
  };
}

/** Nothing of the task's. */
export const foreign = (path: string): Finding => ({
  rule: 'out-of-scope',
  where: path,
  task: taskId('one'),
  by: null,
  pattern: null,
  grantable: true,
});

export type Transcript = ReturnType<typeof transcript>;

/**
 * Work as it should be: no file is read more than twice without an edit in between, nothing is tried three times in vain. Apart
 * from that it repeats itself as agents do.
 */
export const healthyWork = (folder: string): fc.Arbitrary<readonly AgentEvent[]> =>
  fc
    .array(
      fc.record({
        habit: fc.nat(),
        file: fc.nat({ max: 11 }),
        size: fc.integer({ min: 1, max: 6 }),
        flag: fc.boolean(),
      }),
      {
        minLength: 1,
        maxLength: 40,
      },
    )
    .map((steps) => {
      const log = transcript();
      const worker: Worker = { folder, log, looks: new Map(), experiments: new Map(), edits: 0 };
      for (const { habit, ...step } of steps) habits[habit % habits.length]?.(worker, step);
      return log.events;
    });

type Worker = {
  /** Where its files lie: two workers share nothing. */
  readonly folder: string;
  readonly log: Transcript;
  /** Per file, since the last edit of any. */
  readonly looks: Map<string, number>;
  readonly experiments: Map<string, number>;
  edits: number;
};
type Step = { readonly file: number; readonly size: number; readonly flag: boolean };
type Habit = (worker: Worker, step: Step) => void;

const fileOf = ({ folder }: Worker, { file, flag }: Step): string =>
  `${flag ? '/workspace/' : ''}${folder}/file-${file}.ts`;
const mayLook = ({ looks }: Worker, { file }: Step): boolean => {
  const before = looks.get(`${file}`) ?? 0;
  looks.set(`${file}`, before + 1);
  return before < 2;
};

function edit(worker: Worker, path: string): void {
  const { log, looks } = worker;
  const content = `content-${++worker.edits}`;
  looks.clear();
  log.edit(path, JSON.stringify({ old: `old ${content}`, new: `new ${content}` }));
  log.seen(path, content);
}

const habits: readonly Habit[] = [
  function explores(worker, step) {
    for (let index = 0; index < step.size; index++) {
      const next = { ...step, file: (step.file + index) % 12 };
      if (mayLook(worker, next)) worker.log.read(fileOf(worker, next));
      worker.log.done({ kind: 'search', paths: ['src'], input: `pattern ${index}` }, 'no matches');
    }
  },
  function pagesThroughALongFile(worker, step) {
    if (!mayLook(worker, step)) return;
    const page = step.size * 100;
    const repeated = step.flag ? Math.trunc(page / 5) : 0;
    for (let from = 1; from <= 3000; from += page - repeated)
      worker.log.read(fileOf(worker, step), { from, to: Math.min(from + page - 1, 3000) });
  },
  function zoomsIntoDifferentPlaces(worker, step) {
    if (!mayLook(worker, step)) return;
    for (let index = 0; index < step.size; index++)
      worker.log.read(fileOf(worker, step), { from: 1 + index * 60, to: 50 + index * 60 });
  },
  function editsAndTests(worker, step) {
    for (let index = 0; index < step.size; index++) {
      edit(worker, fileOf(worker, step));
      worker.log.run('npm test', 'FAIL src/x.test.ts: expected 1 to be 2', 'failed');
    }
    edit(worker, fileOf(worker, step));
    worker.log.run('npm test', 'PASS');
  },
  function writesTheTestFirst(worker, step) {
    worker.edits++;
    worker.looks.clear();
    worker.log.done({
      kind: 'write',
      tool: 'Write',
      paths: [`${worker.folder}/${step.file}.test.ts`],
      input: `test ${worker.edits}`,
    });
    worker.log.seen(`${worker.folder}/${step.file}.test.ts`, `raw ${worker.edits}`);
    worker.log.seen(`${worker.folder}/${step.file}.test.ts`, `formatted ${worker.edits}`);
    worker.log.run(`npx vitest run ${worker.folder}/${step.file}.test.ts`, 'fails as it should', 'failed');
    edit(worker, fileOf(worker, step));
    worker.log.run(`npx vitest run ${worker.folder}/${step.file}.test.ts`, 'passes');
  },
  function asksHowFarTheBuildIs(worker, step) {
    for (let index = 0; index < step.size + 2; index++)
      worker.log.run('tail -n 3 build.log', `compiled ${worker.edits} ${index} of 9`);
  },
  function waitsForTheBuild(worker, step) {
    for (let index = 0; index < step.size + 2; index++)
      worker.log.run('sleep 20; tail -n 3 build.log', 'still compiling');
    for (let index = 0; index < step.size + 2; index++)
      worker.log.done({ tool: 'BashOutput', input: 'shell-1' }, 'running');
  },
  function watchesALogGrow(worker, step) {
    for (let index = 0; index < step.size + 2; index++)
      worker.log.read(`/tmp/${worker.folder}.log`, null, `${'line\n'.repeat(index)} at ${worker.log.events.length}`);
  },
  function retriesAfterARateLimit(worker, step) {
    const trouble = { kind: step.flag ? 'rate-limited' : 'overloaded', until: null, words: '429' } as const;
    for (let index = 0; index < step.size + 2; index++) {
      worker.log.run('npm run lint', 'clean');
      worker.log.add({ type: 'provider-trouble', trouble });
    }
  },
  function missesOneEditThenReadsAndGetsItRight(worker, step) {
    const path = fileOf(worker, step);
    for (let index = 0; index < 2; index++)
      worker.log.edit(path, `edit ${worker.edits}`, 'old_string not found in file', 'failed');
    if (mayLook(worker, step)) worker.log.read(path);
    edit(worker, path);
  },
  function isDeniedAndAsks(worker, step) {
    const path = `other/${worker.folder}-${worker.log.events.length}.ts`;
    worker.log.deny({ kind: 'write', paths: [path], input: `${step.size}` });
    worker.log.run(`tidegate ask --scope ${path}`, 'asked');
    worker.log.deny({ kind: 'write', paths: [path], input: `${step.size}` });
  },
  function triesSomethingAndTakesItBack(worker, step) {
    const path = `${worker.folder}/experiment-${step.file}.ts`;
    const before = worker.experiments.get(path) ?? 0;
    if (before === 2) return;
    worker.experiments.set(path, before + 1);
    worker.looks.clear();
    for (const content of ['sound', `broken ${before}`, 'sound']) {
      worker.log.edit(path, `to ${content} ${before}`);
      worker.log.seen(path, content);
      worker.log.run('npm test', content, content === 'sound' ? 'ok' : 'failed');
    }
  },
  function buildsAndCleans(worker, step) {
    for (let index = 0; index < step.size; index++) {
      worker.log.run('make', `built in ${index} ms`);
      worker.log.seen(`${worker.folder}/app.js`, 'the same each time');
      worker.log.run('make clean', '');
      worker.log.seen(`${worker.folder}/app.js`, null);
    }
    worker.looks.clear();
  },
  function readsSeveralAtOnce(worker, step) {
    const calls = Array.from({ length: step.size }, (_, index) =>
      worker.log.call({ kind: 'read', paths: [`${worker.folder}/${worker.log.events.length}-${index}.md`] }),
    );
    worker.log.add(...calls.map((call) => ({ type: 'tool-call', call }) as const));
    for (const { id } of step.flag ? calls.toReversed() : calls)
      worker.log.add({ type: 'tool-result', id, outcome: 'ok', text: 'text' });
  },
  function talks(worker, step) {
    worker.log.add({ type: 'turn', text: 'Next I shall look at the tests.' }, { type: 'output', text: 'warning' });
    worker.log.add({ type: 'unknown', line: `{"type":"new-${step.size}"}` });
  },
];
