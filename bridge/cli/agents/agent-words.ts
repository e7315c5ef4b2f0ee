// Owns the words of the verb `agent`: what an agent is called, what its user is told of it, and how
// its end is said. Pure but for the telling.

import { basename } from "node:path";
import type { Isolation } from "../../../protocol/isolation.ts";
import { ExitCode, UserError } from "../../errors.ts";
import { tell } from "../output/output.ts";
import { plain } from "../output/plain.ts";
import type { AgentEnd } from "./joining.ts";

const OUTSIDE =
  "Most agents also run commands and change files by themselves, outside pairpty's pipeline: pairpty asks about and limits only what they ask it for.";
const WALL_HINT = " With --isolation sandbox all of it stays behind a wall.";

/** Enough to know which; the whole is on the card. */
const MOST_COMMAND = 100;

export interface Told {
  readonly label: string;
  readonly link: string;
  readonly log: string;
  readonly isolation: Isolation;
}

export function introduceTo({ label, link, log, isolation }: Told): void {
  tell(`${plain(label)} is in the room. Talk to it in the page, ${link}`);
  tell("That page opens with a link: `pairpty` shows the Edit link, and its key o opens it.");
  tell(`Its standard error goes to ${log}. Ctrl-C ends it.`);
  tell(isolation === "none" ? OUTSIDE + WALL_HINT : OUTSIDE);
}

/** While people are asked nothing else is printed: whoever waits should know for what. */
export function askedWords(label: string, id: string, what: string): string {
  const command = plain(what).replaceAll(/\s+/g, " ").slice(0, MOST_COMMAND);
  return `${plain(label)} is waiting for an answer to ${id} (${command}): in the page, or with \`pairpty approvals\``;
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

/** They start others: a name of theirs says nothing. */
const STARTERS =
  /^(?:node|nodejs|npx|npm|pnpm|pnpx|yarn|bun|bunx|deno|uv|uvx|pipx|python[\d.]*|sh|bash|env|exec|run|dlx|x)$/;

/** What people call it: the first word of its command that says which agent it is. Pure. */
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

/** A file's name; two that differ in other characters share a log. */
export function slug(label: string): string {
  const name = label.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return name.replaceAll(/^-+|-+$/g, "").slice(0, 40) || "unnamed";
}
