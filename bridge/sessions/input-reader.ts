// Owns who reads what is typed into a terminal, by the programs in its foreground and behind it. Pure.

import type { Foreground } from "../processes/foreground.ts";
import { isInteractiveShell, leadsElsewhere, mentionsShell, takesCommands } from "./programs.ts";

export type InputReader =
  /** A shell that waits for input, alone in the foreground. */
  | "prompt"
  /** A shell that does something else at the moment, or nothing is known about the foreground. */
  | "busy"
  /** A program that hands it to a shell out of sight: ssh, tmux, docker. */
  | "elsewhere"
  /** Another program; a shell behind it reads what it leaves. */
  | "behind"
  /** Another program, and no shell behind it. */
  | "other";

/** Returns who reads the terminal; `command` is how its session was started. */
export function findReader({ front, behind }: Foreground, command: string): InputReader {
  const [only, ...more] = front;
  if (only === undefined) return "busy";
  if (front.some(leadsElsewhere)) return "elsewhere";
  if (front.some(isInteractiveShell)) {
    return more.length === 0 && only.isWaiting ? "prompt" : "busy";
  }
  return behind.some(takesCommands) || mentionsShell(command) ? "behind" : "other";
}
