import { addressFault } from '../../domain/base/web-address.ts';
import type { Finding } from '../../domain/findings/finding.ts';

/** What came of asking. `because` holds nothing of what was sent or answered. */
export type WebAnswer =
  | { readonly outcome: 'answered'; readonly status: number; readonly text: string }
  | { readonly outcome: 'failed'; readonly because: Finding };

type Letter = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether what is answered matters, beside that it was. */
  readonly reads: boolean;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
};

/** Whoever answers more is not who we mean to talk to. */
const mostBytes = 64 * 1024;

/** One POST of JSON: to that address and nowhere else, within a time that includes reading the answer. Never rejects. */
export async function post({ url, headers, body, reads, timeoutMs = 5_000, signal }: Letter): Promise<WebAnswer> {
  const fault = addressFault(url);
  if (fault !== null) return failed({ rule: 'delivery-address', fault });
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
      return failed({ rule: 'delivery-redirected', status });
    }
    if (!reads) {
      await response.body?.cancel();
      return { outcome: 'answered', status, text: '' };
    }
    const text = await firstBytes(response);
    return text === null ? failed({ rule: 'delivery-endless' }) : { outcome: 'answered', status, text };
  } catch (error) {
    if (late.aborted) return failed({ rule: 'delivery-late', seconds: timeoutMs / 1000 });
    if (signal?.aborted) return failed({ rule: 'delivery-cut-short' });
    if (error instanceof TypeError) return failed({ rule: 'delivery-unreachable', code: codeOf(error.cause) });
    throw error;
  }
}

const failed = (because: Finding): WebAnswer => ({ outcome: 'failed', because });

/** Null when there is more than anybody needs. */
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

/** Messages of errors may repeat what was sent; their codes do not. */
function codeOf(cause: unknown): string | null {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return /^[A-Z][A-Z0-9_]{2,40}$/.test(code) ? code : null;
}

/** A value that can be a header as it is. */
export const isToken = (value: string): boolean => /^[\x21-\x7e]{1,4096}$/.test(value);
