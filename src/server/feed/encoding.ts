import { formatCursor } from '../../protocol/cursor.ts';
import { envelopeText, type Telling } from './telling.ts';

/** How envelopes look on the wire: frames of a WebSocket, or the lines of an event stream. */
export type Encoding = 'frames' | 'lines';

/** Many envelopes as one piece of bytes, to be written at once. */
export function encode(encoding: Encoding, channel: string, tellings: readonly Telling[]): Buffer {
  const encodeOne = encoding === 'frames' ? frameOf : linesOf;
  return Buffer.concat(tellings.map((telling) => encodeOne(channel, telling)));
}

const frameOf = (channel: string, telling: Telling): Buffer => textFrame(envelopeText(channel, telling));

/** JSON text has no line break. */
const linesOf = (channel: string, telling: Telling): Buffer =>
  Buffer.from(`id: ${formatCursor(telling.at)}\ndata: ${envelopeText(channel, telling)}\n\n`);

/** A whole text message of a server (RFC 6455 5.2): final, not masked, not compressed. */
export function textFrame(text: string): Buffer {
  const bytes = Buffer.byteLength(text);
  const header = bytes < 126 ? 2 : bytes < 1 << 16 ? 4 : 10;
  const frame = Buffer.allocUnsafe(header + bytes);
  frame[0] = 0x81;
  frame[1] = header === 2 ? bytes : header === 4 ? 126 : 127;
  if (header === 4) frame.writeUInt16BE(bytes, 2);
  if (header === 10) frame.writeBigUInt64BE(BigInt(bytes), 2);
  frame.write(text, header);
  return frame;
}
