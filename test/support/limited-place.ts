// Owns a place whose programs have limits, as a shell's `ulimit` sets them.

import { spawn } from "node:child_process";
import { Place } from "./product.ts";

export class LimitedPlace extends Place {
  readonly #limit: string;

  /** `limit`: the arguments of `ulimit`. */
  constructor(limit: string) {
    super();
    this.#limit = limit;
  }

  override spawn(cli: string, args: string[], extra: NodeJS.ProcessEnv = {}) {
    const limited = `ulimit ${this.#limit} && exec "$0" "$@"`;
    return spawn("/bin/sh", ["-c", limited, process.execPath, cli, ...args], {
      cwd: this.folder,
      env: { ...this.environment, ...extra },
      stdio: ["pipe", "pipe", "pipe"],
    });
  }
}
