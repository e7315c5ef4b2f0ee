// What a terminal in the page can do beside showing its program, in a real browser. One page is there
// all the time, since a visit costs more than most of what is done in it; others come where it takes
// two to see something.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { readCast } from "../../protocol/asciicast.ts";
import { Visitor, startBrowser } from "../support/browser.ts";
import { PageRun } from "../support/page.ts";
import { PATIENCE_MS } from "../support/waiting.ts";

const poll = { timeout: PATIENCE_MS };
/** For what takes a while by itself. */
const seldom = { timeout: PATIENCE_MS, interval: 200 };
const browser = await startBrowser();

const ONE_WAY_MS = 80;

/** A PNG of 8 × 8, and one that says that it is of 60,000 × 60,000. */
const BLUE =
  "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEElEQVR4nGNgYPiPAw0pCQCpcD/BFMrqcwAAAABJRU5ErkJggg==";
const HUGE =
  "iVBORw0KGgoAAAANSUhEUgAA6mAAAOpgCAIAAABLbSncAAAAEElEQVR4nGNgYPiPAw0pCQCpcD/BFMrqcwAAAABJRU5ErkJggg==";

/** As docs/terminals.md gives it. */
const MARKING = String.raw`PS1='\[\e]133;A\a\]'$PS1; PS0='\e]133;C\a'; PROMPT_COMMAND='printf "\e]133;D;%s\a" $?'`;

