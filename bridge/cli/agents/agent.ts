// Owns `pairpty agent`: starts a coding agent, connects it to this folder's bridge, shows where its
// conversation is, and ends it. The bridge handles the agent's requests.

import type { Socket } from "node:net";
import { join as pathOf } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Isolation } from "../../../protocol/isolation.ts";
import type { AgentIntroduction } from "../../doors/acp/words.ts";
import { ExitCode, UserError } from "../../errors.ts";
import { connectLocal, writeLine } from "../../local/json-lines.ts";
import { logFolder } from "../../logs/places.ts";
import { foldersWith, locateFolders } from "../../workspace/folders.ts";
import { isInside } from "../../workspace/inside.ts";
import { currentFolder } from "../flags/current-folder.ts";
import { findRunningFolder } from "../flags/workspace-folder.ts";
import { tell } from "../output/output.ts";
import { plain } from "../output/plain.ts";
import type { VerbFlags } from "../verbs/ask.ts";
import { noBridge } from "../verbs/ask.ts";
import type { AgentCommand } from "./agent-process.ts";
import { AgentProcess } from "./agent-process.ts";
import { walled } from "./agent-wall.ts";
import type { Told } from "./agent-words.ts";
import { askedWords, introduceTo, nameFrom, problemOf, slug } from "./agent-words.ts";
import type { AgentEnd } from "./joining.ts";
import { join } from "./joining.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** As long as a bridge keeps a disconnected agent's conversations. */
const RETURN_MS = 10 * 60_000;
const RETRY_MS = 500;

export interface AgentVerbFlags extends VerbFlags {
  readonly prompt?: string;
  readonly label?: string;
  readonly isolation?: Isolation;
  readonly settings?: string[];
}

export async function agent(words: readonly string[], flags: AgentVerbFlags): Promise<void> {
  const [program, ...args] = words;
  if (program === undefined) {
    throw new UserError(
      "the command that starts the agent is missing",
      ExitCode.usage,
      "Put it after --: `pairpty agent -- claude-code-acp`.",
    );
  }
  const { isolation = "none", prompt } = flags;
  const here = currentFolder();
  const cwd = await findRunningFolder(flags);
  const folders = foldersWith("runtime", cwd);
  const door = folders && pathOf(folders.runtime, "acp.sock");
  const socket = door === undefined ? undefined : await reach(door);
  if (folders === undefined || door === undefined || socket === undefined) {
    throw await noBridge(locateFolders(cwd), folders !== undefined);
  }
  const label = flags.label ?? nameFrom(words);
  const log = pathOf(logFolder(folders.state), `agent-${slug(label)}.log`);
  const asked: AgentCommand = { argv: [program, ...args], cwd: here, env: process.env };
  const { stopped, forget } = signalled();
  const wall =
    isolation === "none"
      ? undefined
      : await walled(asked, isolation, folders, flags.settings ?? []);
  const ofAgent = { label, log, isolation, prompt, stopped };
  const folder = isInside(here, folders.folder) ? here : undefined;
  try {
    let joined: Socket | undefined = socket;
    let ran: Ran | undefined;
    while (joined !== undefined) {
      ran = await runAgent(wall?.command ?? asked, joined, { ...ofAgent, folder });
      const isLost = ran.end.is === "bridge" && ran.end.sentence === undefined;
      if (!isLost || prompt !== undefined) break;
      tell(`pairpty has stopped. ${plain(label)} restarts when pairpty is back; Ctrl-C ends this.`);
      joined = await reachAgain(door, stopped);
    }
    if (ran === undefined) return;
    const isStopped = ran.end.is === "stopped" || (await isOver(stopped));
    const problem = isStopped ? undefined : problemOf(ran.end, { label, log, ...ran });
    if (problem !== undefined) throw problem;
    if (isStopped && prompt !== undefined) process.exitCode = 130;
  } finally {
    forget();
    socket.destroy();
    await wall?.leave();
  }
}

interface Ran {
  readonly end: AgentEnd;
  readonly lastLines: readonly string[];
}

interface RunWish extends Omit<Told, "link"> {
  readonly prompt: string | undefined;
  readonly folder: string | undefined;
  readonly stopped: Promise<void>;
}

/** Runs the agent once, on one connection. */
async function runAgent(
  command: AgentCommand,
  socket: Socket,
  { label, log, isolation, prompt, folder, stopped }: RunWish,
): Promise<Ran> {
  const started = await AgentProcess.start(command, log);
  const introduction: AgentIntroduction = {
    pairpty: {
      name: label,
      isolation,
      mark: started.mark,
      words: true,
      ...(prompt === undefined ? {} : { prompt }),
      ...(folder === undefined ? {} : { folder }),
    },
  };
  writeLine(socket, introduction);
  const printed = new Printed();
  const end = await join(started, socket, {
    onHere: (link) => {
      if (prompt === undefined) introduceTo({ label, link, log, isolation });
    },
    onText: (text) => printed.print(text),
    onAsks: (id, what) => {
      printed.finish();
      tell(askedWords(label, id, what));
    },
    stopped,
  });
  await started.end();
  printed.finish();
  socket.destroy();
  return { end, lastLines: started.lastLines };
}

function reach(door: string): Promise<Socket | undefined> {
  return connectLocal(door).catch(() => undefined);
}

/**
 * Waits for the next bridge of this folder; undefined if none came in time or the user stopped waiting.
 */
async function reachAgain(door: string, stopped: Promise<void>): Promise<Socket | undefined> {
  const until = Date.now() + RETURN_MS;
  while (Date.now() < until) {
    const isStopped = await Promise.race([stopped.then(() => true), delay(RETRY_MS, false)]);
    if (isStopped) return undefined;
    const socket = await reach(door);
    if (socket !== undefined) return socket;
  }
  return undefined;
}

async function isOver(stopped: Promise<void>): Promise<boolean> {
  return await Promise.race([stopped.then(() => true), Promise.resolve(false)]);
}

/** Prints an agent's text to standard output, escaped for the terminal. */
class Printed {
  #isLineOpen = false;

  print(text: string): void {
    if (text === "") return;
    process.stdout.write(plain(text));
    this.#isLineOpen = !text.endsWith("\n");
  }

  finish(): void {
    if (this.#isLineOpen) process.stdout.write("\n");
    this.#isLineOpen = false;
  }
}

/** Resolves `stopped` on the first signal; a second Ctrl-C ends this process as usual. */
function signalled(): { readonly stopped: Promise<void>; readonly forget: () => void } {
  let stop = (): void => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const forget = () => {
    for (const signal of SIGNALS) process.off(signal, stop);
  };
  for (const signal of SIGNALS) process.once(signal, stop);
  return { stopped, forget };
}
