// Owns asking a person through the agent's `confirm`: what is asked, how long an answer is waited
// for, and what is said when there is none. Whoever cannot answer has said no.

import { messageOf } from "../errors.ts";
import type { Agent, Confirmation } from "./types.ts";

/** The seed's: an unknown command waits this long for an answer, a dangerous one until it comes. */
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
        return no(`Nobody answered within ${UNKNOWN_SECONDS} s${why}. Nothing ran.`);
      if (said === "left") return no("Nobody waits for this command any more. Nothing ran.");
      if (said === true) return YES;
      return no(
        said === false
          ? `A person said no to this command${why}. Nothing ran.`
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

/** True or false, or what went wrong. Anything but `true` is no. */
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

/** The end of waiting: by time, or because nobody wants to know any more. */
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
