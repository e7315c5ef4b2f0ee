// Owns a folder of stand-ins for tunnel programs, and asking through the one that runs: real TLS,
// with the public name as Host, which leads nowhere else.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Through } from "./plain-client.ts";
import type { Authority } from "./tls-pipe.ts";
import { makeAuthority } from "./tls-pipe.ts";

const SCRIPT = join(import.meta.dirname, "stand-in-tunnel.mjs");

export class StandInTunnel {
  readonly folder = mkdtempSync(join(tmpdir(), "pp-tunnel-"));
  readonly bin = join(this.folder, "bin");
  readonly authority: Authority;

  /** One name for each start, the last one for all that follow. */
  constructor(names: readonly string[], kinds: readonly string[] = ["cloudflared"]) {
    const hosts = names.map((name) => (name.includes(".") ? name : `${name}.trycloudflare.com`));
    this.authority = makeAuthority([...hosts, "localhost"]);
    mkdirSync(this.bin);
    this.#write("key.pem", this.authority.key);
    this.#write("cert.pem", this.authority.certificate);
    this.#write("names", names.join("\n"));
    for (const kind of kinds) this.install(kind);
  }

  install(kind: string): void {
    const path = join(this.bin, kind);
    const call = `exec '${process.execPath}' '${SCRIPT}' '${this.folder}' '${kind}' "$@"`;
    writeFileSync(path, `#!/bin/sh\n${call}\n`);
    chmodSync(path, 0o755);
  }

  /** As a command of the user's own. */
  get command(): string {
    return `'${process.execPath}' '${SCRIPT}' '${this.folder}' plain {port}`;
  }

  /** A PATH that finds these, and of others only what the system has. */
  get path(): string {
    return `${this.bin}:/usr/bin:/bin`;
  }

  /** From now on it does not start. */
  breaks(): void {
    this.#write("broken", "");
  }

  get port(): number {
    return Number(readFileSync(join(this.folder, "port"), "utf8"));
  }

  /** All that were ever started, the last one last. */
  get pids(): number[] {
    const path = join(this.folder, "pids");
    if (!existsSync(path)) return [];
    return readFileSync(path, "utf8").trim().split("\n").map(Number);
  }

  /** Through the tunnel, by its public name. */
  ask(
    url: string,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; text: string }> {
    const { host, hostname, pathname } = new URL(url);
    return new Promise((resolve, reject) => {
      const asked = request({
        host: "127.0.0.1",
        port: this.port,
        servername: hostname,
        ca: readFileSync(this.authority.file),
        path: pathname,
        headers: { host, ...headers },
        agent: false,
      });
      asked.on("response", (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => (text += chunk.toString()));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      });
      asked.on("error", reject);
      asked.end();
    });
  }

  /** For a client of a public address: where it dials in truth, and how. */
  through(url: string): [url: string, how: Through] {
    const { host, hostname, pathname } = new URL(url);
    const ca = readFileSync(this.authority.file, "utf8");
    const how = { servername: hostname, ca, headers: { host } };
    return [`wss://127.0.0.1:${this.port}${pathname}`, how];
  }

  [Symbol.dispose](): void {
    this.authority[Symbol.dispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }
}
