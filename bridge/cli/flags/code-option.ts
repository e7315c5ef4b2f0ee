// Owns `--code`: the running bridge's code, given on the command line or asked for.

import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { Option } from "commander";
import { ExitCode, UserError } from "../../errors.ts";
import { PROCESS_TAG_ENV } from "../../sweep.ts";
import { canAsk, getWindowEnvironment } from "../output/window-support.ts";

export interface CodeFlag {
  /** True if given without a number. */
  readonly code?: string | true;
}

/** Creates the option; `when` describes when the command needs it. */
export function createCodeOption(when = "needed once an agent has run commands"): Option {
  return new Option(
    "--code [number]",
    `the code (press k in pairpty's window), ${when}; without a number, pairpty asks for it`,
  );
}

export async function readCode({ code }: CodeFlag): Promise<{ code?: string }> {
  if (code === undefined) return {};
  if (process.env[PROCESS_TAG_ENV] !== undefined) {
    throw new UserError(
      "--code does not work inside a pairpty terminal: others can see what you type here",
      ExitCode.usage,
      "Use a terminal that is not shared.",
    );
  }
  if (code !== true) return { code };
  if (!canAsk(getWindowEnvironment())) {
    throw new UserError(
      "--code needs a number here: there is no terminal to ask in",
      ExitCode.usage,
      "Write it after the flag: --code 12345678.",
    );
  }
  return { code: await readHidden("Code: ") };
}

/** Reads the code without echo, so that it is neither on the screen nor in the list of processes. */
async function readHidden(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  // Only now: before raw mode, a quick typist's input would be echoed.
  process.stderr.write(question);
  const ended = new Promise<string>((resolve) => {
    lines.once("SIGINT", () => resolve(""));
    lines.once("close", () => resolve(""));
  });
  const reply = await Promise.race([lines.question(""), ended]);
  lines.close();
  process.stderr.write("\n");
  return reply.trim();
}
