// What a program asks its terminal is answered once, however many look on.

import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ANSWERS, AskingProgram } from "../support/asking-program.ts";
import { PROMPT, startBrowser } from "../support/browser.ts";
import { PageRun } from "../support/page.ts";

const browser = await startBrowser();

describe.skipIf(!browser)("queries", () => {
  const run = new PageRun(browser);

  async function check(program: AskingProgram): Promise<void> {
    const received = await program.received();
    const late = received.pop();
    for (const [index, form] of ANSWERS.entries()) expect(received[index]).toMatch(form);
    expect(late).toBe("");
  }

  test("W83 one answer each, with no one there", async () => {
    const program = new AskingProgram(join(run.place.folder, "asking-alone.mjs"));
    await run.product.open({ command: program.command });
    await check(program);
  });

  test("W83 F9 one answer each, with three looking on; a file of huge numbers stops none of them", async () => {
    const program = new AskingProgram(join(run.place.folder, "asking-three.mjs"));
    const { edit, view } = run.product.ready.links;
    const ana = await run.visit();
    await ana.open();
    const all = [ana, await run.visit(edit), await run.visit(view)];
    for (const visitor of all) await visitor.shows(PROMPT);
    await ana.type(`${program.command.join(" ")}\n`);
    await check(program);
    // And nothing was left over for the shell.
    await ana.type("echo clean-$((1+1))\n");
    await ana.shows(/^clean-2$/m);
    const typed = all.flatMap(({ sent }) => sent.filter((text) => text.includes("pty:input")));
    expect(typed.filter((text) => text.includes("u001b"))).toEqual([]);
    const repeats = "ILMSTZb"
      .split("")
      .map((final) => `a\\033[2147483647${final}`)
      .join("");
    await ana.type(`printf '${repeats}\\033[H\\033[J'; echo huge-$((1+1))\n`);
    for (const visitor of all) await visitor.shows(/^huge-2$/m);
  });
});
