import { setTimeout } from 'node:timers/promises';
import type { AccessRole } from '../../../protocol/route.ts';
import { tokenOf } from '../../../server/http/keys.ts';
import { refuseAgent } from '../../frame/act.ts';
import { command, done, failure, type Outcome, usageError } from '../../frame/command.ts';

const roles = ['read', 'operate', 'approve'] as const satisfies readonly AccessRole[];

export const tokenCommand = command({
  name: 'token',
  group: 'serve',
  summary: 'print a token for scripts that call the server',
  options: {
    role: {
      value: 'role',
      choices: roles,
      about:
        'read, operate (run and stop) or approve (decide and land); each includes the ones before it (default: read)',
    },
    curl: { about: 'print a curl command to paste' },
    link: { about: 'print a one-time link that opens the running server in a browser, with the role approve' },
    renew: { about: 'make all earlier tokens and cookies invalid' },
  },
  run: async ({ role: typed, renew, curl, link }, context, { ports }) => {
    const role = roles.find((one) => one === (typed ?? 'read'));
    if (role === undefined) return usageError('bad-role', `token: --role takes ${roles.join(', ')}, not ${typed}`);
    if (link && typed !== undefined && role !== 'approve')
      return usageError('link-approves', `token: a link gives the role approve, not ${role}`);
    const decides = role === 'approve' || renew || link;
    const refusal = decides
      ? refuseAgent({ caller: await ports.caller(context) }, `tidegate token --role ${role}`)
      : null;
    if (refusal !== null) return refusal;
    const state = await (await ports.serve()).state(context);
    if (renew) state.renewSecret();
    const secret = state.secret();
    if (!secret.ok) return failure('key-unsafe', `token: ${secret.error}`);
    const url = state.serving()?.url ?? null;
    const problems =
      renew && url !== null && !(await acceptsToken(url, tokenOf(secret.value, 'read'))) ? [notRenewed] : [];
    if (link) return await linkOf(tokenOf(secret.value, 'approve'), url);
    return { ...tokenOutcome(tokenOf(secret.value, role), role, url, curl), problems };
  },
});

function tokenOutcome(value: string, role: AccessRole, url: string | null, curl: boolean): Outcome {
  const at = url ?? 'http://127.0.0.1:3847';
  const call = `curl -H 'Authorization: Bearer ${value}' ${at}/v1/repositories`;
  return done([curl ? call : value], { role, token: value, url });
}

const notRenewed =
  'tidegate: note: the running server does not accept the new token yet. Restart it if that does not change';
const renewalMs = 3_000;

/** Waits until the server accepts a token of the new key, which it reads as soon as the file changes. */
async function acceptsToken(url: string, value: string): Promise<boolean> {
  if (!url.startsWith('http:')) return false;
  const late = AbortSignal.timeout(renewalMs);
  const headers = { authorization: `Bearer ${value}` };
  while (!late.aborted) {
    // the server closes all connections when the key changes
    const answer = await fetch(`${url}/v1/server`, { headers, signal: late }).catch(() => null);
    if (answer?.ok === true) return true;
    await setTimeout(20);
  }
  return false;
}

async function linkOf(value: string, url: string | null): Promise<Outcome> {
  if (url === null) return failure('no-server', 'token: no server is running. Start one: tidegate serve');
  if (!url.startsWith('http')) return usageError('no-address', `token: a browser cannot open ${url}`);
  const answer = await fetch(`${url}/v1/links`, {
    method: 'POST',
    headers: { authorization: `Bearer ${value}`, 'content-type': 'application/json' },
    body: '{}',
  });
  if (!answer.ok) return failure('refused', `token: the server at ${url} answered ${answer.status}. Restart it`);
  // the schemas of the protocol are big, and `--help` does not need them
  const { serverRoutes } = await import('../../../protocol/routes/server.ts');
  const { path, expires } = serverRoutes.link.answer.schema.parse(await answer.json());
  return done([`${url}${path}`], { url: `${url}${path}`, expires });
}
