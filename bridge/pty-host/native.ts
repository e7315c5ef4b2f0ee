// Owns the calls into node-pty's native addon: fork a process on a new PTY, resize a PTY. Does not
// use node-pty's JavaScript: its reading loses the end of short-lived output (docs/decisions).

import { createRequire } from "node:module";
import { dirname, join } from "node:path";

interface Forked {
  readonly fd: number;
  readonly pid: number;
  /** Path of the slave side. */
  readonly pty: string;
}

interface Addon {
  fork(
    file: string,
    args: readonly string[],
    env: readonly string[],
    cwd: string,
    cols: number,
    rows: number,
    uid: number,
    gid: number,
    utf8: boolean,
    helperPath: string,
    onexit: (code: number, signal: number) => void,
  ): Forked;
  resize(fd: number, cols: number, rows: number, xPixel: number, yPixel: number): void;
}

export interface ForkPlan {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly cols: number;
  readonly rows: number;
}

/** Keeps the host's own user and group. */
const SAME_ID = -1;

const require = createRequire(import.meta.url);
let loaded: { readonly addon: Addon; readonly folder: string } | undefined;

/** Loads the addon before any fork, so that a missing one is an error at start. */
export function loadNative(): void {
  native();
}

/** Forks; the returned master is non-blocking. Call only with descriptor plugs in place. */
export function forkPty(plan: ForkPlan, onExit: (code: number, signal: number) => void): Forked {
  const { addon, folder } = native();
  const env = Object.entries(plan.env).map(([name, value]) => `${name}=${value}`);
  // Only macOS uses the helper; other systems ignore the path.
  const helper = join(folder, "spawn-helper");
  return addon.fork(
    plan.file,
    plan.args,
    env,
    plan.cwd,
    plan.cols,
    plan.rows,
    SAME_ID,
    SAME_ID,
    true,
    helper,
    onExit,
  );
}

export function resizePty(fd: number, cols: number, rows: number): void {
  native().addon.resize(fd, cols, rows, 0, 0);
}

function native(): { readonly addon: Addon; readonly folder: string } {
  if (loaded !== undefined) return loaded;
  const root = dirname(require.resolve("node-pty/package.json"));
  const faults: string[] = [];
  // A locally compiled addon takes precedence.
  for (const place of ["build/Release", `prebuilds/${process.platform}-${process.arch}`]) {
    const folder = join(root, place);
    try {
      const addon: Addon = require(join(folder, "pty.node"));
      loaded = { addon, folder };
      return loaded;
    } catch (error) {
      faults.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new Error(`node-pty's native addon cannot be loaded: ${faults.join("; ")}`);
}
