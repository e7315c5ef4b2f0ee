// Formats the texts of `pairpty agent`: the agent's name, its introduction, and its end. Only
// `printIntroduction` prints.

import { basename } from "node:path";
import type { Isolation } from "../../../protocol/isolation.ts";
import { ExitCode, UserError } from "../../errors.ts";
import { printWrapped } from "../output/output.ts";
import { escapeUnsafe } from "../output/format-text.ts";
import type { AgentEnd } from "./agent-process.ts";

const OUTSIDE_NOTICE =
  "Most agents also run commands and change files on their own. pairpty checks and limits only what they do through it.";
const SANDBOX_HINT = " --isolation sandbox puts all of it in a sandbox.";

/** Enough to recognise the command; the approval card shows all of it. */
const MAX_COMMAND_CHARS = 100;

export interface AgentIntro {
  readonly label: string;
  readonly link: string;
  readonly log: string;
  readonly isolation: Isolation;
}

export function printIntroduction({ label, link, log, isolation }: AgentIntro): void {
  printWrapped(`${escapeUnsafe(label)} has joined the workspace. Talk to it in the page: ${link}`);
  printWrapped(
    "To open the page, press o in pairpty's window, or use the Edit link that `pairpty` shows.",
  );
  printWrapped(`Its standard error goes to ${log}. Ctrl-C ends it.`);
  printWrapped(isolation === "none" ? OUTSIDE_NOTICE + SANDBOX_HINT : OUTSIDE_NOTICE);
}

/** Returns the line shown while the agent waits for an approval. */
export function formatWaiting(label: string, id: string, what: string): string {
  const command = escapeUnsafe(what).replaceAll(/\s+/g, " ").slice(0, MAX_COMMAND_CHARS);
  return `${escapeUnsafe(label)} is waiting for approval ${id} (${command}). Answer in the page, or see \`pairpty approvals\``;
}

/** Returns the error of an agent's end; undefined if all went well. Pure. */
export function toEndError(
  end: AgentEnd,
  {
    label,
    log,
    lastLines,
  }: Pick<AgentIntro, "label" | "log"> & { readonly lastLines: readonly string[] },
): UserError | undefined {
  const name = escapeUnsafe(label);
  switch (end.is) {
    case "stopped":
      return undefined;
    case "turn":
      if (end.reason === "end_turn") return undefined;
      return new UserError(
        `the turn of ${name} ended with ${escapeUnsafe(end.reason)}`,
        ExitCode.agent,
      );
    case "no turn":
      return new UserError(
        `${name} did not finish its turn: ${escapeUnsafe(end.error)}`,
        ExitCode.agent,
      );
    case "bridge": {
      if (end.sentence === undefined) {
        const hint = "Start it again with `pairpty`, then the agent.";
        return new UserError(`pairpty stopped, so ${name} stopped too`, ExitCode.unavailable, hint);
      }
      return new UserError(`pairpty closed ${name}: ${escapeUnsafe(end.sentence)}`, ExitCode.agent);
    }
    case "agent": {
      if (end.how === "exit code 0" && end.hasSpoken) return undefined;
      const when = end.hasSpoken ? "" : " before starting up";
      const last = lastLines.map((line) => `\n        ${escapeUnsafe(line)}`).join("");
      const output =
        last === "" ? "It printed nothing to standard error" : `Its last output:${last}`;
      return new UserError(
        `${name} exited (${end.how.replace("exit ", "")})${when}`,
        ExitCode.agent,
        `${output}\n      ${log}`,
      );
    }
    default:
      return end satisfies never;
  }
}

/** Programs that start other programs; their names do not identify the agent. */
const LAUNCHERS =
  /^(?:node|nodejs|npx|npm|pnpm|pnpx|yarn|bun|bunx|deno|uv|uvx|pipx|python[\d.]*|sh|bash|env|exec|run|dlx|x)$/;

/** Returns the agent's name: the first word of its command that identifies it. Pure. */
export function guessAgentName(words: readonly string[]): string {
  const names = words
    .filter((word) => !word.startsWith("-") && !word.includes("="))
    .map((word) =>
      basename(word)
        .replace(/(?<=.)@[\w.^~-]+$/, "")
        .replace(/\.\w{1,3}$/, ""),
    );
  return names.find((name) => !LAUNCHERS.test(name)) ?? names[0] ?? "agent";
}

/** Returns a file name; labels that differ only in other characters share a log. */
export function toFileName(label: string): string {
  const name = label.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return name.replaceAll(/^-+|-+$/g, "").slice(0, 40) || "unnamed";
}
