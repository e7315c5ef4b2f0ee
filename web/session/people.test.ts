import { expect, test } from "vitest";
import { formatLinkCreated, People, suggestName } from "./people.ts";
import { ToastList } from "./toast-list.ts";

test("PE45 W60 what a page says of its right to type stands instead of what it said before", () => {
  const toasts = new ToastList();
  const texts: string[] = [];
  const people = new People((text) => {
    toasts.show(text);
    texts.push(toasts.all.value.map((toast) => toast.text).join("|"));
  });
  const you = { type: "room:you", you: "a", label: "Ben" } as const;
  for (const role of ["edit", "view", "edit"] as const) people.onYou({ ...you, role });
  expect(texts).toEqual([
    "This browser was limited to watching. Ask the host to let you type again.",
    "You can type again.",
  ]);
});

test("PE21 a new link says whom it is for where someone said so, and nothing else in that place", () => {
  expect(formatLinkCreated("carol")).toBe("For carol. Copy it now; it is not shown again.");
  expect(formatLinkCreated("made by Ben (edit link)")).toBe("Copy it now; it is not shown again.");
});

test("PE22 a link that was made for someone suggests their name; one that was not suggests none", () => {
  const named = (label: string, own?: true) => suggestName({ label, ...(own && { own }) });
  expect(["Ben", "Ana  Li", "x".repeat(50)].map((label) => named(label))).toEqual([
    "Ben",
    "Ana Li",
    "x".repeat(40),
  ]);
  const nobodys = ["edit link", "view link", "shared 12:30", "made by Ben", "Ben: this browser"];
  expect(nobodys.map((label) => named(label))).toEqual(["", "", "", "", ""]);
  expect(named("the host", true)).toBe("");
});
