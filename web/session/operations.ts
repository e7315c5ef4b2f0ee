// Owns the page's HTTP operations: opening and closing terminals. Errors come back as one message
// for people.

import type { SpawnBody } from "../../protocol/pty.ts";
import { SENT_AWAY_MESSAGE, DEVICE_HEADER } from "../../protocol/names.ts";
import type { Terminal } from "../../protocol/terminal.ts";
import { workspacePath } from "../../protocol/workspace.ts";

export type Outcome<T> = { ok: true; value: T } | { ok: false; status: number; error: string };

/** The relay gives a bridge 30 s; this only covers a relay that never answers. */
const TIMEOUT_MS = 45_000;

export class Operations {
  readonly #workspace: string;
  readonly #token: string;
  readonly #device: string;

  constructor(workspace: string, token: string, device: string) {
    this.#workspace = workspace;
    this.#token = token;
    this.#device = device;
  }

  async spawn(request: SpawnBody): Promise<Outcome<Terminal>> {
    const { status, body } = await this.#call("POST", "/pty/spawn", request);
    if (status === 201 && isTerminal(body)) return { ok: true, value: body };
    return { ok: false, status, error: getErrorMessage(body) };
  }

  async close(id: string): Promise<Outcome<undefined>> {
    const { status, body } = await this.#call("DELETE", `/pty/${encodeURIComponent(id)}`);
    if (status === 204) return { ok: true, value: undefined };
    return { ok: false, status, error: getErrorMessage(body) };
  }

  /** Resolves to whether the host still keeps this browser out; true if that is unknown. */
  async isRemoved(): Promise<boolean> {
    const { status, body } = await this.#call("GET", "/health");
    if (status === 0 || status === 429 || status >= 500) return true;
    return status === 403 && getErrorMessage(body) === SENT_AWAY_MESSAGE;
  }

  /** Returns URL and headers for requests that are made elsewhere. */
  toRequest(path: string): { url: string; headers: Record<string, string> } {
    return {
      url: workspacePath(this.#workspace, path),
      headers: { authorization: `Bearer ${this.#token}`, [DEVICE_HEADER]: this.#device },
    };
  }

  /** Calls the bridge over HTTP. Status 0: there was no readable answer. */
  async #call(method: string, path: string, body?: object): Promise<Answer> {
    try {
      const { url, headers } = this.toRequest(path);
      const response = await fetch(url, {
        method,
        headers: {
          ...headers,
          ...(body && { "content-type": "application/json" }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (response.status === 204) return { status: 204, body: undefined };
      return { status: response.status, body: await response.json() };
    } catch {
      return { status: 0, body: undefined };
    }
  }
}

interface Answer {
  status: number;
  body: unknown;
}

function isTerminal(body: unknown): body is Terminal {
  return typeof body === "object" && body !== null && "id" in body && "cwd" in body;
}

function getErrorMessage(body: unknown): string {
  if (typeof body === "object" && body !== null && "error" in body) return String(body.error);
  return "The relay is not responding. Try again in a moment.";
}
