// Owns what the build generates from the table of settings: the JSON schema for editors and the
// reference in docs/. Pure; not part of the running program.

import * as z from "zod/mini";
import { OTHER_VARIABLES } from "./parse-settings.ts";
import type { Setting } from "./setting-shapes.ts";
import { ConfigFile, SETTINGS } from "./schema.ts";
import { compact } from "../../protocol/compact.ts";

/** Returns the JSON Schema (draft 2020-12) of the user's and the project's file. */
export function jsonSchema(): object {
  const about = z.registry<{ description: string; default?: unknown; examples: unknown[] }>();
  for (const setting of SETTINGS) {
    const { schema, default: value, example } = setting;
    schema.register(about, {
      description: `${setting.about} ${setting.right} ${formatProjectNote(setting)}`.replaceAll(
        "`",
        "",
      ),
      ...compact({ default: value }),
      examples: [example],
    });
  }
  return { title: "pairpty's settings", ...z.toJSONSchema(ConfigFile, { metadata: about }) };
}

/** Returns the text of docs/configuration.md. */
export function formatReference(): string {
  return `${[
    "# Configuration",
    "<!-- Made from bridge/config/schema.ts by `node scripts/config-docs.mjs`. Edit there. -->",
    LAYERS,
    "## Settings",
    table(
      ["setting", "default", "flag", "variable", "in a project's file"],
      SETTINGS.map((setting) => [
        `[\`${setting.key}\`](#${anchor(setting.key)})`,
        setting.defaultShort ?? formatDefault(setting),
        formatOptionalName(setting.flag),
        formatOptionalName(setting.variable),
        formatRule(setting),
      ]),
    ),
    "Settings without a flag and a variable can be set only in files.",
    ...SETTINGS.flatMap(formatSection),
    "## Other variables",
    table(
      ["variable", "meaning"],
      OTHER_VARIABLES.map((name) => [`\`${name}\``, VARIABLES[name] ?? ""]),
    ),
    "pairpty warns of any other variable that starts with `PAIRPTY_`. Terminals get none of them except `PAIRPTY_TERMINAL`.",
    EDITORS,
    PROJECTS,
    INSPECTING,
  ].join("\n\n")}\n`;
}

const LAYERS = `pairpty looks for every setting in five places. The first that sets it wins:

1. a flag of \`pairpty start\`
2. a variable, \`PAIRPTY_…\`
3. your own file: \`~/.config/pairpty/config.json\`, or the file that \`--config\` or \`PAIRPTY_CONFIG\` names instead
4. the project's file: \`pairpty.config.json\` in the workspace's folder
5. the default

\`pairpty config path\` shows where the files are on your machine. They are JSON of at most 64 KiB. pairpty reads them once, at the start:

\`\`\`json
{
  "relay": "https://relay.example.com",
  "logLevel": "info",
  "agents": { "idle": "90s", "roots": ["~/shared"] }
}
\`\`\`

You can set the same in the environment. Separate folders with \`:\` and names with \`,\`; yes or no is \`1\`, \`0\`, \`true\`, \`false\`, \`yes\` or \`no\`. An empty variable counts as not set:

\`\`\`sh
export PAIRPTY_RELAY=https://relay.example.com
export PAIRPTY_LOG_LEVEL=info
export PAIRPTY_AGENTS_IDLE=90s
export PAIRPTY_AGENTS_ROOTS="$HOME/shared"
\`\`\``;

const VARIABLES: Readonly<Record<string, string>> = {
  PAIRPTY_CONFIG: "a file to read instead of your own, as `--config` does",
  PAIRPTY_RELAY_KEY:
    "the relay's `RELAY_KEY`. pairpty reads it from the environment only: in a file it is an error",
  PAIRPTY_TERMINAL: "the tag that pairpty sets in its terminals; do not set it yourself",
  PAIRPTY_REQUIRE: "for pairpty's own tests",
};

const EDITORS = `## In an editor

The package has a JSON schema, \`dist/config.schema.json\`: an editor that knows it completes keys and underlines mistakes. Where pairpty is a dependency of the project, name it in the file:

\`\`\`json
{
  "$schema": "./node_modules/pairpty/dist/config.schema.json",
  "agents": { "idle": "90s" }
}
\`\`\`

Elsewhere, use the path that \`pairpty config path\` shows beside \`schema\`. In VS Code the setting \`json.schemas\` ties it to every \`pairpty.config.json\` at once.`;

