// Owns the table of settings: keys, forms, defaults, flags, variables, and what a project's file
// may set. It has the general ones and includes those of the *-settings.ts files. Everything else
// about configuration derives from it.

import * as z from "zod/mini";
import { RELAY_ADDRESS_HINT } from "../link/relay-address.ts";
import { LOG_LEVELS } from "../log.ts";
import { DEFAULT_E2E, E2E_SETTINGS } from "./resolve-e2e.ts";
import { NO_TUNNEL, TUNNEL_FORMAT_HINT } from "../tunnels/tunnel-programs.ts";
import { acpRows, pluginRows, approvalRows, fileRows } from "./feature-settings.ts";
import { isolationRows } from "./isolation-settings.ts";
import type { ProjectRule, SettingKey, SettingRow, Setting } from "./setting-shapes.ts";
import { parseMilliseconds, GRACE, MAX_ENTRIES, IDLE, shapes } from "./setting-shapes.ts";
import { terminalRows } from "./terminal-settings.ts";

const BOOLEAN_TEXTS = { noun: "true or false", right: "Write true or false, without quotes." };

const onlyFalse = (why: string): ProjectRule => ({
  may: "tighten",
  why,
  how: "only `false`",
  isNoWider: (value) => value === false,
});

const onlyShorter = (maximum: string, why: string): ProjectRule => ({
  may: "tighten",
  why,
  how: `at most \`${maximum}\``,
  isNoWider: (value) =>
    typeof value === "string" && parseMilliseconds(value) <= parseMilliseconds(maximum),
});

const rows: Readonly<Record<SettingKey, SettingRow>> = {
  relay: {
    form: "text",
    default: undefined,
    defaultWords: "a relay on this machine",
    flag: "--relay",
    noun: "a relay's address",
    right: RELAY_ADDRESS_HINT,
    about: "The relay to use instead of one on this machine.",
    example: "https://relay.example.com",
    project: { may: "trust", why: "the relay's operator can read and type" },
  },
  tunnel: {
    form: "text",
    default: NO_TUNNEL,
    flag: "--tunnel",
    noun: "a tunnel",
    right: TUNNEL_FORMAT_HINT,
    about:
      "The program that makes the relay on this machine reachable for others: `auto` is the first of cloudflared, tailscale and ngrok that is installed. Its operator can read everything. pairpty asks before every start that makes it public, unless `--yes` is given.",
    example: "auto",
    project: {
      may: "trust",
      why: "it runs a program, and others can reach this machine through it",
    },
  },
  insecure: {
    form: "boolean",
    default: false,
    flag: "--insecure",
    ...BOOLEAN_TEXTS,
    about: "Allow an unencrypted relay that is not on this machine.",
    example: false,
    project: onlyFalse("anyone on the way could read and type"),
  },
  ca: {
    form: "text",
    default: undefined,
    defaultWords: "the usual CAs only",
    flag: "--ca",
    noun: "a file",
    right: "Name a file of certificates in PEM form.",
    about:
      "A file of CA certificates (PEM) to trust for the relay, beside the usual ones. A relative path starts at the file's folder; `~/` is your home.",
    example: "~/company-ca.pem",
    project: { may: "trust", why: "the owner of such a certificate can pose as the relay" },
  },
  workspace: {
    form: "text",
    default: undefined,
    defaultWords: "a random one, kept for the folder",
    flag: "--workspace",
    noun: "a workspace's name",
    right: "Use 3 to 64 lower-case letters, digits and inner hyphens. Long and random is safer.",
    about:
      "Name of the workspace on the relay. It is kept for the folder once a relay has accepted it.",
    example: "b3-review-7f2k9",
    project: { may: "trust", why: "a name that others know is easier to find" },
  },
  port: {
    form: "number",
    default: undefined,
    defaultWords: "a free one, kept for the folder",
    flag: "--port",
    noun: "a port",
    right: "Write a whole number from 1 to 65535, or 0 for any free one.",
    about: "Port of the relay on this machine. It is kept for the folder.",
    example: 7420,
    project: {
      may: "trust",
      why: "a browser shares what one page stored with later pages on the same port",
    },
  },
  shell: {
    form: "text",
    default: undefined,
    defaultWords: "`$SHELL`, else `bash`, else `sh`",
    flag: "--shell",
    noun: "a program",
    right: "Name one program, without arguments, by its name or path.",
    about: "Shell for new terminals.",
    example: "/bin/bash",
    project: { may: "trust", why: "it runs as you" },
  },
  open: {
    form: "boolean",
    default: false,
    flag: "--open",
    ...BOOLEAN_TEXTS,
    about: "Open the Edit link in a browser when ready.",
    example: true,
    project: onlyFalse("it starts a program, with the link in its arguments"),
  },
  qr: {
    form: "boolean",
    default: true,
    flag: "--qr",
    ...BOOLEAN_TEXTS,
    about:
      "Draw the View link as a QR code, for a relay that phones can reach and a window that has the space.",
    example: false,
    project: onlyFalse("a camera can scan what is on the screen"),
  },
  quiet: {
    form: "boolean",
    default: false,
    flag: "--quiet",
    ...BOOLEAN_TEXTS,
    about: "Print only the links, and not who joins.",
    example: true,
    project: onlyFalse("it hides who joins"),
  },
  logLevel: {
    form: "text",
    default: "warn",
    flag: "--log-level",
    noun: "a level",
    right: `Write one of ${LOG_LEVELS.join(", ")}.`,
    about: "How much pairpty logs on stderr. What agents do is logged separately.",
    example: "info",
    project: { may: "free", why: "it changes what pairpty logs, not what it does" },
  },
  grace: {
    form: "text",
    default: GRACE,
    flag: "--grace",
    noun: "a time to wait for a bridge",
    right: "Write 10s to 24h, as in 90s, 30m or 2h.",
    about:
      "How long terminals and the relay on this machine wait for the next pairpty after this one crashed or its window was closed. Terminals and relays that already run keep the time they started with.",
    example: "30m",
    project: onlyShorter(GRACE, "programs would run longer unattended"),
  },
  knock: {
    form: "boolean",
    default: false,
    flag: "--knock",
    ...BOOLEAN_TEXTS,
    about: "Let people in one by one: visitors wait until you admit them.",
    example: true,
    project: {
      may: "tighten",
      why: "without it, everyone with a link gets in",
      how: "only `true`",
      isNoWider: (value) => value === true,
    },
  },
  e2e: {
    form: "text",
    default: DEFAULT_E2E,
    flag: "--e2e",
    noun: "a mode of end-to-end encryption",
    right: `Write one of ${E2E_SETTINGS.join(", ")}.`,
    about:
      "End-to-end encryption: the operator of the relay or tunnel cannot read terminals, keystrokes or names, and only links of this room open it. `auto` encrypts wherever others run the relay or a tunnel leads to it; `off` is readable by the relay.",
    example: "on",
    project: {
      may: "never",
      why: "without it, the relay's operator can read and type",
      how: "only `on`",
      isNoWider: (value) => value === "on",
    },
  },
  "agents.roots": {
    form: "folders",
    default: [],
    flag: "--agent-root",
    noun: "a list of folders",
    right: `Write a list of paths, ["../shared"], at most ${MAX_ENTRIES}.`,
    about:
      "More folders in which agents may start commands. A relative path starts at the file's folder; `~/` is your home.",
    example: ["../shared"],
    project: { may: "trust", why: "agents get more of your files" },
  },
  "agents.environment": {
    form: "names",
    default: [],
    flag: "--agent-env",
    noun: "a list of variables' names",
    right: `Write a list of names, ["NPM_TOKEN"], at most ${MAX_ENTRIES}.`,
    about: "Variables that agents get even if they look like secrets.",
    example: ["NPM_TOKEN"],
    project: { may: "trust", why: "agents get your secrets" },
  },
  "agents.idle": {
    form: "text",
    default: IDLE,
    flag: "--agent-idle",
    noun: "a time for agents' idle terminals",
    right: "Write 1s to 5m: the limit can be made tighter, not wider.",
    about: "After this long without activity, pairpty closes an agent's background terminal.",
    example: "90s",
    project: onlyShorter(IDLE, "agents' programs would run longer"),
  },
  ...acpRows,
  ...approvalRows,
  ...isolationRows,
  ...terminalRows,
  ...pluginRows,
  ...fileRows,
};

