// Returns the current folder, for commands without --cwd. Apart from the options, which take longer to
// load than most commands.

import { ExitCode, UserError } from "../../errors.ts";

export function getCurrentFolder(): string {
  try {
    return process.cwd();
  } catch {
    throw new UserError(
      "the current folder no longer exists",
      ExitCode.usage,
      "Change to another folder.",
    );
  }
}
