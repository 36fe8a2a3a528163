/** Gateways that the person names by variables, as entries of opencode's `provider`. Keys stay in their variables. */
export function gateways(variables: Readonly<Record<string, string>>, model: string | null): Readonly<object> {
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
