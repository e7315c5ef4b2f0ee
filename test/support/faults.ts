// Owns asking axe what on a page keeps somebody out.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import type { Visitor } from "./browser.ts";

const builder = createRequire(import.meta.url).resolve("@axe-core/playwright");
/** Half a megabyte: each document reads it once. */
const SOURCE = readFileSync(createRequire(builder).resolve("axe-core/axe.min.js"), "utf8");
/** What moves for longer is meant to. */
const PASSING_MS = 2_000;
const COLOURS = ["color-contrast"];
const FRONT = "dialog[open]";
/** What programs print has its own tests (W9), and a screen of it takes long. */
const PRINTED = ".xterm-rows";

export async function listFaults({ page }: Visitor): Promise<string[]> {
  return (await violationsIn(page, {}))
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
}

/**
 * Whatever axe finds, however grave; of a dialog, or of the parts that are new, alone: what else is
 * there was looked at without them. `alike`: lines that are drawn as the ones before them are.
 */
export async function listAllFaults(
  { page }: Visitor,
  parts: readonly string[] = [FRONT],
  alike: readonly string[] = [],
): Promise<string[]> {
  return named(await violationsIn(page, { parts, alike }));
}

/** All but what stands out too little, which takes axe longer than all else together. */
export async function listShapeFaults(
  { page }: Visitor,
  parts: readonly string[] = [FRONT],
): Promise<string[]> {
  return named(await violationsIn(page, { parts, without: COLOURS }));
}

/**
 * Text that is too faint for what is behind it, by WCAG, of what is in front. What axe adds to this is
 * which elements lie on which: that is the same in every look, so one look by axe is enough.
 */
export async function faintTexts({ page }: Visitor): Promise<string[]> {
  await settled(page);
  return await page.evaluate(
    ({ front, printed }) => {
      const parts = (color: string): number[] => (color.match(/[\d.]+/g) ?? []).map(Number);
      const luminance = (color: string): number => {
        const [red = 0, green = 0, blue = 0] = parts(color).map((part) => {
          const share = part / 255;
          return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
      };
      // What can be seen through lies on what is behind it.
      const behind = (one: Element | null): string => {
        if (!one) return "rgb(255, 255, 255)";
        const color = getComputedStyle(one).backgroundColor;
        const [red = 0, green = 0, blue = 0, share = 1] = parts(color);
        if (share === 1) return color;
        const below = behind(one.parentElement);
        if (share === 0) return below;
        const mixed = parts(below).map(
          (part, at) => part + (([red, green, blue][at] ?? 0) - part) * share,
        );
        return `rgb(${mixed.slice(0, 3).join(", ")})`;
      };
      const hasText = ({ childNodes }: Element): boolean =>
        [...childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim());
      const isSeen = (one: Element): boolean =>
        one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
        !one.closest(`${printed}, .visually-hidden, [aria-disabled="true"], :disabled`);
      const root = document.querySelector(front) ?? document.body;
      return [...root.querySelectorAll("*")]
        .filter((one) => hasText(one) && isSeen(one))
        .flatMap((one) => {
          const [ground, { color, fontSize, fontWeight }] = [behind(one), getComputedStyle(one)];
          const [light = 0, dark = 0] = [luminance(color), luminance(ground)].toSorted(
            (a, b) => b - a,
          );
          const pixels = Number.parseFloat(fontSize);
          const isLarge = pixels >= 24 || (pixels >= 18.66 && Number(fontWeight) >= 700);
          if ((light + 0.05) / (dark + 0.05) >= (isLarge ? 3 : 4.5)) return [];
          return [`faint: ${color} on ${ground}, ${one.outerHTML.slice(0, 90)}`];
        });
    },
    { front: FRONT, printed: PRINTED },
  );
}

type Violations = Awaited<ReturnType<AxeBuilder["analyze"]>>["violations"];

/** What axe leaves in a page for us, as far as we use it. */
interface Axe {
  run(context: object, options: object): Promise<{ violations: Violations }>;
}

interface Asked {
  /** Selectors; the whole page, where there is none of them. */
  readonly parts?: readonly string[];
  readonly alike?: readonly string[];
  readonly without?: readonly string[];
}

/** Without the builder, which asks a page four times and carries home all that is well, too. */
async function violationsIn(page: Page, asked: Asked): Promise<Violations> {
  await settled(page);
  const { parts = [], alike = [], without = [] } = asked;
  const all = { parts, exclude: [PRINTED, ...alike], without };
  const found = await page.evaluate(violationsByAxe, all);
  if (found) return found;
  await page.evaluate(SOURCE);
  const again = await page.evaluate(violationsByAxe, all);
  if (!again) throw new Error("no axe in this page");
  return again;
}

/** Runs in the page: nothing, where axe has not been read yet. */
async function violationsByAxe({
  parts,
  exclude,
  without,
}: {
  parts: readonly string[];
  exclude: readonly string[];
  without: readonly string[];
}): Promise<Violations | undefined> {
  const { axe } = globalThis as { axe?: Axe };
  if (!axe) return undefined;
  const found = parts.filter((part) => document.querySelector(part));
  const { violations } = await axe.run(
    { include: found.length > 0 ? found : document, exclude },
    {
      // To describe all that is well takes longer than to find out.
      resultTypes: ["violations"],
      // The page has no frames and plays no sound: nothing is to be loaded for them.
      iframes: false,
      preload: false,
      rules: Object.fromEntries(without.map((rule) => [rule, { enabled: false }])),
    },
  );
  return violations;
}

/** Colours that still change are those of neither look. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(async (passing) => {
    await new Promise((resolve) => {
      requestAnimationFrame(resolve);
    });
    const isPassing = ({ playState, effect }: Animation): boolean =>
      playState === "running" && Number(effect?.getComputedTiming().endTime ?? 0) <= passing;
    const changing = document.getAnimations().filter(isPassing);
    await Promise.allSettled(changing.map(({ finished }) => finished));
  }, PASSING_MS);
}

function named(violations: Violations): string[] {
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
