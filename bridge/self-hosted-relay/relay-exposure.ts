// Decides whether a self-hosted relay serves this machine only, or everyone who can reach it and knows
// its key. Pure.

import { isIP } from "node:net";
import { ExitCode, UserError } from "../errors.ts";

export interface ExposureRequest {
  readonly host: string;
  /** RELAY_KEY of the environment. */
  readonly relayKey: string | undefined;
  readonly allowedOrigins: readonly string[];
}

export interface RelayExposure {
  /** Host name without brackets. */
  readonly host: string;
  /** Only loopback addresses are valid as Host, and no key is needed. */
  readonly loopback: boolean;
  readonly relayKey: string | undefined;
}

/** Shorter keys can be guessed, and a key lets a client fill the relay with workspaces. */
export const MIN_KEY_LENGTH = 16;
/** The maximum that a hello can carry. */
export const MAX_KEY_LENGTH = 300;
/** Uses Node, which every machine with pairpty has. */
const KEY_COMMAND = `node -p 'crypto.randomBytes(32).toString("hex")'`;
const KEY_HINT = `Create one: export RELAY_KEY=$(${KEY_COMMAND})`;

export function decideExposure({
  host: requestedHost,
  relayKey,
  allowedOrigins,
}: ExposureRequest): RelayExposure {
  const host = requestedHost.replace(/^\[(.*)\]$/, "$1");
  if (host === "" || (isIP(host) === 0 && !/^[a-z\d]([a-z\d.-]*[a-z\d])?$/i.test(host))) {
    throw new UserError(
      `"${requestedHost}" is not a host`,
      ExitCode.usage,
      "Give an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all of them.",
    );
  }
  // The command that should have created it failed; without this error, anyone could claim workspaces.
  if (relayKey === "") throw new UserError("RELAY_KEY is empty", ExitCode.usage, KEY_HINT);
  if (relayKey !== undefined) {
    assertKey(relayKey);
    for (const origin of allowedOrigins) assertOrigin(origin);
    return { host, loopback: false, relayKey };
  }
  if (!isLoopback(host)) {
    throw new UserError(
      `a relay on ${host} is reachable by others, so it needs RELAY_KEY in its environment`,
      ExitCode.usage,
      KEY_HINT,
    );
  }
  if (allowedOrigins.length > 0) {
    throw new UserError(
      "--allowed-origin is for a relay that others can reach, and that needs RELAY_KEY",
      ExitCode.usage,
      KEY_HINT,
    );
  }
  return { host, loopback: true, relayKey: undefined };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(host);
}

function assertKey(key: string): void {
  if (key.length >= MIN_KEY_LENGTH && key.length <= MAX_KEY_LENGTH) return;
  throw new UserError(
    `RELAY_KEY has ${key.length} characters; it needs ${MIN_KEY_LENGTH} to ${MAX_KEY_LENGTH}`,
    ExitCode.usage,
    KEY_HINT,
  );
}

function assertOrigin(text: string): void {
  if (URL.canParse(text)) {
    const { origin, protocol } = new URL(text);
    if (origin === text && (protocol === "https:" || protocol === "http:")) return;
  }
  throw new UserError(
    `"${text}" is not an origin`,
    ExitCode.usage,
    "Write it as browsers do: https://app.example.com, without a path or a slash at the end.",
  );
}
