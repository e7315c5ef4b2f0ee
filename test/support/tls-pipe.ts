// Owns TLS in front of a port of this machine, as a reverse proxy has it, with an authority made
// for the occasion that nobody trusts.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Server, TLSSocket } from "node:tls";
import { createServer } from "node:tls";
import { makeCertificate, makeKeyPair, toPem } from "./certificate.ts";

export interface Authority {
  /** Its certificate, for whoever is to trust it. */
  readonly file: string;
  readonly key: string;
  readonly certificate: string;
  [Symbol.dispose](): void;
}

/** Makes one authority, and one certificate of it for these names and addresses. */
export function makeAuthority(names: readonly string[]): Authority {
  const folder = mkdtempSync(join(tmpdir(), "pp-ca-"));
  const file = join(folder, "ca.pem");
  const issuer = "Test";
  const authority = makeKeyPair();
  const server = makeKeyPair();
  const signed = { issuer, signingKey: authority.privateKey };
  const { publicKey } = authority;
  writeFileSync(
    file,
    makeCertificate({ ...signed, commonName: issuer, publicKey, isAuthority: true }),
  );
  return {
    file,
    key: toPem(server.privateKey),
    certificate: makeCertificate({
      ...signed,
      commonName: "relay",
      publicKey: server.publicKey,
      names,
    }),
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
