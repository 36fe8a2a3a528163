/** In bytes, some names short of the 4,096 that the kernel takes, so that all around such a path can still be named. */
const most = 3_900;

/** An absolute path that is not worked with: what agents write may lie deeper than anything can be named. */
export const isTooLong = (path: string): boolean => Buffer.byteLength(path) > most;
