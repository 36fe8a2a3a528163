import { repoClaim } from '../plan/repo-claim.ts';
import {
  isSetting,
  type Layered,
  machineSettings,
  runSettings,
  type Setting,
  type Settings,
  type SettingTree,
} from './settings.ts';
import {
  agentName,
  described,
  either,
  fields,
  list,
  none,
  type OptionalFields,
  oneOf,
  type Shape,
  type ShapeFields,
  type ValueOf,
  words,
} from './shapes.ts';

/** Settings as people write them: the keys of the table, of which three have a short form. */
export type WrittenSettings = OptionalFields<typeof configFields>;

/** Returns settings with every short form written out. Layers are merged in this form. */
export function settingsOf({ agent, fence, repo, ...rest }: WrittenSettings): Settings {
  return {
    ...rest,
    ...(agent === undefined ? {} : { agent: typeof agent === 'string' ? [agent] : agent }),
    ...(repo === undefined ? {} : { repo: repoClaim(repo) }),
    ...(fence === undefined ? {} : { fence: typeof fence === 'string' ? { mode: fence } : fence }),
  };
}

type Shapes<T> = {
  readonly [K in keyof T]: T[K] extends Setting<infer V> ? Shape<V> : Shape<Layered<T[K]>>;
};

/** Returns the shape of each key; keys below it are its fields. */
function shapesOf<T extends SettingTree>(tree: T): Shapes<T> {
  const shapes: ShapeFields = Object.fromEntries(
    Object.entries(tree).map(([name, node]) => [
      name,
      isSetting(node) ? described(node.shape, node.about) : fields({}, shapesOf(node)),
    ]),
  );
  return shapes as Shapes<T>;
}

const runShapes = shapesOf(runSettings);

export const writtenAgent = described(either(agentName, list(agentName, 1)), runSettings.agent.about);
export const writtenRepo = described(
  either(words, runShapes.repo, none),
  'The repository that this is for: its first commit, a remote, or both.',
);
export type WrittenRepo = ValueOf<typeof writtenRepo>;

export const planFields = {
  ...runShapes,
  agent: writtenAgent,
  fence: either(oneOf('auto', 'none'), runShapes.fence),
  repo: writtenRepo,
  thread: described(
    runShapes.thread,
    'Where the coordination thread of each wave is opened. Default: the built-in board.',
  ),
};
export const configFields = { ...planFields, ...shapesOf(machineSettings) };

/** Keys of the person's own configuration. No repository may decide whether agents act in a person's name. */
export const userFields = {
  ...configFields,
  taps: fields(
    {},
    {
      ...shapesOf(runSettings.taps),
      agents: described(
        oneOf('refuse', 'allow'),
        'Whether another agent that calls tidegate in your name may decide. An agent that Tidegate started never may.',
      ),
    },
  ),
};
