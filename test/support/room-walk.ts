// Owns a walk through a room that plants words wherever people and agents can put them, with a plain
// client or with one that shakes hands and speaks in records.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { localAgent } from "./everyday.ts";
import type { PlantedWords } from "./planted-words.ts";
import type { Place, Product } from "./product.ts";
import { SealedClient } from "./sealed-client.ts";
import type { Message } from "./plain-client.ts";
import { PlainClient } from "./plain-client.ts";
import { until } from "./waiting.ts";

/** What a walk needs of a person's client. */
export interface WalkClient {
  send(message: object): void;
  /** Resolves with the first message of the type. */
  ofType(type: string): Promise<Message>;
  shows(id: string, part: string): Promise<void>;
  /** Uploads a file; resolves with the answer's status. */
  upload(name: string, content: string): Promise<number>;
  close(): void;
}

export async function connectPlain(product: Product, link: string): Promise<WalkClient> {
  const { ready } = product;
  const token = link.slice(link.indexOf("#") + 1);
  const client = await PlainClient.connect(ready.endpoints.peer, token);
  return {
    send: (message) => client.send(message),
    ofType: async (type) => await client.ofType(type),
    shows: async (id, part) => void (await client.shows(id, part)),
    upload: async (name, body) =>
      (await product.http(`/files?name=${name}`, { method: "POST", body, token })).status,
    close: () => client.close(),
  };
}

export async function connectSealed({ ready }: Product, link: string): Promise<WalkClient> {
  const client = await SealedClient.connect({ link, peer: ready.endpoints.peer });
  return {
    send: (message) => client.send(message),
    ofType: async (type) => await client.message((message) => message.type === type, type),
    shows: async (id, part) => await client.shows(id, new RegExp(part)),
    upload: async (name, content) => {
      const options = { method: "POST", body: new Blob([content]) };
      return (await client.request(`/files?name=${name}`, options)).status;
    },
    close: () => client.close(),
  };
}

/** Words that a walk plants, each only once in what it does. */
export const WALK_WORDS = {
  name: "PlantedNameQuail",
  title: "PlantedTitleHeron",
  command: "PlantedCommandEgret",
  variable: "PlantedVariableIbis",
  file: "PlantedFileStork",
  label: "PlantedLabelCrane",
  terminal: "PlantedTerminalRaven",
  guest: "PlantedGuestFinch",
  key: "PlantedKeyLark",
  answer: "PlantedAnswerWren",
  call: "PlantedCallRobin",
  upload: "PlantedUploadTern",
  content: "PlantedContentGull",
  device: "PlantedDeviceSwift0123456789",
} as const;

/** Does what a page does, with the words. Returns the secrets of the links that it made. */
export async function walkThroughRoom(client: WalkClient, place: Place): Promise<PlantedWords> {
  const words = WALK_WORDS;
  writeFileSync(join(place.folder, words.file), "");
  client.send({ type: "room:hello", name: words.name, device: words.device });
  await client.ofType("room:you");
  const script = `: ${words.command}; printf '\\033]2;${words.title}\\007'; ls; exec cat`;
  const command = ["/bin/sh", "-c", script];
  client.send({ type: "pty:spawn", id: "walk-1", command, env: { WALK: words.variable } });
  const { terminal } = await client.ofType("pty:spawned");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the bridge's own message
  const { id } = terminal as { id: string };
  client.send({ type: "pty:attach", id });
  await client.ofType("pty:attached");
  await client.shows(id, words.file);
  client.send({ type: "pty:input", id, data: `${words.key}\n` });
  await client.shows(id, words.key);
  client.send({ type: "pty:rename", id, name: words.terminal });
  await until("the terminal is renamed", async () =>
    (await place.run(["ls"])).stdout.includes(words.terminal),
  );
  client.send({
    type: "room:share",
    role: "view",
    label: words.guest,
    expiresInMs: 60_000,
  });
  const { link } = await client.ofType("room:shared");
  const status = await client.upload(words.upload, words.content);
  if (status !== 201) throw new Error(`the upload got ${status}`);
  await denyAgent(client, place);
  return { "secret of a link made in the page": getSecret(String(link)) };
}

/** A local agent asks, by a socket of this machine; the person's no goes through the relay. */
async function denyAgent(client: WalkClient, place: Place): Promise<void> {
  const { call, answer } = WALK_WORDS;
  const agent = await localAgent(place, "pairpty", ["mcp"]);
  const args = { command: `git reset --hard ${call}`, workingDirectory: place.folder };
  const refused = agent.callTool({ name: "bash", arguments: args });
  const { approval } = await client.ofType("approval:requested");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the bridge's own message
  const { id } = approval as { id: string };
  client.send({ type: "approval:answer", id, answer: "deny", reason: answer });
  await refused;
  await client.ofType("approval:settled");
  await agent.close();
}

/** Returns the part of a link that only its holder and the bridge may know. */
export function getSecret(link: string): string {
  const [, , secret = ""] = link.slice(link.indexOf("#") + 1).split("_");
  if (secret.length !== 32) throw new Error(`${link} has no secret`);
  return secret;
}
