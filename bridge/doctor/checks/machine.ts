// Checks this machine and this folder: Node, the C library and file descriptors, free space,
// pairpty's folders, a browser, the versions of packages, and the settings.

import { statfsSync, statSync, existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { release, userInfo } from "node:os";
import { join, dirname } from "node:path";
import * as z from "zod/mini";
import { parseText } from "../../../protocol/json.ts";
import { VERSION } from "../../build-info.ts";
import { formatProblem } from "../../config/config-problems.ts";
import { LONGEST_SOCKET_NAME } from "../../doors/control/folder-lock.ts";
import { findOpenFilesProblem, OPEN_FILES_CURE, readOpenFilesLimit } from "../../workerd/binary.ts";
import type { UnsavedChange } from "../../workspace/durable-file.ts";
import { formatUnsaved } from "../../workspace/durable-file.ts";
import type { DoctorFacts } from "../doctor-facts.ts";
import type { Finding } from "../finding.ts";
import { ok, warn, fail } from "../finding.ts";

const MIN_GLIBC = [2, 35] as const;
const GLIBC_CURE = "You can use a relay elsewhere: --relay URL. Or use a newer system.";

export function checkSystem(): Finding {
  const system = `${process.platform} ${release()} ${process.arch}`;
  const library = checkLibrary(system);
  return library.status === "ok" ? judgeOpenFiles(library.message, readOpenFilesLimit()) : library;
}

/** Judges the limit of open files; undefined means no limit. Pure. */
export function judgeOpenFiles(system: string, limit: number | undefined): Finding {
  const problem = findOpenFilesProblem(limit);
  return problem === undefined ? ok(system) : warn(`${system}: ${problem}`, OPEN_FILES_CURE);
}

function checkLibrary(system: string): Finding {
  if (process.platform !== "linux") return ok(system);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node's report has no type of its own
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return judgeGlibc(system, header?.glibcVersionRuntime);
}

/** Judges the glibc version; undefined means another C library, as on Alpine. Pure. */
export function judgeGlibc(system: string, version: string | undefined): Finding {
  const least = MIN_GLIBC.join(".");
  if (version === undefined) {
    return warn(`${system}, without glibc: no relay can run here; it needs ${least}`, GLIBC_CURE);
  }
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const enough = major > MIN_GLIBC[0] || (major === MIN_GLIBC[0] && minor >= MIN_GLIBC[1]);
  if (enough) return ok(`${system}, glibc ${version}`);
  return warn(`${system}, glibc ${version}: no relay can run here; it needs ${least}`, GLIBC_CURE);
}

const MIN_NODE_VERSION = [20, 19] as const;

export function checkNode(version = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const enough =
    major > MIN_NODE_VERSION[0] || (major === MIN_NODE_VERSION[0] && minor >= MIN_NODE_VERSION[1]);
  if (enough) return ok(version);
  return fail(`${version} is too old`, `Install Node ${MIN_NODE_VERSION.join(".")} or newer.`);
}

const MB = 1e6;
/** Keys and grants are small, but a file that does not fit is not written at all. */
const MIN_BYTES = 10 * MB;
/** Full logs of all parts, and the audit log. */
const ENOUGH_BYTES = 100 * MB;

export async function checkDisk({ folders, bridge }: DoctorFacts): Promise<Finding> {
  if (typeof folders === "string") return fail("there is no state folder to check", "See folders.");
  const [unsaved] = (await bridge)?.unsaved ?? [];
  if (unsaved !== undefined) return judgeUnsaved(unsaved);
  const { bavail, bsize } = statfsSync(folders.state);
  return judgeSpace(bavail * bsize);
}

/** Judges the free bytes. Pure. */
export function judgeSpace(free: number): Finding {
  const message = `${formatBytes(free)} free for state and logs`;
  const cure = "Free some space, or set XDG_STATE_HOME to another disk.";
  if (free < MIN_BYTES) return fail(message, cure);
  return free < ENOUGH_BYTES ? warn(message, cure) : ok(message);
}

/** Reports a change that is not on disk. Pure. */
export function judgeUnsaved(unsaved: UnsavedChange): Finding {
  return fail(
    `a change to ${unsaved.what} is not saved: ${formatUnsaved(unsaved)}`,
    "Free some space there: pairpty keeps trying. If it stops first, revoked access comes back.",
  );
}

function formatBytes(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.floor(bytes / MB)} MB`;
}

/** The size of a socket address without its terminator: 108 on Linux, 104 on macOS. */
const MAX_SOCKET_PATH_BYTES = process.platform === "darwin" ? 103 : 107;

export function checkFolders({ folders }: DoctorFacts): Finding {
  if (typeof folders === "string") {
    return fail(
      folders,
      "Set XDG_STATE_HOME and XDG_RUNTIME_DIR to folders that only you can enter.",
    );
  }
  for (const path of [folders.state, folders.runtime]) {
    const { uid, mode } = statSync(path);
    if (uid !== userInfo().uid) return fail(`${path} belongs to another user`, `Remove ${path}.`);
    if ((mode & 0o077) !== 0)
      return fail(`${path} is accessible to other users`, `chmod 700 ${path}`);
  }
  const socket = join(folders.runtime, LONGEST_SOCKET_NAME);
  const bytes = Buffer.byteLength(socket);
  if (bytes > MAX_SOCKET_PATH_BYTES) {
    return fail(
      `a socket's path has ${bytes} bytes, and the limit is ${MAX_SOCKET_PATH_BYTES}: ${socket}`,
      "Set XDG_RUNTIME_DIR to a shorter folder that only you can enter.",
    );
  }
  return ok(`state ${folders.state}, sockets ${folders.runtime}`);
}

