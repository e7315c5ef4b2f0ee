// Owns which program reads a terminal's input, given its foreground and background programs. Pure.

import type { Foreground } from "../processes/foreground.ts";
import {
  isInteractiveShell,
  forwardsInput,
  mentionsShell,
  takesCommands,
} from "./shell-programs.ts";

export type InputReader =
  /** A shell that waits for input, alone in the foreground. */
  | "prompt"
  /** A shell that runs something at the moment, or the foreground is unknown. */
  | "busy"
  /** A program that forwards input to a remote or hidden shell: ssh, tmux, docker. */
  | "elsewhere"
  /** Another program; a shell in the background reads the rest. */
  | "behind"
  /** Another program, without a shell in the background. */
  | "other";

/** Returns which program reads the terminal; `command` is the command of its session. */
export function findReader({ front, behind }: Foreground, command: string): InputReader {
  const [only, ...more] = front;
  if (only === undefined) return "busy";
  if (front.some(forwardsInput)) return "elsewhere";
  if (front.some(isInteractiveShell)) {
    return more.length === 0 && only.isWaiting ? "prompt" : "busy";
  }
  return behind.some(takesCommands) || mentionsShell(command) ? "behind" : "other";
}
