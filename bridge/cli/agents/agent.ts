// Owns the verb `agent`: it starts a coding agent here, joins it to this folder's bridge, says where
// its conversation is, and ends with it. What the agent asks for is the bridge's business.

import { basename, join as pathOf } from "node:path";
import type { Isolation } from "../../../protocol/isolation.ts";
import type { AgentIntroduction } from "../../doors/acp/words.ts";
import { ExitCode, UserError } from "../../errors.ts";
import { connectLocal, writeLine } from "../../local/json-lines.ts";
import { logFolder } from "../../logs/places.ts";
import { foldersWith, locateFolders } from "../../workspace/folders.ts";
import { isInside } from "../../workspace/inside.ts";
import { currentFolder } from "../flags/options.ts";
import { tell } from "../output/output.ts";
import { plain } from "../output/plain.ts";
import type { VerbFlags } from "../verbs/ask.ts";
import { noBridge } from "../verbs/ask.ts";
import type { AgentCommand } from "./agent-process.ts";
import { AgentProcess } from "./agent-process.ts";
import { walled } from "./agent-wall.ts";
import type { AgentEnd } from "./joining.ts";
import { join } from "./joining.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const OUTSIDE =
  "Most agents also run commands and change files by themselves, outside pairpty's pipeline: pairpty asks about and limits only what they ask it for.";
const WALL_HINT = " With --isolation sandbox all of it stays behind a wall.";

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
      "Put it behind --: `pairpty agent -- claude-code-acp`.",
    );
  }
  const { isolation = "none", prompt } = flags;
  const here = currentFolder();
  const cwd = flags.cwd ?? here;
  const folders = foldersWith("runtime", cwd);
  const socket =
    folders && (await connectLocal(pathOf(folders.runtime, "acp.sock")).catch(() => undefined));
  if (folders === undefined || socket === undefined) {
    throw await noBridge(locateFolders(cwd), folders !== undefined);
  }
  const label = flags.label ?? basename(program);
  const log = pathOf(logFolder(folders.state), `agent-${slug(label)}.log`);
  const asked: AgentCommand = { argv: [program, ...args], cwd: here, env: process.env };
  const { stopped, forget } = signalled();
  const wall =
    isolation === "none"
      ? undefined
      : await walled(asked, isolation, folders, flags.settings ?? []);
  try {
    const started = await AgentProcess.start(wall?.command ?? asked, log);
    const introduction: AgentIntroduction = {
      pairpty: {
        name: label,
        isolation,
        mark: started.mark,
        words: true,
        ...(prompt === undefined ? {} : { prompt }),
        ...(isInside(here, folders.folder) ? { folder: here } : {}),
      },
    };
    writeLine(socket, introduction);
    const printed = new Printed();
    const end = await join(started, socket, {
      onHere: (link) => {
        if (prompt === undefined) introduceTo({ label, link, log, isolation });
      },
      onText: (text) => printed.print(text),
      stopped,
    });
    await started.end();
    printed.finish();
    const problem = problemOf(end, { label, log, lastLines: started.lastLines });
    if (problem !== undefined) throw problem;
    if (end.is === "stopped" && prompt !== undefined) process.exitCode = 130;
  } finally {
    forget();
    socket.destroy();
    await wall?.leave();
  }
}

/** What an agent says, on standard output: nothing of it steers a terminal. */
class Printed {
  #isLineOpen = false;

  print(text: string): void {
    if (text === "") return;
    process.stdout.write(plain(text));
    this.#isLineOpen = !text.endsWith("\n");
  }

  finish(): void {
    if (this.#isLineOpen) process.stdout.write("\n");
  }
}

interface Told {
  readonly label: string;
  readonly link: string;
  readonly log: string;
  readonly isolation: Isolation;
}

function introduceTo({ label, link, log, isolation }: Told): void {
  tell(`${plain(label)} is in the room. Talk to it in the page: ${link}`);
  tell(`What it writes to its standard error is in ${log}. Ctrl-C ends it.`);
  tell(isolation === "none" ? OUTSIDE + WALL_HINT : OUTSIDE);
}

/** Undefined where all went well. Pure. */
export function problemOf(
  end: AgentEnd,
  {
    label,
    log,
    lastLines,
  }: Pick<Told, "label" | "log"> & { readonly lastLines: readonly string[] },
): UserError | undefined {
  const name = plain(label);
  switch (end.is) {
    case "stopped":
      return undefined;
    case "turn":
      if (end.reason === "end_turn") return undefined;
      return new UserError(`the turn of ${name} ended with ${plain(end.reason)}`, ExitCode.agent);
    case "no turn":
      return new UserError(`${name} did not finish its turn: ${plain(end.error)}`, ExitCode.agent);
    case "bridge": {
      if (end.sentence === undefined) {
        const hint = "Start it again with `pairpty`, then the agent.";
        return new UserError(`pairpty ended, and ${name} with it`, ExitCode.unavailable, hint);
      }
      return new UserError(`pairpty closed ${name}: ${plain(end.sentence)}`, ExitCode.agent);
    }
    case "agent": {
      if (end.how === "exit code 0" && end.hasSpoken) return undefined;
      const when = end.hasSpoken ? "" : " before it said anything";
      const last = lastLines.map((line) => `\n        ${plain(line)}`).join("");
      const said =
        last === "" ? "It wrote nothing to its standard error" : `Its last lines:${last}`;
      return new UserError(
        `${name} ended (${end.how})${when}`,
        ExitCode.agent,
        `${said}\n      ${log}`,
      );
    }
    default:
      return end satisfies never;
  }
}

/** Once: a second Ctrl-C ends this process as usual. */
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

/** A file's name; two that differ in other characters share a log. */
function slug(label: string): string {
  const name = label.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return name.replaceAll(/^-+|-+$/g, "").slice(0, 40) || "unnamed";
}
