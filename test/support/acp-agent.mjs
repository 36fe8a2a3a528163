// A small agent that speaks the Agent Client Protocol. Its turn is over when there is a file `go`, or when it is cancelled, unless
// its prompt says that it is stubborn. What it hears goes into `heard.txt`.
import { appendFileSync, existsSync, watch } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { agent, methods, ndJsonStream } from '@agentclientprotocol/sdk';

const hears = (text) => appendFileSync('heard.txt', `${text.trim()}\n`);
const { promise: cancelled, resolve: cancel } = Promise.withResolvers();

process.on('SIGTERM', () => {
  hears('TERM');
  process.exit(143);
});

agent({ name: 'small' })
  .onRequest(methods.agent.initialize, () => ({ protocolVersion: 1, agentCapabilities: {} }))
  .onRequest(methods.agent.session.new, () => ({ sessionId: 'small-1' }))
  .onRequest(methods.agent.session.prompt, async ({ params }) => {
    const [{ text }] = params.prompt;
    const went = go();
    hears(text);
    const stopReason = await Promise.race([went, text.includes('stubborn') ? went : cancelled]);
    return { stopReason, usage: { inputTokens: 70, outputTokens: 7 } };
  })
  .onNotification(methods.agent.session.cancel, () => {
    hears('cancel');
    cancel('cancelled');
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));

function go() {
  const { promise, resolve } = Promise.withResolvers();
  const look = () => existsSync('go') && resolve('end_turn');
  const watcher = watch('.', look).unref();
  look();
  return promise.finally(() => watcher.close());
}
