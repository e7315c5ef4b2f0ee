// Owns running another program for its output, with a timeout.

import { execFile } from "node:child_process";
import { findSystemCode } from "../errors.ts";

export type ProgramResult =
  | { readonly is: "missing" }
  | { readonly is: "hung" }
  | {
      readonly is: "ended";
      readonly code: number;
      /** The first line of its output. */
      readonly firstLine: string;
      readonly lines: readonly string[];
      readonly errorLine: string;
    };

export type RunProgram = typeof runProgram;

export function runProgram(
  command: string,
  args: readonly string[],
  timeoutMs: number,
  /** Environment and folder to use instead of ours. */
  context: { readonly env?: NodeJS.ProcessEnv; readonly cwd?: string } = {},
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const limits = { timeout: timeoutMs, killSignal: "SIGKILL", encoding: "utf8" } as const;
    const options = { ...limits, ...context };
    execFile(command, args, options, (error, stdout, stderr) => {
      if (findSystemCode(error) === "ENOENT") return resolve({ is: "missing" });
      if (error?.killed === true) return resolve({ is: "hung" });
      const code = typeof error?.code === "number" ? error.code : error === null ? 0 : 1;
      const complaint = takeFirstLine(stderr) || error?.message || "";
      const lines = stdout.trim().split("\n");
      return resolve({
        is: "ended",
        code,
        firstLine: takeFirstLine(stdout),
        lines,
        errorLine: complaint,
      });
    });
  });
}

function takeFirstLine(text: string): string {
  return text.trim().split("\n")[0]?.trim() ?? "";
}
