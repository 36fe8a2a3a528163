import { err, ok, type Result } from '../../domain/base/result.ts';
import { addressFault } from '../../domain/base/web-address.ts';
import type { Finding } from '../../domain/findings/finding.ts';

type PostRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** True when the text of the answer is needed. */
  readonly reads: boolean;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
};

/** A longer answer does not come from a service that we talk to. */
const mostBytes = 64 * 1024;

/**
 * Posts JSON to one address, without redirects, within a time that includes reading the answer. Returns the text of an answer in the two
 * hundreds. A finding holds nothing of the request or the answer. Never rejects.
 */
export async function post(request: PostRequest): Promise<Result<string, Finding>> {
  const { url, headers, body, reads, timeoutMs = 5_000, signal } = request;
  const fault = addressFault(url);
  if (fault !== null) return err({ rule: 'delivery-address', fault });
  const late = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'tidegate', ...headers },
      body,
      redirect: 'manual',
      signal: signal === undefined ? late : AbortSignal.any([late, signal]),
    });
    const { status } = response;
    if (status >= 300 && status < 400) {
      await response.body?.cancel();
      return err({ rule: 'delivery-redirected', status });
    }
    const text = reads ? await firstBytes(response) : '';
    if (!reads) await response.body?.cancel();
    if (text === null) return err({ rule: 'delivery-endless' });
    return status >= 200 && status < 300 ? ok(text) : err({ rule: 'delivery-refused', status });
  } catch (error) {
    if (late.aborted) return err({ rule: 'delivery-late', seconds: timeoutMs / 1000 });
    if (signal?.aborted) return err({ rule: 'delivery-cut-short' });
    if (error instanceof TypeError) return err({ rule: 'delivery-unreachable', code: codeOf(error.cause) });
    throw error;
  }
}

/** Returns the whole text; null when it is too long. */
async function firstBytes({ body }: Response): Promise<string | null> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.byteLength;
    if (size > mostBytes) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Returns only the code: the message of an error may repeat the request. */
function codeOf(cause: unknown): string | null {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return /^[A-Z][A-Z0-9_]{2,40}$/.test(code) ? code : null;
}

/** Tells whether a value can be sent as a header. */
export const isToken = (value: string): boolean => /^[\x21-\x7e]{1,4096}$/.test(value);
