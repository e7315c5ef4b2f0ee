// Coding agents made with the SDK, in a room with a real pty host: what they ask for and get.

import { agent } from "@agentclientprotocol/sdk";
import type { AgentContext, RequestError } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { AcpRoom } from "../../test/support/acp-room.ts";

type Turn = (client: AgentContext, sessionId: string, text: string) => Promise<void>;

/** An agent that does one thing whenever it is asked. */
function doing(turn: Turn) {
  return agent({ name: "bot" })
    .onRequest("initialize", () => ({
      protocolVersion: 1,
      agentInfo: { name: "bot", version: "1" },
    }))
    .onRequest("session/new", () => ({ sessionId: "s1" }))
    .onRequest("session/prompt", async ({ client, params }) => {
      const [first] = params.prompt;
      await turn(client, params.sessionId, first?.type === "text" ? first.text : "");
      return { stopReason: "end_turn" };
    })
    .onNotification("session/cancel", () => {});
}

async function codeOf(asked: Promise<unknown>): Promise<number> {
  return await asked.then(
    () => 0,
    (error: RequestError) => error.code,
  );
}

test("AC1 create, wait, output, release: a program's own line ends, its exit, and a dead id", async () => {
  const room = await AcpRoom.start();
  const seen: unknown[] = [];
  const codes: number[] = [];
  const joined = room.join(
    doing(async (client, sessionId) => {
      const made = await client.request("terminal/create", {
        sessionId,
        command: "printf 'one\\ntwo\\r\\n\\033[31mred\\033[0m\\n'; exit 3",
      });
      const { terminalId } = made;
      const ids = { sessionId, terminalId };
      seen.push(await client.request("terminal/wait_for_exit", ids));
      seen.push(await client.request("terminal/output", ids));
      await client.request("terminal/release", ids);
      for (const method of ["output", "wait_for_exit", "kill", "release"]) {
        codes.push(await codeOf(client.request(`terminal/${method}`, ids)));
      }
    }),
    { prompt: "go" },
  );
  const person = room.person();
  await person.answer("once");
  expect(await joined.turn).toEqual({ reason: "end_turn" });
  expect(seen).toEqual([
    { exitCode: 3, signal: null },
    { output: "one\ntwo\r\nred\n", truncated: false, exitStatus: { exitCode: 3, signal: null } },
  ]);
  expect(codes).toEqual([-32_002, -32_002, -32_002, -32_002]);
});
