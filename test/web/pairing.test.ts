// Pairing as the docs tell it, whole, end-to-end encrypted as by default and without: one command in a clean folder, a stand-in tunnel, and
// somebody's browser at another origin. The host's side is a real terminal, the verbs and its own page.
// One pairing for all of it; each test brings in whom it needs and who is not there yet.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startBrowser, Visitor } from "../support/browser.ts";
import { listProcesses } from "../support/processes.ts";
import { Place } from "../support/product.ts";
import { StandInTunnel } from "../support/stand-in-tunnel.ts";
import { Tty } from "../support/tty.ts";
import { until } from "../support/waiting.ts";

/** Of a tunnel that keeps its name: a browser may be remembered there. */
const NAME = "box.tail1234.ts.net";
const browser = await startBrowser();

describe.skipIf(browser === undefined).each(["auto", "off"] as const)(
  "pairing, --e2e %s",
  (e2e) => {
    let tunnel: StandInTunnel;
    let place: Place;
    let tty: Tty;
    let host: Visitor;
    /** Whoever has been let in, and has typed into a terminal. */
    let guest: Visitor | undefined;
    beforeAll(async () => {
      tunnel = new StandInTunnel([NAME], ["tailscale"]);
      place = new Place({ PATH: `${tunnel.bin}:${process.env["PATH"]}` });
      tty = Tty.pairpty(place, ["--tunnel", "--knock", "--e2e", e2e]);
      await tty.shows("Go public through tailscale");
      tty.type("y");
      host = await Visitor.come(browser, await findLink("Yours"));
      await host.status("Live");
      await button(host, "Skip").click();
    });
    afterAll(async () => {
      tty[Symbol.dispose]();
      await place[Symbol.asyncDispose]();
      tunnel[Symbol.dispose]();
    });

    const elsewhere = async () =>
      await startBrowser(`--host-resolver-rules=MAP ${NAME}:443 127.0.0.1:${tunnel.port}`);
    const findLink = async (name: string) =>
      (
        await tty.shows(new RegExp(`${name} +https?://\\S+#${e2e === "auto" ? "pp2" : "pp"}_\\w+`))
      ).replace(/^\S+ +/, "");
    const says = async (visitor: Visitor, text: string | RegExp): Promise<void> =>
      await visitor.page.getByText(text).first().waitFor();
    const heading = async (visitor: Visitor, name: string): Promise<void> =>
      await visitor.page.getByRole("heading", { name }).waitFor();
    const button = (visitor: Visitor, name: string | RegExp) =>
      visitor.page.getByRole("button", { name });
    const run = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await place.run(args);
      expect(code, stderr).toBe(0);
      return stdout;
    };

    /** Somebody elsewhere who has knocked by that name. */
    async function knocks(name = "Ben"): Promise<Visitor> {
      const link = await findLink("Edit");
      const ben = await Visitor.come(await elsewhere(), link, { ignoreHTTPSErrors: true });
      await heading(ben, "Waiting to be let in");
      await ben.page.getByRole("textbox", { name: "Your name" }).fill(name);
      await ben.press("Enter");
      await says(ben, `The host sees “${name}”.`);
      return ben;
    }
    async function types(ben: Visitor): Promise<void> {
      await ben.open();
      await ben.type("echo by-$((40+2))-ben\n");
      await ben.shows("by-42-ben");
      guest = ben;
    }
    async function isIn(): Promise<Visitor> {
      if (guest) return guest;
      const ben = await knocks();
      await run("admit", "Ben");
      await types(ben);
      return ben;
    }

    test("TU3 TU4 PE17 PE63 PE65 one command makes a link for others; the first screen says that they knock, and the host's own page does not", async () => {
      expect(new URL(await findLink("Edit")).host).toBe(NAME);
      const lines = (text: string) => new RegExp(text.replaceAll(" ", "\\s+"));
      await tty.shows(lines("Guests wait until you let them in: press w\\."));
      const operator = {
        auto: "End-to-end encrypted for people\\. Agents that connect",
        off: "Tailscale can read everything that is typed and shown\\.",
      };
      await tty.shows(lines(operator[e2e]));
      expect(new URL(await findLink("Yours")).hostname).toBe("127.0.0.1");
      // Whoever got its link would not knock.
      expect(await button(host, "Copy link").count()).toBe(0);
      await host.press("Alt+Shift+L");
      await says(host, /To invite someone, press i .*pairpty share/);
    });

    test("PE15 PE74 whoever is turned away and pardoned comes in by itself, without knocking again", async () => {
      const gus = await knocks("Gus");
      await button(host, "Turn away").click();
      await heading(gus, "You were not let in");
      await host.page.locator(".toast.ask").waitFor({ state: "detached" });
      // Without a reload: the page asks by itself whether it may come again.
      expect(await run("admit", "Gus")).toBe("");
      await gus.status("Live");
      await says(host, "Gus (edit link) joined.");
      await gus.leave();
    });

    test("PE3 PE5 PE16 TU4 someone elsewhere knocks by name, is told nothing, is let in by the key w, and types", async () => {
      const ben = await knocks();
      await tty.shows("Ben (edit link) is waiting to be let in: press w");
      const messages = ben.messages.flatMap((text) =>
        text === "pong" ? [] : JSON.parse(text).type,
      );
      // Encrypted, the bridge's own message comes in a record.
      const inTheClear = e2e === "auto" ? ["bridge"] : ["bridge", "room:waiting"];
      expect(new Set(messages)).toEqual(new Set(inTheClear));
      // A page waits before it has said who it is: the key w would ask about somebody without a name.
      await host.page
        .locator(".toast.ask", { hasText: "Ben (edit link) is waiting to join" })
        .waitFor();
      const from = tty.raw.length;
      tty.type("w");
      await tty.shows("Ben (edit link) is waiting and would get a shell as you", from);
      tty.type("y");
      await tty.shows("Ben (edit link) is in", from);
      await says(host, "Ben (edit link) joined.");
      await types(ben);
      expect(new URL(ben.page.url()).host).toBe(NAME);
      expect(await run("people")).toMatch(
        /Ben \(edit link\) +edit .*(typing in|viewing) terminal 1/,
      );
    });

    test("PE6 PE41 its right to type is taken and given back, kept over a reload", async () => {
      const ben = await isIn();
      await run("people", "Ben", "--view");
      await says(ben, "This browser was limited to watching. Ask the host to let you type again.");
      for (const again of [false, true]) {
        if (again) await ben.page.reload();
        await ben.status("Live");
        await ben.page.getByText("read-only").waitFor();
        await ben.shows("by-42-ben");
        const before = ben.sent.length;
        await ben.page.locator(".host").click();
        await ben.type("x");
        await says(ben, "Read-only: this browser was limited to watching and cannot type.");
        expect(ben.sent.slice(before).filter((text) => text.includes("pty:input"))).toEqual([]);
      }
      await run("people", "Ben", "--edit");
      await says(ben, "You can type again.");
      await ben.type("echo again-$((2+2))\n");
      await ben.shows("again-4");
    });

    test("PE10 PE54 remembered, a second tab opens by the bare address; forgotten, it does not, and its link has ended", async () => {
      const ben = await isIn();
      const bare = `https://${NAME}/w/${new URL(ben.page.url()).pathname.split("/")[2]}`;
      await button(ben, /people here/).click();
      await button(ben, "Remember this browser").click();
      await says(ben, "This browser is remembered. ");
      await button(ben, "Forget it").waitFor();
      expect(await run("grants")).toContain("Ben (edit link): this browser");
      const tab = await ben.page.context().newPage();
      await tab.goto(bare);
      await tab.getByTestId("status").filter({ hasText: "Live" }).waitFor();
      await button(ben, "Forget it").click();
      await says(ben, "This browser is forgotten. Its saved link no longer works.");
      await button(ben, "Remember this browser").waitFor();
      expect(await run("grants")).not.toContain("this browser");
      await tab.getByText("Your link was revoked").first().waitFor();
      await tab.goto("about:blank");
      await tab.goto(bare);
      await tab.getByRole("heading", { name: "You need an invite link" }).waitFor();
      await tab.close();
      await button(ben, "Done").click();
    });

    test("W40 TU33 TU49 the host ends it in its window, and the pages tell the truth", async () => {
      const ben = await isIn();
      await ben.page.locator(".host").click();
      await ben.type("echo last-$((2+2))\n");
      await ben.shows("last-4");
      tty.type("q");
      await tty.shows("Stop everything?");
      tty.type("y");
      await tty.shows(/Stopped\. 1 terminal ended \(.*\)\. 1 guest was notified\./);
      expect(await tty.ends()).toBe(0);
      const end =
        /The host ended this session from pairpty’s own window at .* Its terminal is gone\./;
      await ben.status("Ended at");
      await ben.page.locator(".toast.warn").filter({ hasText: end }).waitFor();
      await ben.shows("last-4");
      expect(await ben.page.getByText("run on").count()).toBe(0);
      // A socket that cannot be opened is the browser's own complaint.
      const faults = [...ben.faults, ...host.faults];
      expect(faults.filter((fault) => !/WebSocket|40[13]/.test(fault))).toEqual([]);
      await ben.leave();
      await host.leave();
      await until("nothing is left", () => listProcesses(place.root).length === 0);
    });
  },
);
