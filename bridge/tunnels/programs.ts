// Owns the table of tunnel programs: how each is started for a port, and who operates it. Pure: the
// caller looks up whether a program is installed.

import { ExitCode, UserError } from "../errors.ts";
import type { AddressReader } from "./addresses.ts";
import {
  cloudflaredReader,
  ngrokReader,
  plainReader,
  sshReader,
  tailscaleReader,
} from "./addresses.ts";

export interface TunnelPlan {
  /** The program's name for people. */
  readonly name: string;
  /** Operates the tunnel's other end and can read everything. */
  readonly operator: string;
  readonly argv: (port: number) => [program: string, ...args: string[]];
  readonly reader: () => AddressReader;
}

/** In order of preference. */
export const TUNNEL_PROGRAMS = ["cloudflared", "tailscale", "ngrok"] as const;
type TunnelProgram = (typeof TUNNEL_PROGRAMS)[number];

/** Selects the first program that is installed. */
export const ANY_TUNNEL = "auto";
export const NO_TUNNEL = "off";
const PORT = "{port}";

export const TUNNEL_FORM = `Write ${ANY_TUNNEL}, ${TUNNEL_PROGRAMS.join(", ")}, "ssh user@host", or a command with ${PORT} in it that prints an https address.`;

type Find = (program: string) => string | undefined;

const KNOWN: Readonly<Record<TunnelProgram, Omit<TunnelPlan, "argv" | "name"> & Call>> = {
  cloudflared: {
    operator: "Cloudflare",
    // The user's own tunnel configuration would override our arguments.
    args: (port) => [
      "tunnel",
      "--no-autoupdate",
      "--config",
      "/dev/null",
      "--url",
      `http://127.0.0.1:${port}`,
    ],
    reader: cloudflaredReader,
  },
  tailscale: {
    operator: "Tailscale",
    args: (port) => ["funnel", String(port)],
    reader: tailscaleReader,
  },
  ngrok: {
    operator: "ngrok",
    args: (port) => ["http", String(port), "--log", "stdout", "--log-format", "logfmt"],
    reader: ngrokReader,
  },
};

interface Call {
  readonly args: (port: number) => string[];
}

/** Returns a sentence about who can read the traffic. */
export function readerWords(operator = "the tunnel's operator"): string {
  const who = `${operator[0]?.toUpperCase() ?? ""}${operator.slice(1)}`;
  return `${who} can read everything that is typed and shown.`;
}

/** Whether a text has the form of a tunnel setting; does not look for programs. */
export function isTunnelWish(text: string): boolean {
  const word = text.trim();
  if (word === ANY_TUNNEL || word === NO_TUNNEL || isProgram(word)) return true;
  return word.includes(PORT) || sshTarget(word) !== undefined;
}

/** Returns how to open the requested tunnel here. */
export function planTunnel(wish: string, find: Find): TunnelPlan {
  const word = wish.trim();
  if (word === ANY_TUNNEL) return firstOf(find);
  if (isProgram(word)) {
    const path = find(word);
    if (path !== undefined) return knownPlan(word, path);
    throw new UserError(`${word} is not installed here`, ExitCode.usage, INSTALL);
  }
  if (word.includes(PORT)) return commandPlan(word);
  const target = sshTarget(word);
  if (target !== undefined) return sshPlan(target, find);
  throw new UserError(`"${wish}" is not a tunnel`, ExitCode.usage, TUNNEL_FORM);
}

/** Returns the known programs that are installed, for doctor. */
export function tunnelsHere(find: Find): TunnelProgram[] {
  return TUNNEL_PROGRAMS.filter((name) => find(name) !== undefined);
}

export const INSTALL =
  'Install cloudflared, which needs no account (https://developers.cloudflare.com/cloudflare-one/connections/connect-networks/downloads/), or use --tunnel "ssh user@host" or --tunnel "command {port}".';

function firstOf(find: Find): TunnelPlan {
  for (const name of TUNNEL_PROGRAMS) {
    const path = find(name);
    if (path !== undefined) return knownPlan(name, path);
  }
  throw new UserError(
    `no tunnel program is installed here (${TUNNEL_PROGRAMS.join(", ")})`,
    ExitCode.usage,
    INSTALL,
  );
}

function knownPlan(name: TunnelProgram, path: string): TunnelPlan {
  const { args, ...plan } = KNOWN[name];
  const shown = name === "tailscale" ? "tailscale funnel" : name;
  return { ...plan, name: shown, argv: (port) => [path, ...args(port)] };
}

/** Runs the command in a shell as written; `{port}` becomes digits only, so it needs no quoting. */
function commandPlan(command: string): TunnelPlan {
  return {
    name: command.split(/\s+/)[0] ?? command,
    operator: "the operator of the tunnel's other end",
    argv: (port) => ["/bin/sh", "-c", command.replaceAll(PORT, String(port))],
    reader: plainReader,
  };
}

function sshPlan(target: readonly string[], find: Find): TunnelPlan {
  const path = find("ssh");
  if (path === undefined) throw new UserError("ssh is not installed here", ExitCode.usage, INSTALL);
  return {
    name: `ssh ${target.at(-1) ?? ""}`,
    operator: `the operator of ${(target.at(-1) ?? "").replace(/^.*@/, "")}`,
    argv: (port) => [path, ...SSH_OPTIONS, "-R", `80:127.0.0.1:${port}`, ...target],
    reader: sshReader,
  };
}

/** Never prompts, exits when it has no tunnel, and notices a lost connection. */
const SSH_OPTIONS = [
  "BatchMode=yes",
  "ExitOnForwardFailure=yes",
  "ServerAliveInterval=20",
  "ServerAliveCountMax=3",
].flatMap((option) => ["-o", option]);

/** Returns the arguments of `ssh [-R] user@host`; ssh options may precede the host. */
function sshTarget(wish: string): string[] | undefined {
  const [program, ...words] = wish.split(/\s+/);
  if (program !== "ssh") return undefined;
  const target = words.filter((word) => word !== "-R");
  // An explicit forwarding would lead to another port than ours.
  if (target.slice(0, -1).some((word) => word.includes(":"))) return undefined;
  return /^[\w.-]+(@[\w.-]+)?$/.test(target.at(-1) ?? "") ? target : undefined;
}

function isProgram(word: string): word is TunnelProgram {
  return TUNNEL_PROGRAMS.some((name) => name === word);
}
