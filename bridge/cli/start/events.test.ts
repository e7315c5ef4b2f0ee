// What the host's window calls somebody who comes.

import { expect, test } from "vitest";
import { personWords } from "./events.ts";

test("PE16 the host's window says who joined: by label, with what they may do now", () => {
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
