// Owns the table of tunnel programs: how each is started for a port, and who operates it. Pure: the
// caller looks up whether a program is installed. Reads a tunnel's public address from its
// program's output. Pure: one reader per program, since each prints other links, too.

import { stripVTControlCharacters } from "node:util";
import { ExitCode, UserError } from "../errors.ts";

/** Receives each line of stdout and stderr in order; returns the origin if the line holds it. */
export type AddressReader = (line: string) => string | undefined;

/** Reads the log of cloudflared's quick tunnels. Skips its API, which has a similar name. */
export function readCloudflared(): AddressReader {
  return withoutEscapes((line) => {
    const [, name] = /https:\/\/([a-z0-9-]+)\.trycloudflare\.com(?![\w.-])/i.exec(line) ?? [];
    return name === undefined || name.toLowerCase() === "api"
      ? undefined
      : `https://${name}.trycloudflare.com`;
  });
}

/** Reads `tailscale funnel`: a title, a blank line, the address. Skips help links before the title. */
export function readTailscale(): AddressReader {
  let isTitled = false;
  return withoutEscapes((line) => {
    const title = "Available on the internet:";
    const at = line.indexOf(title);
    if (at >= 0) isTitled = true;
    return isTitled ? parseOriginLine(at >= 0 ? line.slice(at + title.length) : line) : undefined;
  });
}

/** Reads ngrok's logfmt (`--log stdout`). Skips other protocols and ngrok's own pages. */
export function readNgrok(): AddressReader {
  return withoutEscapes((line) => {
    if (!/\bmsg="started tunnel"/.test(line)) return undefined;
    return parseOrigin(/\burl="?(https:\/\/[^\s"]+)/.exec(line)?.[1]);
  });
}

/** Reads services behind `ssh -R`: one of their sentences, or the address alone on a line. */
export function readSsh(): AddressReader {
  return withoutEscapes((line) => {
    const [, address] =
      /tunneled with tls termination, (https:\/\/\S+)/i.exec(line) ??
      /(https:\/\/\S+) tunneled with tls termination/i.exec(line) ??
      /forwarding http traffic from (https:\/\/\S+)/i.exec(line) ??
      [];
    return address === undefined ? parseOriginLine(line) : parseOrigin(address);
  });
}

