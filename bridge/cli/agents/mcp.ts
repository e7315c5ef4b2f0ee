// Owns `pairpty mcp`: an agent's standard input and output, carried to the bridge and back, and what is
// said when the bridge is what ended. Does not speak MCP: the bridge does.

import type { Socket } from "node:net";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { Introduction } from "../../doors/mcp/introduction.ts";
import { ExitCode, UserError } from "../../errors.ts";
import { connectLocal, writeLine } from "../../local/json-lines.ts";
import { MARK } from "../../mark.ts";
import { foldersWith, locateFolders } from "../../workspace/folders.ts";
import { findRunningFolder } from "../flags/workspace-folder.ts";
import type { VerbFlags } from "../verbs/ask.ts";

/** Standard input and output are the agent's; the bridge serves it. */
export async function mcp(flags: VerbFlags & { readonly name?: string }): Promise<void> {
  if (process.env[MARK] !== undefined) {
    throw new UserError("`pairpty mcp` does not work inside a pairpty terminal", ExitCode.usage);
  }
  const cwd = await findRunningFolder(flags);
  const { folder } = locateFolders(cwd);
  const runtime = foldersWith("runtime", cwd)?.runtime;
  const path = runtime === undefined ? undefined : join(runtime, "mcp.sock");
  await serveAgent({
    path,
    folder,
    name: flags.name,
    input: process.stdin,
    output: process.stdout,
  });
}

interface Served {
  /** The bridge's socket; undefined where no bridge has ever run. */
  readonly path: string | undefined;
  readonly folder: string;
  readonly name: string | undefined;
  readonly input: Readable;
  readonly output: Writable;
}

/** Until the agent has said its last; throws if the bridge ended before that. */
export async function serveAgent({ path, folder, name, input, output }: Served): Promise<void> {
  const socket = path === undefined ? undefined : await reach(path);
  if (path === undefined || socket === undefined) {
    throw new UserError(
      `pairpty is not running in ${folder}`,
      ExitCode.noBridge,
      "Start it there with `pairpty`, or name its folder with --cwd.",
    );
  }
  const introduction: Introduction = { pairpty: name === undefined ? {} : { name } };
  writeLine(socket, introduction);
  if ((await carry(socket, input, output)) === "agent") return;
  const again = await reach(path);
  again?.destroy();
  if (again === undefined) {
    throw new UserError(
      `pairpty has ended in ${folder}, and this agent's connection with it`,
      ExitCode.noBridge,
      "Start it there with `pairpty`, then connect the agent again.",
    );
  }
  throw new UserError(
    `pairpty in ${folder} closed this agent's connection`,
    ExitCode.unavailable,
    "Connect the agent again. If this repeats, `pairpty logs` says why.",
  );
}

async function reach(path: string): Promise<Socket | undefined> {
  return await connectLocal(path).catch(() => undefined);
}

/** Who ended it: an agent that is done closes what it writes to, or no longer reads. */
async function carry(
  socket: Socket,
  input: Readable,
  output: Writable,
): Promise<"agent" | "bridge"> {
  let ended: "agent" | "bridge" = "bridge";
  const leave = (): void => {
    ended = "agent";
  };
  input.once("end", leave);
  output.once("error", () => {
    leave();
    socket.destroy();
  });
  input.pipe(socket);
  socket.pipe(output);
  await new Promise((resolve) => {
    socket.once("close", resolve);
    // Its end follows.
    socket.on("error", () => {});
  });
  return ended;
}
