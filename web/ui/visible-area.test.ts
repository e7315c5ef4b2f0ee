import { expect, test } from "vitest";
import type { Viewport } from "./visible-area.ts";
import { trackVisibleArea, getVisibleArea } from "./visible-area.ts";

class FakeViewport extends EventTarget implements Viewport {
  height = 664;
  offsetTop = 0;
  scale = 1;
}

class FakeRoot {
  readonly clientHeight = 664;
  readonly marks = new Set<string>();
  readonly values = new Map<string, string>();
  readonly style = {
    setProperty: (name: string, value: string | null): void => {
      this.values.set(name, value ?? "");
    },
  };

  toggleAttribute(name: string, on?: boolean): boolean {
    if (on) this.marks.add(name);
    else this.marks.delete(name);
    return on === true;
  }
}

test("TO5 TO23 above a keyboard that lies over the page, the page has what is left, until it goes", () => {
  const viewport = new FakeViewport();
  const root = new FakeRoot();
  const end = trackVisibleArea(viewport, root);
  expect([...root.marks]).toEqual([]);
  Object.assign(viewport, { height: 330, offsetTop: 40 });
  viewport.dispatchEvent(new Event("resize"));
  expect([...root.marks]).toEqual(["data-keyboard"]);
  expect(root.values.get("--seen-height")).toBe("330px");
  expect(root.values.get("--seen-top")).toBe("40px");
  // Landscape.
  viewport.height = 190;
  viewport.dispatchEvent(new Event("scroll"));
  expect([...root.marks].toSorted()).toEqual(["data-keyboard", "data-low"]);
  viewport.height = 664;
  viewport.dispatchEvent(new Event("resize"));
  expect([...root.marks]).toEqual([]);
  end();
  viewport.height = 100;
  viewport.dispatchEvent(new Event("resize"));
  expect([...root.marks]).toEqual([]);
});

test("TO5 a browser's bars are no keyboard, and a page that is zoomed in to stays as it is", () => {
  const viewport = new FakeViewport();
  viewport.height = 600;
  expect(getVisibleArea(viewport, 664).height).toBeUndefined();
  Object.assign(viewport, { height: 200, scale: 3 });
  expect(getVisibleArea(viewport, 664)).toEqual({ height: undefined, top: 0, isLow: false });
  // Browsers whose keyboard resizes the page need no correction.
  Object.assign(viewport, { height: 190, scale: 1 });
  expect(getVisibleArea(viewport, 190)).toEqual({ height: undefined, top: 0, isLow: true });
});