/** Reads any other program: the first address without a path, since links to pages have one. */
export function readAnyProgram(): AddressReader {
  return withoutEscapes((line) => {
    for (const [word] of line.matchAll(/https:\/\/[^\s"'<>|()[\]{},;]+/gi)) {
      const origin = parseOrigin(word.replace(/[.:!?]+$/, ""));
      if (origin !== undefined) return origin;
    }
    return undefined;
  });
}

function withoutEscapes(find: AddressReader): AddressReader {
  return (line) => find(stripVTControlCharacters(line));
}

/** Returns the origin of a line that holds nothing else. */
function parseOriginLine(line: string): string | undefined {
  const word = line.trim();
  return /^https:\/\/\S+$/i.test(word) ? parseOrigin(word) : undefined;
}

/** Returns the origin of an https address without user, path, query and fragment; else undefined. */
function parseOrigin(text: string | undefined): string | undefined {
  if (text === undefined || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isPlain = url.pathname === "/" && url.search === "" && url.hash === "";
  return url.protocol === "https:" && isPlain && url.username === "" ? url.origin : undefined;
}

export interface TunnelPlan {
  /** The program's name for people. */
  readonly name: string;
  /** Operates the tunnel's other end and can read everything. */
  readonly operator: string;
  readonly argv: (port: number) => [program: string, ...args: string[]];
  readonly reader: () => AddressReader;
}

/** Ordered by preference. */
export const TUNNEL_PROGRAMS = ["cloudflared", "tailscale", "ngrok"] as const;
type TunnelProgram = (typeof TUNNEL_PROGRAMS)[number];

/** Selects the first program that is installed. */
export const ANY_TUNNEL = "auto";
export const NO_TUNNEL = "off";
const PORT = "{port}";

export const TUNNEL_FORMAT_HINT = `Write ${ANY_TUNNEL}, ${TUNNEL_PROGRAMS.join(", ")}, "ssh user@host", or a command with ${PORT} in it that prints an https address.`;

type FindProgram = (program: string) => string | undefined;

const KNOWN_PROGRAMS: Readonly<
  Record<TunnelProgram, Omit<TunnelPlan, "argv" | "name"> & ProgramArgs>
> = {
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
    reader: readCloudflared,
  },
  tailscale: {
    operator: "Tailscale",
    args: (port) => ["funnel", String(port)],
    reader: readTailscale,
  },
  ngrok: {
    operator: "ngrok",
    args: (port) => ["http", String(port), "--log", "stdout", "--log-format", "logfmt"],
    reader: readNgrok,
  },
};

interface ProgramArgs {
  readonly args: (port: number) => string[];
}

/** Returns a sentence about who can read the traffic. */
export function formatOperatorNotice(operator = "the tunnel's operator"): string {
  const who = `${operator[0]?.toUpperCase() ?? ""}${operator.slice(1)}`;
  return `${who} can read everything that is typed and shown.`;
}

/** Whether a text has the form of a tunnel setting; does not look for programs. */
export function isTunnelSetting(text: string): boolean {
  const word = text.trim();
  if (word === ANY_TUNNEL || word === NO_TUNNEL || isProgram(word)) return true;
  return word.includes(PORT) || parseSshTarget(word) !== undefined;
}

/** Returns how to open the requested tunnel here. */
export function planTunnel(setting: string, find: FindProgram): TunnelPlan {
  const word = setting.trim();
  if (word === ANY_TUNNEL) return planFirstInstalled(find);
  if (isProgram(word)) {
    const path = find(word);
    if (path !== undefined) return planProgram(word, path);
    throw new UserError(`${word} is not installed here`, ExitCode.usage, INSTALL_HINT);
  }
  if (word.includes(PORT)) return planCommand(word);
  const target = parseSshTarget(word);
  if (target !== undefined) return planSsh(target, find);
  throw new UserError(`"${setting}" is not a tunnel`, ExitCode.usage, TUNNEL_FORMAT_HINT);
}

/** Returns the known programs that are installed, for doctor. */
export function listInstalledTunnels(find: FindProgram): TunnelProgram[] {
  return TUNNEL_PROGRAMS.filter((name) => find(name) !== undefined);
}

export const INSTALL_HINT =
  'Install cloudflared, which needs no account (https://developers.cloudflare.com/cloudflare-one/connections/connect-networks/downloads/), or use --tunnel "ssh user@host" or --tunnel "command {port}".';

function planFirstInstalled(find: FindProgram): TunnelPlan {
  for (const name of TUNNEL_PROGRAMS) {
    const path = find(name);
    if (path !== undefined) return planProgram(name, path);
  }
  throw new UserError(
    `no tunnel program is installed here (${TUNNEL_PROGRAMS.join(", ")})`,
    ExitCode.usage,
    INSTALL_HINT,
  );
}

function planProgram(name: TunnelProgram, path: string): TunnelPlan {
  const { args, ...plan } = KNOWN_PROGRAMS[name];
  const displayName = name === "tailscale" ? "tailscale funnel" : name;
  return { ...plan, name: displayName, argv: (port) => [path, ...args(port)] };
}

/** Runs the command in a shell as written; `{port}` becomes digits only, so it needs no quoting. */
function planCommand(command: string): TunnelPlan {
  return {
    name: command.split(/\s+/)[0] ?? command,
    operator: "the operator of the tunnel's other end",
    argv: (port) => ["/bin/sh", "-c", command.replaceAll(PORT, String(port))],
    reader: readAnyProgram,
  };
}

function planSsh(target: readonly string[], find: FindProgram): TunnelPlan {
  const path = find("ssh");
  if (path === undefined)
    throw new UserError("ssh is not installed here", ExitCode.usage, INSTALL_HINT);
  return {
    name: `ssh ${target.at(-1) ?? ""}`,
    operator: `the operator of ${(target.at(-1) ?? "").replace(/^.*@/, "")}`,
    argv: (port) => [path, ...SSH_OPTIONS, "-R", `80:127.0.0.1:${port}`, ...target],
    reader: readSsh,
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
function parseSshTarget(setting: string): string[] | undefined {
  const [program, ...words] = setting.split(/\s+/);
  if (program !== "ssh") return undefined;
  const target = words.filter((word) => word !== "-R");
  // An explicit forwarding would lead to another port than ours.
  if (target.slice(0, -1).some((word) => word.includes(":"))) return undefined;
  return /^[\w.-]+(@[\w.-]+)?$/.test(target.at(-1) ?? "") ? target : undefined;
}

function isProgram(word: string): word is TunnelProgram {
  return TUNNEL_PROGRAMS.some((name) => name === word);
}
