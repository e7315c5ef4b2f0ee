// Checks pairpty's folders: owner, mode, and whether a socket's path fits.

import { statSync } from "node:fs";
import { join } from "node:path";
import { userInfo } from "node:os";
import { LONGEST_SOCKET_NAME } from "../../doors/control/folder-lock.ts";
import type { DoctorFacts } from "../doctor-facts.ts";
import type { Finding } from "../finding.ts";
import { fail, ok } from "../finding.ts";

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
