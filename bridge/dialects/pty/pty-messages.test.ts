// The messages about terminals that everyone gets unrequested, and who does not get them.

import { expect, test } from "vitest";
import type { TerminalEvent } from "../../../protocol/terminal.ts";
import { callerWith, createGrant } from "../../../test/support/caller.ts";
import { poolTerminal } from "../../../test/support/pool-terminal.ts";
import { Emitter } from "../../emitter.ts";
import type { Meta, PoolTerminal } from "../../terminals/terminal.ts";
import { describeTerminal } from "../../terminals/terminal.ts";
import { broadcastTerminalNews } from "./pty-messages.ts";

test("U6 Z54 edit links alone hear of a private terminal’s end, and of the change that shows it again", () => {
  const events = new Emitter<[TerminalEvent, before?: Meta]>();
  const titles = new Emitter<[PoolTerminal]>();
  const terminal = poolTerminal();
  const people = (["edit", "view"] as const).map((role) => callerWith(createGrant(role, { role })));
  const messages: string[] = [];
  const end = broadcastTerminalNews(
    {
      onEvent: (listener) => events.add(listener),
      onTitle: (listener) => titles.add(listener),
    },
    {
      broadcast: (message, isFor) => {
        for (const caller of people) {
          const grant = caller.grant();
          if (grant === undefined || isFor?.(caller, grant) === false) continue;
          messages.push(`${JSON.parse(message).type} to ${grant.role}`);
        }
      },
    },
  );
  const ends = () => {
    events.fire({ type: "terminal", event: "closed", terminal: describeTerminal(terminal) });
    titles.fire(terminal);
    return messages.splice(0);
  };
  terminal.meta = { ...terminal.meta, private: true };
  expect(ends()).toEqual(["terminal to edit", "pty:titled to edit"]);
  terminal.meta = { ...terminal.meta, private: false };
  expect(ends()).toHaveLength(4);
  const changes = (before: Partial<Meta>) => {
    const changed = {
      type: "terminal",
      event: "changed",
      terminal: describeTerminal(terminal),
    } as const;
    events.fire(changed, { ...terminal.meta, ...before });
    return messages.splice(0);
  };
  expect(changes({ private: true })).toEqual(["terminal to edit"]);
  expect(changes({})).toEqual(["terminal to edit", "terminal to view"]);
  end();
  expect(ends()).toEqual([]);
});
