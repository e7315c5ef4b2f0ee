// Owns a real relay for tests: the built Worker in workerd, with a probe beside it that tells what
// the room holds. It ends every socket that was dialled through it.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { Miniflare, MiniflareOptions } from "miniflare";
import { freePort } from "../../bridge/workerd/free-port.ts";
import { RAW_SUBPROTOCOL, SUBPROTOCOL } from "../../protocol/version.ts";
import type { Answer, Asking } from "./asking.ts";
import { ask } from "./asking.ts";
import { PROBE_WORKER, Probe } from "./relay-probe.ts";
import { TestSocket } from "./test-socket.ts";
import { within } from "./waiting.ts";

const WORKER = join(import.meta.dirname, "../../dist/relay/worker.js");
const PAGE = "<!doctype html><title>pairpty</title>";

export interface RelayOptions {
  /** Bindings beside LOOPBACK_PORT; false for a relay that believes itself public. */
  readonly loopback?: boolean;
  readonly bindings?: Record<string, string>;
}

export class TestRelay {
  readonly port: number;
  /** Everything that workerd printed. */
  readonly log: readonly string[];
  readonly #folder: string;
  #miniflare: Miniflare;
  readonly #open = new Set<{ end(): void }>();
  readonly #options: MiniflareOptions;
  readonly #bindings: Record<string, string>;

  private constructor(
    port: number,
    folder: string,
    log: readonly string[],
    options: MiniflareOptions,
    bindings: Record<string, string>,
    miniflare: Miniflare,
  ) {
    this.port = port;
    this.log = log;
    this.#folder = folder;
    this.#options = options;
    this.#bindings = bindings;
    this.#miniflare = miniflare;
  }

  /** Another process may take the port that was found free; then with another one. */
  static async start(options: RelayOptions = {}): Promise<TestRelay> {
    for (let tries = 1; ; tries++) {
      try {
        return await TestRelay.#start(options);
      } catch (error) {
        if (tries === 3 || !String(error).includes("in use")) throw error;
      }
    }
  }

  static async #start({ loopback = true, bindings = {} }: RelayOptions): Promise<TestRelay> {
    const port = await freePort();
    const folder = mkdtempSync(join(tmpdir(), "pairpty-relay-"));
    const assets = join(folder, "web");
    mkdirSync(join(assets, "assets"), { recursive: true });
    writeFileSync(join(assets, "index.html"), PAGE);
    writeFileSync(join(assets, "assets", "app-0123abcd.js"), "export {};");
    const log: string[] = [];
    const all = { ...(loopback ? { LOOPBACK_PORT: String(port) } : {}), ...bindings };
    // Only whoever starts one waits for it to load, which takes longer than workerd.
    const { Log, LogLevel, Miniflare: Workers } = await import("miniflare");
    const settings: MiniflareOptions = {
      name: "pairpty-relay",
      modules: [
        { type: "ESModule", path: "probe.js", contents: PROBE_WORKER },
        { type: "ESModule", path: "worker.js", contents: readFileSync(WORKER, "utf8") },
      ],
      host: "127.0.0.1",
      port,
      log: new Log(LogLevel.NONE),
      handleRuntimeStdio: (stdout: Readable, stderr: Readable) => {
        stdout.on("data", (part: Buffer) => log.push(part.toString()));
        stderr.on("data", (part: Buffer) => log.push(part.toString()));
      },
      compatibilityDate: "2026-04-26",
      compatibilityFlags: ["enable_request_signal", "no_web_socket_compression"],
      bindings: all,
      durableObjects: { WORKSPACE: { className: "WorkspaceRoom", useSQLite: true } },
      durableObjectsPersist: join(folder, "rooms"),
      assets: {
        directory: assets,
        binding: "ASSETS",
        routerConfig: { has_user_worker: true, invoke_user_worker_ahead_of_assets: true },
      },
    };
    const relay = new TestRelay(port, folder, log, settings, all, new Workers(settings));
    await within(relay.#miniflare.ready, "workerd did not start", 30_000);
    return relay;
  }

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** The same code and storage in a new workerd, as after `wrangler deploy`. */
  async redeploy(): Promise<void> {
    await this.#miniflare.setOptions({
      ...this.#options,
      bindings: { ...this.#bindings, DEPLOYED: String(Date.now()) },
    });
    await this.#miniflare.ready;
  }

  /** Ends workerd and starts another on the same port and storage. */
  async restart(): Promise<void> {
    await this.#miniflare.dispose();
    const { Miniflare: Workers } = await import("miniflare");
    this.#miniflare = new Workers(this.#options);
    await within(this.#miniflare.ready, "workerd did not start again", 30_000);
  }

  /** Whether any file of the rooms' storage has these bytes in it. */
  isOnDisk(bytes: string): boolean {
    const rooms = join(this.#folder, "rooms");
    return readdirSync(rooms, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .some((entry) => readIfThere(join(entry.parentPath, entry.name)).includes(bytes));
  }

  async probe(workspace: string): Promise<Probe> {
    const { text } = await this.ask(`/probe/${workspace}`);
    return Probe.parse(JSON.parse(text));
  }

  ask(path: string, asking?: Asking): Promise<Answer> {
    return ask(this.port, path, asking);
  }

  dial(path: string, protocols: string[] = [], headers: Record<string, string> = {}): TestSocket {
    const socket = new TestSocket(`ws://${this.host}${path}`, protocols, headers);
    this.#open.add(socket);
    return socket;
  }

  peer(workspace: string, token: string): TestSocket {
    return this.dial(`/parties/workspace/${workspace}`, [SUBPROTOCOL, token]);
  }

  /** Offers both renditions, as our page does. */
  rawPeer(workspace: string, token: string): TestSocket {
    const offered = [SUBPROTOCOL, RAW_SUBPROTOCOL, token];
    return this.dial(`/parties/workspace/${workspace}`, offered);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async stop(): Promise<void> {
    for (const socket of this.#open) socket.end();
    await this.#miniflare.dispose();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Journals of other rooms come and go while one looks. */
function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}
