import type { IncomingMessage } from 'node:http';
import { err, ok, type Result } from '../../domain/base/result.ts';
import { type Problem, problem } from '../../protocol/problem.ts';

export const bodyLimit = 1 << 20;
/** What walks a value recursively must come to its end. */
const depthLimit = 100;

/** The JSON of a request; undefined when it came without a body. More than the limit is not read. */
export async function readJson(request: IncomingMessage): Promise<Result<unknown, Problem>> {
  const announced = Number(request.headers['content-length'] ?? '0');
  if (announced > bodyLimit) return err(tooLarge);
  const read = await bytesOf(request);
  if (!read.ok) return read;
  if (read.value.length === 0) return ok(undefined);
  if (!isJson(request.headers['content-type']))
    return err(problem(415, 'not-json', 'the body has to be JSON', { next: 'send Content-Type: application/json' }));
  return parse(read.value);
}

async function bytesOf(request: IncomingMessage): Promise<Result<Buffer, Problem>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    // left open when we stop in the middle: the answer still has to get out
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > bodyLimit) return err(tooLarge);
      chunks.push(chunk);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ECONNRESET') return err(cutOff);
    throw error;
  }
  return ok(Buffer.concat(chunks));
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parse(bytes: Buffer): Result<unknown, Problem> {
  try {
    const text = utf8.decode(bytes);
    return isTooDeep(text) ? err(tooDeep) : ok(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return err(problem(400, 'bad-json', `the body is not JSON: ${error.message}`));
    if (error instanceof TypeError) return err(problem(400, 'bad-text', 'the body is not UTF-8'));
    throw error;
  }
}

/** By its brackets, leaving out those in strings; of text that is no JSON it may say anything. */
function isTooDeep(text: string): boolean {
  if (text.length <= depthLimit) return false;
  let [depth, inString] = [0, false];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (inString) {
      if (char === '\\') at += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '[' || char === '{') depth += 1;
    else if (char === ']' || char === '}') depth -= 1;
    if (depth > depthLimit) return true;
  }
  return false;
}

const isJson = (type: string | undefined): boolean => /^application\/json\s*(;\s*charset=utf-8\s*)?$/i.test(type ?? '');

const tooLarge = problem(413, 'too-large', `a body may have ${bodyLimit} bytes`);
const tooDeep = problem(400, 'too-deep', `a body may have ${depthLimit} levels of lists and objects`);
const cutOff = problem(400, 'cut-off', 'the body ended in the middle');
