// node raw-client.mjs LINK ID: shows a terminal byte for byte, through cuts, and tells what it has shown.
import { WebSocket } from "ws";

const OUTPUT = 0x25;
const ACKS = 0x29;
const PROOF = 0x2c;
const [link, id] = process.argv.slice(2);
const { origin, pathname, hash } = new URL(link);
const room = origin.replace("http", "ws") + pathname.replace("/w/", "/parties/workspace/");
let socket;
let place = {}; // channel, epoch, and the offset up to which all is shown

const send = (message) => socket.send(JSON.stringify(message));
const attach = ({ epoch, offset } = {}) => send({ type: "pty:attach", id, epoch, offset });
// What was written last may still be on its way into a pipe.
const exit = (code) => process.stdout.write("", () => process.exit(code));

function ack({ channel, offset }) {
  const frame = Buffer.alloc(24);
  frame.writeUInt8(ACKS, 0);
  frame.writeUInt32BE(12, 8); // the payload's length: one entry
  frame.writeUInt32BE(channel, 12);
  frame.writeBigUInt64BE(BigInt(offset), 16);
  socket.send(frame);
}

function onText(message) {
  if (message.type === "pty:terminals") attach(place);
  if (message.id !== id) return;
  if (message.type === "pty:attached") {
    const { channel, epoch, offset, snapshot } = message;
    place = { channel, epoch, offset };
    if (snapshot !== undefined) process.stdout.write(`\u001Bc${snapshot}`); // on a clean screen
  }
  if (message.type === "pty:exit") exit(message.exitCode ?? 1);
}

function onFrame(frame) {
  // The room asks whether we read: its number goes back as the offset of channel 0.
  if (frame.readUInt8(0) === PROOF) return ack({ channel: 0, offset: frame.readBigUInt64BE(12) });
  if (frame.readUInt8(0) !== OUTPUT || frame.readUInt32BE(4) !== place.channel) return;
  const offset = Number(frame.readBigUInt64BE(12));
  const span = frame.readUInt32BE(20);
  const body = frame.subarray(24);
  if (span === 0) return onText(JSON.parse(body)); // an event, in its place in the stream
  if (offset > place.offset) return attach(place); // a hole: ask for what is missing
  process.stdout.write(body.subarray(Math.max(0, place.offset - offset)));
  place.offset = Math.max(place.offset, offset + span);
  ack(place);
}

function dial() {
  socket = new WebSocket(room, ["pairpty.v1.raw", hash.slice(1)]);
  socket.on("message", (data, isBinary) => (isBinary ? onFrame(data) : onText(JSON.parse(data))));
  socket.on("error", () => {}); // close follows
  socket.on("close", (code) => {
    if ([4401, 4403, 4411, 4426].includes(code)) throw new Error(`this link was refused: ${code}`);
    setTimeout(dial, 1000);
  });
}
dial();
