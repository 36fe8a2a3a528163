import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { project } from '../../support/project.ts';
import type { Turn } from '../model-server/script.ts';
import { type ModelServer, modelServer } from '../model-server/server.ts';
import { type Driver, drivers, kindOf } from './drivers.ts';
import { linkPrograms, missingPrograms } from './programs.ts';

/** Those that are installed here, of the agents that have an executor of their own. */
export const crew: readonly Driver[] = drivers.filter(
  (driver) => kindOf(driver).executor !== 'acp' && missingPrograms(driver).length === 0,
);

/** A task of a plan that an agent of the crew does as the scripted model says. */
export type Part = { readonly driver: Driver; readonly turns: readonly Turn[]; readonly keys?: object };

export type Waves = readonly Readonly<Record<string, Part>>[];

/** A project whose agents are real, with a scripted model and a credential for each, all gone with the scope. */
export async function crewOfAgents(
  waves: (checkout: string) => Waves,
  more: { readonly plan?: object; readonly key?: (driver: Driver) => string } = {},
) {
  const stack = new AsyncDisposableStack();
  const server = stack.use(await modelServer());
  const secrets = Object.fromEntries(
    crew.map((driver) => [more.key?.(driver) ?? driver.key, `sk-canary-${randomBytes(24).toString('hex')}`]),
  );
  const environment = Object.assign({}, ...crew.map(({ variables }) => variables(server.url))) as Record<
    string,
    string
  >;
  const bin = join(tmpdir(), `tg-bin-${randomBytes(4).toString('hex')}`);
  linkPrograms(bin, crew);
  stack.defer(() => rmSync(bin, { recursive: true, force: true }));
  const env = { ...environment, ...secrets, PATH: `${bin}:${process.env['PATH'] ?? ''}` };
  const placed = waves('/nowhere');
  const plan = {
    land: 'auto',
    ...more.plan,
    waves: placed.map((parts, wave) => ({ name: `w${wave}`, tasks: tasksOf(parts) })),
  };
  const scene = stack.use(await project({ plan, env }));
  for (const parts of waves(scene.checkout)) play(server, parts);
  return {
    scene,
    server,
    secrets,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const tasksOf = (parts: Readonly<Record<string, Part>>) =>
  Object.fromEntries(
    Object.entries(parts).map(([task, { driver, keys }]) => [
      task,
      { do: `[[script:${task}]] Do the task.`, agent: driver.name, model: driver.model, ...keys },
    ]),
  );

function play(server: ModelServer, parts: Readonly<Record<string, Part>>): void {
  for (const [task, { turns }] of Object.entries(parts)) server.play(task, { turns });
}
