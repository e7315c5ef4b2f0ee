import { expect, test } from "vitest";
import { filterByText } from "./tab-list.tsx";

test("GR23 a filter keeps what has each of its words, in any case and order", () => {
  const all = [["npm run dev", "/home/ana/Web"], ["bash", "/home/ana/api"], ["vim"]];
  const by = (text: string) => filterByText(all, text, (one) => one).map(([name]) => name);
  expect(by("")).toEqual(["npm run dev", "bash", "vim"]);
  expect(by("web NPM")).toEqual(["npm run dev"]);
  expect(by("ana")).toEqual(["npm run dev", "bash"]);
  expect(by("  ")).toHaveLength(3);
  expect(by("ana vim")).toEqual([]);
});
