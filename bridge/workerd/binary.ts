// Finds workerd on this machine and explains why it does not run here.

import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { ExitCode, findSystemCode, UserError } from "../errors.ts";

/** The oldest C library that workerd runs on. */
const MIN_GLIBC = "2.35";
const VERSION_TIMEOUT_MS = 10_000;

export function findWorkerd(): string {
  const require = createRequire(import.meta.url);
  try {
    require.resolve("workerd");
  } catch {
    throw new UserError(
      "a relay on this machine needs the package workerd, which is not installed",
      ExitCode.unavailable,
      "Install it (npm install workerd), or use a relay elsewhere: --relay URL.",
    );
  }
  try {
    // The package exports its platform's program path, and throws if there is none.
    const { default: path }: { default: string } = require("workerd");
    return path;
  } catch {
    throw new UserError(
      `a relay cannot run on this machine: workerd is not available for ${process.platform} ${process.arch}`,
      ExitCode.unavailable,
      "Install again without --omit=optional, or use a relay elsewhere: --relay URL.",
    );
  }
}

/** Returns why this workerd cannot run here; undefined if it can. */
export function findWorkerdProblem(path: string): string | undefined {
  const result = spawnSync(path, ["--version"], { timeout: VERSION_TIMEOUT_MS, encoding: "utf8" });
  if (result.status === 0) return undefined;
  return explainFailure({ code: findSystemCode(result.error), stderr: result.stderr });
}

/** Returns the loader's or kernel's error as a message. Pure. */
export function explainFailure(failure: {
  readonly code: string | undefined;
  readonly stderr: string | null;
}): string {
  const { code, stderr } = failure;
  if (/GLIBC_[\d.]+' not found/.test(stderr ?? "")) {
    return `workerd needs glibc ${MIN_GLIBC} or newer, and this system's is older`;
  }
  // The program exists; the loader that it names does not.
  if (code === "ENOENT") {
    return `workerd needs glibc ${MIN_GLIBC} or newer, and this system has another C library`;
  }
  if (code === "EACCES") return "this user may not run workerd where it is installed";
  const first = (stderr ?? "").split("\n").find((line) => line.trim() !== "");
  return `workerd does not run here${first === undefined ? "" : `: ${first.trim()}`}`;
}
