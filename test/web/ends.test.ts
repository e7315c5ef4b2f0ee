// How a page says that it is over, or not: six ends, each seen in a browser.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startBrowser, Visitor } from "../support/browser.ts";
import { newToken } from "../support/credentials.ts";
import { OwnRelay, RELAY_KEY } from "../support/own-relay.ts";
import type { Product } from "../support/product.ts";
import { Place } from "../support/product.ts";
import { StandInTunnel } from "../support/stand-in-tunnel.ts";

const browser = await startBrowser();

describe.skipIf(browser === undefined)("ends", () => {
  let place: Place;
  let product: Product;
  beforeAll(async () => {
    place = new Place();
    product = await place.start("--grace", "1m");
  });
  afterAll(() => place[Symbol.asyncDispose]());

  const share = async (...flags: string[]): Promise<{ link: string; grant: { id: string } }> => {
    const made = await place.run(["share", "--json", ...flags, ...place.code]);
    return JSON.parse(made.stdout);
  };
  /** Somebody with a terminal in front that printed something. */
  const reader = async (link: string): Promise<Visitor> => {
    const visitor = await Visitor.come(browser, link);
    await visitor.open();
    await visitor.type("echo last-$((6*7))\n");
    await visitor.shows("last-42");
    return visitor;
  };
  const notice = (visitor: Visitor, text: RegExp) =>
    visitor.page.locator(".toast.warn").filter({ hasText: text }).waitFor();

  test("W40 a revoked link and an expired one are told apart, and the last output stays", async () => {
    const { link, grant } = await share("--role", "edit");
    const visitor = await reader(link);
    await place.run(["revoke", grant.id]);
    await visitor.status("Your link was revoked");
    await notice(visitor, /The host revoked your link/);
    await visitor.shows("last-42");
    await visitor.page.getByRole("button", { name: "Use another link" }).click();
    await visitor.page.getByRole("heading", { name: "Your link was revoked" }).waitFor();
    await visitor.leave();
    const expiring = await share("--expires", "6s");
    const other = await Visitor.come(browser, expiring.link);
    await other.status("Live");
    await other.status("Your link has expired");
    await notice(other, /Your link has expired/);
    // Read again from the start, the reason is the same.
    await other.page.reload();
    await other.page.getByRole("heading", { name: "Your link has expired" }).waitFor();
    await other.leave();
  });

  test("W40 a workspace that nobody has opened", async () => {
    const { token } = newToken("edit");
    const visitor = await Visitor.come(
      browser,
      `${product.ready.relay}/w/never-opened-7f2k9#${token}`,
    );
    await notice(visitor, /Nobody has opened this workspace on this relay yet/);
    await visitor.leave();
  });

  test("W41 W42 closed tabs are no failures, and go together", async () => {
    const visitor = await reader(product.ready.links.edit);
    const own = (await visitor.terminals()).at(-1) ?? "";
    const failing = await product.open({ command: ["sh", "-c", "exit 3"] });
    await visitor.page.locator(`#tab-${failing.id} .chip.bad`).waitFor();
    await product.http(`/pty/${own}`, { method: "DELETE" });
    const chip = visitor.page.locator(`#tab-${own} .chip`);
    await chip.filter({ hasText: "closed" }).waitFor();
    expect(await chip.getAttribute("class")).not.toContain("bad");
    await visitor.page.getByRole("button", { name: "Dismiss all 2 ended" }).click();
    await visitor.page.locator(`#tab-${own}`).waitFor({ state: "detached" });
    expect(await visitor.terminals()).not.toContain(failing.id);
    await visitor.leave();
  });

  test("W40 a crash, with the time until which terminals wait; then an end, by whose hand", async () => {
    const visitor = await reader(product.ready.links.edit);
    await product.kill();
    await visitor.status("Host crashed");
    await notice(visitor, /terminals keep running and wait until/);
    await visitor.shows("last-42");
    product = await place.start("--grace", "1m");
    await visitor.status("Live");
    const { link } = await share("--role", "edit", "--label", "guest", "--knock");
    const guest = await Visitor.come(browser, link);
    await guest.page.getByRole("heading", { name: "Waiting to be let in" }).waitFor();
    await place.run(["admit", "guest", ...place.code]);
    await guest.shows("last-42");
    await place.run(["stop", "--yes"]);
    await visitor.status("Ended at");
    await notice(visitor, /ended this session with `pairpty stop`.*terminals are gone\./);
    // Other messages, as of who left, have one of their own.
    const end = visitor.page.locator(".toast.warn");
    await end.getByRole("button", { name: "Dismiss message" }).click();
    await end.waitFor({ state: "detached" });
    await visitor.status("Ended at");
    await visitor.shows("last-42");
    expect(await visitor.page.getByText("run on").count()).toBe(0);
    // The next pairpty has none of it, and lets the guest wait until it knows who that is.
    product = await place.start("--grace", "1m");
    await guest.status("Live");
    await guest.shows("last-42");
    await guest.leave();
    await visitor.leave();
  });

  test("W40 at a relay elsewhere a lost host is offline, and nothing is promised", async () => {
    await using relayPlace = new Place({ RELAY_KEY });
    const relay = await OwnRelay.start(relayPlace);
    await using far = new Place({ PAIRPTY_RELAY_KEY: RELAY_KEY });
    const bridge = await far.start("--relay", relay.ready.relay);
    const visitor = await Visitor.come(browser, bridge.ready.links.edit);
    await visitor.status("Live");
    await bridge.kill();
    await visitor.status("Host offline since");
    await notice(visitor, /If it is running, so are its terminals/);
    await visitor.leave();
    await relay.stop();
  });
});

