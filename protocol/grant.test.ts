import { expect, test } from "vitest";
import type { RoomGrant } from "./grant.ts";
import { GrantsUpdate, toRoomGrant } from "./grant.ts";
import { parseText } from "./json.ts";

const HASH = "0f".repeat(32);

/** As sent by bridges of version 0.1.0, except the hash. */
const OF_BEFORE = `{"replace":true,"add":[
  {"id":"Zq3fK0aB1c","role":"edit","scopes":[],"label":"","hash":"${HASH}","expiresAt":null},
  {"id":"Zq3fK0aB2c","role":"view","scopes":[],"label":"Ana","hash":"${HASH}","expiresAt":1893456000000},
  {"id":"Zq3fK0aB3c","role":"agent","scopes":["read","spawn","write"],"label":"","hash":"${HASH}","expiresAt":null}
],"remove":["Zq3fK0aB9c"]}`;

function read(text: string): readonly RoomGrant[] {
  const parsed = parseText(GrantsUpdate, text);
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value.add.map(toRoomGrant);
}

test("G24 a room reads the grants of a bridge of the version before by their role", () => {
  const people = ["people", "http"];
  expect(read(OF_BEFORE)).toMatchObject([
    { id: "Zq3fK0aB1c", doors: people, speaks: true, expiresAt: null },
    { id: "Zq3fK0aB2c", doors: people, speaks: false, expiresAt: 1_893_456_000_000 },
    { id: "Zq3fK0aB3c", doors: ["http"], speaks: false },
  ]);
});

test("G23 a room leaves out what it does not know of a newer bridge's grants, and takes the rest", () => {
  const newer = OF_BEFORE.replace('"edit"', '"gardener"')
    .replace('"spawn"', '"type","fly","swim"')
    .replace('"view"', '"view","floor":{"isolation":"sandbox"}');
  expect(read(newer)).toMatchObject([
    { doors: ["http"], speaks: false },
    { doors: ["people", "http"], speaks: false },
    { doors: ["http"], speaks: false },
  ]);
  const [grant] = read(OF_BEFORE.replace('"edit"', '"edit","doors":["http","acp"],"speaks":false'));
  expect(grant).toMatchObject({ doors: ["http", "acp"], speaks: false });
  for (const bad of [
    OF_BEFORE.replace(HASH, "short"),
    OF_BEFORE.replace("Zq3fK0aB1c", "../../etc"),
    OF_BEFORE.replace('"edit"', '"edit","doors":"people"'),
  ]) {
    expect(parseText(GrantsUpdate, bad).ok).toBe(false);
  }
});
