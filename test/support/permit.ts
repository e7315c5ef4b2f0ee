// Owns a permit to type that always holds, for tests of what comes after it.

import type { TypingPermit } from "../../bridge/sessions/session-target.ts";

export const PERMIT: TypingPermit = { use: () => undefined };
