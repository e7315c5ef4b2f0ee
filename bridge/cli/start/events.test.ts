// What the host's window calls somebody who comes.

import { expect, test } from "vitest";
import { decidedWords, personWords } from "./events.ts";

test("PE60 PE62 the host's window says who joined: by label, with what they may do now", () => {
  expect(personWords({ label: "Bob", role: "edit" })).toBe("Bob (edit)");
  expect(personWords({ name: "Bob B.", label: "Bob", role: "edit" })).toBe("Bob B. (Bob, edit)");
  expect(personWords({ label: "", role: "edit" })).toBe("edit link");
  expect(personWords({ name: "Ada", label: "", role: "view" })).toBe("Ada (view link)");
  // Their link may do more than they.
  const limited = { role: "view", limited: true } as const;
  expect(personWords({ ...limited, name: "Bob B.", label: "Bob" })).toBe(
    "Bob B. (Bob, view, limited)",
  );
  expect(personWords({ ...limited, label: "" })).toBe("edit link, limited to view");
});

test("PE61 the host's window says who sent somebody away, kept them to watching or let them back", () => {
  const [who, by] = ["Mara (m)", "Ben (b)"];
  expect(decidedWords({ what: "sent away", who, by })).toBe("Ben (b) removed Mara (m)");
  expect(decidedWords({ what: "turned away", who, by })).toBe("Ben (b) turned Mara (m) away");
  expect(decidedWords({ what: "kept to watching", who, by })).toBe(
    "Ben (b) limited Mara (m) to watching",
  );
  expect(decidedWords({ what: "may type again", who, by })).toBe(
    "Ben (b) lets Mara (m) type again",
  );
  expect(decidedWords({ what: "may come again", who, by: "The host" })).toBe(
    "The host lets Mara (m) join again",
  );
  // Said already: by that they joined, and beneath the key w.
  expect(decidedWords({ what: "let in", who, by })).toBeUndefined();
  expect(decidedWords({ what: "turned away", who, by: "The host" })).toBeUndefined();
});
