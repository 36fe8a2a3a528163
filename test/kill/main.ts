import { parseArgs } from 'node:util';
import { type Target, whyUnarmed } from '../support/strike.ts';
import { labelOf, type Struck, type Sweep, strike, sweeps, targetsOf } from './sweeps.ts';

/**
 * `npm run test:kills -- [k/n] [--like TEXT] [--at-once N]`: counts the durable writes of every process of a run, then kills
 * at each of them, or at every n-th beginning with the k-th, or where the label has TEXT. Exit 1 when a run did not keep
 * what it must.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { like: { type: 'string', default: '' }, 'at-once': { type: 'string', default: '3' } },
});
const [part = 1, parts = 1] = (positionals[0] ?? '1/1').split('/').map(Number);
const unarmed = whyUnarmed();
if (unarmed !== null) throw new Error(`no process can be killed at its durable writes, because ${unarmed}`);

type Kill = { readonly sweep: Sweep; readonly target: Target };
const found = await atOnce(sweeps, async (sweep) => ({ sweep, targets: await targetsOf(sweep) }));
const kills = found
  .flatMap(({ sweep, targets }) => targets.map((target) => ({ sweep, target })))
  .filter((_, index) => index % parts === part - 1)
  .filter(({ sweep, target }) => labelOf(sweep.scenario, target).includes(values.like));
console.log(`${kills.length} kills to do`);
let done = 0;
const struck = await atOnce(kills, async (kill) => ({ ...kill, struck: told(await withinMinutes(kill)) }));

console.log('\nscenario | killed | writes found | kills asked for | done | not reached | violations');
for (const { sweep, targets } of found) {
  const ofSweep = struck.filter((one) => one.sweep === sweep).map((one) => one.struck);
  const reached = ofSweep.filter(({ reached }) => reached).length;
  const violated = ofSweep.filter(({ problems }) => problems.length > 0).length;
  const counts = [targets.length, ofSweep.length, reached, ofSweep.length - reached, violated];
  console.log([sweep.scenario.name, sweep.of, ...counts].join(' | '));
}
process.exit(struck.some((one) => one.struck.problems.length > 0) ? 1 : 0);

function told(one: Struck): Struck {
  done += 1;
  for (const problem of one.problems) console.log(`VIOLATION ${one.label}: ${problem}`);
  if (!one.reached) console.log(`not reached: ${one.label}`);
  if (done % 20 === 0) console.log(`${done} of ${kills.length}`);
  return one;
}

/** A run that does not end is a violation as well. */
async function withinMinutes({ sweep, target }: Kill): Promise<Struck> {
  const label = labelOf(sweep.scenario, target);
  const late = Promise.withResolvers<Struck>();
  const timer = setTimeout(() => late.resolve({ label, reached: true, problems: ['it does not end'] }), 5 * 60_000);
  const outcome = await Promise.race([strike(sweep, target, 3), late.promise]);
  clearTimeout(timer);
  return outcome;
}

/** Results in the order of the items. */
async function atOnce<T, R>(items: readonly T[], each: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  const waiting = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of waiting) results[index] = await each(item);
  };
  await Promise.all(Array.from({ length: Number(values['at-once']) }, worker));
  return results;
}
