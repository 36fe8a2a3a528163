import type { IncomingMessage } from 'node:http';
import { err, ok, type Result } from '../domain/result.ts';
import { type Problem, problem } from '../protocol/problem.ts';

export const bodyLimit = 1 << 20;

/** The JSON of a request; undefined when it came without a body. More than the limit is not read. */
export async function readJson(request: IncomingMessage): Promise<Result<unknown, Problem>> {
  const announced = Number(request.headers['content-length'] ?? '0');
  if (announced > bodyLimit) return err(tooLarge);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyLimit) return err(tooLarge);
    chunks.push(chunk);
  }
  if (bytes === 0) return ok(undefined);
  if (!isJson(request.headers['content-type']))
    return err(problem(415, 'not-json', 'the body has to be JSON', { next: 'send Content-Type: application/json' }));
  return parse(Buffer.concat(chunks));
}

function parse(bytes: Buffer): Result<unknown, Problem> {
  try {
    return ok(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
  } catch (error) {
    if (error instanceof SyntaxError) return err(problem(400, 'bad-json', `the body is not JSON: ${error.message}`));
    if (error instanceof TypeError) return err(problem(400, 'bad-text', 'the body is not UTF-8'));
    throw error;
  }
}

const isJson = (type: string | undefined): boolean => /^application\/json\s*(;\s*charset=utf-8\s*)?$/i.test(type ?? '');

const tooLarge = problem(413, 'too-large', `a body may have ${bodyLimit} bytes`);
