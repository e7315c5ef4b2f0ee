// Revoking where something is in the way: a full disk, a relay that does not listen or has an old list.
// What was taken away stays away, and nothing is called done that is not.

import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CloseCode } from "../../protocol/codes.ts";
import type { SmallDisk } from "../support/full-disk.ts";
import { mountSmallDisk } from "../support/full-disk.ts";
import { Place } from "../support/product.ts";
import { PlainClient } from "../support/plain-client.ts";
import { until } from "../support/waiting.ts";

/** Room for what pairpty compiles and logs, and little more. */
const DISK_MIB = 32;

interface Made {
  readonly grant: { readonly id: string };
  readonly token: string;
}

async function share(place: Place): Promise<Made> {
  const { code, stdout, stderr } = await place.run([
    "share",
    "--role",
    "edit",
    "--json",
    ...place.code,
  ]);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

async function grantIds(place: Place): Promise<string[]> {
  const { stdout } = await place.run(["grants", "--json"]);
  const rows: { id: string; session: boolean }[] = JSON.parse(stdout);
  return rows.filter(({ session }) => !session).map(({ id }) => id);
}

function stateFolder({ folder }: SmallDisk): string {
  const all = join(folder, "pairpty", "workspaces");
  return join(all, readdirSync(all)[0] ?? "");
}

test("G13 G14 G28 G29 G37 on a full disk no link is made, a revoked one is closed, and stays revoked after kill -9", async ({
  skip,
}) => {
  const disk = mountSmallDisk(DISK_MIB);
  if (disk === undefined) return skip();
  await using place = new Place({ XDG_STATE_HOME: disk.folder });
  const product = await place.start();
  const [first, second] = [await share(place), await share(place)];
  using peer = await PlainClient.connect(product.ready.endpoints.peer, first.token);
  disk.fill();
  const refused = await place.run(["share", "--role", "edit", "--json", ...place.code]);
  expect(refused.code).toBe(5);
  expect(refused.stdout).toBe("");
  expect(refused.stderr).toContain("no link or token was made");
  expect(refused.stderr).toContain("the disk is full");
  expect(await grantIds(place)).toEqual([first.grant.id, second.grant.id]);
  disk.fill();
  const revoked = await place.run(["revoke", first.grant.id]);
  expect(revoked.stderr).toContain(`Revoked ${first.grant.id}`);
  expect(revoked.code).toBe(0);
  await until("the revoked peer is closed", () => peer.closed?.code === CloseCode.unauthorized);
  // It was called done: it holds, whatever happens next.
  await product.kill();
  disk.empty();
  const next = await place.start();
  expect(await grantIds(place)).toEqual([second.grant.id]);
  expect((await next.http("/health", { token: first.token })).status).toBe(401);
  expect((await next.http("/health", { token: second.token })).status).toBe(200);
});

test("G13 G31 G32 without any room, revoke closes the link, exits with 5 and says so until it is saved", async ({
  skip,
}) => {
  const disk = mountSmallDisk(DISK_MIB);
  if (disk === undefined) return skip();
  await using place = new Place({ XDG_STATE_HOME: disk.folder });
  const product = await place.start();
  const { grant, token } = await share(place);
  using peer = await PlainClient.connect(product.ready.endpoints.peer, token);
  // As if another program had been quicker with what was freed.
  const state = stateFolder(disk);
  rmSync(join(state, "grants.json.reserve"));
  disk.fill();
  const revoked = await place.run(["revoke", grant.id]);
  expect(revoked.code).toBe(5);
  expect(revoked.stderr).toContain(`Revoked ${grant.id} and closed its connections`);
  expect(revoked.stderr).toMatch(
    /not saved yet: .*grants\.json cannot be written: the disk is\s+full/,
  );
  expect(revoked.stderr).toMatch(/keeps trying.*undone at the\s+next\s+start/s);
  await until("the revoked peer is closed", () => peer.closed?.code === CloseCode.unauthorized);
  // The embedded relay keeps its room on the same disk, and may answer nobody until there is space.
  expect((await product.http("/health", { token })).status).not.toBe(200);
  expect((await place.run(["grants"])).stderr).toMatch(/links and tokens is not saved yet/);
  const status = await place.run(["status", "--json"]);
  expect(JSON.parse(status.stdout)).toMatchObject({
    unsaved: [{ what: "links and tokens", why: "the disk is full" }],
  });
  expect((await place.run(["status"])).stdout).toMatch(/not saved +links and tokens, for /);
  const doctor = await place.run(["doctor", "--json"]);
  expect(doctor.stdout).toContain("a change to links and tokens is not saved");
  disk.empty();
  await until("the revocation is saved", async () => {
    const { stdout } = await place.run(["status", "--json"]);
    return JSON.parse(stdout).unsaved === undefined;
  });
  await product.kill();
  await place.start();
  expect(await grantIds(place)).toEqual([]);
});

test("G15 G39 a link that was revoked while the relay did not listen opens nothing, also on a relay that comes back with its old list", async () => {
  await using place = new Place();
  const product = await place.start();
  const { grant, token } = await share(place);
  using peer = await PlainClient.connect(product.ready.endpoints.peer, token);
  const { id } = await product.open({ command: ["/bin/sh"] });
  const workerd = place.relayProcesses().processes[1]?.pid;
  if (workerd === undefined) throw new Error("no workerd is recorded");
  process.kill(workerd, "SIGSTOP");
  expect((await place.run(["revoke", grant.id])).code).toBe(0);
  // Before it heard of that: its storage still has the grant.
  process.kill(workerd, "SIGKILL");
  await product.event("link_lost");
  const from = product.events.length;
  using again = new PlainClient(product.ready.endpoints.peer, token);
  again.socket.on("open", () => again.attach(id));
  await product.event("link_up", { from });
  expect((await product.http("/health", { token })).status).toBe(401);
  expect((await product.http("/health")).status).toBe(200);
  for (const client of [peer, again]) {
    await until("it is closed", () => client.closed !== undefined);
    expect(client.messages.map(({ type }) => type)).not.toContain("pty:attached");
  }
  using late = new PlainClient(product.ready.endpoints.peer, token);
  await until("it is refused", () => late.closed !== undefined);
});

test("G28 a link of this run is called revoked when the pty host knows, which keeps it for the next bridge", async () => {
  await using place = new Place();
  const product = await place.start();
  const { tokens } = product.ready;
  const rows: { id: string; role: string }[] = JSON.parse(
    (await place.run(["grants", "--json"])).stdout,
  );
  const id = rows.find(({ role }) => role === "view")?.id ?? "";
  const host = product.hostPid();
  process.kill(host, "SIGSTOP");
  const revoked = await place.run(["revoke", id]);
  expect(revoked.code).toBe(5);
  expect(revoked.stderr).toMatch(/not saved yet: the pty host does not\s+answer/);
  expect((await product.http("/health", { token: tokens.view })).status).toBe(401);
  process.kill(host, "SIGCONT");
  expect((await place.run(["revoke", id])).stderr).toContain("unknown link");
  await product.kill();
  const next = await place.start();
  expect((await next.http("/health", { token: tokens.view })).status).toBe(401);
  expect((await next.http("/health", { token: tokens.edit })).status).toBe(200);
});

test("G34 a stop before the revocation is saved says that it may be undone, and exits with 5", async ({
  skip,
}) => {
  const disk = mountSmallDisk(DISK_MIB);
  if (disk === undefined) return skip();
  await using place = new Place({ XDG_STATE_HOME: disk.folder });
  await place.start();
  const { grant } = await share(place);
  rmSync(join(stateFolder(disk), "grants.json.reserve"));
  disk.fill();
  expect((await place.run(["revoke", grant.id])).code).toBe(5);
  const stopped = await place.run(["stop", "--yes"]);
  expect(stopped.code).toBe(5);
  expect(stopped.stderr).toMatch(/stopped, but this was not saved: .*grants\.json/);
  expect(stopped.stderr).toMatch(/may\s+be\s+undone at the\s+next\s+start/);
  expect(stopped.stderr).not.toContain("bug");
});
