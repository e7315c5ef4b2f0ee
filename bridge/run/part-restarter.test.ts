import { expect, test } from "vitest";
import { createLog } from "../log.ts";
import { PartRestarter } from "./part-restarter.ts";

function world() {
  const lines: string[] = [];
  const replacing = new PartRestarter(
    createLog("error", (line) => lines.push(line)),
    1,
  );
  const printed: string[] = [];
  const opening: { resolve(part: string): void; reject(error: Error): void }[] = [];
  const asked: (() => void)[] = [];
  const part = {
    name: "part",
    open: () =>
      new Promise<string>((resolve, reject) => {
        opening.push({ resolve, reject });
        asked.shift()?.();
      }),
    adopt: (one: string) => void printed.push(`took ${one}`),
    discard: async (one: string) => {
      await Promise.resolve();
      printed.push(`ended ${one}`);
    },
  };
  const askedAgain = () => new Promise<void>((resolve) => asked.push(resolve));
  return { replacing, part, opening, printed, lines, askedAgain };
}

test("E6 E12 another part is started again and again, until one is there", async () => {
  const { replacing, part, opening, printed, lines, askedAgain } = world();
  const again = askedAgain();
  const taken = new Promise<string>((resolve) => {
    replacing.restart({ ...part, adopt: resolve });
  });
  await again;
  const second = askedAgain();
  opening[0]?.reject(new Error("the port is held"));
  await second;
  opening[1]?.resolve("second");
  expect(await taken).toBe("second");
  await replacing.end();
  expect(printed).toEqual([]);
  expect(lines.join("")).toContain("no new part: the port is held");
});

test("E4 a part that comes while the run ends is ended, and its end is waited for", async () => {
  const { replacing, part, opening, printed } = world();
  replacing.restart(part);
  let isOver = false;
  const ending = replacing.end().then(() => (isOver = true));
  await Promise.resolve();
  expect(isOver).toBe(false);
  opening[0]?.resolve("late");
  await ending;
  expect(printed).toEqual(["ended late"]);
  replacing.restart(part);
  await replacing.end();
  expect(opening).toHaveLength(1);
});
