// node panel-client.mjs LINK [SESSION]: a shell in a terminal panel, shown and typed here.
import { WebSocket } from "ws";

const [link, sessionId] = process.argv.slice(2);
const { origin, pathname, hash } = new URL(link);
const room = origin.replace("http", "ws") + pathname.replace("/w/", "/parties/workspace/");
const panel = { type: "panel_event", panelId: "shell", panelType: "terminal", sessionId };
const size = { cols: process.stdout.columns || 80, rows: process.stdout.rows || 24 };

const socket = new WebSocket(room, ["pairpty.v1", hash.slice(1)]);
const send = (payload) => socket.send(JSON.stringify({ ...panel, payload }));
const typed = (text) => send({ type: "terminal_input", text });
// What was written last may still be on its way into a pipe.
const exit = (code) => process.stdout.write("", () => process.exit(code));

let lines = [];
function take({ type, n, panelId, payload, error }) {
  // The room asks whether we read.
  if (type === "pairpty:ping") socket.send(JSON.stringify({ type: "pairpty:pong", n }));
  // The bridge is here: say how large we are, and open the panel.
  if (type === "pty:terminals") {
    send({ type: "terminal_resize", ...size });
    send({ type: "panel_lifecycle", state: "opened" });
  }
  if (type === "panel_error") console.error(error);
  if (type !== "panel_event" || panelId !== panel.panelId) return;
  if (payload.type === "terminal_output") {
    process.stdout.write(payload.data);
    lines = (lines.join("\n") + payload.data).split("\n").slice(-size.rows);
  }
  if (payload.type === "terminal_status") {
    if (payload.state === "ready") process.stdin.setEncoding("utf8").on("data", typed);
    if (payload.state === "error") console.error(payload.message);
    if (payload.state === "closed") exit(payload.exitCode ?? 1);
  }
  if (payload.type === "terminal_snapshot_request") {
    const snapshot = {
      ...size,
      cursor: { x: 0, y: lines.length - 1 },
      bufferType: "normal",
      lines: lines.map((line) => line.trimEnd()),
      wrapped: lines.map(() => false),
      timestamp: new Date().toISOString(),
    };
    send({ type: "terminal_snapshot_response", requestId: payload.requestId, snapshot });
  }
}
socket.on("message", (data) => take(JSON.parse(data)));
socket.on("close", (code) => exit(code === 1000 ? 0 : 1));
