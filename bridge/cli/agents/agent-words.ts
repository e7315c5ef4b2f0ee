// Formats the texts of `pairpty agent`: the agent's name, its introduction, and its end. Only
// `introduceTo` prints.

import { basename } from "node:path";
import type { Isolation } from "../../../protocol/isolation.ts";
import { ExitCode, UserError } from "../../errors.ts";
import { tell } from "../output/output.ts";
import { plain } from "../output/plain.ts";
import type { AgentEnd } from "./joining.ts";

const OUTSIDE =
  "Most agents also run commands and change files on their own. pairpty checks and limits only what they do through it.";
const WALL_HINT = " --isolation sandbox puts all of it in a sandbox.";

/** Enough to recognise the command; the approval card shows all of it. */
const MOST_COMMAND = 100;

export interface Told {
  readonly label: string;
  readonly link: string;
  readonly log: string;
  readonly isolation: Isolation;
}

export function introduceTo({ label, link, log, isolation }: Told): void {
  tell(`${plain(label)} has joined the workspace. Talk to it in the page: ${link}`);
  tell("To open the page, press o in pairpty's window, or use the Edit link that `pairpty` shows.");
  tell(`Its standard error goes to ${log}. Ctrl-C ends it.`);
  tell(isolation === "none" ? OUTSIDE + WALL_HINT : OUTSIDE);
}

/** Returns the line shown while the agent waits for an approval. */
export function askedWords(label: string, id: string, what: string): string {
  const command = plain(what).replaceAll(/\s+/g, " ").slice(0, MOST_COMMAND);
  return `${plain(label)} is waiting for approval ${id} (${command}). Answer in the page, or see \`pairpty approvals\``;
}

/** Returns the error of an agent's end; undefined if all went well. Pure. */
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
      const when = end.hasSpoken ? "" : " before starting up";
      const last = lastLines.map((line) => `\n        ${plain(line)}`).join("");
      const said = last === "" ? "It printed nothing to standard error" : `Its last output:${last}`;
      return new UserError(
        `${name} exited (${end.how.replace("exit ", "")})${when}`,
        ExitCode.agent,
        `${said}\n      ${log}`,
      );
    }
    default:
      return end satisfies never;
  }
}

/** Programs that start other programs; their names do not identify the agent. */
const STARTERS =
  /^(?:node|nodejs|npx|npm|pnpm|pnpx|yarn|bun|bunx|deno|uv|uvx|pipx|python[\d.]*|sh|bash|env|exec|run|dlx|x)$/;

/** Returns the agent's name: the first word of its command that identifies it. Pure. */
export function nameFrom(words: readonly string[]): string {
  const names = words
    .filter((word) => !word.startsWith("-") && !word.includes("="))
    .map((word) =>
      basename(word)
        .replace(/(?<=.)@[\w.^~-]+$/, "")
        .replace(/\.\w{1,3}$/, ""),
    );
  return names.find((name) => !STARTERS.test(name)) ?? names[0] ?? "agent";
}

/** Returns a file name; labels that differ only in other characters share a log. */
export function slug(label: string): string {
  const name = label.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return name.replaceAll(/^-+|-+$/g, "").slice(0, 40) || "unnamed";
}
