import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { THEMES } from "./theme-list.ts";

const LEAST = 4.5;

/** Returns the contrast ratio as WCAG defines it. */
function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Names of colours that are not used for text. */
const BACKGROUNDS = /ackground$|^cursorAccent$/;

test("FR6 eight themes, light and dark, each of a name of its own", () => {
  expect(THEMES).toHaveLength(8);
  expect(new Set(THEMES.map(({ id }) => id)).size).toBe(8);
  expect(new Set(THEMES.map(({ name }) => name)).size).toBe(8);
  expect(new Set(THEMES.map(({ kind }) => kind))).toEqual(new Set(["dark", "light"]));
});

test.each(THEMES)("FR17 text of $name is 4.5:1 or better wherever it stands", (theme) => {
  const { page, terminal, kind } = theme;
  const pairs: [string, string, string][] = [];
  for (const behind of ["ground", "surface", "raised"] as const) {
    for (const text of ["text", "soft", "good", "warn", "bad", "accent"] as const) {
      pairs.push([`${text} on ${behind}`, page[text], page[behind]]);
    }
  }
  pairs.push(
    ["text on hover", page.text, page.hover],
    ["soft on hover", page.soft, page.hover],
    ["on accent", page["on-accent"], page.accent],
    ["on danger", page["on-danger"], page.danger],
    ["selected", terminal.foreground ?? "", terminal.selectionBackground ?? ""],
    ["selected elsewhere", terminal.foreground ?? "", terminal.selectionInactiveBackground ?? ""],
    ["found", terminal.foreground ?? "", theme.matchColors.matchBackground],
    ["the hit", terminal.foreground ?? "", theme.matchColors.activeMatchBackground],
  );
  for (const [name, color] of Object.entries(terminal)) {
    if (BACKGROUNDS.test(name) || typeof color !== "string") continue;
    if (name !== "black" || kind === "light") {
      pairs.push([`${name} in a terminal`, color, terminal.background ?? ""]);
    }
  }
  expect(
    pairs.flatMap(([what, one, other]) => {
      const found = contrast(one, other);
      return found < LEAST ? `${what}: ${found.toFixed(2)}` : [];
    }),
  ).toEqual([]);
});

test.each(THEMES)("FR17 in $name what is pointed at looks unlike what is selected", ({ page }) => {
  expect(contrast(page.hover, page.surface)).toBeGreaterThan(1.1);
  expect(contrast(page.hover, page.ground)).toBeGreaterThan(1.05);
  expect(contrast(page.surface, page.ground)).toBeGreaterThan(1.02);
});

test("FR18 the style sheet's own two are the first two themes", () => {
  const [dark = "", light = ""] = readFileSync("web/themes/colors.css", "utf8").split(
    /@media \(prefers-color/,
  );
  for (const [text, theme] of [
    [dark, THEMES[0]],
    [light, THEMES[1]],
  ] as const) {
    for (const [name, color] of Object.entries(theme?.page ?? {})) {
      expect(text).toContain(`--${name}: ${color};`);
    }
  }
});
