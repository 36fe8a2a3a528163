// Many WebSocket clients in one process: argv is port, token, repository, clients, events. Says `ready` when all of them listen, and then,
// when each has had all events, a line of JSON with how long each event was under way, in milliseconds. Frames are not taken
// apart: the time of sending stands in the text of each event.
import { connect } from 'node:net';

const [port, token, repository, clients, events] = process.argv.slice(2);
const wanted = Number(events);
const took = [];
let [listening, done] = [0, 0];

for (let at = 0; at < Number(clients); at += 1) {
  const socket = connect({ host: '127.0.0.1', port: Number(port) });
  socket.setNoDelay(true).setEncoding('latin1');
  socket.write(
    [
      'GET /v1/stream HTTP/1.1',
      `host: 127.0.0.1:${port}`,
      `authorization: Bearer ${token}`,
      'connection: upgrade',
      'upgrade: websocket',
      'sec-websocket-version: 13',
      'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
      '\r\n',
    ].join('\r\n'),
  );
  socket.on('close', () => {
    if (heard !== wanted) throw new Error(`a client was cut after ${heard} events`);
  });
  let [text, isListening, heard] = ['', false, 0];
  socket.on('data', (chunk) => {
    const now = Number(process.hrtime.bigint()) / 1e6;
    text += chunk;
    if (!isListening && text.includes('\r\n\r\n') && heard === 0) {
      heard = -1;
      socket.write(masked(JSON.stringify({ type: 'subscribe', repository })));
    }
    if (!isListening && text.includes('"subscribed"')) {
      [isListening, heard] = [true, 0];
      listening += 1;
      if (listening === Number(clients)) console.log('ready');
    }
    let end = 0;
    for (const match of text.matchAll(/sent (\d+\.\d+) /g)) {
      took.push(now - Number(match[1]));
      heard += 1;
      end = match.index + match[0].length;
    }
    if (isListening) text = text.slice(Math.max(end, text.length - 64));
    if (heard === wanted) {
      done += 1;
      socket.destroy();
      if (done === Number(clients)) console.log(JSON.stringify(took));
    }
  });
}

/** A short text frame of a client, with a mask of zeroes. */
function masked(text) {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([0x81, 0x80 | bytes.length, 0, 0, 0, 0]), bytes]);
}
