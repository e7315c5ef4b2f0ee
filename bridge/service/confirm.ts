// Owns asking a person through the agent's `confirm`: the question, how long to wait for an answer,
// and the error when there is none. No answer counts as no.

import { splitReasons } from "../../protocol/approval.ts";
import { errorMessage } from "../errors.ts";
import type { Agent, Confirmation } from "./types.ts";

/** How long an unknown command waits for an answer; a dangerous one waits without a limit. */
export const UNKNOWN_SECONDS = 10;

export type ConfirmRequest = Omit<Confirmation, "message" | "timeoutSeconds"> & {
  /** Those of the reasons that the question always shows. */
  readonly notes?: readonly string[] | undefined;
};

export type ConfirmResult = { readonly ok: true } | { readonly ok: false; readonly error: string };

const CONFIRMED: ConfirmResult = { ok: true };

export async function confirmWithPerson(
  agent: Pick<Agent, "confirm">,
  { notes = [], ...request }: ConfirmRequest,
  signal?: AbortSignal,
): Promise<ConfirmResult> {
  const { level, reasons } = request;
  const { gravest } = splitReasons({ why: reasons, notes });
  const why = gravest === undefined ? "" : ` (${gravest})`;
  if (agent.confirm === undefined) {
    return denied(
      `The command is ${level}${why}, and this agent has no confirm() to ask a person. Nothing ran.`,
    );
  }
  const timeoutSeconds = level === "unknown" ? UNKNOWN_SECONDS : null;
  const message = [`Run this ${level} command?${why}`, request.command, ...notes].join("\n");
  const answer = askAgent(agent, { ...request, message, timeoutSeconds });
  const limit = new WaitLimit(timeoutSeconds, signal);
  try {
    return await Promise.race([answer, limit.ended]).then((outcome) => {
      if (outcome === "timeout")
        return denied(`No one answered within ${UNKNOWN_SECONDS} s${why}. Nothing ran.`);
      if (outcome === "left") return denied("The caller cancelled this command. Nothing ran.");
      if (outcome === true) return CONFIRMED;
      return denied(
        outcome === false
          ? `A person denied this command${why}. Nothing ran.`
          : `confirm() failed: ${outcome}. Nothing ran.`,
      );
    });
  } finally {
    limit.dispose();
  }
}

function denied(error: string): ConfirmResult {
  return { ok: false, error };
}

/** Returns the answer, or the error's text. Anything but `true` is no. */
async function askAgent(
  agent: Pick<Agent, "confirm">,
  question: Confirmation,
): Promise<boolean | string> {
  try {
    return (await agent.confirm?.(question)) === true;
  } catch (error) {
    return errorMessage(error);
  }
}

/** The end of the wait: by timeout, or because the caller aborted. */
class WaitLimit {
  readonly ended: Promise<"timeout" | "left">;
  readonly #signal: AbortSignal | undefined;
  #timer: NodeJS.Timeout | undefined;
  #leave = () => {};

  constructor(seconds: number | null, signal: AbortSignal | undefined) {
    this.#signal = signal;
    this.ended = new Promise((resolve) => {
      if (seconds !== null) this.#timer = setTimeout(() => resolve("timeout"), seconds * 1_000);
      this.#leave = () => resolve("left");
    });
    signal?.addEventListener("abort", this.#leave);
    if (signal?.aborted === true) this.#leave();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#leave);
  }
}
