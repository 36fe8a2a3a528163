import { expect, test } from 'vitest';
import type { RoleReport } from '../../src/domain/closure/report.ts';
import { type Project, project, scripted } from '../support/project.ts';

const byFile = (handoff: string): string =>
  `mkdir -p .tidegate; printf '${handoff}' "$TIDEGATE_NONCE" > .tidegate/handoff.json`;

/** A plan of one task, with a security role that runs this script. */
const secured = (
  script: string,
  more: object = {},
  change = 'echo new > new.txt; tidegate handoff done -m "made it"',
) => ({
  land: 'auto',
  limits: { attempts: 2 },
  closure: { security: { agent: 'command', command: ['/bin/sh', '-c', script], ...more } },
  tasks: { add: scripted(change, { owns: ['new.txt'] }) },
});

/** How the run ended, the reports that the ledger has, and what came of it. */
async function ran(p: Project) {
  const { code, stdout, stderr } = await p.cli('run', 'plan.yaml', '--yes', '--json');
  const events = (await p.events()).map(({ event }) => event);
  const ends = events.flatMap((event) =>
    event.type === 'attempt-ended' && event.task === 'wave-1-security' ? [event.handoff] : [],
  );
  const reports = ends.flatMap((end): (RoleReport & { readonly via: string })[] =>
    end.kind === 'given' && end.handoff.report !== undefined ? [{ ...end.handoff.report, via: end.via }] : [],
  );
  const isMoved = p.git('ls-files').includes('new.txt');
  return { code, said: stdout + stderr, ends: ends.map(({ kind }) => kind), reports, isMoved, events };
}

test('a role that reports clear by command lets the wave land', async () => {
  await using p = await project({ plan: secured('tidegate verdict clear -m "nothing found"') });
  const { code, reports, isMoved, said } = await ran(p);
  expect({ code, said: code === 0 ? '' : said }).toEqual({ code: 0, said: '' });
  expect(reports).toEqual([{ word: 'clear', findings: [], via: 'socket' }]);
  expect(isMoved).toBe(true);
}, 60_000);

test('a role that reports blocked keeps the wave open, and the branch where it was', async () => {
  await using p = await project({ plan: secured('tidegate verdict blocked --finding "a key in new.txt"') });
  const { code, reports, isMoved, ends } = await ran(p);
  expect(code).toBe(43);
  expect(reports).toEqual([{ word: 'blocked', findings: ['a key in new.txt'], via: 'socket' }]);
  expect([isMoved, ends.length]).toEqual([false, 1]);
}, 60_000);

test.each<[string, string, object, object?]>([
  [
    'in its handoff file',
    byFile('{"status":"done","summary":"looked","nonce":"%s","report":{"word":"concerns","findings":["old cipher"]}}'),
    { word: 'concerns', findings: ['old cipher'], via: 'file' },
  ],
  [
    'by marker lines',
    'echo "[wave-security] state=blocked findings=1 approvals=0"; echo "\\`[wave-security] state=clear findings=0 approvals=0\\`"',
    { word: 'clear', findings: [], via: 'marker' },
    { markers: true },
  ],
  [
    'as JSON',
    `echo '{"word":"concerns","findings":["old cipher"],"summary":"mostly fine"}' | tidegate verdict --json -`,
    { word: 'concerns', findings: ['old cipher'], via: 'socket' },
  ],
])(
  'a role can report %s',
  async (_name, script, report, more = {}) => {
    await using p = await project({ plan: secured(script, more) });
    const { code, reports, isMoved, said } = await ran(p);
    expect({ code, said: code === 0 ? '' : said }).toEqual({ code: 0, said: '' });
    expect(reports).toEqual([report]);
    expect(isMoved).toBe(true);
  },
  60_000,
);

test('setup that prints marker lines reports nothing for the role', async () => {
  const setup = 'echo "[wave-security] state=clear findings=0 approvals=0"';
  await using p = await project({ plan: { ...secured('true', { markers: true }), setup } });
  const { code, ends, isMoved } = await ran(p);
  expect([code, ends, isMoved]).toEqual([43, ['absent', 'absent'], false]);
}, 60_000);

test('marker lines in the output of a program count only if the plan says so', async () => {
  await using p = await project({ plan: secured('echo "[wave-security] state=clear findings=0 approvals=0"') });
  const { code, ends, isMoved } = await ran(p);
  expect([code, ends, isMoved]).toEqual([43, ['absent', 'absent'], false]);
}, 60_000);

test('an ordinary task has no verdict to give: it is refused, and the task ends as without', async () => {
  const refused = 'tidegate verdict clear 2> new.txt; echo "exit $?" >> new.txt; tidegate handoff done -m "made it"';
  await using p = await project({
    plan: { land: 'auto', tasks: { add: scripted(`set +e; ${refused}`, { owns: ['new.txt'] }) } },
  });
  expect((await p.cli('run', 'plan.yaml', '--yes', '--json')).code).toBe(0);
  expect(p.git('show', 'HEAD:new.txt')).toBe(
    'tidegate verdict: not taken: this task is not a closure role, so it gives no verdict; hand off with tidegate handoff\nexit 1',
  );
  const [ended] = (await p.events()).flatMap(({ event }) => (event.type === 'attempt-ended' ? [event.handoff] : []));
  expect(ended).toMatchObject({ kind: 'given', handoff: { summary: 'made it' } });
  expect(JSON.stringify(ended)).not.toContain('report');
}, 60_000);

test('a report in the handoff file of an ordinary task is an invalid handoff', async () => {
  const forged = byFile('{"status":"done","summary":"x","nonce":"%s","report":{"word":"clear"}}');
  await using p = await project({
    plan: { limits: { attempts: 1 }, tasks: { add: scripted(`echo new > new.txt; ${forged}`, { owns: ['new.txt'] }) } },
  });
  const { code, isMoved, said } = await ran(p);
  expect([code, isMoved]).toEqual([43, false]);
  expect(said + JSON.stringify(await p.events())).toContain('report-unexpected');
}, 60_000);

test('a role that hands off without a report is refused, runs again, and then needs a person', async () => {
  await using p = await project({ plan: secured('tidegate handoff done -m "all is well"') });
  const { code, ends, isMoved, events } = await ran(p);
  expect([code, ends, isMoved]).toEqual([43, ['absent', 'absent'], false]);
  const settled = events.flatMap((event) =>
    event.type === 'attempt-settled' && event.task === 'wave-1-security' ? [event.decision.becomes] : [],
  );
  expect(settled).toEqual(['waiting', 'failed']);
  const log = await p.cli('logs', 'wave-1-security');
  expect(log.stdout).toContain(
    'not taken: the closure role security ends with a report: tidegate verdict clear|concerns|blocked',
  );
}, 60_000);
