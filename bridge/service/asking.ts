// Owns asking a person through the agent's `confirm`: the question, how long to wait for an answer,
// and the error when there is none. No answer counts as no.

import { messageOf } from "../errors.ts";
import type { Agent, Confirmation } from "./types.ts";

/** How long an unknown command waits for an answer; a dangerous one waits without a limit. */
export const UNKNOWN_SECONDS = 10;

export type Asked = Omit<Confirmation, "message" | "timeoutSeconds">;

export type Permission = { readonly ok: true } | { readonly ok: false; readonly error: string };

const YES: Permission = { ok: true };

export async function askPerson(
  agent: Pick<Agent, "confirm">,
  asked: Asked,
  signal?: AbortSignal,
): Promise<Permission> {
  const { level, reasons } = asked;
  const why = reasons.length === 0 ? "" : ` (${reasons.join("; ")})`;
  if (agent.confirm === undefined) {
    return no(
      `The command is ${level}${why}, and this agent has no confirm() to ask a person. Nothing ran.`,
    );
  }
  const timeoutSeconds = level === "unknown" ? UNKNOWN_SECONDS : null;
  const message = `Run this ${level} command?${why}\n${asked.command}`;
  const answer = answerOf(agent, { ...asked, message, timeoutSeconds });
  const limit = new Limit(timeoutSeconds, signal);
  try {
    return await Promise.race([answer, limit.over]).then((said) => {
      if (said === "timeout")
        return no(`No one answered within ${UNKNOWN_SECONDS} s${why}. Nothing ran.`);
      if (said === "left") return no("The caller cancelled this command. Nothing ran.");
      if (said === true) return YES;
      return no(
        said === false
          ? `A person denied this command${why}. Nothing ran.`
          : `confirm() failed: ${said}. Nothing ran.`,
      );
    });
  } finally {
    limit.end();
  }
}

function no(error: string): Permission {
  return { ok: false, error };
}

/** Returns the answer, or the error's text. Anything but `true` is no. */
async function answerOf(
  agent: Pick<Agent, "confirm">,
  question: Confirmation,
): Promise<boolean | string> {
  try {
    return (await agent.confirm?.(question)) === true;
  } catch (error) {
    return messageOf(error);
  }
}

/** The end of the wait: by timeout, or because the caller aborted. */
class Limit {
  readonly over: Promise<"timeout" | "left">;
  readonly #signal: AbortSignal | undefined;
  #timer: NodeJS.Timeout | undefined;
  #leave = () => {};

  constructor(seconds: number | null, signal: AbortSignal | undefined) {
    this.#signal = signal;
    this.over = new Promise((resolve) => {
      if (seconds !== null) this.#timer = setTimeout(() => resolve("timeout"), seconds * 1_000);
      this.#leave = () => resolve("left");
    });
    signal?.addEventListener("abort", this.#leave);
    if (signal?.aborted === true) this.#leave();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#leave);
  }
}
