// node plain-client.mjs LINK [COMMAND…]: a command in a new shared terminal, shown and typed here.
import { WebSocket } from "ws";

const [link, ...command] = process.argv.slice(2);
const { origin, pathname, hash } = new URL(link);
const room = origin.replace("http", "ws") + pathname.replace("/w/", "/parties/workspace/");

const answer = await fetch(`${origin}${pathname}/pty/spawn`, {
  method: "POST",
  headers: { authorization: `Bearer ${hash.slice(1)}` },
  body: JSON.stringify(command.length > 0 ? { command } : {}),
});
const { id, error } = await answer.json();
if (!answer.ok) throw new Error(error);

// The place is the epoch, and the offset up to which all is shown.
let socket, place;
const send = (message) => socket.readyState === 1 && socket.send(JSON.stringify(message));
const type = (data) => send({ type: "pty:input", id, data });
// What was written last may still be on its way into a pipe.
const exit = (code) => process.stdout.write("", () => process.exit(code));
const show = (text, epoch, offset) => {
  process.stdout.write(text);
  place = { epoch, offset };
  send({ type: "pty:ack", id, offset });
};
function take(message) {
  // The bridge is here, or here again: attach, or continue where we were.
  if (message.type === "pty:terminals") send({ type: "pty:attach", id, ...place });
  if (message.type === "pairpty:ping") send({ ...message, type: "pairpty:pong" });
  if (message.id !== id) return;
  if (message.type === "pty:attached") {
    if (place === undefined) process.stdin.setEncoding("utf8").on("data", type);
    show(message.history ?? "", message.epoch, message.next);
  }
  if (message.type === "pty:output") show(message.data, place.epoch, message.next);
  if (message.type === "pty:error") console.error(`${message.code}: ${message.error}`);
  if (message.type === "pty:exit") exit(message.exitCode ?? 1);
}
(function dial() {
  socket = new WebSocket(room, ["pairpty.v1", hash.slice(1)]);
  socket.on("message", (data) => take(JSON.parse(data))).on("error", () => {}); // close follows
  socket.on("close", (code) => {
    if ([4401, 4403, 4411, 4426].includes(code)) throw new Error(`this link was refused: ${code}`);
    setTimeout(dial, 1000);
  });
})();
