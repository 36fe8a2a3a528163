/**
 * Drops what was typed before anybody looked at the keyboard: it answers nothing that comes next. Raw meanwhile, because a line without its
 * end stays in the kernel otherwise. What was typed is there already, so one moment is enough.
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
