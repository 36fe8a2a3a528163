import type { Executor, Launch, LaunchContext } from '../../ports/executor.ts';
import { permissionRules } from './permission-rules.ts';
import { followOpencode } from './stream.ts';

/** opencode, `run --format json`. It has no hook: it gets its limits beforehand, as rules of its own. */
export const opencodeExecutor: Executor = {
  name: 'opencode',
  resolve: null,
  prepare,
  follow: (callbacks, context) => followOpencode(callbacks, context.job.agent?.model ?? null),
  hook: null,
};

function prepare(context: LaunchContext): Launch {
  const { session, job } = context;
  const model = job.agent?.model ?? null;
  return {
    argv: [
      ...[context.program, 'run', '--format', 'json'],
      ...(session === null ? [] : ['--session', session.id]),
      ...(model === null ? [] : ['--model', model]),
    ],
    environment: opencodeEnvironment(context, {
      permission: permissionRules(context),
      mcp: { tidegate: { type: 'local', command: [context.client, 'mcp'] } },
    }),
    files: {},
    opening: null,
  };
}

/** Settings go in by a variable: it is the one place that overrides the project's own and that no running agent can change. */
export function opencodeEnvironment(context: LaunchContext, more: object): Readonly<Record<string, string>> {
  const model = context.job.agent?.model ?? null;
  const settings = {
    // Tidegate takes the snapshots; opencode's own cost a third of its start.
    snapshot: false,
    autoupdate: false,
    share: 'disabled',
    ...(model === null ? {} : { model, small_model: model }),
    provider: gateways(context.variables, model),
    ...more,
  };
  const places = ['config', 'data', 'state', 'cache'] as const;
  return {
    OPENCODE_CONFIG_CONTENT: JSON.stringify(settings),
    ...Object.fromEntries(places.map((place) => [`XDG_${place.toUpperCase()}_HOME`, `${context.home}/${place}`])),
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    OPENCODE_DISABLE_SHARE: '1',
    // Nobody looks at a screen of its own; watching every file costs a fifth of its start.
    OPENCODE_EXPERIMENTAL_DISABLE_FILEWATCHER: '1',
  };
}

/** Gateways that the person names by variables, as entries of opencode's `provider`. Keys stay in their variables. */
function gateways(variables: Readonly<Record<string, string>>, model: string | null): Readonly<object> {
  const [provider = '', ...rest] = (model ?? '').split('/');
  const named = (id: string): object =>
    provider === id && rest.length > 0 ? { models: { [rest.join('/')]: {} } } : {};
  const openai = variables['OPENAI_BASE_URL'];
  const anthropic = variables['ANTHROPIC_BASE_URL'];
  return {
    ...(openai === undefined ? {} : { openai: { options: { baseURL: openai }, ...named('openai') } }),
    ...(anthropic === undefined
      ? {}
      : { anthropic: { options: { baseURL: versioned(anthropic) }, ...named('anthropic') } }),
  };
}

/** Claude's variable names the host alone, opencode wants the path of the API too. */
const versioned = (url: string): string => (/\/v1\/?$/.test(url) ? url : `${url.replace(/\/+$/, '')}/v1`);
