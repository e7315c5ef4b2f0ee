// Owns the settings below `terminal`: defaults of the session tools, providers, and lists of the
// command policy. Settable in files only: lists and records have no form as a flag.

import * as z from "zod/mini";
import { AGENT_DEFAULTS } from "../agents/defaults.ts";
import { DEFAULT_DANGEROUS_COMMANDS } from "../policy/text-patterns.ts";
import { findExpressionError } from "../policy/command-lists.ts";
import { DEFAULT_SAFE_COMMANDS } from "../policy/program-names.ts";
import type { ProjectRule, SettingRow } from "./setting-shapes.ts";

const MAX_NAMES = 512;
const MAX_EXPRESSIONS = 64;
const MAX_PROVIDERS = 32;
const MAX_CROP = 1_000_000;
/** One day. */
const MAX_SECONDS = 86_400;
const MAX_INTERVAL = 600;

const { bash, persistent } = AGENT_DEFAULTS;

const providerName = () => z.string().check(z.regex(/^[A-Za-z0-9][\w.-]{0,63}$/));
const path = () => z.string().check(z.minLength(1), z.maxLength(4_096));
const network = z.optional(z.enum(["none", "host"]));

const Provider = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("local") }),
  z.strictObject({
    type: z.literal("sandbox"),
    network,
    readable: z.optional(z.array(path()).check(z.maxLength(64))),
  }),
  z.strictObject({
    type: z.literal("container"),
    network,
    image: z.optional(path()),
    rootfs: z.optional(path()),
  }),
]);
export type Provider = z.infer<typeof Provider>;

const interval = () => z.number().check(z.gte(0), z.lte(MAX_INTERVAL));

export const terminalShapes = {
  "terminal.agentDefaults.provider": providerName(),
  "terminal.agentDefaults.bash.cropOutput": z.int().check(z.gte(1), z.lte(MAX_CROP)),
  "terminal.agentDefaults.bash.timeoutSeconds": z.number().check(z.gt(0), z.lte(MAX_SECONDS)),
  "terminal.agentDefaults.persistent.minInterval": interval(),
  "terminal.agentDefaults.persistent.settleInterval": interval(),
  "terminal.agentDefaults.persistent.maxInterval": interval(),
  "terminal.providers": z
    .record(providerName(), Provider)
    .check(z.refine((record) => Object.keys(record).length <= MAX_PROVIDERS)),
  "terminal.safeCommands": z
    .array(z.string().check(z.regex(/^[\w.+@:-]{1,100}$/)))
    .check(z.maxLength(MAX_NAMES)),
  "terminal.dangerousCommands": z
    .array(z.string().check(z.refine((source) => findExpressionError(source) === undefined)))
    .check(z.maxLength(MAX_EXPRESSIONS)),
};

const FREE: ProjectRule = {
  may: "free",
  why: "it changes when an agent gets its answer, not what it may do",
};

const atMost = (maximum: number, why: string): ProjectRule => ({
  may: "tighten",
  why,
  how: `at most \`${maximum}\``,
  isNoWider: (value) => typeof value === "number" && value <= maximum,
});

const seconds = (noun: string) => ({
  form: "number" as const,
  flag: undefined,
  noun,
  right: `Write seconds, 0 to ${MAX_INTERVAL}.`,
  project: FREE,
});

function describeUnusable(source: string): string | undefined {
  const why = findExpressionError(source);
  return why === undefined ? undefined : `${JSON.stringify(source)}: ${why}.`;
}

