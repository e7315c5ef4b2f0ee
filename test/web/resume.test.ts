// What a page shows after reloads, cuts, crashes and floods, against the real product. One page goes
// through all of it, with a terminal for each test.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startBrowser, Visitor } from "../support/browser.ts";
import { PageRun } from "../support/page.ts";

const browser = await startBrowser();

describe.skipIf(!browser)("the page goes on", () => {
  const run = new PageRun(browser);
  let ana: Visitor;
  beforeAll(async () => {
    ana = await Visitor.come(browser, run.product.ready.links.edit);
  });
  afterAll(() => ana.leave());

  test("W3 a reload shows what was there and goes on", async () => {
    await ana.open();
    await ana.type("for i in $(seq 1 400); do echo line-$i; done\n");
    await ana.shows("line-400");
    await ana.page.reload();
    await ana.shows("line-400");
    const numbers = numbered(await ana.lines());
    expect(numbers).toEqual(countTo(400));
    await ana.type("echo still-$((1+1))\n");
    await ana.shows("still-2");
  });

  test("W3 a flood may be skipped in part, but what is shown has no holes", async () => {
    const attaches = (): number => ana.sent.filter((text) => text.includes("pty:attach")).length;
    const { sockets } = ana;
    const before = attaches();
    await ana.open();
    await ana.type("seq -f line-%.0f 1 30000; echo en''d\n");
    await ana.shows("end");
    const numbers = numbered(await ana.lines());
    const first = numbers[0] ?? 0;
    expect(numbers.at(-1)).toBe(30_000);
    expect(numbers).toEqual(countTo(30_000).slice(first - 1));
    expect(ana.sockets).toBe(sockets);
    expect(attaches()).toBe(before + 1);
  });

  test("W3 killing workerd in the middle of output loses and doubles nothing", async () => {
    await ana.open();
    await ana.type(
      "for i in $(seq 1 1000); do echo line-$i; [ $((i % 50)) = 0 ] && sleep 0.06; done; echo en''d\n",
    );
    await ana.shows("line-100");
    for (const { pid } of run.place.relayProcesses().processes.slice(-1)) {
      process.kill(pid, "SIGKILL");
    }
    await ana.status(/Reconnecting|offline|Connecting/i);
    await ana.shows("end");
    expect(numbered(await ana.lines())).toEqual(countTo(1000));
    await ana.status("Live");
  });

  test("W3 W40 W71 killing the bridge is told, with the time until which terminals wait, and the next one goes on where it stood", async () => {
    await ana.open();
    await ana.type(
      "for i in $(seq 1 1000); do echo line-$i; [ $((i % 50)) = 0 ] && sleep 0.06; done; echo en''d\n",
    );
    await ana.shows("line-100");
    await run.product.kill();
    await ana.status(/Host crashed at \d/);
    const notice = ana.page.locator(".toast.warn");
    await notice.filter({ hasText: /terminals keep running and wait until/ }).waitFor();
    await ana.shows("line-100");
    await ana.type("x");
    await ana.page.getByText("Not connected. Your typing isn’t sent.").waitFor();
    await run.start();
    await ana.status("Live");
    await ana.shows("end");
    expect(numbered(await ana.lines())).toEqual(countTo(1000));
    await ana.type("echo again-$((1+1))\n");
    await ana.shows("again-2");
    expect((await ana.lines()).join("\n")).not.toContain("xecho");
  });
});

function numbered(lines: string[]): number[] {
  return lines.flatMap((line) => /^line-(\d+)$/.exec(line)?.[1] ?? []).map(Number);
}

function countTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}
