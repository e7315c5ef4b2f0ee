// Owns the conversations of this bridge: which there are and which agents hold them.

import type { Caller } from "../callers/caller.ts";
import type { AgentsHost, AgentWire } from "./wire.ts";

export class Conversations implements AgentsHost {
  serve(_caller: Caller, wire: AgentWire): (why?: string) => void {
    wire.close("conversations are not served yet");
    return () => {};
  }
}
