import { renameSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openGate } from '../support/gate.ts';
import { ended, handoff, project, scripted } from '../support/project.ts';
import { untilEvent } from '../support/until-event.ts';

test('a repository that is deleted during a run is named, with what that means', async () => {
  using gate = openGate();
  const one = scripted(`${gate.waits('go')}\necho one > one.txt\n${handoff}`);
  await using p = await project({ plan: { land: 'auto', tasks: { one } } });
  gate.showTo(p);
  await p.cli('run', 'plan.yaml', '--yes', '-d');
  const { run } = JSON.parse((await p.cli('status', '--json')).stdout);
  await untilEvent(p, ({ type }) => type === 'attempt-started');
  const following = ended(p.start(['watch', run]));
  renameSync(p.checkout, `${p.checkout}.away`);
  gate.letThrough('go');
  for (let halted = false; !halted; ) halted = (await p.events()).some(({ event }) => event.type === 'run-halted');
  renameSync(`${p.checkout}.away`, p.checkout);
  await following;
  const status = await p.cli('status', run);
  expect(status.stdout).toContain(`the repository ${p.checkout} no longer exists`);
  expect(status.stdout).toContain('so the run cannot continue');
  expect(status.stdout).not.toContain('ENOENT');
  expect(await p.cli('resume', run, '--yes', '--json')).toMatchObject({ code: 0 });
  expect(p.git('show', 'main:one.txt')).toBe('one');
}, 120_000);
