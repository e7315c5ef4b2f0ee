// The page in a real browser, in a sealed room of the real product.

import { afterAll, describe, expect, test } from "vitest";
import { startBrowser, Visitor } from "../support/browser.ts";
import { Place } from "../support/product.ts";
import { PATIENCE_MS } from "../support/waiting.ts";

const poll = { timeout: PATIENCE_MS };
const browser = await startBrowser();

describe.skipIf(!browser)("a sealed room", () => {
  const place = new Place();
  afterAll(() => place[Symbol.asyncDispose]());

  test("SE29 SE35 SE36 the page types, shows what others type, outlives a crash and a revocation", async () => {
    let product = await place.start("--e2e", "on");
    const { links } = product.ready;
    const host = await Visitor.come(browser, links.edit);
    await host.status("Live");
    await host.open();
    await host.type("echo first-$((40 + 2))\n");
    await host.shows("first-42");
    const guest = await Visitor.come(browser, links.view);
    await guest.shows("first-42");
    await host.type("echo second-$((40 + 3))\n");
    await guest.shows("second-43");

    await product.kill();
    product = await place.start("--e2e", "on");
    await host.status("Live");
    await host.type("echo third-$((40 + 4))\n");
    await host.shows("third-44");
    await guest.shows("third-44");

    const grants = await place.run(["grants", "--json"]);
    const rows: { id: string; role: string }[] = JSON.parse(grants.stdout);
    for (const { id, role } of rows) if (role === "view") await place.run(["revoke", id]);
    await expect.poll(() => guest.page.getByText(/revoked/).count(), poll).toBeGreaterThan(0);
    await host.type("echo fourth-$((40 + 5))\n");
    await host.shows("fourth-45");
    expect(host.faults).toEqual([]);
    await Promise.all([host.leave(), guest.leave()]);
    await product.stop();
  });
});