describe("behind a tunnel", () => {
  const name = "calm-river.trycloudflare.com";
  let tunnel: StandInTunnel;
  let place: Place;
  let product: Product;
  beforeAll(async () => {
    tunnel = new StandInTunnel(["calm-river", "quiet-lake"]);
    place = new Place({ PATH: `${tunnel.bin}:${process.env["PATH"]}` });
    product = await place.start("--tunnel", "--yes");
  });
  afterAll(async () => {
    await place[Symbol.asyncDispose]();
    tunnel[Symbol.dispose]();
  });

  test.skipIf(browser === undefined)(
    "TU4 W44 another origin's browser types in the shell, and this machine's page has its links",
    async () => {
      const elsewhere = await startBrowser(
        `--host-resolver-rules=MAP ${name}:443 127.0.0.1:${tunnel.port}`,
      );
      const options = { ignoreHTTPSErrors: true };
      const visitor = await Visitor.come(elsewhere, product.ready.links.edit, options);
      await visitor.open();
      await visitor.type("echo from-$((40+2))\n");
      await visitor.shows("from-42");
      expect(new URL(visitor.page.url()).host).toBe(name);
      const permissions = ["clipboard-read", "clipboard-write"];
      const local = await Visitor.come(browser, product.ready.local?.links.edit ?? "", {
        permissions,
      });
      await local.status("Live");
      await local.page.getByRole("button", { name: "Copy link" }).click();
      await local.page.getByText(`it opens at https://${name}`).waitFor();
      const copied = () => local.page.evaluate(() => navigator.clipboard.readText());
      expect(await copied()).toBe(product.ready.links.edit);
      const from = product.events.length;
      process.kill(tunnel.pids.at(-1) ?? 0, "SIGKILL");
      const up = await product.event("tunnel_up", { from });
      await local.page.getByText("The tunnel has a new address").waitFor();
      await local.page.getByRole("button", { name: "Copy link" }).click();
      await local.page.getByText("it opens at https://quiet-lake").waitFor();
      expect(await copied()).toContain(String(up["relay"]));
      await visitor.leave();
      await local.leave();
    },
  );
});
