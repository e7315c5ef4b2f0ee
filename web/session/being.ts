// Owns what this page reports about its own person: name, the terminal in view, and what the
// browser saves of that. people.ts owns what is known about the others.

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
  /** Whether the room has let us in. */
  #isWelcome = false;
  /** The view that the room was last sent. */
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

  /** Sets this person's name for others, and saves it for the next visit; "" for none. */
  name(name: string): void {
    keepName(this.#kept, name);
    this.#send({ type: "room:name", name });
  }

  /** Returns the saved name; undefined if the person was never asked. */
  get keptName(): string | undefined {
    return keptName(this.#kept);
  }

  /** Sends this browser's device id and the person's name. */
  hello(): void {
    const name = this.keptName;
    this.#send({ type: "room:hello", device: this.#device, ...(name ? { name } : {}) });
  }

  /** Deletes the remembered token if the room no longer accepts it. */
  onRefused(token: string): void {
    const { workspace, people } = this.#store;
    if (rememberedToken(this.#kept, workspace) !== token) return;
    forgetToken(this.#kept, workspace);
    people.isRemembered.value = false;
  }

  /** Ends this browser's remembered link for good, not only here. */
  forget(): void {
    if (this.#send({ type: "room:forget" })) return;
    this.#store.toast("The host is offline. Try again when it is back.");
  }

  /** Handles being let in, or having to wait at the door; both need a hello. */
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
    this.#store.toast("This browser is remembered. It can open this room without a link.");
  }

  #onForgotten(): void {
    forgetToken(this.#kept, this.#store.workspace);
    // A person who came by that very link needs another one, which the reloaded page asks for.
    if (this.#store.people.you.peek()?.remembered === true) return location.reload();
    this.#store.people.isRemembered.value = false;
    return this.#store.toast("This browser is forgotten. Its saved link no longer works.");
  }

  /** Reports which terminal this page shows. */
  #look = (): void => {
    const view = document.hidden ? undefined : this.#store.views.current.peek();
    const id = view?.kind === "terminal" ? view.terminalId : null;
    if (!this.#isWelcome || this.#looking === id) return;
    if (this.#send({ type: "room:look", id })) this.#looking = id;
  };
}
