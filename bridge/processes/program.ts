// Owns running another program for its output, with a timeout.

import { execFile } from "node:child_process";
import { systemCode } from "../errors.ts";

export type Ran =
  | { readonly is: "missing" }
  | { readonly is: "hung" }
  | {
      readonly is: "ended";
      readonly code: number;
      /** The first line of its output. */
      readonly out: string;
      readonly lines: readonly string[];
      readonly complaint: string;
    };

export type RunProgram = typeof runProgram;

export function runProgram(
  command: string,
  args: readonly string[],
  timeoutMs: number,
  /** Environment and folder to use instead of ours. */
  surroundings: { readonly env?: NodeJS.ProcessEnv; readonly cwd?: string } = {},
): Promise<Ran> {
  return new Promise((resolve) => {
    const limits = { timeout: timeoutMs, killSignal: "SIGKILL", encoding: "utf8" } as const;
    const options = { ...limits, ...surroundings };
    execFile(command, args, options, (error, stdout, stderr) => {
      if (systemCode(error) === "ENOENT") return resolve({ is: "missing" });
      if (error?.killed === true) return resolve({ is: "hung" });
      const code = typeof error?.code === "number" ? error.code : error === null ? 0 : 1;
      const complaint = firstLine(stderr) || error?.message || "";
      const lines = stdout.trim().split("\n");
      return resolve({ is: "ended", code, out: firstLine(stdout), lines, complaint });
    });
  });
}

function firstLine(text: string): string {
  return text.trim().split("\n")[0]?.trim() ?? "";
}
