import { expect, test } from "vitest";
import type { Person } from "../../protocol/room.ts";
import { callerWith, createGrant } from "../../test/support/caller.ts";
import { PresenceBroadcaster } from "./presence-broadcaster.ts";

const row = (id: string): Person => ({ id, label: "edit link", role: "edit", since: 1 });

test("PE25 whom a newcomer was told of, and who had another row before the others heard, is gone for it", () => {
  const ada = callerWith(createGrant("ada", { role: "edit" }), "people");
  let people = [row("ada"), row("not-named-yet")];
  let flush = (): void => {};
  const presence = new PresenceBroadcaster({
    hub: { broadcast: (message) => ada.send(message) },
    terminal: () => undefined,
    people: () => people,
    receivesPresence: () => true,
    schedule: (action) => {
      flush = action;
      return () => {};
    },
  });
  presence.welcome(ada);
  people = [row("ada"), row("ben")];
  presence.scheduleFlush();
  flush();
  const [welcome, change] = ada.messages.map((message) => JSON.parse(message));
  expect(welcome.people.map(({ id }: Person) => id)).toEqual(["ada", "not-named-yet"]);
  expect(change).toMatchObject({ gone: ["not-named-yet"] });
  expect(change.people.map(({ id }: Person) => id)).toContain("ben");
});