export function checkBrowser(environment: NodeJS.ProcessEnv, platform = process.platform): Finding {
  if (platform === "darwin") return ok("opened by `open`");
  if (environment["WSL_DISTRO_NAME"] !== undefined) return ok("opened on Windows, from WSL");
  const display = environment["WAYLAND_DISPLAY"] || environment["DISPLAY"];
  if (display !== undefined && display !== "") return ok(`opens on the display ${display}`);
  const far = environment["SSH_CONNECTION"] !== undefined;
  return warn(
    far ? "no display here: this is an SSH session" : "no display here",
    far
      ? "Open the link on your own machine, with `ssh -L PORT:127.0.0.1:PORT` for a relay on this machine."
      : "Open the links by hand; --open does nothing here.",
  );
}

/** Installed beside pairpty; everything else is bundled. */
const PACKAGES = ["node-pty", "workerd"] as const;
/** Only the embedded relay needs workerd. */
const OPTIONAL = new Set<string>(["workerd"]);

const Package = z.object({ name: z.string(), version: z.string() });

export function checkVersions(): Finding {
  const found = PACKAGES.map((name) => ({ name, version: findVersion(name) }));
  const missing = found.filter(({ name, version }) => version === undefined && !OPTIONAL.has(name));
  if (missing.length > 0) {
    return fail(
      `${missing.map(({ name }) => name).join(", ")} cannot be found`,
      "Reinstall pairpty: the installation is incomplete.",
    );
  }
  const versions = found.map(({ name, version }) => `${name} ${version ?? "not installed"}`);
  return ok([`pairpty ${VERSION}`, ...versions].join(", "));
}

function findVersion(name: string): string | undefined {
  try {
    let folder = dirname(createRequire(import.meta.url).resolve(name));
    for (; folder !== dirname(folder); folder = dirname(folder)) {
      const file = join(folder, "package.json");
      const read = existsSync(file) ? parseText(Package, readFileSync(file, "utf8")) : undefined;
      if (read?.ok === true && read.value.name === name) return read.value.version;
    }
  } catch {
    // Missing: the caller reports it.
  }
  return undefined;
}

export function checkConfig({ configuration, relay }: DoctorFacts): Finding {
  const { problems, user, project } = configuration;
  const [first] = problems;
  if (first !== undefined) {
    const more = problems.length === 1 ? "" : ` (and ${problems.length - 1} more)`;
    return fail(`${formatProblem(first)}${more}`, "`pairpty config check` lists every mistake.");
  }
  if (typeof relay === "string") {
    return fail(relay, "Use https://, or add --insecure if you know the network.");
  }
  const files = [user, project].filter(({ exists }) => exists).map(({ path }) => path);
  return ok(
    files.length === 0 ? "no file; using flags, environment and defaults" : files.join(", "),
  );
}
