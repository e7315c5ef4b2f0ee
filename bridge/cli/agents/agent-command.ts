// Owns `pairpty agent`: starts a coding agent, connects it to this folder's bridge, shows where its
// conversation is, and ends it. The bridge handles the agent's requests.

import type { Socket } from "node:net";
import { join as joinPath } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { compact } from "../../../protocol/compact.ts";
import type { Isolation } from "../../../protocol/isolation.ts";
import type { AgentIntroduction } from "../../doors/acp/agent-lines.ts";
import { ExitCode, UserError } from "../../errors.ts";
import { connectLocal, writeLine } from "../../local/local-socket.ts";
import { ensureLogFolder } from "../../logs/log-paths.ts";
import { findExistingFolders, locateFolders, isInside } from "../../workspace/folders.ts";
import { getCurrentFolder } from "../flags/current-folder.ts";
import { findRunningFolder } from "../flags/workspace-folder.ts";
import { printWrapped } from "../output/output.ts";
import { escapeUnsafe } from "../output/format-text.ts";
import type { VerbFlags } from "../verbs/bridge-request.ts";
import { createNoBridgeError } from "../verbs/bridge-request.ts";
import type { AgentCommand, AgentEnd } from "./agent-process.ts";
import { AgentProcess, connectAgent } from "./agent-process.ts";
import { isolateAgent } from "./agent-isolation.ts";
import type { AgentIntro } from "./agent-texts.ts";
import {
  formatWaiting,
  printIntroduction,
  guessAgentName,
  toEndError,
  toFileName,
} from "./agent-texts.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** Same as the time that a bridge keeps a disconnected agent's conversations. */
const RECONNECT_WINDOW_MS = 10 * 60_000;
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
  const here = getCurrentFolder();
  const cwd = await findRunningFolder(flags);
  const folders = findExistingFolders("runtime", cwd);
  const socketPath = folders && joinPath(folders.runtime, "acp.sock");
  const socket = socketPath === undefined ? undefined : await tryConnect(socketPath);
  if (folders === undefined || socketPath === undefined || socket === undefined) {
    throw await createNoBridgeError(locateFolders(cwd), folders !== undefined);
  }
  const label = flags.label ?? guessAgentName(words);
  const log = joinPath(ensureLogFolder(folders.state), `agent-${toFileName(label)}.log`);
  const command: AgentCommand = { argv: [program, ...args], cwd: here, env: process.env };
  const { stopped, forget } = onStopSignal();
  const isolated =
    isolation === "none"
      ? undefined
      : await isolateAgent(command, isolation, folders, flags.settings ?? []);
  const agentOptions = { label, log, isolation, prompt, stopped };
  const folder = isInside(here, folders.folder) ? here : undefined;
  try {
    let connection: Socket | undefined = socket;
    let result: RunResult | undefined;
    while (connection !== undefined) {
      result = await runAgent(isolated?.command ?? command, connection, {
        ...agentOptions,
        folder,
      });
      const isLost = result.end.is === "bridge" && result.end.sentence === undefined;
      if (!isLost || prompt !== undefined) break;
      printWrapped(
        `pairpty has stopped. ${escapeUnsafe(label)} restarts when pairpty is back; Ctrl-C ends this.`,
      );
      connection = await waitForBridge(socketPath, stopped);
    }
    if (result === undefined) return;
    const isStopped = result.end.is === "stopped" || (await isSettled(stopped));
    const problem = isStopped ? undefined : toEndError(result.end, { label, log, ...result });
    if (problem !== undefined) throw problem;
    if (isStopped && prompt !== undefined) process.exitCode = 130;
  } finally {
    forget();
    socket.destroy();
    await isolated?.release();
  }
}

interface RunResult {
  readonly end: AgentEnd;
  readonly lastLines: readonly string[];
}

interface RunAgentOptions extends Omit<AgentIntro, "link"> {
  readonly prompt: string | undefined;
  readonly folder: string | undefined;
  readonly stopped: Promise<void>;
}

/** Runs the agent once, on one connection. */
async function runAgent(
  command: AgentCommand,
  socket: Socket,
  { label, log, isolation, prompt, folder, stopped }: RunAgentOptions,
): Promise<RunResult> {
  const started = await AgentProcess.start(command, log);
  const introduction: AgentIntroduction = {
    pairpty: {
      name: label,
      isolation,
      mark: started.tag,
      words: true,
      ...compact({ prompt, folder }),
    },
  };
  writeLine(socket, introduction);
  const printed = new TextPrinter();
  const end = await connectAgent(started, socket, {
    onAccepted: (link) => {
      if (prompt === undefined) printIntroduction({ label, link, log, isolation });
    },
    onText: (text) => printed.print(text),
    onApprovalRequested: (id, what) => {
      printed.finish();
      printWrapped(formatWaiting(label, id, what));
    },
    stopped,
  });
  await started.end();
  printed.finish();
  socket.destroy();
  return { end, lastLines: started.lastLines };
}

function tryConnect(socketPath: string): Promise<Socket | undefined> {
  return connectLocal(socketPath).catch(() => undefined);
}

/**
 * Waits for the next bridge of this folder; undefined if none came in time or the user stopped waiting.
 */
async function waitForBridge(
  socketPath: string,
  stopped: Promise<void>,
): Promise<Socket | undefined> {
  const until = Date.now() + RECONNECT_WINDOW_MS;
  while (Date.now() < until) {
    const isStopped = await Promise.race([stopped.then(() => true), delay(RETRY_MS, false)]);
    if (isStopped) return undefined;
    const socket = await tryConnect(socketPath);
    if (socket !== undefined) return socket;
  }
  return undefined;
}

async function isSettled(stopped: Promise<void>): Promise<boolean> {
  return await Promise.race([stopped.then(() => true), Promise.resolve(false)]);
}

/** Prints an agent's text to standard output, escaped for the terminal. */
class TextPrinter {
  #isLineOpen = false;

  print(text: string): void {
    if (text === "") return;
    process.stdout.write(escapeUnsafe(text));
    this.#isLineOpen = !text.endsWith("\n");
  }

  finish(): void {
    if (this.#isLineOpen) process.stdout.write("\n");
    this.#isLineOpen = false;
  }
}

/** Resolves `stopped` on the first signal; a second Ctrl-C ends this process as usual. */
function onStopSignal(): { readonly stopped: Promise<void>; readonly forget: () => void } {
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
