/**
 * One answer, of which nothing is shown. What is copied from a terminal may be wrapped, so a line end is the end of the answer only
 * when nothing follows at once. Null when input ended or the person interrupted.
 */
export function readSecret(
  input: NodeJS.ReadStream,
  on: { asking(): void; interrupted(): void },
): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  let typed: Typed = { text: '', next: 'more' };
  let quiet: NodeJS.Timeout | undefined;
  const over = (answer: string | null): void => {
    clearTimeout(quiet);
    input.off('data', take).off('end', ended).setRawMode(false);
    input.pause();
    resolve(answer);
  };
  const ended = (): void => over(null);
  const take = (chunk: Buffer): void => {
    clearTimeout(quiet);
    typed = typeOn(typed.text, chunk.toString('utf8'));
    if (typed.next === 'line-end') quiet = setTimeout(() => over(typed.text), quietMs);
    if (typed.next === 'interrupted') on.interrupted();
    if (typed.next === 'interrupted' || typed.next === 'ended') over(null);
  };
  // Raw mode before the question: from here on the terminal echoes nothing. Keys typed before it are no answer.
  input.setRawMode(true);
  const discard = (): void => undefined;
  input.on('data', discard);
  setTimeout(() => {
    input.off('data', discard).on('data', take).on('end', ended);
    on.asking();
  }, quietMs);
  return promise;
}

const quietMs = 100;

type Typed = { readonly text: string; readonly next: 'more' | 'line-end' | 'interrupted' | 'ended' };

/** Keys as a line editor takes them. White space is dropped: no secret has any, but a wrapped one seems to. */
export function typeOn(before: string, keys: string): Typed {
  let text = before;
  const plain = keys.replaceAll(keySequence, '');
  for (const key of plain) {
    if (key === '\x03') return { text: '', next: 'interrupted' };
    if (key === '\x04' && text === '') return { text, next: 'ended' };
    if (key === '\x15') text = '';
    else if (key === '\x7f' || key === '\b') text = text.slice(0, -1);
    else if (key > ' ') text += key;
  }
  return { text, next: /[\r\n]\s*$/.test(plain) ? 'line-end' : 'more' };
}

/** Arrows, and the marks around a paste. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: keys begin with one
const keySequence = /\x1b\[[\d;]*[~A-Za-z]/g;
