// Owns what this page says of its own person: who they are, what they look at, and what the browser
// keeps of that. What is known of the others is people.ts.

import { effect } from "@preact/signals";
import type { RoomRequest, RoomServerMessage, RoomYou } from "../../protocol/room.ts";
import type { Keeping } from "./device.ts";
import {
  deviceIn,
  forgetToken,
  keepName,
  keptName,
  rememberedToken,
  rememberToken,
} from "./device.ts";
import type { PageDialect, Speaking } from "./dialect.ts";
import type { Store } from "./store.ts";

export class Being implements PageDialect<RoomServerMessage> {
  readonly #store: Store;
  readonly #send: (message: RoomRequest) => boolean;
  readonly #kept: Keeping;
  readonly #device: string;
  /** The room has said that we are in. */
  #isWelcome = false;
  /** What the room was last told that this page shows. */
  #looking: string | null | undefined;
  readonly #unwatch: () => void;

  constructor({ store, send, kept }: Omit<Speaking<RoomRequest>, "sendBytes">) {
    this.#store = store;
    this.#send = send;
    this.#kept = kept;
    this.#device = deviceIn(kept, store.workspace);
    store.people.isRemembered.value = rememberedToken(kept, store.workspace) !== undefined;
    document.addEventListener("visibilitychange", this.#look);
    this.#unwatch = effect(() => {
      void store.views.current.value;
      this.#look();
    });
  }

  dispose(): void {
    document.removeEventListener("visibilitychange", this.#look);
    this.#unwatch();
  }

  get handlers(): PageDialect<RoomServerMessage>["handlers"] {
    const { people } = this.#store;
    return {
      "room:welcome": ({ folder }) => {
        this.#store.place.value = folder ?? this.#store.workspace;
        this.#onWelcome(false);
      },
      "room:waiting": () => this.#onWelcome(true),
      "room:you": (message) => this.#onYou(message),
      "room:people": (message) => people.onPeople(message),
      "room:knocks": ({ knocks }) => void (people.knocks.value = knocks),
      "room:away": (message) => people.onAway(message),
      "room:shared": (message) => people.onShared(message),
      "room:links": ({ links }) => void (people.links.value = links),
      "room:remembered": ({ token }) => this.#onRemembered(token),
      "room:forgotten": () => this.#onForgotten(),
      "room:address": ({ origin }) => this.#store.onAddress(origin),
      "room:error": ({ error }) => this.#store.toast(error),
    };
  }

  onCut(): void {
    this.#isWelcome = false;
    this.#store.people.forget();
  }

  /** What others call this person: kept for the next visit, "" for none. */
  name(name: string): void {
    keepName(this.#kept, name);
    this.#send({ type: "room:name", name });
  }

  /** Undefined until somebody was asked. */
  get keptName(): string | undefined {
    return keptName(this.#kept);
  }

  /** Says who this is. */
  hello(): void {
    const name = this.keptName;
    this.#send({ type: "room:hello", device: this.#device, ...(name ? { name } : {}) });
  }

  /** The room takes this token no more: one that is kept here is good for nothing. */
  onRefused(token: string): void {
    const { workspace, people } = this.#store;
    if (rememberedToken(this.#kept, workspace) !== token) return;
    forgetToken(this.#kept, workspace);
    people.isRemembered.value = false;
  }

  /** The link ends for good, not only here. */
  forget(): void {
    if (this.#send({ type: "room:forget" })) return;
    this.#store.toast("The host is offline. Try again when it is back.");
  }

  /** In, or at the door: either wants to know who this is. */
  #onWelcome(isWaiting: boolean): void {
    this.#store.people.isWaiting.value = isWaiting;
    this.hello();
    this.#isWelcome = !isWaiting;
    this.#looking = undefined;
    this.#look();
  }

  #onYou(message: RoomYou): void {
    this.#store.people.onYou(message);
    this.#store.role.value = message.role;
  }

  #onRemembered(token: string): void {
    rememberToken(this.#kept, this.#store.workspace, token);
    this.#store.people.isRemembered.value = true;
    this.#store.toast("This browser is remembered: the page's own address opens the room here.");
  }

  #onForgotten(): void {
    forgetToken(this.#kept, this.#store.workspace);
    // Who came by that very link needs another one: the page asks for it.
    if (this.#store.people.you.peek()?.remembered === true) return location.reload();
    this.#store.people.isRemembered.value = false;
    return this.#store.toast("This browser is forgotten: the link that it kept has ended.");
  }

  /** Others are told which terminal this page shows. */
  #look = (): void => {
    const view = document.hidden ? undefined : this.#store.views.current.peek();
    const id = view?.kind === "terminal" ? view.terminalId : null;
    if (!this.#isWelcome || this.#looking === id) return;
    if (this.#send({ type: "room:look", id })) this.#looking = id;
  };
}
