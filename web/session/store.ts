// Owns what the page shows, as signals. Only the session and the UI's own switches change it.

import { batch, computed, signal } from "@preact/signals";
import type { BridgeState, PtyAsked, PtyDriver } from "../../protocol/pty.ts";
import type { Role } from "../../protocol/grant.ts";
import { namesOf } from "../terminal/title.ts";
import type { Connection } from "./connection.ts";
import type { Driving, Drivers } from "./driving.ts";
import { answered, asked, stillOurs, told } from "./driving.ts";
import type { Tab, Tabs } from "./tabs.ts";
import { beside, dismissed, find, shown } from "./tabs.ts";

export type Dialog = { kind: "help" } | { kind: "close"; id: string };

export interface Toast {
  readonly key: number;
  readonly text: string;
}

/** Long enough to read twice. */
const TOAST_MS = 6_000;

/** Whoever asked for control and got no answer by then asks again, or takes it. */
const ASK_MS = 30_000;

export class Store {
  readonly workspace: string;
  readonly connection = signal<Connection>({ state: "connecting" });
  readonly bridge = signal<BridgeState>({ type: "bridge", state: "here" });
  /** The list has come over this socket: the bridge is there, and can be asked. */
  readonly listed = signal(false);
  /** Unknown until the room has said it. */
  readonly role = signal<Role | undefined>(undefined);
  /** This socket's number in the room, by which the driver is told. */
  readonly you = signal<number | undefined>(undefined);
  readonly drivers = signal<Drivers>(new Map());
  /** Who would like to drive what we drive. */
  readonly asks = signal<readonly PtyAsked[]>([]);
  /** Undefined until the first list, so that "no terminals" is never said too early. */
  readonly tabs = signal<Tabs | undefined>(undefined);
  readonly active = signal<string | undefined>(undefined);
  readonly spawning = signal(false);
  /** Counts requests to move the focus into the active terminal. */
  readonly focusTerminal = signal(0);
  readonly dialog = signal<Dialog | undefined>(undefined);
  readonly toasts = signal<readonly Toast[]>([]);

  readonly activeTab = computed<Tab | undefined>(() =>
    find(this.tabs.value ?? [], this.active.value),
  );
  /** What each terminal is called here, by id. */
  readonly names = computed(() => namesOf(this.tabs.value ?? []));
  /** Whether what is typed would arrive anywhere. */
  readonly reachable = computed(
    () =>
      this.connection.value.state === "live" &&
      this.bridge.value.state === "here" &&
      this.listed.value,
  );
  readonly mayEdit = computed(() => this.role.value === "edit");

  readonly #storage: Storage | undefined;
  #toastKey = 0;

  constructor(workspace: string, storage: Storage | undefined) {
    this.workspace = workspace;
    this.#storage = storage;
  }

  change(by: (tabs: Tabs) => Tabs): void {
    batch(() => {
      this.tabs.value = by(this.tabs.peek() ?? []);
      const tabs = this.tabs.peek() ?? [];
      if (find(tabs, this.active.peek()) || tabs.length === 0) return;
      const before = this.#storage?.getItem(this.#activeKey) ?? undefined;
      const next = find(tabs, before) ?? tabs[0];
      if (next) this.activate(next.terminal.id);
    });
  }

  activate(id: string): void {
    batch(() => {
      this.active.value = id;
      this.tabs.value = shown(this.tabs.peek() ?? [], id);
    });
    this.#storage?.setItem(this.#activeKey, id);
  }

  /** Shows a terminal and puts the cursor in it. */
  enter(id: string): void {
    this.activate(id);
    this.focusTerminal.value += 1;
  }

  dismiss(id: string): void {
    batch(() => {
      const next = beside(this.tabs.peek() ?? [], id);
      if (this.active.peek() === id && next !== undefined) this.enter(next);
      this.change((tabs) => dismissed(tabs, id));
    });
  }

  driving(id: string): Driving | undefined {
    return this.drivers.value.get(id);
  }

  onDriver(message: PtyDriver): void {
    batch(() => {
      this.drivers.value = told(this.drivers.peek(), message, this.you.peek());
      this.asks.value = stillOurs(this.asks.peek(), this.drivers.peek());
    });
  }

  onAsked(ask: PtyAsked): void {
    this.asks.value = asked(this.asks.peek(), ask);
    setTimeout(() => {
      this.asks.value = this.asks.peek().filter((one) => one !== ask);
    }, ASK_MS);
  }

  onAnswered(ask: PtyAsked): void {
    this.asks.value = answered(this.asks.peek(), ask);
  }

  /** Numbers are of one socket: on the next, everybody has another. */
  forgetDrivers(): void {
    batch(() => {
      this.you.value = undefined;
      this.drivers.value = new Map();
      this.asks.value = [];
    });
  }

  /** The same sentence twice is one toast: a held key must not fill the page. */
  toast(text: string): void {
    if (this.toasts.peek().some((toast) => toast.text === text)) return;
    const key = (this.#toastKey += 1);
    this.toasts.value = [...this.toasts.peek(), { key, text }];
    setTimeout(() => this.untoast(key), TOAST_MS);
  }

  untoast(key: number): void {
    this.toasts.value = this.toasts.peek().filter((toast) => toast.key !== key);
  }

  get #activeKey(): string {
    return `pairpty:active:${this.workspace}`;
  }
}
