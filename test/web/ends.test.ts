// How a page says that it is over, or not: ends as a browser sees them. A crash is in `resume.test.ts`; an
// end from the host's window is in `pairing.test.ts`, as is somebody who types from elsewhere by a tunnel.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startBrowser, Visitor } from "../support/browser.ts";
import { newToken } from "../support/credentials.ts";
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

  test("W40 W6 W124 W125 a revoked link, an expired one and a workspace that no one opened are told apart, and the last output stays", async () => {
    const { link, grant } = await share("--role", "edit");
    const visitor = await reader(link);
    await place.run(["revoke", grant.id]);
    await visitor.status("Your link was revoked");
    await notice(visitor, /The host revoked your link/);
    await visitor.shows("last-42");
    await visitor.page.getByRole("button", { name: "Use another link" }).click();
    await visitor.page.getByRole("heading", { name: "Your link was revoked" }).waitFor();
    const expiring = await share("--expires", "6s");
    const other = await Visitor.come(browser, expiring.link);
    await other.status("Live");
    await other.status("Your link has expired");
    await notice(other, /Your link has expired/);
    // A page without a link of use does not try again, however long it stands there.
    expect([visitor.sockets, other.sockets]).toEqual([1, 1]);
    await visitor.leave();
    // Read again from the start, the reason is the same.
    await other.page.reload();
    await other.page.getByRole("heading", { name: "Your link has expired" }).waitFor();
    const { token } = newToken("edit");
    await other.page.goto(`${product.ready.relay}/w/never-opened-7f2k9#${token}`);
    await notice(other, /This workspace is not open on this relay yet/);
    await other.leave();
  });

  test("W13 W98 W99 R100 a host that stands still is not Live: the page says so, a newcomer's too, and goes on by itself", async () => {
    const visitor = await reader(product.ready.links.edit);
    product.child.kill("SIGSTOP");
    try {
      await visitor.type("touch frozen\n");
      const newcomer = await Visitor.come(browser, product.ready.links.edit);
      await visitor.status("Host not responding since");
      await newcomer.status("Host not responding since");
      await notice(visitor, /not responding: it may be asleep/);
      product.child.kill("SIGCONT");
      for (const page of [visitor, newcomer]) await page.status("Live");
      await visitor.page
        .getByText(/^\S.*: The host was asleep: what you typed was not run\. Try again\./)
        .waitFor();
      await visitor.type("echo behind-$((6*7))\n");
      await visitor.shows("behind-42");
      await newcomer.shows("last-42");
      expect(existsSync(join(place.folder, "frozen"))).toBe(false);
      await newcomer.leave();
    } finally {
      product.child.kill("SIGCONT");
    }
    await visitor.leave();
  });

  test("R100 WT86 WT87 W99 opening and closing at a host that stands still: the page says so, once, and what was dropped", async () => {
    const visitor = await reader(product.ready.links.edit);
    const messages = () => visitor.page.locator(".toasts.messages .toast p").allTextContents();
    product.child.kill("SIGSTOP");
    try {
      await visitor.press("Alt+n");
      await visitor.page.getByText("Opening a terminal.").waitFor();
      await visitor.status("Host not responding since");
      expect(await messages()).toEqual(["The host stopped responding before the terminal opened."]);
      product.child.kill("SIGCONT");
      await visitor.status("Live");
      await visitor.page.getByText("The host was asleep: no terminal was opened.").waitFor();
      product.child.kill("SIGSTOP");
      await visitor.press("Alt+w");
      await visitor.page.getByRole("button", { name: "Close terminal" }).click();
      await visitor.page.locator(".strip .who").getByText("Closing…").first().waitFor();
      await visitor.status("Host not responding since");
      await visitor.page
        .getByText("The host stopped responding before the terminal closed.")
        .waitFor();
    } finally {
      product.child.kill("SIGCONT");
    }
    await visitor.status("Live");
    await visitor.leave();
  });

  test("W41 W42 W40 W124 W126 W132 closed tabs are no failures, and go together; then an end, by whose hand", async () => {
    const visitor = await reader(product.ready.links.edit);
    await closeAndDismiss(visitor);
    const { link } = await share("--role", "edit", "--label", "guest", "--knock");
    const guest = await Visitor.come(browser, link);
    await guest.page.getByRole("heading", { name: "Waiting to be let in" }).waitFor();
    await place.run(["admit", "guest", ...place.code]);
    await guest.shows("last-42");
    await place.run(["stop", "--yes"]);
    await visitor.status("Ended at");
    await notice(visitor, /ended this session with pairpty stop.*terminals are gone\./);
    // Other messages, as of who left, have one of their own.
    const end = visitor.page.locator(".toast.warn");
    await end.getByRole("button", { name: "Dismiss message" }).click();
    await end.waitFor({ state: "detached" });
    await visitor.status("Ended at");
    await visitor.shows("last-42");
    expect(await visitor.page.getByText("run on").count()).toBe(0);
    for (const name of ["New", "Start again"])
      expect(await visitor.page.getByRole("button", { name }).count()).toBe(0);
    await visitor.press("Alt+n");
    await visitor.page
      .getByText("The host ended this session, so nothing new can be started.")
      .waitFor();
    // The next pairpty has none of it, and lets the guest wait until it knows who that is. If another
    // program took its port meanwhile, it has another one, and the guest's address leads nowhere.
    const { relay } = product.ready;
    product = await place.start("--grace", "1m");
    if (product.ready.relay === relay) {
      await guest.status("Live");
      await guest.shows("last-42");
    }
    await guest.leave();
    await visitor.leave();
  });

  async function closeAndDismiss(visitor: Visitor): Promise<void> {
    const closing = await product.open({ command: ["sleep", "1000"] });
    const failing = await product.open({ command: ["sh", "-c", "exit 3"] });
    await visitor.page.locator(`#tab-${failing.id} .chip.bad`).waitFor();
    await visitor.page.locator(`#tab-${closing.id}`).click();
    await visitor.page.locator(`#panel-${closing.id} .host .xterm`).waitFor();
    const { status } = await product.http(`/pty/${closing.id}`, { method: "DELETE" });
    expect(status).toBeLessThan(300);
    const chip = visitor.page.locator(`#tab-${closing.id} .chip`);
    await chip.filter({ hasText: "closed" }).waitFor();
    expect(await chip.getAttribute("class")).not.toContain("bad");
    await visitor.page.getByRole("button", { name: "Dismiss all 2 ended" }).click();
    await visitor.page.locator(`#tab-${closing.id}`).waitFor({ state: "detached" });
    expect(await visitor.terminals()).not.toContain(failing.id);
  }
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
    "W44 this machine's page has the tunnel's links, and says when they are others",
    async () => {
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
      await local.leave();
    },
  );
});
