/** Milliseconds that this thread has computed: what other processes of a busy machine take is not counted. */
export function spentMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
