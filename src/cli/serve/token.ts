import { setTimeout } from 'node:timers/promises';
import type { AccessRole } from '../../protocol/route.ts';
import { accessRoles } from '../../protocol/route.ts';
import { serverRoutes } from '../../protocol/routes/server.ts';
import { tokenOf } from '../../server/http/keys.ts';
import { type Context, done, exitCodes, misused, type Outcome } from '../frame/command.ts';
import type { Program } from '../frame/definition.ts';
import { failed } from '../frame/with-repository.ts';

type TokenOptions = {
  readonly role: string | undefined;
  readonly renew: boolean;
  readonly curl: boolean;
  readonly link: boolean;
};

/** `tidegate token`: what a script needs to talk to the server. */
export async function showToken(
  { role: given, renew, curl, link }: TokenOptions,
  context: Context,
  { ports }: Program,
): Promise<Outcome> {
  const role = accessRoles.find((one) => one === (given ?? 'read'));
  if (role === undefined) return misused('bad-role', `token: --role takes ${accessRoles.join(', ')}, not ${given}`);
  if (link && given !== undefined && role !== 'approve')
    return misused('link-approves', `token: a browser that a link lets in has the role approve, not ${role}`);
  const decides = role === 'approve' || renew || link;
  const refused = decides ? await ports.refuseAgent(context, `tidegate token --role ${role}`) : null;
  if (refused !== null) return refused;
  const state = await (await ports.serve()).state(context);
  if (renew) state.renewSecret();
  const secret = state.secret();
  if (!secret.ok) return failed('key-unsafe', `token: ${secret.error}`);
  const url = state.serving()?.url ?? null;
  const problems = renew && url !== null && !(await isTaken(url, tokenOf(secret.value, 'read'))) ? [notTaken] : [];
  if (link) return await linkOf(tokenOf(secret.value, 'approve'), url);
  return { ...told(tokenOf(secret.value, role), role, url, curl), problems };
}

function told(value: string, role: AccessRole, url: string | null, curl: boolean): Outcome {
  const at = url ?? 'http://127.0.0.1:3847';
  const call = `curl -H 'Authorization: Bearer ${value}' ${at}/v1/repositories`;
  return { ...done([curl ? call : value], { role, token: value, url }), exit: exitCodes.done };
}

const notTaken = 'tidegate: note: whether the server that runs took the new key was not seen; if not, start it again';
const takesMs = 3_000;

/** Whether the server goes by the new key, which it looks for by itself as soon as the file has changed. */
async function isTaken(url: string, value: string): Promise<boolean> {
  if (!url.startsWith('http:')) return false;
  const late = AbortSignal.timeout(takesMs);
  const headers = { authorization: `Bearer ${value}` };
  while (!late.aborted) {
    // it hangs up on everybody when it changes over
    const answer = await fetch(`${url}/v1/server`, { headers, signal: late }).catch(() => null);
    if (answer?.ok === true) return true;
    await setTimeout(20);
  }
  return false;
}

async function linkOf(value: string, url: string | null): Promise<Outcome> {
  if (url === null) return failed('no-server', 'token: no server of yours runs; start one: tidegate serve');
  if (!url.startsWith('http')) return misused('no-address', `token: ${url} has no address for a browser`);
  const answer = await fetch(`${url}/v1/links`, {
    method: 'POST',
    headers: { authorization: `Bearer ${value}`, 'content-type': 'application/json' },
    body: '{}',
  });
  if (!answer.ok) return failed('refused', `token: the server at ${url} answered ${answer.status}; start it again`);
  const { path, expires } = linkAnswer.parse(await answer.json());
  return done([`${url}${path}`], { url: `${url}${path}`, expires });
}

const linkAnswer = serverRoutes.link.answer.schema;
