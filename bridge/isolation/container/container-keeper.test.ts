import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { ProgramResult } from "../../processes/run-program.ts";
import { ContainerKeeper } from "./container-keeper.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const TOOLS = { runtime: "podman", program: "podman", options: [] } as const;

/** Returns a stand-in for podman with these containers. */
function world(...names: string[]) {
  const folder = mkdtempSync(join(tmpdir(), "pairpty-keeper-"));
  folders.push(folder);
  const there = new Set(names);
  const asked: string[] = [];
  const warned: string[] = [];
  let refusals = 0;
  const run = async (_: string, args: readonly string[]): Promise<ProgramResult> => {
    await Promise.resolve();
    asked.push(args[0] ?? "");
    if (args[0] === "ps")
      return { is: "ended", code: 0, firstLine: "", lines: [...there], errorLine: "" };
    if (refusals-- > 0)
      return { is: "ended", code: 1, firstLine: "", lines: [], errorLine: "stopping" };
    for (const name of args.slice(1)) there.delete(name);
    return { is: "ended", code: 0, firstLine: "", lines: [], errorLine: "" };
  };
  const keeper = new ContainerKeeper({
    folder,
    label: "w",
    run,
    log: { warn: (line) => warned.push(line) },
    tools: () => Promise.resolve(TOOLS),
  });
  const refuse = (count: number) => {
    refusals = count;
  };
  return { keeper, folder, there, asked, warned, refuse };
}

test("I14 a container is removed when its last holder lets go of it", async () => {
  const { keeper, there, folder } = world("a", "b");
  const [first, second] = [keeper.hold("a"), keeper.hold("a")];
  first();
  await keeper.sweep();
  expect([...there]).toEqual(["a"]);
  second();
  await keeper.sweep();
  expect([[...there], readdirSync(folder)]).toEqual([[], []]);
});

test("I14 nothing is asked where there never was a container; a crash leaves a mark that says so", async () => {
  const { keeper, asked } = world("a");
  await keeper.sweep();
  expect(asked).toEqual([]);
  keeper.hold("b");
  await keeper.sweep();
  expect(asked).toEqual(["ps", "rm"]);
});

test("I14 one that refuses to go is asked again, and told of if it stays", async () => {
  const { keeper, there, warned, refuse } = world("a");
  const end = keeper.hold("a");
  refuse(1);
  end();
  await keeper.sweep();
  expect([[...there], warned]).toEqual([[], []]);
});
