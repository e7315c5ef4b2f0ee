// Links from before a room was sealed, across starts.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createSealedLink } from "../sealed/new-link.ts";
import { generateKeyPair } from "../sealed/node-crypto.ts";
import { isFromBefore, isReadableByRelay, settleLinksFromBefore } from "./before-sealing.ts";
import type { NewGrant } from "./grant-table.ts";
import { GrantTable } from "./grant-table.ts";

const { publicKey: hostKey } = generateKeyPair();
const log = { error: () => {}, info: () => {} };

/** A workspace whose table each start opens anew. */
function workspace() {
  const folder = mkdtempSync(join(tmpdir(), "pp-before-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return () =>
    new GrantTable(join(folder, "grants.json"), () => 0, {
      log,
      seal: (secret) => createSealedLink({ ...secret, workspace: "calm-otter", hostKey }),
    });
}

const request = (extra: Partial<NewGrant> = {}): NewGrant => ({
  role: "edit",
  scopes: [],
  label: "",
  expiresAt: null,
  session: false,
  ...extra,
});

test("SE64 the first sealed start ends people's plain links and remembered browsers, lists them once, and keeps agents' tokens", () => {
  const open = workspace();
  const plain = open();
  const { grant: ada } = plain.mint(request({ label: "Ada" }));
  const { grant: phone } = plain.mint(
    request({ role: "view", label: "phone", device: "0".repeat(64) }),
  );
  const { grant: agent } = plain.mint(request({ role: "agent", label: "codex", madeBy: ada.id }));
  plain.mint(request({ label: "script", plain: true }));

  const sealed = open();
  const notice = settleLinksFromBefore(sealed, true);
  expect(notice).toBe(
    `This workspace is end-to-end encrypted now, so 1 link and 1 remembered browser from before have ended: ${ada.id} (Ada, edit), ${phone.id} (phone, view). \`pairpty share\` makes new links. 1 agent token still works, readable by the relay.`,
  );
  sealed.mint(request({ label: "new", sealed: true }));
  // Their holders still have to get the reason.
  expect(sealed.lookUp(ada.id)).toMatchObject({ retired: true });
  const rows = sealed.list();
  expect(rows.filter(isFromBefore).map(({ id }) => id)).toEqual([ada.id, phone.id]);
  expect(rows.filter(isReadableByRelay).map(({ label }) => label)).toEqual(["codex", "script"]);
  expect(sealed.lookUp(agent.id)?.retired).toBeUndefined();
  expect(settleLinksFromBefore(sealed, true)).toBeUndefined();
  expect(settleLinksFromBefore(open(), true)).toBeUndefined();
});

test("SE65 a link that ended so does not come back with a start without encryption; agents' tokens made by it do", () => {
  const open = workspace();
  const plain = open();
  const { grant: ada } = plain.mint(request({ label: "Ada" }));
  const { grant: agent } = plain.mint(request({ role: "agent", label: "codex", madeBy: ada.id }));
  settleLinksFromBefore(open(), true);
  const later = open();
  expect(settleLinksFromBefore(later, false)).toBeUndefined();
  expect(later.list().map(({ id }) => id)).toEqual([agent.id]);
  expect(
    open()
      .list()
      .map(({ id }) => id),
  ).toEqual([agent.id]);
});

test("SE64 a workspace without links from before has nothing to list, and a long list is cut", () => {
  const open = workspace();
  expect(settleLinksFromBefore(open(), true)).toBeUndefined();
  const plain = open();
  for (let i = 0; i < 11; i++) plain.mint(request({ role: "view" }));
  expect(settleLinksFromBefore(plain, true)).toMatch(/so 11 links .* \(view\), 3 more\. /);
});
