import type { Executor, Launch, Seat } from '../../ports/executor.ts';
import { permissionRules } from './permission-rules.ts';
import { gateways } from './providers.ts';
import { followOpencode } from './stream.ts';

/** opencode, `run --format json`. It has no hook: what it may do is told to it beforehand, in its own rules. */
export const opencodeExecutor: Executor = {
  name: 'opencode',
  resolve: null,
  prepare,
  follow: (talk, seat) => followOpencode(talk, seat.job.agent?.model ?? null),
  hook: null,
};

function prepare(seat: Seat): Launch {
  const { session, job } = seat;
  const model = job.agent?.model ?? null;
  return {
    argv: [
      ...[seat.program, 'run', '--format', 'json'],
      ...(session === null ? [] : ['--session', session.id]),
      ...(model === null ? [] : ['--model', model]),
    ],
    environment: opencodeEnvironment(seat, {
      permission: permissionRules(seat),
      mcp: { tidegate: { type: 'local', command: [seat.client, 'mcp'] } },
    }),
    files: {},
    opening: null,
  };
}

/**
 * Its settings go in by a variable: that is the one place which counts more than the project's own, and which no running agent
 * can change.
 */
export function opencodeEnvironment(seat: Seat, more: object): Readonly<Record<string, string>> {
  const model = seat.job.agent?.model ?? null;
  const settings = {
    // Tidegate takes the snapshots; opencode's own cost a third of its start.
    snapshot: false,
    autoupdate: false,
    share: 'disabled',
    ...(model === null ? {} : { model, small_model: model }),
    provider: gateways(seat.variables, model),
    ...more,
  };
  const places = ['config', 'data', 'state', 'cache'] as const;
  return {
    OPENCODE_CONFIG_CONTENT: JSON.stringify(settings),
    ...Object.fromEntries(places.map((place) => [`XDG_${place.toUpperCase()}_HOME`, `${seat.home}/${place}`])),
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    OPENCODE_DISABLE_SHARE: '1',
    // Nobody looks at a screen of its own; watching every file costs a fifth of its start.
    OPENCODE_EXPERIMENTAL_DISABLE_FILEWATCHER: '1',
  };
}
