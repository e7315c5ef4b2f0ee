// Owns counting the WebSocket messages in one direction of a connection, as its bytes pass: those that
// a Durable Object is billed for. Control frames and what the runtime answers by itself are none.

const TEXT = 0x1;
const BINARY = 0x2;
const END_OF_HEAD = Buffer.from("\r\n\r\n");
/** `setWebSocketAutoResponse` answers these without waking a room. */
const PING = "ping";

export class MessageCounter {
  messages = 0;
  bytes = 0;
  #inHead = true;
  #rest: Buffer = Buffer.alloc(0);
  #left = 0;

  take(chunk: Buffer): void {
    this.bytes += chunk.length;
    let bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    this.#rest = Buffer.alloc(0);
    if (this.#inHead) {
      const end = bytes.indexOf(END_OF_HEAD);
      if (end < 0) return this.#keep(bytes);
      this.#inHead = false;
      bytes = bytes.subarray(end + END_OF_HEAD.length);
    }
    while (bytes.length > 0) {
      const passing = Math.min(this.#left, bytes.length);
      this.#left -= passing;
      bytes = bytes.subarray(passing);
      if (this.#left > 0 || bytes.length === 0) return undefined;
      const frame = toFrame(bytes);
      if (frame === undefined) return this.#keep(bytes);
      if (frame.counts) this.messages++;
      this.#left = frame.length;
      bytes = bytes.subarray(frame.header);
    }
    return undefined;
  }

  #keep(bytes: Buffer): void {
    this.#rest = Buffer.from(bytes);
  }
}

interface FrameFacts {
  readonly header: number;
  readonly length: number;
  readonly counts: boolean;
}

/** Undefined while too little of it is there. */
function toFrame(bytes: Buffer): FrameFacts | undefined {
  const [first = 0, second = 0] = bytes;
  const short = second & 0x7f;
  const extended = [0, 2, 8][Math.max(0, short - 125)] ?? 0;
  const masked = (second & 0x80) !== 0;
  const header = 2 + extended + (masked ? 4 : 0);
  if (bytes.length < Math.max(2, header)) return undefined;
  const length =
    extended === 0 ? short : extended === 2 ? bytes.readUInt16BE(2) : bytes.readUInt32BE(6);
  const opcode = first & 0x0f;
  if (opcode === TEXT && length === PING.length && bytes.length < header + length) return undefined;
  const isPing =
    opcode === TEXT && length === PING.length && payload(bytes, header, masked) === PING;
  return { header, length, counts: (opcode === TEXT || opcode === BINARY) && !isPing };
}

function payload(bytes: Buffer, header: number, masked: boolean): string {
  const body = Buffer.from(bytes.subarray(header, header + PING.length));
  if (masked) for (let i = 0; i < body.length; i++) body[i]! ^= bytes[header - 4 + (i % 4)] ?? 0;
  return body.toString("latin1");
}
