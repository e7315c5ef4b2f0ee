// Owns the rows of a person who types while strangers hammer at both doors of the relay: the same
// alone, just before, in the same run.

import { setTimeout as delay } from "node:timers/promises";
import type { Bench } from "../bench.ts";
import type { Row } from "../figures.ts";
import { atMost, p } from "../figures.ts";
import { residentMegabytes } from "../memory.ts";
import { ECHO_WARM_UP } from "../plan.ts";
import { ECHO_PROGRAM } from "../programs.ts";
import type { StrangersAnswer } from "../strangers.ts";

const MIN_MESSAGES = 200_000;
const SAMPLE_MS = 100;

export async function strangerRows(bench: Bench): Promise<Row[]> {
  const product = await bench.product();
  const { workspace, relay } = product.product.ready;
  const alone: number[] = [];
  for (let round = 0; round < bench.plan.rounds; round++) alone.push(...(await typed(bench)));
  const strangers = bench.role("strangers");
  const port = Number(new URL(relay).port);
  await strangers.ask<StrangersAnswer>({ do: "come", port, workspace });
  let most = residentMegabytes(product.workerd);
  const timer = setInterval(() => {
    most = Math.max(most, residentMegabytes(product.workerd));
  }, SAMPLE_MS);
  const beside: number[] = [];
  let came: StrangersAnswer;
  do {
    beside.push(...(await typed(bench)));
    await delay(SAMPLE_MS);
    came = await strangers.ask<StrangersAnswer>({ do: "count" });
  } while (!came.isOver);
  clearInterval(timer);
  await strangers.end();
  const p99 = p(0.99, beside);
  const what = "echo beside strangers at both doors";
  const one = (value: number) => ({ product: { value } });
  return [
    { id: "strangers-alone-p50", what: "echo alone, p50", unit: "ms", figures: one(p(0.5, alone)) },
    {
      id: "strangers-alone-p99",
      what: "echo alone, p99",
      unit: "ms",
      figures: one(p(0.99, alone)),
    },
    { id: "strangers-p50", what: `${what}, p50`, unit: "ms", figures: one(p(0.5, beside)) },
    {
      id: "strangers-p99",
      what: `${what}, p99`,
      unit: "ms",
      figures: { product: { value: p99, most: Math.max(...beside) } },
      target: atMost(50, p99, "< 50 ms"),
      note: formatNote(came),
    },
    {
      id: "strangers-messages",
      what: "messages that they sent",
      unit: "thousand",
      figures: one(came.messages / 1000),
      target: {
        words: `≥ ${MIN_MESSAGES / 1000} thousand`,
        met: came.messages >= MIN_MESSAGES,
      },
    },
    { id: "strangers-rss", what: "workerd has at most", unit: "MB", figures: one(most) },
  ];
}

async function typed(bench: Bench): Promise<readonly number[]> {
  const chain = (await bench.product()).seenBy();
  const answer = await bench.view("echo", chain, [ECHO_PROGRAM], (of) => ({
    measure: "echo",
    of,
    samples: ECHO_WARM_UP + bench.plan.keystrokes,
  }));
  return answer.measure === "echo" ? answer.milliseconds.slice(ECHO_WARM_UP) : [];
}

function formatNote({ messages, giants, megabytes, sockets, refused }: StrangersAnswer): string {
  const sent = `${messages} messages, ${giants} of them of 31 MB, ${Math.round(megabytes)} MB in all`;
  return `Strangers sent ${sent}, on ${sockets} sockets; ${refused} dials got none.`;
}