export const terminalRows: Readonly<Record<keyof typeof terminalShapes, SettingRow>> = {
  "terminal.agentDefaults.provider": {
    form: "text",
    default: "local",
    flag: undefined,
    noun: "a provider's name",
    right: "Write one of the names in terminal.providers.",
    about:
      "Which of `terminal.providers` agents use. Its type is the minimum isolation of what they start, beside `agents.isolation`.",
    example: "local",
    project: { may: "trust", why: "it decides how agents are kept from your files" },
  },
  "terminal.agentDefaults.bash.cropOutput": {
    form: "number",
    default: bash.cropOutput,
    flag: undefined,
    noun: "a number of characters",
    right: `Write a whole number from 1 to ${MAX_CROP}.`,
    about:
      "How many characters of one command's output an agent gets. pairpty cuts the rest and marks the cut.",
    example: 5_000,
    project: atMost(bash.cropOutput, "agents get more of what commands print"),
  },
  "terminal.agentDefaults.bash.timeoutSeconds": {
    form: "number",
    default: bash.timeoutSeconds,
    flag: undefined,
    noun: "a number of seconds",
    right: `Write seconds, more than 0 and at most ${MAX_SECONDS}.`,
    about: "After this long, pairpty ends an agent's command and everything that it started.",
    example: 30,
    project: atMost(bash.timeoutSeconds, "agents' programs would run longer"),
  },
  "terminal.agentDefaults.persistent.minInterval": {
    ...seconds("a time to wait at least"),
    default: persistent.minInterval,
    about: "A session's answer waits at least this long for output.",
    example: 0.5,
  },
  "terminal.agentDefaults.persistent.settleInterval": {
    ...seconds("a time of quiet"),
    default: persistent.settleInterval,
    about: "Then it waits until there was no output for this long.",
    example: 1,
  },
  "terminal.agentDefaults.persistent.maxInterval": {
    ...seconds("a time to wait at most"),
    default: persistent.maxInterval,
    about: "After this long it answers in any case.",
    example: 10,
  },
  "terminal.providers": {
    form: "record",
    default: { local: { type: "local" } },
    flag: undefined,
    noun: "a set of providers",
    right: 'Write names with their types, { "local": { "type": "local" } }.',
    about:
      "The ways in which agents' commands can run. A provider has a `type`: `local` runs them as you do, `sandbox` in a sandbox, `container` in a container. A sandbox may have `network` and `readable`, a container `network` and `image` or `rootfs`; these override the settings of the same name. A relative path starts at the file's folder; `~/` is your home.",
    example: { local: { type: "local" }, box: { type: "sandbox" } },
    project: { may: "trust", why: "it decides how agents are kept from your files" },
  },
  "terminal.safeCommands": {
    form: "list",
    default: [...DEFAULT_SAFE_COMMANDS],
    defaultShort: `${DEFAULT_SAFE_COMMANDS.length} names`,
    flag: undefined,
    noun: "a list of programs' names",
    right: `Write a list of plain names, ["ls", "make"], at most ${MAX_NAMES}.`,
    about:
      "Programs that agents may run without approval. The list replaces the default. For the default's names, only calls with harmless arguments are safe; for a name that you add, every call is, so add it only if you mean that.",
    example: ["ls", "cat", "git", "make"],
    project: {
      may: "tighten",
      why: "agents would run more without approval",
      how: "fewer of the default's names",
      isNoWider: (value) =>
        Array.isArray(value) && value.every((name) => DEFAULT_SAFE_COMMANDS.includes(name)),
    },
  },
  "terminal.dangerousCommands": {
    form: "list",
    default: [...DEFAULT_DANGEROUS_COMMANDS],
    defaultShort: `${DEFAULT_DANGEROUS_COMMANDS.length} expressions`,
    flag: undefined,
    noun: "a list of regular expressions",
    right: `Write a list of expressions, ["git push.*--force"], at most ${MAX_EXPRESSIONS}. They run in linear time, without look-around and back-references.`,
    about:
      "Expressions that make a command dangerous: it always needs a person's approval. The list replaces the default; what the command policy itself blocks stays blocked.",
    example: ["(^|\\s)sudo\\s", "git push.*--force"],
    detail: (value) =>
      Array.isArray(value) ? value.map(String).map(describeUnusable).find(Boolean) : undefined,
    project: {
      may: "tighten",
      why: "agents would run more without approval",
      how: "the default's expressions and more",
      isNoWider: (value) =>
        Array.isArray(value) &&
        DEFAULT_DANGEROUS_COMMANDS.every((source) => value.includes(source)),
    },
  },
};
