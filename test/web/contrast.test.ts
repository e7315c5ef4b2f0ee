// What a program prints can be read, whatever colours it puts on each other: as the browser has them
// after all, in both themes.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startBrowser } from "../support/browser.ts";
import { PageRun } from "../support/page.ts";

const browser = await startBrowser();

/** Of `ls`, yellow, grey on grey, and all of 16 on all of 16. */
function colours(): string {
  const looks = ["30;42", "34;42", "37;41", "38;5;226", "38;5;232", "38;2;60;60;60;48;2;40;40;40"];
  for (let back = 0; back < 16; back++)
    for (let front = 0; front < 16; front++) looks.push(`38;5;${front};48;5;${back}`);
  return looks.map((look) => `\u001B[${look}mtext\u001B[0m`).join(" ");
}

describe.skipIf(!browser)("colours of programs", () => {
  const run = new PageRun(browser);

  for (const colorScheme of ["dark", "light"] as const) {
    test(`W9 text stands out from what is behind it, ${colorScheme}`, async () => {
      writeFileSync(join(run.place.folder, "colours.txt"), colours());
      const ana = await run.visit(run.product.ready.links.edit, { colorScheme });
      await ana.open();
      const inverse = String.raw`printf '\e[7minverse\e[0m \e[8mhidden\e[0m\n'`;
      await ana.type(`clear; cat colours.txt; echo; ${inverse}; echo do''ne\n`);
      await ana.page.locator('[data-active="true"] .xterm-rows', { hasText: "done" }).waitFor();
      const drawn = await ana.page.evaluate(colorsDrawn);
      const texts = drawn.filter(({ text }) => text.startsWith("text"));
      expect(texts.length).toBeGreaterThan(200);
      // Colours are rounded to whole numbers.
      expect(texts.filter(({ front, behind }) => contrast(front, behind) < 4.45)).toEqual([]);
      const plain = drawn.find(({ text }) => text.includes("done"));
      expect(plain && contrast(plain.front, plain.behind)).toBeGreaterThan(10);
      const turned = drawn.find(({ text }) => text === "inverse");
      expect([turned?.front, turned?.behind]).toEqual([plain?.behind, plain?.front]);
      // What a program hides stays hidden.
      expect(drawn.filter(({ text }) => text.includes("hidden"))).toEqual([]);
      expect(ana.faults).toEqual([]);
    });
  }
});

interface Drawn {
  readonly text: string;
  readonly front: string;
  readonly behind: string;
}

/** Each piece of text in the terminal, with its colour and the one behind it. Runs in the page. */
function colorsDrawn(): Drawn[] {
  const screen = '.panel[data-active="true"] .xterm-rows span';
  return Array.from(document.querySelectorAll(screen), (span) => {
    let behind = "";
    for (let at: Element | null = span; at; at = at.parentElement) {
      behind = getComputedStyle(at).backgroundColor;
      if (behind !== "rgba(0, 0, 0, 0)") break;
    }
    return { text: span.textContent ?? "", front: getComputedStyle(span).color, behind };
  });
}

/** WCAG's. */
function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(css: string): number {
  const [red = 0, green = 0, blue = 0] = (css.match(/[\d.]+/g) ?? []).map((part) => {
    const share = Number(part) / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
