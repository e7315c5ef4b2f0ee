// Owns TLS in front of a port of this machine, as a reverse proxy has it, with an authority made
// for the occasion that nobody trusts.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Server, TLSSocket } from "node:tls";
import { createServer } from "node:tls";

export interface Authority {
  /** Its certificate, for whoever is to trust it. */
  readonly file: string;
  readonly key: string;
  readonly certificate: string;
  [Symbol.dispose](): void;
}

/** One authority, and one certificate of it for these names and addresses. */
export function makeAuthority(names: readonly string[]): Authority {
  const folder = mkdtempSync(join(tmpdir(), "pp-ca-"));
  const at = (name: string) => join(folder, name);
  const openssl = (...args: string[]) =>
    execFileSync("openssl", args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  openssl(
    "req",
    "-x509",
    ...key,
    "-keyout",
    "ca.key",
    "-out",
    "ca.pem",
    "-subj",
    "/CN=Test",
    "-days",
    "2",
  );
  openssl("req", ...key, "-keyout", "key.pem", "-out", "request.pem", "-subj", "/CN=relay");
  const subjects = names.map((name) => `${/^[\d.]+$/.test(name) ? "IP" : "DNS"}:${name}`);
  writeFileSync(at("names"), `subjectAltName=${subjects.join(",")}\n`);
  const ca = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial"];
  openssl(
    "x509",
    "-req",
    "-in",
    "request.pem",
    ...ca,
    "-out",
    "cert.pem",
    "-days",
    "2",
    "-extfile",
    "names",
  );
  return {
    file: at("ca.pem"),
    key: readFileSync(at("key.pem"), "utf8"),
    certificate: readFileSync(at("cert.pem"), "utf8"),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export class TlsPipe {
  readonly #server: Server;
  readonly #open = new Set<TLSSocket>();

  private constructor(target: number, { key, certificate }: Authority) {
    this.#server = createServer({ key, cert: certificate }, (near) => {
      this.#open.add(near);
      const far = createConnection(target, "127.0.0.1");
      for (const side of [near, far]) side.on("error", () => side.destroy());
      near.on("close", () => {
        this.#open.delete(near);
        far.destroy();
      });
      far.on("close", () => near.destroy());
      near.pipe(far).pipe(near);
    });
    this.#server.on("tlsClientError", () => {});
  }

  static async start(target: number, authority: Authority, host = "127.0.0.1"): Promise<TlsPipe> {
    const pipe = new TlsPipe(target, authority);
    await new Promise<void>((resolve) => {
      pipe.#server.listen(0, host, () => resolve());
    });
    return pipe;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
