import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { project } from '../../../test/support/project.ts';
import { commitId } from '../../domain/base/ids.ts';
import { explain } from '../../domain/explain/explain.ts';
import { stateDir } from '../../domain/ledger/state-dir.ts';
import { EnvironmentFailed } from '../../ports/failures.ts';
import { draftReader } from './draft-process.ts';

const program = fileURLToPath(new URL('../../main/cli.ts', import.meta.url));
const drafted = { commit: commitId('0'.repeat(40)), file: 'a.plan.yaml', branch: 'main' };

test('a draft that takes too long to read is given up, and that is a mistake of its own', async () => {
  await using here = await project({ plan: {} });
  const place = { checkout: here.checkout, state: stateDir(`${here.root}/state/x`), env: here.environment, program };
  const [mistake, ...more] = await draftReader(place, 0.001).mistakes(drafted);
  expect([mistake && explain(mistake).detail, more]).toEqual([
    'a.plan.yaml could not be parsed within 0.001 seconds',
    [],
  ]);
});

test('a draft that could not be looked at is nobody’s mistake', async () => {
  await using here = await project({ plan: {} });
  const place = { checkout: here.root, state: stateDir(`${here.root}/state/x`), env: here.environment, program };
  await expect(draftReader(place).mistakes(drafted)).rejects.toThrow(EnvironmentFailed);
});
