/** A stream as it comes. Not every browser can iterate one. Whoever stops reading closes it. */
export async function* chunksOf(stream: ReadableStream<string>): AsyncGenerator<string, void, undefined> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // it may be closed by a failure already, which was thrown
    await reader.cancel().catch(() => undefined);
  }
}
