// Owns the viewer's process: the same code, the same process, for every chain. It parses each
// message as a page must, and checks that nothing is missing once the clock has stopped.

import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Acks } from "../web/session/acks.ts";
import { ECHO_GAP_MS } from "./plan.ts";
import { LossError, Screen } from "./screen.ts";
import type { Viewed, ViewerAnswer, ViewerRequest } from "./viewing.ts";

export function runViewer(): void {
  process.on("disconnect", () => process.exit(0));
  process.on("message", (request: ViewerRequest) => {
    void measure(request)
      .catch(explain)
      .then((answer) => process.send?.(answer));
  });
}

async function measure(request: ViewerRequest): Promise<ViewerAnswer> {
  const screen = await Screen.open(request.of);
  try {
    return request.measure === "echo"
      ? await echo(screen, request.samples)
      : await bulk(screen, request.of, request.bytes);
  } finally {
    screen.close();
  }
}

function explain(error: unknown): ViewerAnswer {
  return error instanceof LossError ? { measure: error.kind } : { error: String(error) };
}

async function echo(screen: Screen, samples: number): Promise<ViewerAnswer> {
  const milliseconds: number[] = [];
  for (let i = 1; i <= samples; i++) {
    const { least, most } = ECHO_GAP_MS;
    await delay(least + Math.random() * (most - least));
    const back = screen.reaches(i);
    const typedAt = performance.now();
    screen.type("x");
    milliseconds.push((await back) - typedAt);
  }
  return { measure: "echo", milliseconds };
}

async function bulk(screen: Screen, { acks }: Viewed, bytes: number): Promise<ViewerAnswer> {
  const told = new Acks({
    send: (rendered) => {
      for (const offset of rendered.values()) screen.ack(offset);
    },
    eager: true,
  });
  told.restart("", screen.offset);
  if (acks) {
    screen.onBytes = () => told.rendered("", screen.offset);
    // A page has acked what it shows before anybody types; that lets its driver pace from the start.
    screen.ack(screen.offset);
  }
  const whole = screen.reaches(bytes);
  const typedAt = performance.now();
  screen.type("x");
  const milliseconds = (await whole) - typedAt;
  told.dispose();
  const hash = createHash("sha256");
  for (const piece of screen.output()) hash.update(piece);
  return {
    measure: "bulk",
    milliseconds,
    sha256: hash.digest("hex"),
    messages: screen.messages,
  };
}