const PROJECTS = `## A project's file and trust

\`pairpty.config.json\` comes with a folder, perhaps from someone else. Without your trust it may tighten settings, and change those that give no one more rights. Its other settings count only after you have trusted the file:

${table(
  ["in the table above", "without trust"],
  [
    ["free", "counts"],
    ["tighten", "counts if it is not wider than the default"],
    ["trust", "does not count"],
    ["never", "counts if it is not wider than the default, trusted or not"],
  ],
)}

On a terminal, \`pairpty\` shows the path and each of those settings with its value, and asks: continue without them, trust the file, or stop. Without a terminal, or with \`--json\`, it continues without them and prints a line about it to stderr. Read the file, then run:

\`\`\`sh
pairpty config trust
pairpty config trust --yes
pairpty config trust --forget
\`\`\`

The first asks, the second does not (for scripts), the third revokes all trust in this folder's file. Trust is bound to the file's path and the SHA-256 of its bytes: when the file changes, pairpty asks again. Inside a pairpty terminal, which others see and agents may run in, pairpty neither asks for trust nor accepts it.

A project's file that is a symbolic link is an error; so is your own file if everyone on the machine can write it.`;

const INSPECTING = `## Inspecting

\`\`\`sh
pairpty config path
pairpty config check
pairpty config explain
pairpty config explain agents.idle
\`\`\`

\`check\` lists every mistake in files and environment, and exits with 2 if there is one; \`pairpty config check <file>\` checks one file. \`explain\` shows each setting's value and the layer it came from; with a key, also the value in each layer and what lacks trust. All take \`--json\`. They show the settings of the next start; a running bridge keeps those that it started with.`;

function formatSection(setting: Setting): string[] {
  const { key, about, right, project } = setting;
  const { may, why } = project;
  const how = "how" in project ? project.how : "";
  const words = {
    free: `A project's file may set it: ${why}.`,
    tighten: `A project's file may set ${how}; anything else needs trust: ${why}.`,
    never: `A project's file may set ${how}, trusted or not: ${why}.`,
    trust: `In a project's file it needs trust: ${why}.`,
  };
  return [
    `### ${key}`,
    `${about} ${right}`,
    `Default: ${formatDefault(setting)}. ${words[may]}`,
    `\`\`\`json\n${formatExample(setting)}\n\`\`\``,
  ];
}

/** Formats the example as in a file: `{ "agents": { "idle": "90s" } }`. */
function formatExample({ key, example }: Setting): string {
  const value = key.split(".").reduceRight<unknown>((inner, name) => ({ [name]: inner }), example);
  const text = JSON.stringify(value).replaceAll("{", "{ ").replaceAll("}", " }");
  return text.replaceAll('":', '": ').replaceAll(',"', ', "');
}

function formatDefault({ default: value, defaultWords }: Setting): string {
  return defaultWords ?? `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;
}

/** Formats a flag or variable, or a dash for settings without one. */
function formatOptionalName(name: string | undefined): string {
  return name === undefined ? "–" : `\`${name}\``;
}

function formatRule({ project }: Setting): string {
  return "how" in project ? `${project.may}: ${project.how}` : project.may;
}

function formatProjectNote({ project }: Setting): string {
  switch (project.may) {
    case "free":
      return "";
    case "tighten":
      return `In a project's file ${project.how}, unless trusted.`;
    case "never":
      return `In a project's file ${project.how}.`;
    case "trust":
      return "In a project's file it counts only when trusted.";
  }
}

function anchor(key: string): string {
  return key.toLowerCase().replaceAll(".", "");
}

/** Formats a Markdown table with aligned columns, as the formatter would. */
function table(head: string[], rows: string[][]): string {
  const widths = head.map((cell, column) =>
    Math.max(3, cell.length, ...rows.map((row) => (row[column] ?? "").length)),
  );
  const line = (row: string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const dashes = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [line(head), dashes, ...rows.map(line)].join("\n");
}
