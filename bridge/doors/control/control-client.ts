// Owns sending one request to a running bridge.

import { connectLocal, readLines, writeLine } from "../../local/local-socket.ts";
import { ExitCode, UserError } from "../../errors.ts";
import type { ControlAnswers, ControlReply, ControlRequest } from "./control-requests.ts";

/** A starting bridge answers once it is ready. */
const ANSWER_TIMEOUT_MS = 40_000;

/** Sends a request and returns its answer; undefined if no bridge listens there. */
export async function requestBridge<V extends ControlRequest["verb"]>(
  path: string,
  request: Extract<ControlRequest, { verb: V }>,
  timeoutMs = ANSWER_TIMEOUT_MS,
): Promise<ControlAnswers[V] | undefined> {
  const socket = await connectLocal(path).catch(() => undefined);
  if (socket === undefined) return undefined;
  try {
    const reply = await new Promise<ControlReply>((resolve, reject) => {
      const timer = setTimeout(
        () =>
          reject(
            new UserError(
              `the bridge does not answer within ${timeoutMs / 1000} s`,
              ExitCode.unavailable,
              "It may still be starting. Try again in a moment.",
            ),
          ),
        timeoutMs,
      );
      socket.once("close", () => {
        clearTimeout(timer);
        reject(new UserError("the bridge exited before it answered", ExitCode.unavailable));
      });
      socket.once("error", reject);
      // The other end is the same program of the same user: its answers are not validated.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      readLines(socket, (value) => resolve(value as ControlReply));
      writeLine(socket, request);
    });
    if (!reply.ok) throw new UserError(reply.error, reply.code ?? ExitCode.usage, reply.hint);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the verb asked is the verb answered
    return reply.value as ControlAnswers[V];
  } finally {
    socket.destroy();
  }
}