export const SETTINGS: readonly Setting[] = Object.keys(shapes)
  .filter(isSettingKey)
  .map((key) => {
    const variable = rows[key].flag === undefined ? undefined : toVariable(key);
    return { key, schema: shapes[key], variable, ...rows[key] };
  });

export function findSetting(key: string): Setting | undefined {
  return SETTINGS.find((setting) => setting.key === key);
}

/** Schema of a file, nested at the dots of the keys, with the key `$schema` for editors. */
export const ConfigFile = z.strictObject({ $schema: z.optional(z.string()), ...toNestedSchema() });

/** Returns the schema below one prefix; every key is optional. */
function toNestedSchema(prefix = ""): Record<string, z.ZodMiniType> {
  const level: Record<string, z.ZodMiniType> = {};
  for (const { key, schema } of SETTINGS) {
    if (!key.startsWith(prefix)) continue;
    const [name = "", ...rest] = key.slice(prefix.length).split(".");
    if (rest.length === 0) level[name] = z.optional(schema);
    else level[name] ??= z.optional(z.strictObject(toNestedSchema(`${prefix}${name}.`)));
  }
  return level;
}

export function isSettingKey(name: string): name is SettingKey {
  return Object.hasOwn(shapes, name);
}

/** Returns a setting's variable: `agents.idle` is `PAIRPTY_AGENTS_IDLE`. */
function toVariable(key: string): string {
  const words = key.replaceAll(".", "_").replace(/[A-Z]/g, (letter) => `_${letter}`);
  return `PAIRPTY_${words.toUpperCase()}`;
}
