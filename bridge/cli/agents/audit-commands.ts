// Owns the commands `audit` (agents' actions) and `policy check` (the policy's verdicts).

import { existsSync, readFileSync, statSync, watch } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import * as z from "zod/mini";
import { formatTime } from "../../../protocol/formats.ts";
import { parseText } from "../../../protocol/json.ts";
import { AuditLog } from "../../audit/audit-log.ts";
import { toCommandLists } from "../../config/agent-options.ts";
import { ExitCode, UserError } from "../../errors.ts";
import { judgeArgv, judgeShell } from "../../policy/policy.ts";
import { locateFolders, getOwnPaths, ensureWorkspaceFolders } from "../../workspace/folders.ts";
import { getCurrentFolder } from "../flags/current-folder.ts";
import { findKnownFolder } from "../flags/workspace-folder.ts";
import { loadStartConfiguration } from "../flags/start-options.ts";
import { escapeUnsafe } from "../output/format-text.ts";
import { printJson, printLine, printNote } from "../output/output.ts";
import type { VerbFlags } from "../verbs/bridge-request.ts";

const AuditLine = z.looseObject({
  at: z.string(),
  event: z.string(),
  label: z.optional(z.string()),
  grant: z.optional(z.string()),
  terminal: z.optional(z.string()),
  tool: z.optional(z.string()),
  verdict: z.optional(z.string()),
  outcome: z.optional(z.string()),
  arguments: z.optional(z.unknown()),
});

/** Prints agents' actions; with --follow, also new ones. */
export async function audit(flags: VerbFlags & { readonly follow?: boolean }): Promise<void> {
  const cwd = await findKnownFolder(flags);
  const { folder, state } = locateFolders(cwd);
  const path = join(state, "audit.log");
  const show = (text: string) => {
    for (const line of text.split("\n").filter(Boolean)) showLine(line, flags.json === true);
  };
  const files = AuditLog.listFiles(path).filter((file) => existsSync(file));
  for (const file of files) show(readFileSync(file, "utf8"));
  if (files.length === 0 && flags.json !== true)
    printNote(`No agent has done anything in ${folder} yet.`);
  if (flags.follow !== true) return;
  // The watched folder may not exist yet.
  ensureWorkspaceFolders(cwd);
  let at = existsSync(path) ? statSync(path).size : 0;
  await new Promise<void>((resolve) => {
    const watcher = watch(dirname(path), (_event, name) => {
      if (name !== basename(path) || !existsSync(path)) return;
      const bytes = readFileSync(path);
      // Shorter than before: the log was rotated, so all of it is new.
      const fresh = bytes.length < at ? bytes : bytes.subarray(at);
      at = bytes.length;
      show(fresh.toString("utf8"));
    });
    process.once("SIGINT", () => {
      watcher.close();
      resolve();
    });
  });
}

function showLine(line: string, json: boolean): void {
  if (json) return printLine(escapeUnsafe(line));
  const parsed = parseText(AuditLine, line);
  if (!parsed.ok) return;
  const { at, label, grant, terminal, tool, event, verdict, outcome } = parsed.value;
  const who = [label, grant, terminal].find((name) => name !== undefined && name !== "") ?? "";
  const what = [formatEventName(event, tool), verdict, outcome]
    .filter((part) => part !== undefined)
    .join(" · ");
  const time = formatTime(Date.parse(at), Date.now(), { seconds: true });
  const text = `${time}  ${who}  ${what}  ${JSON.stringify(parsed.value.arguments ?? {})}`;
  // Prints one line per entry, even if the agent's name contains line breaks.
  printLine(escapeUnsafe(text).replaceAll("\n", "\\n"));
}

/** Texts for events whose names in the log's lines, on which programs rely, read badly. */
const EVENT_TEXTS: Readonly<Record<string, string>> = {
  "links told": "links shown",
  "person sent away": "person removed",
  "person kept to watching": "person limited to watching",
  "person may type again": "person can type again",
  "person may come again": "person can join again",
};

/** Returns the entry's name; an approval is not a call, though it names one. */
function formatEventName(event: string, tool: string | undefined): string {
  if (tool === undefined) return EVENT_TEXTS[event] ?? event;
  return event.startsWith("approval ") ? `${event} (${tool})` : tool;
}

const PolicyRequest = z.union([
  z.strictObject({ argv: z.array(z.string()) }),
  z.strictObject({ shell: z.string() }),
]);

const POLICY_FORMAT_HINT = 'Write {"argv":["ls","-la"]} or {"shell":"ls -la"}, one per line.';

/** Reads JSON lines and prints one verdict per line; invalid lines get an error in their place. */
export async function policyCheck(flags: VerbFlags): Promise<void> {
  const cwd = flags.cwd ?? getCurrentFolder();
  const folders = locateFolders(cwd);
  const { merged } = loadStartConfiguration({ cwd }, process.env);
  const lists = toCommandLists(merged.values);
  const context = { cwd: folders.folder, lists, ...getOwnPaths(folders) };
  let invalidLines = 0;
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() === "") continue;
    const parsed = parseText(PolicyRequest, line);
    if (!parsed.ok) {
      invalidLines += 1;
      printJson({ error: `invalid line: ${line.slice(0, 80)}` });
      continue;
    }
    const { value } = parsed;
    const { verdict, level, why } =
      "argv" in value ? judgeArgv(value.argv, context) : judgeShell(value.shell, context);
    printJson({ verdict, level, why });
  }
  if (invalidLines === 0) return;
  const lines = invalidLines === 1 ? "1 line is" : `${invalidLines} lines are`;
  throw new UserError(`${lines} invalid`, ExitCode.usage, POLICY_FORMAT_HINT);
}
