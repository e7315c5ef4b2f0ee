// Owns the page's HTTP requests to the workspace, for what needs no socket: uploads, downloads, and
// whether this browser may come back. A sealed room's are in web/sealed/sealed-requests.ts.

import { SENT_AWAY_MESSAGE, DEVICE_HEADER } from "../../protocol/names.ts";
import { workspacePath } from "../../protocol/workspace.ts";

/** The relay gives a bridge 30 s; this only covers a relay that never answers. */
const TIMEOUT_MS = 45_000;

export interface RequestOptions {
  readonly method?: string;
  readonly body?: Blob;
  readonly signal?: AbortSignal;
  /** Fires as the body is sent, with the bytes so far. */
  readonly onSent?: (bytes: number) => void;
}

/** Sends a request to a path of the workspace. Rejects if no answer of the host comes. */
export type SendRequest = (path: string, options?: RequestOptions) => Promise<Response>;

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
    try {
      const response = await this.request("/health", { signal: AbortSignal.timeout(TIMEOUT_MS) });
      const { status } = response;
      if (status === 429 || status >= 500) return true;
      return status === 403 && hasError(await response.json(), SENT_AWAY_MESSAGE);
    } catch {
      return true;
    }
  }

  readonly request: SendRequest = async (path, options = {}) => {
    const url = workspacePath(this.#workspace, path);
    const headers = { authorization: `Bearer ${this.#token}`, [DEVICE_HEADER]: this.#device };
    const { body, method = "GET", signal = null } = options;
    if (body === undefined) return await fetch(url, { method, headers, signal });
    const { sendWithProgress } = await import("./send-with-progress.ts");
    return await sendWithProgress(url, headers, { ...options, body });
  };
}

function hasError(body: unknown, error: string): boolean {
  return typeof body === "object" && body !== null && "error" in body && body.error === error;
}
