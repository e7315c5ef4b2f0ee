// Owns asking axe what on a page keeps somebody out.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import type { Visitor } from "./browser.ts";

const builder = createRequire(import.meta.url).resolve("@axe-core/playwright");
const SOURCE = readFileSync(createRequire(builder).resolve("axe-core/axe.min.js"), "utf8");
/** Half a megabyte is read once for each document; the builder would twice for each look. */
const NOTHING = "0";
/** What moves for longer is meant to. */
const PASSING_MS = 2_000;
const COLOURS = ["color-contrast"];

/** `part`: what alone is looked at, where the rest of the page has been before. */
export async function faultsInBothLooks(visitor: Visitor, part?: string): Promise<string[]> {
  const faults: string[] = [];
  for (const colorScheme of ["dark", "light"] as const) {
    await visitor.page.emulateMedia({ colorScheme });
    // A look changes colours alone.
    const rules = colorScheme === "dark" ? undefined : COLOURS;
    for (const fault of await faultsOf(visitor, rules, part))
      faults.push(`${colorScheme}: ${fault}`);
  }
  return faults;
}

export async function faultsOf(
  visitor: Visitor,
  rules?: string[],
  part?: string,
): Promise<string[]> {
  const page = await axe(visitor.page);
  const all = part === undefined ? page : page.include(part);
  const { violations } = await (rules ? all.withRules(rules) : all).analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
}

/** Whatever axe finds, however grave, in the dark; then its colours in the light. */
export async function allFaultsOf(visitor: Visitor): Promise<string[]> {
  const { page } = visitor;
  const dark = named(await (await inFront(page)).analyze());
  await page.emulateMedia({ colorScheme: "light" });
  const colours = (await inFront(page)).withRules(COLOURS);
  const light = named(await colours.analyze()).map((fault) => `light: ${fault}`);
  await page.emulateMedia({ colorScheme: "dark" });
  return [...dark, ...light];
}

export async function lightFaultsOf({ page }: Visitor): Promise<string[]> {
  return named(await (await inFront(page)).analyze());
}

/** Of a dialog alone: what is behind it was looked at without it. */
async function inFront(page: Page): Promise<AxeBuilder> {
  const isBehind = (await page.locator("dialog[open]").count()) > 0;
  return isBehind ? (await axe(page)).include("dialog[open]") : await axe(page);
}

/** For a page without frames: another page only to sum up would cost more than the looking. */
async function axe(page: Page): Promise<AxeBuilder> {
  // Colours that still change are those of neither look.
  await page.waitForFunction((passing) => {
    const ends = document.getAnimations().map(({ playState, effect }) => {
      const end = Number(effect?.getComputedTiming().endTime ?? 0);
      return playState === "running" ? end : 0;
    });
    return ends.every((end) => end === 0 || end > passing);
  }, PASSING_MS);
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(SOURCE);
  return (
    new AxeBuilder({ page, axeSource: NOTHING })
      .setLegacyMode(true)
      // To describe all that is well takes longer than to find out.
      .options({ resultTypes: ["violations"] })
      // What programs print has its own tests (W9), and a screen of it takes long.
      .exclude(".xterm-rows")
  );
}

function named({ violations }: Awaited<ReturnType<AxeBuilder["analyze"]>>): string[] {
  return violations.map(({ id, nodes }) => {
    const where = nodes.map(({ target, html }) => `${target.join(" ")} ${html.slice(0, 90)}`);
    return `${id}: ${where.slice(0, 4).join(" | ")}`;
  });
}

/** What a finger should hit and may miss: smaller than 40 px. Links within a text are as high as it. */
export async function smallTargets(visitor: Visitor): Promise<string[]> {
  return await visitor.page.evaluate(() => {
    const targets =
      "button, a[href], input, select, textarea:not(.xterm-helper-textarea), summary, .tab-close, .tab-edge";
    return [...document.querySelectorAll<HTMLElement>(targets)]
      .filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
      .filter((one) => !one.closest("[inert], .visually-hidden, p a, li a"))
      .flatMap((one) => {
        // A box is ticked by its label.
        const isBox = one instanceof HTMLInputElement && /checkbox|radio/.test(one.type);
        const hit = (isBox && one.labels?.[0]) || one;
        const { width, height } = hit.getBoundingClientRect();
        if (width >= 39.5 && height >= 39.5) return [];
        const name = one.getAttribute("aria-label") ?? one.textContent?.slice(0, 30);
        return [`${one.tagName} ${one.className} “${name}” ${width} × ${height}`];
      });
  });
}
