import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { z } from 'zod';
import { err, ok, type Result } from '../../domain/base/result.ts';
import {
  listArguments,
  type Opener,
  openArguments,
  type RequestTerms,
  withoutCredentials,
} from '../../domain/landing/pull-request.ts';

/** A call of the person's program: its directory, and the person's environment, in which it finds its login. */
type Place = { readonly cwd: string; readonly env: Readonly<Record<string, string>> };

/** `output` is the text that the program printed. */
export type Unopened = {
  readonly fault: 'login' | 'failed' | 'timeout' | 'no-address';
  readonly output: string;
};

/** True when the person has this program. */
export function hasProgram(program: Opener, env: Place['env']): boolean {
  return (env['PATH'] ?? '').split(delimiter).some((folder) => folder !== '' && isExecutable(join(folder, program)));
}

/** The address of the open pull request of this branch; null when there is none. */
export async function findRequest(place: Place, terms: RequestTerms): Promise<Result<string | null, Unopened>> {
  const ran = await run(place, terms.opener, listArguments(terms), '');
  if (!ran.ok) return ran;
  const list = listSchema.safeParse(parsed(ran.value));
  if (!list.success) return err({ fault: 'failed', output: ran.value });
  const [first] = list.data;
  return ok(first === undefined ? null : withoutCredentials(first));
}

/** Opens a pull request and says where it is. */
export async function openRequest(
  place: Place,
  terms: RequestTerms,
  text: { readonly title: string; readonly body: string },
): Promise<Result<string, Unopened>> {
  const ran = await run(place, terms.opener, openArguments(terms, text.title, text.body), text.body);
  if (!ran.ok) return ran;
  const addresses = withoutCredentials(ran.value).match(/https?:\/\/\S+/g);
  const url = addresses?.at(-1);
  return url === undefined ? err({ fault: 'no-address', output: ran.value }) : ok(url);
}

/** `gh` says `url`, `glab` says `web_url`. */
const listSchema = z
  .array(z.object({ url: z.url().optional(), web_url: z.url().optional() }))
  .transform((found) => found.flatMap(({ url, web_url }) => url ?? web_url ?? []));

function parsed(text: string): unknown {
  try {
    return text.trim() === '' ? [] : JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Runs without a terminal: prompts are switched off, and a program that waits too long is ended. */
function run(place: Place, program: Opener, args: readonly string[], stdin: string): Promise<Result<string, Unopened>> {
  const quiet = { GH_PROMPT_DISABLED: '1', GH_NO_UPDATE_NOTIFIER: '1', NO_PROMPT: '1', NO_COLOR: '1' };
  const signal = AbortSignal.timeout(minutes * 60_000);
  return new Promise((resolve) => {
    const child = spawn(program, [...args], {
      cwd: place.cwd,
      env: { ...place.env, ...quiet },
      stdio: ['pipe', 'pipe', 'pipe'],
      signal,
      killSignal: 'SIGKILL',
    });
    const [out, output] = [collected(child, 'stdout'), collected(child, 'stderr')];
    child.once('error', (error) =>
      resolve(err(signal.aborted ? { fault: 'timeout', output: '' } : { fault: 'failed', output: error.message })),
    );
    child.once('close', (code) => {
      if (code === 0) resolve(ok(out()));
      else
        resolve(
          err({ fault: code === loginNeeded && program === 'gh' ? 'login' : 'failed', output: output() || out() }),
        );
    });
    // It may end before it has read everything; its exit tells why.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(stdin);
  });
}

/** So long a program may take. */
const minutes = 3;
/** The exit code of `gh` without a login. */
const loginNeeded = 4;

function collected(child: ChildProcess, from: 'stdout' | 'stderr'): () => string {
  let text = '';
  child[from]?.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < 65_536) text += chunk;
  });
  return () => text;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch (error) {
    if (['ENOENT', 'EACCES', 'ENOTDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}
