// Owns what this page reports about its own person: name, the terminal in view, and what the
// browser saves of that. people.ts owns what is known about the others.

import { effect } from "@preact/signals";
import type { RoomRequest, RoomServerMessage, RoomYou } from "../../protocol/room.ts";
import type { BrowserStorage } from "./device.ts";
import {
  getDeviceId,
  forgetToken,
  saveName,
  getSavedName,
  getRememberedToken,
  rememberToken,
} from "./device.ts";
import type { PageDialect, DialectDeps } from "./dialect.ts";
import type { Store } from "./store.ts";

export class SelfPresence implements PageDialect<RoomServerMessage> {
  readonly #store: Store;
  readonly #send: (message: RoomRequest) => boolean;
  readonly #storage: BrowserStorage;
  readonly #device: string;
  /** Whether the room has admitted us. */
  #isWelcome = false;
  /** The view that the room was last sent. */
  #reportedView: string | null | undefined;
  readonly #unwatch: () => void;

  constructor({ store, send, storage }: Omit<DialectDeps<RoomRequest>, "sendBytes">) {
    this.#store = store;
    this.#send = send;
    this.#storage = storage;
    this.#device = getDeviceId(storage, store.workspace);
    store.people.isRemembered.value = getRememberedToken(storage, store.workspace) !== undefined;
    document.addEventListener("visibilitychange", this.#reportView);
    this.#unwatch = effect(() => {
      void store.views.current.value;
      this.#reportView();
    });
  }

  dispose(): void {
    document.removeEventListener("visibilitychange", this.#reportView);
    this.#unwatch();
  }

  get handlers(): PageDialect<RoomServerMessage>["handlers"] {
    const { people } = this.#store;
    return {
      "room:welcome": ({ folder }) => {
        this.#store.workspaceName.value = folder ?? this.#store.workspace;
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
  setName(name: string): void {
    saveName(this.#storage, name);
    this.#send({ type: "room:name", name });
  }

  /** Returns the saved name; undefined if the person was never asked. */
  get savedName(): string | undefined {
    return getSavedName(this.#storage);
  }

  /** Sends this browser's device id and the person's name. */
  sendHello(): void {
    const name = this.savedName;
    this.#send({ type: "room:hello", device: this.#device, ...(name ? { name } : {}) });
  }

  /** Deletes the remembered token if the room no longer accepts it. */
  onRefused(token: string): void {
    const { workspace, people } = this.#store;
    if (getRememberedToken(this.#storage, workspace) !== token) return;
    forgetToken(this.#storage, workspace);
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
    this.sendHello();
    this.#isWelcome = !isWaiting;
    this.#reportedView = undefined;
    this.#reportView();
  }

  #onYou(message: RoomYou): void {
    this.#store.people.onYou(message);
    this.#store.role.value = message.role;
  }

  #onRemembered(token: string): void {
    rememberToken(this.#storage, this.#store.workspace, token);
    this.#store.people.isRemembered.value = true;
    this.#store.toast("This browser is remembered. It can open this room without a link.");
  }

  #onForgotten(): void {
    forgetToken(this.#storage, this.#store.workspace);
    // A person who came by that very link needs another one, which the reloaded page asks for.
    if (this.#store.people.you.peek()?.remembered === true) return location.reload();
    this.#store.people.isRemembered.value = false;
    return this.#store.toast("This browser is forgotten. Its saved link no longer works.");
  }

  /** Reports which terminal this page shows. */
  #reportView = (): void => {
    const view = document.hidden ? undefined : this.#store.views.current.peek();
    const id = view?.kind === "terminal" ? view.terminalId : null;
    if (!this.#isWelcome || this.#reportedView === id) return;
    if (this.#send({ type: "room:look", id })) this.#reportedView = id;
  };
}
