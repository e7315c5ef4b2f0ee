// Owns the page's HTTP requests to the workspace, for what needs no socket: whether this browser may
// come back, and the address and headers of uploads and downloads.

import { SENT_AWAY_MESSAGE, DEVICE_HEADER } from "../../protocol/names.ts";
import { workspacePath } from "../../protocol/workspace.ts";

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

  /** Resolves to whether the host still keeps this browser out; true if that is unknown. */
  async isRemoved(): Promise<boolean> {
    const { url, headers } = this.toRequest("/health");
    try {
      const response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
      const { status } = response;
      if (status === 429 || status >= 500) return true;
      return status === 403 && hasError(await response.json(), SENT_AWAY_MESSAGE);
    } catch {
      return true;
    }
  }

  /** Returns URL and headers for requests that are made elsewhere. */
  toRequest(path: string): { url: string; headers: Record<string, string> } {
    return {
      url: workspacePath(this.#workspace, path),
      headers: { authorization: `Bearer ${this.#token}`, [DEVICE_HEADER]: this.#device },
    };
  }
}

function hasError(body: unknown, error: string): boolean {
  return typeof body === "object" && body !== null && "error" in body && body.error === error;
}
