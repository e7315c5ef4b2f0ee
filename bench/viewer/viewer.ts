// Owns the viewer's process: the same code, the same process, for every chain. It takes each message
// as a page must, and checks that nothing is missing once the clock has stopped.

import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { ECHO_GAP_MS, READY_MARK } from "../plan.ts";
import { Connection } from "./connection.ts";
import { LossError, Screen } from "./screen.ts";
import type { Viewed, ViewerAnswer, ViewerRequest, Waited } from "./viewing.ts";

type Of<M extends string> = Extract<ViewerRequest, { measure: M }>;

export function runViewer(): void {
  process.on("disconnect", () => process.exit(0));
  process.on("message", (request: ViewerRequest) => {
    void measure(request)
      .catch(explain)
      .then((answer) => process.send?.(answer));
  });
}

async function measure(request: ViewerRequest): Promise<ViewerAnswer> {
  const connections: Connection[] = [];
  const connect = async (viewed: Viewed) => {
    const connection = await Connection.open(viewed);
    connections.push(connection);
    return connection;
  };
  try {
    if (request.measure === "echo") return await echo(request, connect);
    if (request.measure === "bulk") return await bulk(request, connect);
    if (request.measure === "interrupt") return await interrupt(request, connect);
    if (request.measure === "busy") return await busy(request, connect);
    return await attach(request, connect);
  } finally {
    for (const connection of connections) connection.close();
  }
}

function explain(error: unknown): ViewerAnswer {
  return error instanceof LossError ? { measure: error.kind } : { error: String(error) };
}

type Connect = (viewed: Viewed) => Promise<Connection>;

async function echo({ of, samples, beside }: Of<"echo">, connect: Connect): Promise<ViewerAnswer> {
  const connection = await connect(of);
  const screen = await Screen.open(connection, of);
  const noise = beside && (await startNoise(beside, of, connection, connect));
  const milliseconds: number[] = [];
  const [noiseBefore, beganAt] = [noise?.bytes ?? 0, performance.now()];
  for (let i = 1; i <= samples; i++) {
    const { least, most } = ECHO_GAP_MS;
    await delay(least + Math.random() * (most - least));
    const back = screen.reaches(i);
    const typedAt = performance.now();
    screen.type("x");
    milliseconds.push((await back) - typedAt);
  }
  screen.dispose();
  noise?.dispose();
  const seconds = (performance.now() - beganAt) / 1000;
  const besideBytesPerSecond = ((noise?.bytes ?? 0) - noiseBefore) / seconds;
  return { measure: "echo", milliseconds, besideBytesPerSecond };
}

/** On the same socket where one socket has several terminals. It types, so it drives. */
async function startNoise(
  viewed: Viewed,
  of: Viewed,
  connection: Connection,
  connect: Connect,
): Promise<Screen> {
  const on = viewed.url === of.url ? connection : await connect(viewed);
  const noise = await Screen.open(on, viewed, false);
  const flowing = noise.reaches(1);
  noise.type("x");
  await flowing;
  return noise;
}

async function bulk({ of, bytes }: Of<"bulk">, connect: Connect): Promise<ViewerAnswer> {
  const screen = await Screen.open(await connect(of), of);
  screen.restart(true);
  const whole = screen.reaches(bytes);
  const typedAt = performance.now();
  screen.type("x");
  const milliseconds = (await whole) - typedAt;
  screen.dispose();
  const hash = createHash("sha256");
  for (const piece of screen.output()) hash.update(piece);
  return {
    measure: "bulk",
    milliseconds,
    sha256: hash.digest("hex"),
    messages: screen.messages,
  };
}

async function interrupt(request: Of<"interrupt">, connect: Connect): Promise<ViewerAnswer> {
  const { of, times, floodMs, rate, patienceMs } = request;
  const connection = await connect(of);
  const screen = await Screen.open(connection, of, false);
  if (rate !== undefined) connection.readAt(rate);
  const milliseconds: Waited[] = [];
  for (let i = 0; i < times; i++) {
    screen.type("\n");
    await delay(floodMs);
    const prompt = screen.finds(READY_MARK, patienceMs);
    const typedAt = performance.now();
    screen.type("\x03");
    const waited = await prompt.then(
      (at) => ({ ms: at - typedAt, gaveUp: false }),
      () => ({ ms: performance.now() - typedAt, gaveUp: true }),
    );
    milliseconds.push(waited);
    if (waited.gaveUp) break;
  }
  screen.dispose();
  return { measure: "interrupt", milliseconds };
}

async function attach({ of }: Of<"attach">, connect: Connect): Promise<ViewerAnswer> {
  const connection = await connect(of);
  // What a socket is told when it opens is no part of a screen.
  await delay(ECHO_GAP_MS.most);
  connection.receivedBytes = 0;
  const askedAt = performance.now();
  await Screen.attach(connection, of);
  const milliseconds = performance.now() - askedAt;
  return { measure: "attach", milliseconds, bytes: connection.receivedBytes };
}

async function busy({ of, milliseconds }: Of<"busy">, connect: Connect): Promise<ViewerAnswer> {
  const connection = await connect(of);
  const screen = await Screen.open(connection, of, false);
  const flowing = screen.reaches(1);
  screen.type("x");
  await flowing;
  screen.restart();
  connection.acksSent = 0;
  const beganAt = performance.now();
  await delay(milliseconds);
  const { bytes, messages } = screen;
  screen.dispose();
  return {
    measure: "busy",
    milliseconds: performance.now() - beganAt,
    bytes,
    messages,
    acks: connection.acksSent,
  };
}
