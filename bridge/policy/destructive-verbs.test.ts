// Proves which names mean something hard to undo.

import { expect, it } from "vitest";
import {
  isDestroyingVerb,
  isHardToUndo,
  isHardToUndoScript,
  RESOURCE_VERBS,
} from "./destructive-verbs.ts";

it("A77 a script's name is read word by word", () => {
  for (const name of ["db:push", "tf.apply", "dropDb", "prod_Deploy", "rm:all", "cleanup", "Wipe"])
    expect(isHardToUndoScript(name), name).toBe(true);
  for (const name of ["build:rm", "build:clean", "pushover", "undropped", "killall-tests", "dev"])
    expect(isHardToUndoScript(name), name).toBe(false);
});

it("A26 what destroys does so in every list", () => {
  for (const verb of ["delete", "destroy", "drop", "purge", "terminate", "erase", "unpublish"]) {
    expect(isDestroyingVerb(verb) && isHardToUndo(verb) && isHardToUndoScript(verb), verb).toBe(
      true,
    );
    expect(RESOURCE_VERBS.split("|")).toContain(verb);
  }
});
