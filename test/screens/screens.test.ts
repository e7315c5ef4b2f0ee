import { expect, test } from "vitest";
import { startScreens } from "../support/screens.ts";

test("F2 a view is what a person would see", async () => {
  const { run, screens, shows } = await startScreens();
  const script = "printf '\\033]2;a title\\007one\\r\\ntwo\\033[1;30Hhere\\033[5;3H'; exec cat";
  const terminal = await run(script, 40, 6);
  await shows(terminal, "here");
  const view = await screens.view(terminal);
  expect(view).toMatchObject({
    cols: 40,
    rows: 6,
    cursor: { x: 2, y: 4 },
    bufferType: "normal",
    title: "a title",
  });
  expect(view.lines[0]).toBe(`one${" ".repeat(26)}here`);
  expect(view.lines[1]).toBe("two");
  expect(view.wrapped).toEqual([false, false, false, false, false, false]);
});
