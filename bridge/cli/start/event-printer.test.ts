// What the host's window calls somebody who comes.

import { expect, test } from "vitest";
import { formatDecision, formatPerson } from "./event-printer.ts";

test("PE60 PE62 the host's window says who joined: by label, with what they may do now", () => {
  expect(formatPerson({ label: "Bob", role: "edit" })).toBe("Bob (edit)");
  expect(formatPerson({ name: "Bob B.", label: "Bob", role: "edit" })).toBe("Bob B. (Bob, edit)");
  expect(formatPerson({ label: "", role: "edit" })).toBe("edit link");
  expect(formatPerson({ name: "Ada", label: "", role: "view" })).toBe("Ada (view link)");
  // Their link may do more than they.
  const limited = { role: "view", limited: true } as const;
  expect(formatPerson({ ...limited, name: "Bob B.", label: "Bob" })).toBe(
    "Bob B. (Bob, view, limited)",
  );
  expect(formatPerson({ ...limited, label: "" })).toBe("edit link, limited to view");
});

test("PE61 the host's window says who sent someone away, kept them to watching or let them back", () => {
  const [who, by] = ["Mara (m)", "Ben (b)"];
  expect(formatDecision({ what: "sent away", who, by })).toBe("Ben (b) removed Mara (m)");
  expect(formatDecision({ what: "turned away", who, by })).toBe("Ben (b) turned Mara (m) away");
  expect(formatDecision({ what: "kept to watching", who, by })).toBe(
    "Ben (b) limited Mara (m) to watching",
  );
  expect(formatDecision({ what: "may type again", who, by })).toBe(
    "Ben (b) lets Mara (m) type again",
  );
  expect(formatDecision({ what: "may come again", who, by: "The host" })).toBe(
    "The host lets Mara (m) join again",
  );
  // Said already: by that they joined, and beneath the key w.
  expect(formatDecision({ what: "let in", who, by })).toBeUndefined();
  expect(formatDecision({ what: "turned away", who, by: "The host" })).toBeUndefined();
});
