import type { Role } from '../protocol/route.ts';
import { roles } from '../protocol/route.ts';
import { serverRoutes } from '../protocol/routes/server.ts';
import { tokenOf } from '../server/keys.ts';
import { done, exitCodes, misused, type Outcome, type Register } from './command.ts';
import { failed } from './desk.ts';
import type { ServePorts } from './serve.ts';

type TokenOptions = { readonly role: string; readonly renew?: true; readonly curl?: true; readonly link?: true };

/** Whether the caller may have what lets one decide; the outcome tells it why not. */
export type MayDecide = (context: Parameters<Register>[2], command: string) => Promise<Outcome | null>;

/** `tidegate token`: what a script needs to talk to the server. */
export const token =
  (ports: ServePorts, mayDecide: MayDecide): Register =>
  (command, does, context) => {
    command
      .option('--role <role>', 'read shows, operate runs and stops, approve decides and lands', 'read')
      .option('--curl', 'print a call that can be pasted')
      .option('--link', 'a link for a browser, once; asks the server that runs')
      .option('--renew', 'make all tokens and cookies of before void')
      .action(
        does(async ({ role: given, renew, curl, link }: TokenOptions) => {
          const role = roles.find((one) => one === given);
          if (role === undefined) return misused('bad-role', `token: --role takes ${roles.join(', ')}, not ${given}`);
          const refused =
            role === 'approve' || renew || link ? await mayDecide(context, `tidegate token --role ${role}`) : null;
          if (refused !== null) return refused;
          const state = await ports.state(context);
          if (renew) state.renewSecret();
          const secret = state.secret();
          if (!secret.ok) return failed('key-unsafe', `token: ${secret.error}`);
          if (link) return await linkOf(tokenOf(secret.value, 'approve'), state.serving()?.url ?? null);
          return told(tokenOf(secret.value, role), role, state.serving()?.url ?? null, { renew, curl });
        }),
      );
  };

function told(
  value: string,
  role: Role,
  url: string | null,
  { renew, curl }: { readonly renew: true | undefined; readonly curl: true | undefined },
): Outcome {
  const at = url ?? 'http://127.0.0.1:3847';
  const call = `curl -H 'Authorization: Bearer ${value}' ${at}/v1/repositories`;
  const problems =
    renew && url !== null ? ['tidegate: note: the server that runs keeps the old ones until it is started again'] : [];
  return { ...done([curl ? call : value], { role, token: value, url }), exit: exitCodes.done, problems };
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
