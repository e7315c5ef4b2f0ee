// Owns turning a request for a terminal into what the pty host is asked for, or into the sentence
// that says why not. Looks at files; starts nothing.

import { randomBytes } from "node:crypto";
import { withinCells } from "../../protocol/terminal.ts";
import type { Spawn } from "../../protocol/host.ts";
import { KiB, MAX_FRAME_PAYLOAD } from "../../protocol/limits.ts";
import type { SpawnRequest } from "../../protocol/pty.ts";
import { childEnvironment, markOf } from "./environment.ts";
import { findFolder, findProgram } from "./lookup.ts";
import type { Meta } from "./terminal.ts";
import { briefly } from "./terminal.ts";

/** A spawn travels to the pty host in one frame, with its meta. */
const MAX_SPAWN_BYTES = MAX_FRAME_PAYLOAD - 24 * KiB;

const DEFAULT_COLS = 80;
const DEFAULT_ROWS = 24;

/** Whose a new terminal is, and what it starts from. */
export interface Spawner {
  readonly owner: "user" | "agent";
  readonly visible: boolean;
  readonly startedBy?: NonNullable<Meta["startedBy"]>;
  /** Instead of the user's own environment. */
  readonly environment?: NodeJS.ProcessEnv;
}

/** What a spawn starts from when the request does not say. */
export interface SpawnDefaults {
  readonly folder: string;
  readonly shell: string;
  readonly environment: NodeJS.ProcessEnv;
}

export type SpawnPlan =
  | { readonly ok: true; readonly spec: Omit<Spawn, "request"> }
  | { readonly ok: false; readonly error: string };

export function planSpawn(
  request: SpawnRequest,
  { environment, ...ownership }: Spawner,
  defaults: SpawnDefaults,
  instance: string,
): SpawnPlan {
  const cwd = findFolder(request.cwd ?? ".", defaults.folder);
  if (!cwd.ok) return cwd;
  const id = `pty-${randomBytes(6).toString("hex")}`;
  const extra = { PWD: cwd.path, ...request.env };
  const env = childEnvironment(environment ?? defaults.environment, extra, markOf(instance, id));
  const [name = defaults.shell, ...args] = request.command ?? [];
  const program = findProgram(name, cwd.path, env["PATH"] ?? "");
  if (!program.ok) return program;
  const size = Buffer.byteLength(JSON.stringify([args, env]));
  if (size > MAX_SPAWN_BYTES) {
    const error = `Arguments and environment have ${size} bytes; ${MAX_SPAWN_BYTES} is the most`;
    return { ok: false, error };
  }
  const { command } = request;
  const grid = withinCells({
    cols: request.cols ?? DEFAULT_COLS,
    rows: request.rows ?? DEFAULT_ROWS,
  });
  const meta: Meta = {
    cwd: cwd.path,
    ...ownership,
    createdAt: Date.now(),
    ...(command === undefined ? {} : { command: briefly(command) }),
  };
  return { ok: true, spec: { id, file: program.path, args, cwd: cwd.path, env, ...grid, meta } };
}
