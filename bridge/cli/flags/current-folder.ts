// Owns which folder a verb is about when it names none. Apart from the options, which are far more to
// load than most verbs.

import { ExitCode, UserError } from "../../errors.ts";

export function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    throw new UserError("the folder you are in no longer exists", ExitCode.usage, "Go to another.");
  }
}
