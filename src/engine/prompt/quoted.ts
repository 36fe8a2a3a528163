import { hash } from 'node:crypto';
import { safeText } from '../../domain/base/safe-text.ts';

/** Around text that agents wrote, so that it cannot pass for an instruction of ours. */
export type Quotes = { readonly open: string; readonly close: string; clean(text: string): string };

/**
 * The token follows from the attempt's nonce, which nobody knew when the text was written, and does not betray it.
 * It is taken out of the text all the same.
 */
export function quotesFor(nonce: string): Quotes {
  const token = hash('sha256', `data in the prompt of ${nonce}`, 'hex').slice(0, 24);
  return {
    open: `<<< data ${token}`,
    close: `>>> end of data ${token}`,
    clean: (text) => safeText(text).replaceAll(nonce, '').replaceAll(token, ''),
  };
}
