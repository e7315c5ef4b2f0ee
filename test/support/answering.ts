// Owns a person in the room who answers agents' questions with yes, for tests.

import type { Product } from "./product.ts";
import { PlainClient } from "./plain-client.ts";

/** Connects with the Edit link; `isAnswering` tells for each question whether to answer it. */
export async function answeringPerson(
  { ready }: Pick<Product, "ready">,
  isAnswering: () => boolean = () => true,
): Promise<PlainClient> {
  const person = await PlainClient.connect(ready.endpoints.peer, ready.tokens.edit);
  person.onMessage = ({ type, ...message }) => {
    if (type !== "approval:requested" || !isAnswering()) return;
    const { id } = message["approval"] as { id: string };
    person.send({ type: "approval:answer", id, answer: "once" });
  };
  return person;
}