describe.skipIf(!browser)("a terminal of the page", () => {
  const run = new PageRun(browser);

  test("EC7 EC12 far from the room, letters show at once, wrong ones go, and passwords never show", async () => {
    const ana = await run.visit("about:blank");
    /** Answers that wait: on a busy machine a frame can take longer than the way there and back. */
    let held: (() => void)[] | undefined;
    await ana.page.routeWebSocket(/./, (near) => {
      const far = near.connectToServer();
      near.onMessage((data) => void setTimeout(() => far.send(data), ONE_WAY_MS));
      far.onMessage((data) => {
        const deliver = () => near.send(data);
        setTimeout(() => (held === undefined ? deliver() : held.push(deliver)), ONE_WAY_MS);
      });
    });
    await ana.page.goto(run.product.ready.links.edit);
    await ana.open();
    const guessed = () =>
      ana.page.locator(".panel[data-active=true] .predicted span:not(.predicted-cursor)");
    const readGuess = async () => (await guessed().allTextContents()).join("");
    /** What is painted over the line when a key's own frame is done, and what the emulator has. */
    const pressed = async (keys: string) => {
      const waiting: (() => void)[] = [];
      held = waiting;
      const seen = await ana.page.evaluate(async (all) => {
        const host = document.querySelector<Host>(".panel[data-active=true] .host");
        for (const key of all) host?.terminal?.input(key);
        await new Promise((resolve) => requestAnimationFrame(resolve));
        const spans = host?.querySelectorAll(".predicted span:not(.predicted-cursor)") ?? [];
        const active = host?.terminal?.buffer.active;
        const line = active?.getLine(active.baseY + active.cursorY);
        return {
          over: [...spans].map((one) => one.textContent).join(""),
          under: line?.translateToString(true).trimEnd(),
        };
      }, keys);
      held = undefined;
      for (const deliver of waiting) deliver();
      return seen;
    };
    await ana.page.locator(".predicted").waitFor({ state: "attached" });
    // A new size begins anew.
    await expect.poll(() => ana.size(), poll).not.toEqual({ cols: 80, rows: 24 });
    // Where a busy machine answered too late, nothing is guessed before the next line.
    const anew = async () => {
      await ana.press("Control+u");
      await ana.shows(/[$#]$/);
    };
    const written = async () => {
      const seen = await pressed("echo far");
      await expect.poll(readGuess, poll).toBe("");
      await ana.shows(/[$#] echo far$/);
      if (seen.over === "") await anew();
      return seen;
    };
    const guess = { over: "echofar", under: expect.stringMatching(/[$#]$/) };
    await expect.poll(written, poll).toEqual(guess);
    // Two letters, and the cursor where it was.
    const erased = async () => {
      const { over } = await pressed("\u007F\u007F");
      if (over !== "") return over;
      await anew();
      await written();
      return over;
    };
    await expect.poll(erased, poll).toBe("   ");
    await expect.poll(readGuess, poll).toBe("");
    await ana.press("Control+u");
    // A program that shows something else than what was typed.
    await ana.type("stty -icanon -echo; printf '$ \\e[?2004h'; IFS= read -rn 1 x; echo wrong\n");
    await ana.shows(/\n\$$/);
    const left = ana.page.evaluate(async () => {
      const host = document.querySelector<Host>(".panel[data-active=true] .host");
      await new Promise((resolve) => host?.terminal?.onWriteParsed(resolve));
      await new Promise((resolve) => requestAnimationFrame(resolve));
      return host?.querySelectorAll(".predicted span").length;
    });
    expect((await pressed("x")).over).toBe("x");
    expect(await left).toBe(0);
    await ana.type("stty sane; printf '\\e[?2004l'; read -rsp 'Password: ' p; echo got ${#p}\n");
    await ana.shows(/^Password:$/m);
    expect(await pressed("hunter2")).toEqual({ over: "", under: "Password:" });
    await ana.press("Enter");
    await ana.shows("got 7");
    expect(await readGuess()).toBe("");
    // A shell's own line editor, and a prompt that could be a shell's.
    await ana.shows(/[$#] *$/);
    await ana.type("read -ersp 'vault> ' p; echo kept ${#p}\n");
    await ana.shows(/^vault>$/m);
    expect(await pressed("hunter2")).toEqual({ over: "", under: "vault>" });
    await ana.press("Enter");
    await ana.shows("kept 7");
    expect(await readGuess()).toBe("");
    // Who does not like it turns it off.
    await ana.shows(/[$#] *$/);
    await ana.press("Alt+,");
    await ana.page.getByLabel("Type ahead").selectOption("off");
    await ana.page.getByRole("button", { name: "Done" }).click();
    expect((await pressed("x")).over).toBe("");
    await ana.shows(/[$#] x$/);
    expect(ana.faults).toEqual([]);
  });

  describe("of one who is there all the time", () => {
    let ana: Visitor;

    beforeAll(async () => {
      ana = await Visitor.come(browser, run.product.ready.links.edit);
      await ana.open();
    });
    afterEach(() => expect(ana.faults.splice(0)).toEqual([]));
    afterAll(() => ana.leave());

    test("WT1 WT40 WT41 finding shows every hit, from the newest back, by case and by regular expression", async () => {
      await ana.type(
        "for i in $(seq 1 200); do echo line $i; done; echo a Needle; echo END-$((1+1))\n",
      );
      await ana.shows("END-2");
      await ana.press("Control+Shift+F");
      const bar = ana.page.getByRole("search");
      const counts = (text: string) =>
        bar
          .getByRole("status")
          .filter({ hasText: new RegExp(`^${text}$`) })
          .waitFor();
      await bar.getByLabel("Find", { exact: true }).waitFor();
      await ana.type("needle");
      // Once in the command and once in its output.
      await counts("2 of 2");
      await ana.press("Enter");
      await counts("1 of 2");
      await ana.press("Alt+c");
      await counts("No matches");
      await ana.press("Control+a");
      await ana.type("^line 1?7$");
      await counts("No matches");
      await ana.press("Alt+r");
      await counts("2 of 2");
      await selects(ana, "line 17");
      await ana.press("Enter");
      await selects(ana, "line 7");
      await ana.press("Shift+Enter");
      await selects(ana, "line 17");
      await ana.press("Control+a");
      await ana.type("(");
      await counts("Not a regular expression");
      ana.sent.length = 0;
      await ana.press("Escape");
      await bar.waitFor({ state: "detached" });
      await ana.type("echo back-$((1+1))\n");
      await ana.shows("back-2");
      expect(ana.sent.join("")).not.toContain("needle");
    });

    describe("beside another page", () => {
      let ben: Visitor;

      beforeAll(async () => {
        ben = await Visitor.come(browser, run.product.ready.links.edit);
      });
      afterEach(() => expect(ben.faults.splice(0)).toEqual([]));
      afterAll(() => ben.leave());

      test("WT2 WT42 WT43 WT44 a terminal that is scrolled back counts what comes, and its letters have the size that one likes", async () => {
        await ana.type("seq 1 200; read -r; seq 301 307; read -r\n");
        await ana.shows("\n200");
        await ana.press("Shift+PageUp");
        const button = ana.page.locator(".to-bottom");
        await button.filter({ hasText: "Jump to the bottom" }).waitFor();
        // Somebody else goes on; this page stays where it is.
        await ben.shows("\n200");
        await ben.page.locator(".panel[data-active=true] .host").click();
        await ben.press("Enter");
        await button.filter({ hasText: "8 new lines" }).waitFor();
        await ana.press("Alt+End");
        await button.waitFor({ state: "detached" });

        await ana.press("Enter");
        // Two have typed: what is theirs together is the size from here on.
        const strip = ana.page.locator(".panel[data-active=true]");
        await strip.getByText("You are typing").waitFor();
        await strip.getByText("sized to fit everyone typing").waitFor();
        const before = await ana.size();
        await ana.press("Alt+=", "Alt+=");
        await expect.poll(async () => (await ana.size()).cols, poll).toBeLessThan(before.cols);
        const kept = () => ana.page.evaluate(() => localStorage.getItem("pairpty:font"));
        await expect.poll(kept, poll).toBe("15");
        await ana.press("Alt+Shift+0");
        await expect.poll(() => ana.size(), poll).toEqual(before);
        await expect.poll(kept, poll).toBeNull();

        await ana.page.getByRole("button", { name: "More" }).click();
        await ana.page.getByRole("menuitem", { name: /^Clear the scrollback/ }).click();
        await expect
          .poll(async () => (await ana.lines()).length, poll)
          .toBeLessThanOrEqual(before.rows);
        expect((await ana.lines()).join("\n")).toContain("307");
      });

      test("WT6 who only watches gets nothing on the clipboard", async () => {
        await ana.type(
          "printf '\\e]52;c;aGVsbG8=\\a'; printf '\\e]52;c;?\\a'; echo done-$((1+1))\n",
        );
        await ben.shows("done-2");
        expect(await ben.page.locator(".toast").count()).toBe(0);
        expect(await ben.page.getByRole("dialog").count()).toBe(0);
        // It is who types that is asked.
        const dialog = ana.page.getByRole("dialog");
        await dialog.getByRole("button", { name: "Don’t allow" }).click();
        await dialog.waitFor({ state: "detached" });
      });

      test("WT8 a tab shows that its terminal rang, and how far its program is", async () => {
        await ana.type("read -r; printf '\\a\\e]9;4;1;42\\a'; read -r; printf '\\e]9;4;0;0\\a'\n");
        const [first] = await ana.terminals();
        await ana.open();
        await ben.shows("read -r");
        await ben.page.locator(".panel[data-active=true] .host").click();
        await ben.press("Enter");
        const chips = () => ana.page.locator(`#tab-${first} .chip`).allInnerTexts();
        await expect.poll(chips, poll).toEqual(["bell", "42 %"]);
        await ana.press("Alt+1");
        await expect.poll(chips, poll).toEqual(["42 %"]);
        await ben.press("Enter");
        await expect.poll(chips, poll).toEqual([]);
      });

      test("WT20 WT71 WT72 WT74 WT75 pictures show in their cells and go with them; huge and broken ones harm nothing", async () => {
        // One that the other page has not looked at yet.
        await ana.open();
        const pictures = ana.page.locator(".panel[data-active=true] .picture");
        const colors = () =>
          pictures.evaluateAll((all) =>
            all.map((one) => {
              if (!(one instanceof HTMLCanvasElement)) throw new Error("no canvas");
              return [...(one.getContext("2d")?.getImageData(4, 4, 1, 1).data ?? [])].join();
            }),
          );
        await ana.type(
          "clear; printf '\\ePq#1;2;100;0;0!40~-!40~-!40~-!40~\\e\\\\\\n'; echo below-$((1+1))\n",
        );
        await ana.shows(/below-2/);
        // Text stands below it, where it would with its lines.
        const rows = (await ana.lines()).indexOf("below-2");
        expect(rows).toBeGreaterThan(1);
        await expect.poll(colors, poll).toEqual(Array(rows).fill("255,0,0,255"));
        const boxes = await Promise.all([
          pictures.last().boundingBox(),
          ana.page
            .locator(".panel[data-active=true] .xterm-rows > div", { hasText: "below-2" })
            .boundingBox(),
        ]);
        expect((boxes[0]?.y ?? 0) + (boxes[0]?.height ?? 0)).toBeLessThanOrEqual(
          (boxes[1]?.y ?? 0) + 1,
        );

        await ana.type("clear; echo gone-$((1+1))\n");
        await ana.shows("gone-2");
        await expect.poll(() => pictures.count(), poll).toBe(0);

        await ana.type(`printf '\\e]1337;File=inline=1;width=4;height=2:${BLUE}\\a|\\n'\n`);
        await expect.poll(colors, poll).toEqual(["0,0,255,255", "0,0,255,255"]);
        await ana.shows(/^\s{4}\|$/m);
        const [huge, none] = [HUGE, btoa("\u0089PNG, and then nothing of the kind")];
        await ana.type(
          `for x in ${huge} ${none} '***'; do printf '\\e]1337;File=inline=1:%s\\a' "$x"; done; printf '\\ePq!9999999999~%s\\e\\\\' $(printf -- '-%.0s' $(seq 4000)); echo alive-$((1+1))\n`,
        );
        await ana.shows("alive-2");
        expect(await pictures.count()).toBe(2);
        // The host's own screen has text alone, which says what is missing.
        const tab = await ana.page.getByRole("tab", { selected: true }).getAttribute("id");
        await ben.page.locator(`#${tab}`).click();
        await ben.shows(/^\[picture\]\|$/m);
      });

      test("WT9 WT57 a small window's size stands in the middle of a large one, in larger letters", async () => {
        const { cols } = await ana.size();
        await ana.page.setViewportSize({ width: 620, height: 420 });
        await expect.poll(async () => (await ana.size()).cols, poll).toBeLessThan(cols);
        const small = await ana.size();
        await ben.page.setViewportSize({ width: 1400, height: 900 });
        await ben.page.locator(".panel[data-active=true]").getByText("Scaled to fit").waitFor();
        await expect.poll(() => ben.size(), poll).toEqual(small);
        const places = () =>
          ben.page.evaluate(() => {
            const [host, screen] = [
              ".panel[data-active=true] .host",
              ".panel[data-active=true] .xterm-screen",
            ].map((one) => document.querySelector(one)?.getBoundingClientRect());
            if (!host || !screen) throw new Error("no terminal");
            return {
              left: screen.left - host.left,
              right: host.right - screen.right,
              wide: screen.width,
            };
          });
        await expect.poll(async () => (await places()).wide, poll).toBeGreaterThan(small.cols * 9);
        const { left, right, wide } = await places();
        expect(Math.abs(left - right)).toBeLessThan(30);
        await ben.press("Alt+-", "Alt+-");
        await expect.poll(async () => (await places()).wide, poll).toBeLessThan(wide);
        expect([await ben.size(), await ana.size()]).toEqual([small, small]);
        await ana.page.setViewportSize({ width: 1100, height: 700 });
      });
    });

    test("WT5 WT6 WT7 WT49 WT51 WT53 WT54 links, the clipboard and commands of a shell that marks them", async () => {
      await ana.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      const clipboard = () => ana.page.evaluate(() => navigator.clipboard.readText());
      await ana.press("Alt+Shift+C");
      await ana.page.getByText("This shell doesn’t mark its commands").waitFor();
      await ana.type(`${MARKING}; clear\n`);
      await ana.type("seq 1 100\n");
      await ana.shows("\n100");
      await ana.type("ls ./nope\n");
      await ana.shows("No such");
      await ana.type("echo one; echo two-$((1+1))\n");
      await ana.shows(/two-2\n/);
      await ana.page.locator(".failed-mark").waitFor();
      await ana.press("Alt+Shift+C");
      await expect.poll(clipboard, poll).toBe("one\ntwo-2\n");
      await ana.press("Alt+PageUp", "Alt+PageUp", "Alt+Shift+C");
      await expect.poll(clipboard, poll).toMatch(/^ls: .*No such file or directory\n$/);
      await ana.press("Alt+PageUp", "Alt+PageDown", "Alt+PageUp", "Alt+Shift+C");
      await expect.poll(async () => (await clipboard()).split("\n").length, poll).toBe(101);
      await ana.press("Alt+End");

      await ana.type("clear; printf '\\e]52;c;Zm9vIGJhcg==\\a'\n");
      await ana.page.getByText("A program copied 7 characters to your clipboard.").waitFor();
      expect(await clipboard()).toBe("foo bar");
      await ana.type("printf '\\e]52;c;?\\a'; IFS= read -rst 9 -d '\\' x; printf '%q\\n' \"$x\"\n");
      await ana.page.getByRole("button", { name: "Allow once" }).click();
      await ana.shows("52;c;Zm9vIGJhcg==");

      await ana.type(
        "clear; who=$(printf 'github.com%%2Flogin%.0s' $(seq 100)); printf '\\e]8;;https://%s@evil.example/x\\e\\\\https://good.example\\e]8;;\\e\\\\\\n' $who\n",
      );
      const row = ana.page.locator(".panel[data-active=true] .xterm-rows > div", {
        hasText: /^https:\/\/good\.example/,
      });
      // Not through the element: pointing at a link draws its row anew.
      const place = await row.boundingBox();
      if (!place) throw new Error("the link is not painted");
      await ana.page.mouse.move(place.x + 40, place.y + 8);
      await ana.page.locator(".xterm-cursor-pointer").waitFor();
      await ana.page.mouse.click(place.x + 40, place.y + 8);
      const dialog = ana.page.getByRole("dialog");
      const target = `https://${"github.com%2Flogin".repeat(100)}@evil.example/x`;
      await dialog.getByText(target).waitFor();
      const host = dialog.getByText("evil.example", { exact: true }).first();
      // In view, and nothing lies over it.
      const isOnTop = host.evaluate((one) => {
        const { x, y, width, height } = one.getBoundingClientRect();
        return document.elementFromPoint(x + width / 2, y + height / 2) === one;
      });
      expect(await isOnTop).toBe(true);
      expect(await dialog.locator(".hint").first().textContent()).toContain(
        "a name to sign in with",
      );
      expect(await dialog.locator("strong").textContent()).toBe("evil.example");
      expect(await dialog.getByRole("link").getAttribute("rel")).toBe("noopener noreferrer");
      await dialog.getByRole("button", { name: "Copy" }).click();
      await expect.poll(clipboard, poll).toBe(target);
      await ana.press("Escape");
    });

    test("WT12 a page at rest makes no frames, and its cursor blinks all the same", async () => {
      // A terminal asks when it is made.
      await ana.page.emulateMedia({ reducedMotion: "no-preference" });
      await ana.open();
      const looks = await ana.page.evaluate(async () => {
        const isMoving = () =>
          document.getAnimations().some(({ playState }) => playState === "running");
        const cursor = () => document.querySelector(".panel[data-active=true] .xterm-cursor");
        const color = () => {
          const found = cursor();
          return found ? getComputedStyle(found).backgroundColor : "none";
        };
        const until = async (isSo: () => boolean) => {
          while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 50));
        };
        // Something that was shown may still fade away: only what never ends keeps the page at work.
        for (let blinks = 1; ; blinks++) {
          await until(() => !isMoving() && cursor() !== null);
          const shown = color();
          await until(() => color() !== shown);
          const other = color();
          await until(() => color() === shown);
          const look = { shown, other, isMoving: isMoving() };
          if (!look.isMoving || blinks === 5) return look;
        }
      });
      expect(looks.other).not.toBe(looks.shown);
      expect(looks.isMoving).toBe(false);
      await ana.page.emulateMedia({ reducedMotion: "reduce" });
    });

    test("WT3 WT46 an ended terminal says why, and starts again in its folder", async () => {
      const before = await ana.terminals();
      await ana.type("exit 127\n");
      await ana.page.getByRole("tabpanel").getByText("command not found").waitFor();
      const ended = await findCurrent(ana);
      await ana.page.getByRole("button", { name: "Start again" }).click();
      await ana.page.locator(`#tab-${ended}`).waitFor({ state: "detached" });
      await expect.poll(async () => (await ana.terminals()).length, poll).toBe(before.length);
      expect(before).not.toContain(await findCurrent(ana));
      await ana.shows(/[$#] *$/);
      await ana.type("echo again-$((1+1)); basename $PWD\n");
      await ana.shows("again-2\nwork");
    });

    describe("beside a page that only watches", () => {
      let vera: Visitor;

      beforeAll(async () => {
        await ana.press("Alt+1");
        vera = await Visitor.come(browser, run.product.ready.links.view);
      });
      afterEach(() => expect(vera.faults.splice(0)).toEqual([]));
      afterAll(() => vera.leave());

      test("FI5 FI6 files that are dropped, pasted or chosen go to the host, and their paths are typed", async () => {
        await ana.type("cat ");
        await give(ana, "drop", [{ name: "../the shot.txt", text: "from the page\n" }]);
        await ana.shows(/pairpty-files-[0-9a-f]+\/the shot\.txt'$/);
        await ana.press("Enter");
        await ana.shows("\nfrom the page\n");
        // A picture on the clipboard; then it is text, and nothing else is sent.
        await give(ana, "paste", [{ name: "image.png", text: "not really" }]);
        await ana.shows(/pasted-\d{8}-\d{6}\.png$/);
        await ana.press("Enter");
        await ana.shows(/denied\n.*[$#]$/);
        await give(ana, "paste", [{ name: "image.png", text: "not really" }], "echo just-$((1+1))");
        await ana.press("Enter");
        await ana.shows("just-2");

        const chooser = ana.page.waitForEvent("filechooser");
        await ana.type("wc -c ");
        await ana.press("Alt+Shift+U");
        // Many times what the relay takes at once.
        const large = 2 << 20;
        const chosen = ["large.bin", "-rf"].map((name) => join(run.place.root, name));
        for (const [at, size] of [large, 1].entries())
          writeFileSync(chosen[at] ?? "", Buffer.alloc(size, "x"));
        // On its way until it has been seen there.
        let goOn = (): void => undefined;
        const seen = new Promise<void>((resolve) => {
          goOn = resolve;
        });
        await ana.page.route(/\/files\?.*large/, async (route) => {
          await seen;
          await route.continue();
        });
        await (await chooser).setFiles(chosen);
        const sending = ana.page.getByRole("list", { name: "Files being sent" });
        await sending.getByText("large.bin").waitFor();
        goOn();
        await ana.shows(/large\.bin \S+\/rf$/);
        await sending.waitFor({ state: "detached" });
        await ana.page.unroute(/\/files\?.*large/);
        await ana.press("Enter");
        await ana.shows(`${large} /`);
        await ana.shows(/^ *1 \/\S+\/rf\n.*total\n.*[$#] *$/m);

        const before = await ana.lines();
        await give(ana, "drop", [{ name: "huge.bin", text: "x", mebibytes: 26 }]);
        await sending.getByText("Too large: the host accepts at most 25 MiB.").waitFor();
        await sending.getByRole("button", { name: "Dismiss huge.bin" }).click();
        // One that hangs on its way, and the host's end in the middle of the next.
        await ana.page.route(/\/files\?/, () => undefined);
        await give(ana, "drop", [{ name: "slow.txt", text: "x" }]);
        await sending.getByRole("button", { name: "Cancel sending slow.txt" }).click();
        await sending.waitFor({ state: "detached" });
        await ana.page.unroute(/\/files\?/);
        await ana.page.route(/\/files\?/, (route) => route.abort("connectionreset"));
        await give(ana, "drop", [{ name: "broken.txt", text: "x" }]);
        await sending.getByText("The connection was lost. Nothing was saved.").waitFor();
        expect(await ana.lines()).toEqual(before);

        await vera.shows("just-2");
        await give(vera, "drop", [{ name: "a.txt", text: "x" }]);
        await vera.page.getByText("Read-only: this link cannot send files.").waitFor();
        await ana.page.unroute(/\/files\?/);
        const [reset] = ana.faults.splice(0, 1);
        expect(reset).toContain("ERR_CONNECTION_RESET");
      });

      test("RE2 RE9 RE10 RE11 RE13 RE14 RE30 a recording is seen by all, replayed here, and plays in asciinema's own player", async () => {
        await ana.type("clear; echo on-the-screen-$((1+1))\n");
        await ana.shows("on-the-screen-2");
        await vera.shows("on-the-screen-2");
        await ana.press("Alt+Shift+E");
        // Told when it starts, and seen by whoever comes later.
        await vera.page.getByText(/started recording /).waitFor();
        const sees = async ({ page }: Visitor) => {
          await page.locator(".strip").getByText("● Recording").waitFor();
          await page.getByRole("tab", { name: /● rec/ }).waitFor();
        };
        for (const one of [ana, vera]) await sees(one);
        await vera.page.reload();
        await sees(vera);
        expect(await vera.page.getByRole("button", { name: "Stop" }).count()).toBe(0);
        await vera.press("Alt+Shift+E");
        await vera.page.getByText("Read-only: this link cannot record.").waitFor();
        await ana.page.locator(".panel[data-active=true] .host").click();
        // Typed sooner, the shell's own editor would take it.
        await ana.type(
          "stty -echo; echo asks-$((1+1)); read -r secret; stty echo; echo recorded-$((2+2))\n",
        );
        await ana.shows("asks-2");
        await ana.type("hunter2\n");
        await ana.shows("recorded-4");
        await ana.page.setViewportSize({ width: 900, height: 600 });
        await ana.type("echo smaller-$((3+3))\n");
        await ana.shows("smaller-6");
        await ana.page.locator(".strip").getByRole("button", { name: "Stop" }).click();
        await vera.page.getByText(/stopped recording/).waitFor();
        await vera.page.getByText("● Recording").waitFor({ state: "detached" });

        await ana.press("Alt+Shift+V");
        const dialog = ana.page.getByRole("dialog", { name: "Recordings" });
        const downloaded = ana.page.waitForEvent("download");
        await dialog.getByRole("button", { name: "Download" }).click();
        const text = readFileSync(await (await downloaded).path(), "utf8");
        const read = readCast(text);
        if (!read.ok) throw new Error(read.error);
        const { events } = read.cast;
        expect(new Set(events.map(({ code }) => code))).toEqual(new Set(["o", "m", "r"]));
        expect(text).not.toContain("hunter2");
        expect(events[0]?.data).toContain("on-the-screen-2");
        expect(events.find(({ code }) => code === "m")?.data).toMatch(/is typing$/);

        await dialog.getByRole("button", { name: "Replay" }).click();
        const lines = () =>
          ana.page.evaluate(() => {
            const buffer = document.querySelector<Host>(".replay-screen")?.terminal?.buffer.active;
            const rows = Array.from({ length: buffer?.length ?? 0 }, (_, row) =>
              buffer?.getLine(row),
            );
            return rows.map((row) => row?.translateToString(true)).join("\n");
          });
        // Its keys work at once, and after a click on the screen.
        await dialog.getByRole("button", { name: "Pause" }).waitFor();
        await ana.page.keyboard.press("Space");
        await dialog.getByRole("button", { name: "Play" }).waitFor();
        await dialog.locator(".replay-screen").click();
        await ana.page.keyboard.press("Space");
        await dialog.getByRole("button", { name: "Pause" }).waitFor();
        await dialog.getByLabel("Speed").selectOption("8");
        await expect.poll(lines, seldom).toContain("\nsmaller-6");
        await dialog.getByRole("button", { name: "Play" }).waitFor();
        const slider = dialog.getByLabel("Position");
        expect(await slider.inputValue()).toMatch(/^\d+(\.\d)?$/);
        expect(await slider.getAttribute("aria-valuetext")).toMatch(/^\d+:\d\d$/);
        const wide = await dialog.evaluate((one) => one.getBoundingClientRect().width);
        expect(wide).toBeGreaterThan(850);
        expect(await dialog.evaluate((one) => one.scrollHeight - one.clientHeight)).toBe(0);
        await slider.fill("0");
        await expect.poll(lines, seldom).not.toContain("\nrecorded-4");
        await expect.poll(lines, seldom).toContain("on-the-screen-2");
        await dialog.getByRole("button", { name: /is typing/ }).click();
        await dialog.getByRole("button", { name: "Play" }).click();
        await expect.poll(lines, seldom).toContain("\nrecorded-4");
        await dialog.getByRole("button", { name: "All recordings" }).click();

        // A file that somebody else wrote.
        const body = `${text}[1e308, "m", "\u202Eevil"]\n`;
        await ana.page.route("**/recordings/*", (route) => route.fulfill({ body }), { times: 1 });
        await dialog.getByRole("button", { name: "Replay" }).click();
        await dialog.getByRole("button", { name: "27777:46:40 ‹U+202E›evil" }).waitFor();
        await dialog.getByRole("button", { name: "All recordings" }).click();
        await dialog.getByRole("button", { name: "Delete" }).click();
        await dialog.getByRole("button", { name: "Really delete" }).click();
        await dialog.getByText("No recordings yet").waitFor();

        const theirs = await playedByAsciinema(ana, text);
        expect(theirs.text).toContain("recorded-4");
        expect(theirs.text).toContain("smaller-6");
        expect(theirs.text).toContain("on-the-screen-2");
        expect(theirs.markers.length).toBe(events.filter(({ code }) => code === "m").length);
      });
    });
  });
});

/** The terminal in view. */
async function findCurrent({ page }: Visitor): Promise<string> {
  const id = await page.locator('[role="tab"][aria-selected="true"]').getAttribute("id");
  return id?.replace(/^tab-/, "") ?? "";
}

/** Once this is what is selected. */
async function selects({ page }: Visitor, text: string): Promise<void> {
  const isSo = (wanted: string) =>
    document.querySelector<Host>(".panel[data-active=true] .host")?.terminal?.getSelection() ===
    wanted;
  await page.waitForFunction(isSo, text, { polling: 50 });
}

/** What asciinema's own player shows at the end of a recording, in a page without anything of ours. */
async function playedByAsciinema(
  visitor: Visitor,
  data: string,
): Promise<{ text: string; markers: unknown[] }> {
  const page = await visitor.page.context().newPage();
  const bundle = "node_modules/asciinema-player/dist/bundle/asciinema-player.min.js";
  await page.setContent('<div id="player"></div>');
  await page.addScriptTag({ path: bundle });
  return await page.evaluate(async (cast) => {
    const { AsciinemaPlayer } = globalThis as unknown as AsciinemaGlobal;
    const place = document.getElementById("player");
    const player = AsciinemaPlayer.create({ data: cast }, place, { speed: 20 });
    const markers: unknown[] = [];
    player.addEventListener("marker", (marker) => markers.push(marker));
    const ended = new Promise<unknown>((resolve) => player.addEventListener("ended", resolve));
    await player.play();
    await ended;
    // It draws with the next frame.
    for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame);
    const rows = [...(place?.querySelectorAll(".ap-line") ?? [])];
    return { text: rows.map((row) => row.textContent).join("\n"), markers };
  }, data);
}

interface AsciinemaGlobal {
  AsciinemaPlayer: {
    create(
      source: { data: string },
      place: HTMLElement | null,
      options: { speed: number },
    ): {
      play(): Promise<void>;
      addEventListener(event: "marker" | "ended", listener: (value: unknown) => void): void;
    };
  };
}

/** As a mouse or a keyboard would bring them; text only on the clipboard. */
async function give(
  to: Visitor,
  how: "drop" | "paste",
  files: { name: string; text: string; mebibytes?: number }[],
  text = "",
): Promise<void> {
  await to.page.evaluate(
    ([way, given, words]) => {
      const data = new DataTransfer();
      for (const { name, text: part, mebibytes } of given) {
        // The browser has a part once, however often it stands in a file.
        const whole = new Blob([mebibytes === undefined ? part : part.repeat(1 << 20)]);
        const parts = Array.from({ length: mebibytes ?? 1 }, () => whole);
        data.items.add(new File(parts, name));
      }
      if (words !== "") data.setData("text/plain", words);
      const panel = ".panel[data-active=true]";
      const on = document.querySelector(
        `${panel} ${way === "drop" ? ".xterm-screen" : "textarea"}`,
      );
      const init = { bubbles: true, cancelable: true };
      on?.dispatchEvent(
        way === "drop"
          ? new DragEvent("drop", { ...init, dataTransfer: data })
          : new ClipboardEvent("paste", { ...init, clipboardData: data }),
      );
    },
    [how, files, text] as const,
  );
}

interface Host extends HTMLElement {
  terminal?: {
    cols: number;
    getSelection(): string;
    input(data: string): void;
    onWriteParsed(listener: (value: unknown) => void): unknown;
    buffer: {
      active: {
        length: number;
        viewportY: number;
        baseY: number;
        cursorY: number;
        getLine(row: number):
          | {
              getCell(column: number): { getChars(): string };
              translateToString(trim: boolean): string;
            }
          | undefined;
      };
    };
  };
}
