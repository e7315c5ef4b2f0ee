import { expect, test } from "vitest";
import { getMenuPosition } from "./terminal-menu.tsx";

const menu = { width: 260, height: 300 };

test("WT44 a menu opens above its button, and stays on the page", () => {
  expect(getMenuPosition({ right: 630, top: 770 }, menu, 1280)).toEqual({ left: 370, top: 462 });
  // Panes that are narrower or lower than the menu.
  expect(getMenuPosition({ right: 180, top: 770 }, menu, 1280)).toEqual({ left: 8, top: 462 });
  expect(getMenuPosition({ right: 630, top: 250 }, menu, 1280)).toEqual({ left: 370, top: 8 });
  expect(getMenuPosition({ right: 1279, top: 770 }, menu, 1280)).toEqual({ left: 1012, top: 462 });
});
