// People of one room, in browsers of their own against the real relay and bridge: knocking, names,
// rights that are taken and given, following, sizes, links made in the page. Each test has its own two
// people.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Visitor } from "../support/browser.ts";
import { PROMPT, startBrowser } from "../support/browser.ts";
import { PageRun } from "../support/page.ts";
import { PATIENCE_MS } from "../support/waiting.ts";

const poll = { timeout: PATIENCE_MS };
const browser = await startBrowser();
/** A folder for pictures of what is tested, for whoever wants to look at them. */
const PICTURES = process.env["PICTURES_FOLDER"];

describe.skipIf(!browser)("people", () => {
  const run = new PageRun(browser);

  async function link(label: string, ...flags: string[]): Promise<string> {
    const made = await run.place.run(["share", "--role", "edit", "--label", label, ...flags]);
    expect(made.code, made.stderr).toBe(0);
    return /https?:\/\/\S+/.exec(made.stdout)?.[0] ?? "";
  }

  const button = (visitor: Visitor, name: string | RegExp) =>
    visitor.page.getByRole("button", { name });
  const says = async (visitor: Visitor, text: string | RegExp): Promise<void> =>
    await visitor.page.getByText(text).filter({ visible: true }).first().waitFor();

  async function call(visitor: Visitor, text: string): Promise<void> {
    await visitor.page.getByRole("textbox", { name: "Your name" }).fill(text);
    await visitor.page.getByRole("textbox", { name: "Your name" }).press("Enter");
  }

  async function people(visitor: Visitor): Promise<void> {
    await button(visitor, /people? here|person here/).click();
    await visitor.page.getByRole("heading", { name: "People" }).waitFor();
  }
  const done = async (visitor: Visitor) => await button(visitor, "Done").click();

  async function picture(visitor: Visitor, title: string): Promise<void> {
    if (PICTURES === undefined) return;
    mkdirSync(PICTURES, { recursive: true });
    const { page } = visitor;
    const size = page.viewportSize();
    for (const scheme of ["dark", "light"] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      for (const [kind, width, height] of [
        ["desktop", 1100, 700],
        ["phone", 390, 780],
      ] as const) {
        await page.setViewportSize({ width, height });
        await page.waitForTimeout(250);
        await page.screenshot({ path: join(PICTURES, `${title}-${kind}-${scheme}.png`) });
      }
    }
    await page.emulateMedia({ colorScheme: "dark" });
    if (size) await page.setViewportSize(size);
  }

  test("PE1 PE12 TO7 PE3 PE5 PE6 knock, admit, name, type; rights taken and given; follow", async () => {
    const ana = await run.visit(await link("ana", "--may-share"));
    await ana.status("Live");
    await says(ana, "What’s your name?");
    await picture(ana, "name");
    const [asking, stage] = [".name-card", ".stage"].map((one) =>
      ana.page.locator(one).evaluate((element) => element.getBoundingClientRect().toJSON()),
    );
    expect((await stage).top).toBeGreaterThanOrEqual((await asking).bottom);
    await call(ana, "Ana");
    await ana.open();
    const gus = await run.visit(await link("guest", "--knock"));
    await gus.page.getByRole("heading", { name: "Waiting to be let in" }).waitFor();
    await picture(gus, "waiting");
    await call(gus, "Gus");
    await says(gus, "The host sees “Gus”.");
    // Nothing of the room is on that page, nor in what it was told.
    expect(await gus.page.getByRole("tab").count()).toBe(0);
    await says(ana, "Gus (guest)");
    await says(ana, "is waiting to join");
    await picture(ana, "knock");
    await button(ana, "Let in").click();
    await gus.status("Live");
    await gus.page.locator(".host").waitFor();
    await gus.page.locator(".host").click();
    await gus.type("echo by-gus-$((1+1))\n");
    await ana.shows("by-gus-2");
    await says(ana, "Gus (guest) is typing");
    // What the command line knows.
    const listed = await run.place.run(["people", "--json"]);
    const rows: { name?: string; looking?: string }[] = JSON.parse(listed.stdout);
    expect(new Set(rows.map((row) => row.name))).toEqual(new Set(["Ana", "Gus"]));

    await people(ana);
    await says(ana, /can type/);
    await picture(ana, "people");
    await button(ana, "Limit Gus (guest) to watching").click();
    await says(gus, "This browser was limited to watching. Ask the host to let you type again.");
    await gus.page.getByText("read-only").waitFor();
    await button(ana, "Let Gus (guest) type").waitFor();
    await gus.page.reload();
    await gus.status("Live");
    await gus.page.getByText("read-only").waitFor();
    await picture(gus, "limited");
    await button(ana, "Let Gus (guest) type").click();
    await expect.poll(() => gus.page.getByText("read-only").count(), poll).toBe(0);
    await gus.page.locator(".host").click();
    await gus.type("echo again-$((2+2))\n");
    await done(ana);
    await ana.shows("again-4");

    // Follow: what Gus looks at is what Ana sees, until she does something else.
    await gus.open();
    const second = await gus.page.getByRole("tab", { selected: true }).getAttribute("id");
    await people(ana);
    await button(ana, "Follow Gus (guest)").click();
    const shown = (visitor: Visitor) =>
      visitor.page.getByRole("tab", { selected: true }).getAttribute("id");
    await expect.poll(() => shown(ana), poll).toBe(second);
    await says(ana, "Following Gus");
    await picture(ana, "following");
    await gus.press("Alt+1");
    await expect.poll(() => shown(ana), poll).not.toBe(second);
    await ana.press("Alt+2");
    await expect.poll(() => ana.page.getByText("Following Gus").count(), poll).toBe(0);
    await gus.press("Alt+2", "Alt+1");
    expect(await shown(ana)).toBe(second);
    expect([...ana.faults, ...gus.faults]).toEqual([]);
  });

  /** A large window and a small one, both in a terminal that the first has opened. */
  async function beside(): Promise<{ ana: Visitor; gus: Visitor }> {
    const ana = await run.visit(await link("ana"));
    await ana.open();
    const small = { viewport: { width: 640, height: 480 } };
    const gus = await run.visit(await link("gus"), small);
    const id = await ana.page.getByRole("tab", { selected: true }).getAttribute("id");
    // By its id: what stands last in the bar may not be there yet.
    await gus.page.locator(`#${id}`).click();
    await gus.shows(PROMPT);
    return { ana, gus };
  }

  test("PE57 PE59 two who type in turn resize a program twice at most, and see whose size it is", async () => {
    const { ana, gus } = await beside();
    await ana.type("trap 'echo size-$((++n))' WINCH; PS1='> '; clear\n");
    for (const visitor of [ana, gus]) {
      await visitor.shows(/^> *$/m);
      await visitor.page.locator(".panel[data-active=true] .host").click();
    }
    for (let turn = 0; turn < 6; turn++) {
      const [one, other] = turn % 2 === 0 ? [gus, ana] : [ana, gus];
      await one.type(`: turn-${turn}\n`);
      await other.shows(`: turn-${turn}`);
    }
    await says(ana, "sized to fit everyone typing");
    const text = (await ana.lines()).join("\n");
    expect(text.match(/size-\d+/g)?.length ?? 0).toBeLessThanOrEqual(2);
    await picture(gus, "turns");
  });

  test('PE72 joining sizes nothing: neither "Skip" on the line for a name nor a larger window', async () => {
    const { ana, gus } = await beside();
    const sizes = () => ana.messages.filter((text) => text.includes('"pty:resized"')).length;
    const views = () => gus.sent.filter((text) => text.includes('"pty:view"')).length;
    const before = { size: await ana.size(), sizes: sizes(), views: views() };
    await button(gus, "Skip").click();
    await expect.poll(views, poll).toBeGreaterThan(before.views);
    await gus.page.setViewportSize({ width: 720, height: 560 });
    await expect.poll(views, poll).toBeGreaterThan(before.views + 1);
    await ana.type("echo still''here\n");
    await gus.shows("stillhere");
    expect([await ana.size(), sizes()]).toEqual([before.size, before.sizes]);
    await gus.type("x");
    await expect.poll(() => ana.size(), poll).not.toEqual(before.size);
    expect([...ana.faults, ...gus.faults]).toEqual([]);
  });

  test("PE14 a size is pinned by key and unpinned by a command, whoever takes over", async () => {
    const { ana, gus } = await beside();
    await ana.press("Alt+z");
    await says(gus, "pinned");
    const size = await ana.size();
    await button(gus, "Take over").click();
    await says(gus, "You are typing");
    expect(await gus.size()).toEqual(size);
    const number = String((await ana.terminals()).length);
    const ended = await run.place.run(["pin", number, "--off"]);
    expect(ended.code, ended.stderr).toBe(0);
    await expect.poll(() => gus.page.getByText("pinned").count(), poll).toBe(0);
  });

  test("PE1 PE11 PE56 a link that may share makes others in the page, with a code; a name is kept over reloads", async () => {
    const ana = await run.visit(await link("ana", "--may-share"));
    await ana.status("Live");
    await call(ana, "Ana");
    await ana.page.locator(".name-card").waitFor({ state: "detached" });
    await ana.page.reload();
    await ana.status("Live");
    await people(ana);
    await says(ana, "Ana (ana)");
    expect(await ana.page.getByText("What’s your name?").count()).toBe(0);
    await says(ana, /cannot be remembered/);
    await ana.page.getByRole("textbox", { name: "Who is it for?" }).fill("carol");
    await button(ana, "Make a link").click();
    await ana.page.getByRole("img", { name: "The link as a QR code" }).waitFor();
    await picture(ana, "share");
    await says(ana, /This link works only on the host’s machine/);
    const shown = ana.page.getByRole("textbox", { name: "The link" });
    const made = await shown.inputValue();
    await ana.press("Escape");
    await expect.poll(() => shown.count(), poll).toBe(0);
    await people(ana);
    await button(ana, "Revoke").waitFor();
    expect(await shown.count()).toBe(0);
    const carol = await run.visit(made);
    await carol.status("Live");
    await says(ana, "carol");
    await button(ana, "Revoke").click();
    await says(carol, /link was revoked/);
    expect(ana.faults).toEqual([]);
  });

  test("PE66 PE39 guests are offered nothing about the host's own page; the page of who is sent away says the whole command", async () => {
    const { own } = run.product.ready;
    const mara = await run.visit(own);
    await call(mara, "Mara Stone");
    const gus = await run.visit(await link("guest"));
    await call(gus, "Gus Brown");
    await people(gus);
    await button(gus, /^Follow Mara/).waitFor();
    expect(await button(gus, /Mara/).count()).toBe(1);
    await picture(gus, "host");
    await people(mara);
    await button(mara, /^Remove Gus/).click();
    await button(mara, "Remove").last().click();
    const command = gus.page.locator("pre", { hasText: "pairpty admit " });
    const [, , id = ""] = ((await command.textContent()) ?? "").split(" ");
    const admitted = await run.place.run(["admit", "gus"]);
    expect([admitted.code, id]).toEqual([0, expect.stringMatching(/^[0-9a-f]{8}$/)]);
    await gus.status("Live");
    expect(mara.faults).toEqual([]);
  });

  test("PE7 who is sent away by the command line is told, and a reload does not help", async () => {
    const gus = await run.visit(await link("guest", "--knock"));
    await call(gus, "Nils");
    await says(gus, "The host sees “Nils”.");
    // The page says so as soon as it has sent the name; the bridge may hear it a moment later.
    await expect.poll(async () => (await run.place.run(["admit", "Nils"])).code, poll).toBe(0);
    await gus.status("Live");
    const sent = await run.place.run(["people", "Nils", "--remove"]);
    expect(sent.code, sent.stderr).toBe(0);
    await gus.page.getByRole("heading", { name: "The host removed you from this room" }).waitFor();
    await picture(gus, "sent-away");
    await gus.page.reload();
    await gus.page.getByRole("heading", { name: "You were not let in" }).waitFor();
    expect(gus.faults).toEqual([]);
  });
});
