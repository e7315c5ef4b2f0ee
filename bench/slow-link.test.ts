// A slow link loses and reorders nothing, and is as late and as slow as it says.

import { createHash, randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import { createConnection, createServer } from "node:net";
import { expect, test } from "vitest";
import { SlowLink } from "./slow-link.ts";

test("B3 a slow link carries every byte in order, no sooner and no faster than it should", async () => {
  const content = randomBytes(300_000);
  const server = createServer((socket) => socket.pipe(socket));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TCP server that listens
  const target = (server.address() as AddressInfo).port;
  const [rttMs, bytesPerSecond] = [40, 1_000_000];
  const link = await SlowLink.start({ host: "127.0.0.1", target, rttMs, bytesPerSecond });
  const client = createConnection(link.port, "127.0.0.1");
  const beganAt = performance.now();
  const hash = createHash("sha256");
  let received = 0;
  await new Promise<void>((resolve) => {
    client.on("data", (chunk: Buffer) => {
      hash.update(chunk);
      received += chunk.length;
      if (received === content.length) resolve();
    });
    client.write(content);
  });
  const elapsed = performance.now() - beganAt;
  client.destroy();
  await link.stop();
  server.close();
  expect(hash.digest("hex")).toBe(createHash("sha256").update(content).digest("hex"));
  expect(elapsed).toBeGreaterThanOrEqual(rttMs + (content.length / bytesPerSecond) * 1000 - 10);
  expect(link.sent().bytes).toBe(content.length);
});
