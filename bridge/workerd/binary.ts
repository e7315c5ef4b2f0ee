// Finds workerd on this machine and explains why it does not run here. Owns the limit of file
// descriptors for a relay.

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

// workerd uses one per connection and room file, and exits when it has none left for a connection.
// Node raises its soft limit to the hard one at start and workerd inherits that, so only the hard
// limit matters.

/** With fewer, silent connections alone can exhaust them within the 15 s that workerd allows those. */
const MIN_OPEN_FILES = 8_192;

export const OPEN_FILES_CURE =
  "Raise the hard limit: LimitNOFILE in a systemd unit, ulimit -n as root, --ulimit nofile for a container.";

/** Returns the limit of this process and its children; undefined if the system has none. */
export function readOpenFilesLimit(): number | undefined {
  // Otherwise the report resolves the address of every open connection. Node's types lack the setting.
  Object.assign(process.report, { excludeNetwork: true });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node's report has no type of its own
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files?: { soft?: number | string } };
  };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === "number" ? soft : undefined;
}

/** Returns a message if the limit is too low. */
export function findOpenFilesProblem(limit: number | undefined): string | undefined {
  if (limit === undefined || limit >= MIN_OPEN_FILES) return undefined;
  return `a relay here can open only ${limit} files and connections, and restarts when it needs more; ${MIN_OPEN_FILES} or more are recommended`;
}

/** Whether this line of workerd reports that it exits because descriptors ran out. */
export function isOutOfFiles(line: string): boolean {
  return line.includes("kj::Exception") && line.includes("Too many open files");
}
