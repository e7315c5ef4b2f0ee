// Owns `pairpty mcp`: pipes an agent's standard input and output to the bridge, and reports when the
// bridge ended. Does not parse MCP.

import type { Socket } from "node:net";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { Introduction } from "../../doors/mcp/mcp-introduction.ts";
import { ExitCode, UserError } from "../../errors.ts";
import { connectLocal, writeLine } from "../../local/local-socket.ts";
import { PROCESS_TAG_ENV } from "../../sweep.ts";
import { findExistingFolders, locateFolders } from "../../workspace/folders.ts";
import { findRunningFolder } from "../flags/workspace-folder.ts";
import type { VerbFlags } from "../verbs/bridge-request.ts";

/** Serves the agent on standard input and output through the bridge. */
export async function mcp(flags: VerbFlags & { readonly name?: string }): Promise<void> {
  if (process.env[PROCESS_TAG_ENV] !== undefined) {
    throw new UserError("`pairpty mcp` does not work inside a pairpty terminal", ExitCode.usage);
  }
  const cwd = await findRunningFolder(flags);
  const { folder } = locateFolders(cwd);
  const runtime = findExistingFolders("runtime", cwd)?.runtime;
  const path = runtime === undefined ? undefined : join(runtime, "mcp.sock");
  await serveAgent({
    path,
    folder,
    name: flags.name,
    input: process.stdin,
    output: process.stdout,
  });
}

interface ServeOptions {
  /** The bridge's socket; undefined if no bridge ever ran here. */
  readonly path: string | undefined;
  readonly folder: string;
  readonly name: string | undefined;
  readonly input: Readable;
  readonly output: Writable;
}

/** Resolves when the agent closed its side; throws if the bridge ended first. */
export async function serveAgent({
  path,
  folder,
  name,
  input,
  output,
}: ServeOptions): Promise<void> {
  const socket = path === undefined ? undefined : await tryConnect(path);
  if (path === undefined || socket === undefined) {
    throw new UserError(
      `pairpty is not running in ${folder}`,
      ExitCode.noBridge,
      "Start it there with `pairpty`, or name its folder with --cwd.",
    );
  }
  const introduction: Introduction = { pairpty: name === undefined ? {} : { name } };
  writeLine(socket, introduction);
  if ((await pipeBothWays(socket, input, output)) === "agent") return;
  const reconnected = await tryConnect(path);
  reconnected?.destroy();
  if (reconnected === undefined) {
    throw new UserError(
      `pairpty stopped in ${folder}, so this agent's connection ended`,
      ExitCode.noBridge,
      "Start it there with `pairpty`, then connect the agent again.",
    );
  }
  throw new UserError(
    `pairpty in ${folder} closed this agent's connection`,
    ExitCode.unavailable,
    "Connect the agent again. If this repeats, `pairpty logs` shows why.",
  );
}

async function tryConnect(path: string): Promise<Socket | undefined> {
  return await connectLocal(path).catch(() => undefined);
}

/** Pipes both ways; returns which side ended: an agent closes its output, or stops reading. */
async function pipeBothWays(
  socket: Socket,
  input: Readable,
  output: Writable,
): Promise<"agent" | "bridge"> {
  let ended: "agent" | "bridge" = "bridge";
  const markAgentEnded = (): void => {
    ended = "agent";
  };
  input.once("end", markAgentEnded);
  output.once("error", () => {
    markAgentEnded();
    socket.destroy();
  });
  input.pipe(socket);
  socket.pipe(output);
  await new Promise((resolve) => {
    socket.once("close", resolve);
    // "close" follows.
    socket.on("error", () => {});
  });
  return ended;
}
