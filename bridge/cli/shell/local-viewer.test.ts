import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { encodeFrame } from "../../../protocol/frame.ts";
import { FrameType } from "../../../protocol/frame-types.ts";
import { toPayload } from "../../../protocol/json.ts";
import { LocalViewer } from "./local-viewer.ts";

const ID = "pty-abcdef";
const snapshot = (text: string) =>
  encodeFrame(
    FrameType.peerSend,
    0,
    toPayload({
      type: "pty:attached",
      id: ID,
      channel: 1,
      offset: 0,
      cols: 80,
      rows: 24,
      snapshot: text,
    }),
  );

test("C22 what the bridge still sends to someone who left is not drawn", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pp-viewer-"));
  const server = createServer({ allowHalfOpen: true }).listen(join(folder, "s"));
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const socket = connect(join(folder, "s"));
  const [bridge] = await accepted;
  const drawn: string[] = [];
  const nothing = () => {};
  const viewer = new LocalViewer(socket, ID, {
    onSnapshot: (text) => {
      drawn.push(text);
      if (text === "first") viewer.close();
    },
    onOutput: nothing,
    onResized: nothing,
    steppedIn: nothing,
    onRecording: nothing,
    onExited: nothing,
    onFailed: nothing,
    onClosed: nothing,
  });
  // In one piece with what makes it leave, and later.
  bridge.write(Buffer.concat([snapshot("first"), snapshot("second")]));
  await once(bridge.resume(), "end");
  bridge.end(snapshot("third"));
  await once(socket, "close");
  expect(drawn).toEqual(["first"]);
  server.close();
  rmSync(folder, { recursive: true });
});
