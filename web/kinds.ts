// Owns the list of all kinds of views. A new kind is a folder and a row here; its name is the `kind`
// of its views.

import { TERMINALS } from "./terminal/kind.ts";

export const KINDS = { terminal: TERMINALS };
