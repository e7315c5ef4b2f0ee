// Owns a stand-in of the part of Cloudflare's API that `pairpty deploy` and its wrangler use, on
// loopback. It remembers what was asked and what was uploaded.

import type { Server } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const ACCOUNT = "0123456789abcdef0123456789abcdef";
const VERSION = "00000000-0000-4000-8000-000000000001";

export class FakeCloudflare {
  readonly token = "good-token";
  accounts = [{ id: ACCOUNT, name: "Test" }];
  subdomain: string | null = "test-account";
  isDeployed = false;
  /** Method and path of each request. */
  readonly asked: string[] = [];
  /** The parts of the last upload, as they came. */
  upload = "";
  readonly #assets = new Set<string>();
  readonly #server: Server;
  #enabled = false;

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const path = new URL(request.url ?? "/", "http://x").pathname.replace("/client/v4", "");
        const { method = "GET" } = request;
        this.asked.push(`${method} ${path}`);
        const isGood = request.headers.authorization === `Bearer ${this.token}`;
        // An upload of assets carries a token of its own.
        const isOwn = path.endsWith("/assets/upload");
        const [status, body] =
          isGood || isOwn
            ? this.#answer(method, path, Buffer.concat(chunks).toString("latin1"))
            : fail(403, 10_000, "Authentication error");
        response.writeHead(status, { "content-type": "application/json" });
        response.end(JSON.stringify(body));
      });
    });
  }

  static async start(): Promise<FakeCloudflare> {
    const fake = new FakeCloudflare();
    await new Promise<void>((resolve) => {
      fake.#server.listen(0, "127.0.0.1", () => resolve());
    });
    return fake;
  }

  get environment(): NodeJS.ProcessEnv {
    const { port } = this.#server.address() as AddressInfo;
    const base = `http://127.0.0.1:${port}/client/v4`;
    return { CLOUDFLARE_API_BASE_URL: base, CLOUDFLARE_API_TOKEN: this.token };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(method: string, path: string, body: string): [number, object] {
    const is = (pattern: RegExp) => pattern.test(path);
    if (path === "/accounts") return ok(this.accounts);
    if (path === "/user/tokens/verify") return ok({ id: "t", status: "active" });
    if (path === "/user") return ok({ id: "u", email: "dev@example.com" });
    if (path === "/memberships") return ok([]);
    if (is(/\/workers\/subdomain$/)) {
      if (this.subdomain === null) return fail(404, 10_007, "no subdomain");
      return ok({ subdomain: this.subdomain });
    }
    if (is(/\/workers\/services\/[^/]+$/)) return this.#service(method);
    if (is(/\/workers\/scripts$/)) return ok([]);
    if (is(/\/assets-upload-session$/)) return this.#session(body);
    if (is(/\/workers\/assets\/upload$/)) {
      for (const [, hash = ""] of body.matchAll(/name="([0-9a-f]{32})"/g)) this.#assets.add(hash);
      return [201, ok({ jwt: "done" })[1]];
    }
    if (is(/\/secrets$/)) return ok([]);
    if (is(/\/versions$/) && method === "POST") return this.#uploaded(body, { id: VERSION });
    if (is(/\/deployments$/)) return ok(method === "GET" ? this.#deployments() : { id: "d" });
    if (is(/\/scripts\/[^/]+\/subdomain$/)) {
      if (method !== "GET") this.#enabled = true;
      return ok({ enabled: this.#enabled, previews_enabled: false });
    }
    if (is(/\/(script-settings|settings|bindings)$/)) return ok({ bindings: [] });
    if (is(/\/schedules$/)) return ok({ schedules: [] });
    if (is(/\/workers\/scripts\/[^/]+$/) && method === "PUT") {
      return this.#uploaded(body, { id: "x", deployment_id: VERSION });
    }
    if (is(/\/(routes|records|domains|queues|containers|namespaces|references)/)) return ok([]);
    return fail(404, 7_003, `no such route: ${method} ${path}`);
  }

  #service(method: string): [number, object] {
    if (!this.isDeployed) return fail(404, 10_090, "workers.api.error.service_not_found");
    if (method === "DELETE") {
      this.isDeployed = false;
      return ok(null);
    }
    const script = { id: "x", tag: "tag1", tags: null, last_deployed_from: "wrangler" };
    const default_environment = { environment: "production", script };
    return ok({ id: "x", default_environment });
  }

  #session(body: string): [number, object] {
    const { manifest }: { manifest: Record<string, { hash: string }> } = JSON.parse(body);
    const wanted = Object.values(manifest).flatMap(({ hash }) =>
      this.#assets.has(hash) ? [] : [hash],
    );
    return ok({ jwt: "session", buckets: wanted.length > 0 ? [wanted] : [] });
  }

  #uploaded(body: string, result: object): [number, object] {
    this.upload = body;
    this.isDeployed = true;
    return ok({ ...result, startup_time_ms: 5, metadata: {}, resources: {}, has_assets: true });
  }

  #deployments(): object {
    const versions = [{ version_id: VERSION, percentage: 100 }];
    const one = { id: "d", source: "wrangler", strategy: "percentage", versions };
    const when = { author_email: "dev@example.com", created_on: "2026-01-01T00:00:00Z" };
    return { deployments: this.isDeployed ? [{ ...one, ...when }] : [] };
  }
}

function ok(result: unknown): [number, object] {
  return [200, { success: true, errors: [], messages: [], result }];
}

function fail(status: number, code: number, message: string): [number, object] {
  return [status, { success: false, errors: [{ code, message }], messages: [], result: null }];
}
