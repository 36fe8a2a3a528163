/**
 * Drops keys that were typed before a question is shown: they do not answer it. Uses raw mode, because the kernel would keep a line
 * without its end otherwise. Typed keys are there already, so one moment is enough.
 */
export async function discardTypedAhead(input: NodeJS.ReadStream, interrupted: () => void): Promise<void> {
  const take = (chunk: Buffer | string): void => {
    if (chunk.includes('\x03')) interrupted();
  };
  input.setRawMode(true);
  input.on('data', take);
  await new Promise((resolve) => setTimeout(resolve, 50));
  input.off('data', take);
  input.pause();
  input.setRawMode(false);
}
