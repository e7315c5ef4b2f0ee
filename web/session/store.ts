// Owns what the page shows, as signals. Only the session and the UI's own switches change it.

import type { ReadonlySignal } from "@preact/signals";
import { batch, computed, signal } from "@preact/signals";
import type { BridgeState, PtyAsked, PtyDriver, PtyForeground } from "../../protocol/pty.ts";
import type { Role } from "../../protocol/grant.ts";
import type { Link } from "../terminal/links/link.ts";
import type { Timeline } from "../agents/timeline.ts";
import type { Splits } from "../splits/splits.ts";
import type { Face, Kinds, View, ViewKind } from "../views/view.ts";
import { Views } from "../views/views.ts";
import { Approvals } from "./approvals.ts";
import { keptList } from "./device.ts";
import type { Connection } from "./connection.ts";
import { Conversations } from "./conversations.ts";
import type { Driving, Drivers } from "./driving.ts";
import { answered, asked, stillOurs, told } from "./driving.ts";
import { InputHold } from "./input-hold.ts";
import { namesOf } from "./names.ts";
import { People } from "./people.ts";
import type { Known, Terminals } from "./terminals.ts";
import { dismissed, find, hasTab, viewOf } from "./terminals.ts";
import { ToastList } from "./toast-list.ts";

export type Dialog =
  | { kind: "help" }
  | { kind: "palette" }
  | { kind: "settings" }
  | { kind: "connect" }
  /** All of them, with a filter. */
  | { kind: "tabs" }
  /** What a terminal is called. */
  | { kind: "rename"; id: string }
  | { kind: "people" }
  | { kind: "recordings" }
  /** Goes by itself when there is nothing to confirm any more. */
  | { kind: "confirm"; question: () => Question | undefined }
  /** Before a terminal's link is followed. */
  | { kind: "link"; link: Link };

export interface Question {
  readonly title: string;
  readonly text: string;
  /** What the answers are called. */
  readonly yes: string;
  readonly no: string;
  readonly run: () => void;
}

/** Whoever asked for control and got no answer by then asks again, or takes it. */
const ASK_MS = 30_000;

/** What the keys of conversations' views begin with. */
export const CONVERSATION_KEY = "conversation-";

export class Store {
  readonly workspace: string;
  /** What people call the workspace; unknown until the room lets us in. */
  readonly place = signal<string | undefined>(undefined);
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
  /** By terminal: the program that reads what we type where we have stepped in. */
  readonly foregrounds = signal<ReadonlyMap<string, PtyForeground>>(new Map());
  /** Undefined until the first list, so that "no terminals" is never said too early. */
  readonly terminals = signal<Terminals | undefined>(undefined);
  /** Terminals of conversations that were given a tab on this page. */
  readonly tabs = signal<ReadonlySet<string>>(new Set());
  /** From the request for a terminal until it is on the screen. */
  readonly spawning: ReadonlySignal<boolean> = computed(() => this.inputHold.isUnderWay);
  /** A terminal has shown what it has: the page may fetch what a first prompt does not need. */
  readonly prompted = signal(false);
  /** Where others reach this workspace, when that is a tunnel's address. */
  readonly address = signal<string | undefined>(undefined);
  /** Somebody whose link ended wants to paste another. */
  readonly isAsking = signal(false);
  readonly dialog = signal<Dialog | undefined>(undefined);
  readonly toasts = new ToastList();

  /** What agents ask, and nobody has answered yet. */
  readonly approvals = new Approvals((text) => this.toast(text));

  /** Who is here, and who waits. */
  readonly people = new People((text) => this.toast(text));

  /** What agents and people say to each other. */
  readonly conversations: Conversations;

  /** Those with a tab. */
  readonly tabbed = computed(() =>
    this.terminals.value?.filter((one) => hasTab(one, this.tabs.value)),
  );
  /** What each of them is called here, by id. */
  readonly names = computed(() => namesOf(this.tabbed.value ?? []));
  /** Whether what is typed would arrive anywhere. */
  readonly reachable = computed(
    () =>
      this.connection.value.state === "live" &&
      this.bridge.value.state === "here" &&
      this.listed.value,
  );
  /** Why nothing more comes of this visit, in a sentence: not while it may come back by itself. */
  readonly whyOver = computed(() => {
    if (this.bridge.value.how === "ended")
      return "The host ended this session: it starts nothing more.";
    const isRefused = this.connection.value.state === "refused";
    return isRefused ? "This link no longer opens this room. Use another link." : undefined;
  });
  readonly mayEdit = computed(() => this.role.value === "edit");

  /** Whether the view of agents has a tab, over a reload. */
  readonly showsAgents: ReadonlySignal<boolean>;
  readonly showAgents: (isOn: boolean) => void;
  /** What agents did, while that is shown. */
  readonly timeline = signal<Timeline | undefined>(undefined);
  /** How views stand beside each other; undefined until somebody splits. */
  readonly splits = signal<Splits | undefined>(undefined);
  /** The key of the view whose tab is being dragged. */
  readonly dragged = signal<string | undefined>(undefined);
  /** What there is to show, and what of it is shown. */
  readonly views: Views<View>;
  /** Input that waits for a terminal that this page opens. */
  readonly inputHold: InputHold;

  readonly kinds: Kinds;

  constructor(workspace: string, storage: Storage | undefined, kinds: Kinds) {
    this.workspace = workspace;
    this.kinds = kinds;
    const agentsKey = `pairpty:agents:${workspace}`;
    const showsAgents = signal(storage?.getItem(agentsKey) === "yes");
    this.showsAgents = showsAgents;
    this.showAgents = (isOn) => {
      showsAgents.value = isOn;
      storage?.setItem(agentsKey, isOn ? "yes" : "no");
    };
    const key = `pairpty:active:${workspace}`;
    const awaits = storage?.getItem(key)?.startsWith(CONVERSATION_KEY) ?? false;
    this.conversations = new Conversations(workspace, storage, awaits);
    this.views = new Views<View>({
      list: () => listOf(this),
      keyOf: (view) => this.kindOf(view).key(view),
      remembered: {
        get: () => storage?.getItem(key) ?? undefined,
        set: (active) => storage?.setItem(key, active),
      },
      order: keptList(`pairpty:order:${workspace}`),
      groupOf: (view) => this.splits.value?.groupOf(view) ?? [view],
      shownWith: (view) => this.splits.value?.shownWith(view) ?? [view],
    });
    this.inputHold = new InputHold({
      toast: (text) => this.toast(text),
      reachable: this.reachable,
      current: () => {
        const view = this.views.current.value;
        return view && this.views.key(view);
      },
      focus: this.views.focus,
      keyOf: (id) => kinds.terminal.key(viewOf(id)),
    });
  }

  /** Why whoever may only watch cannot do it, and whom to ask: their link, or what was decided here. */
  whyReadOnly(deed: string): string | undefined {
    if (this.mayEdit.value) return undefined;
    return this.people.you.value?.limited
      ? `Read-only: this browser was limited to watching and cannot ${deed}. Ask the host to let you type again.`
      : `Read-only: this link cannot ${deed}. Ask the host for an Edit link.`;
  }

  kindOf(view: View): ViewKind<View> {
    return this.kinds[view.kind];
  }

  face(view: View): Face {
    return this.kindOf(view).face(this, view);
  }

  terminal(id: string | undefined): Known | undefined {
    return find(this.terminals.value ?? [], id);
  }

  change(by: (terminals: Terminals) => Terminals): void {
    this.terminals.value = by(this.terminals.peek() ?? []);
  }

  /** Links by the address before lead nowhere: whoever sent one should know. */
  onAddress(origin: string): void {
    const before = this.address.peek();
    this.address.value = origin;
    if (before !== undefined && before !== origin) {
      this.toast(`The tunnel has a new address, ${origin}: the old links no longer work.`);
    }
  }

  dismiss(id: string): void {
    batch(() => {
      this.views.leave(viewOf(id));
      this.change((terminals) => dismissed(terminals, id));
    });
  }

  /** A terminal of a conversation as a tab of its own, and back. */
  setTab(id: string, isTab: boolean): void {
    batch(() => {
      if (!isTab) this.views.leave(viewOf(id));
      const others = [...this.tabs.peek()].filter((one) => one !== id);
      this.tabs.value = new Set(isTab ? [...others, id] : others);
      if (isTab) this.views.enter(viewOf(id));
    });
  }

  dispose(): void {
    this.inputHold.dispose();
    this.splits.peek()?.dispose();
    this.views.dispose();
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

  onForeground(message: PtyForeground): void {
    this.foregrounds.value = new Map(this.foregrounds.peek()).set(message.id, message);
  }

  /** Numbers are of one socket: on the next, everybody has another. */
  forgetDrivers(): void {
    batch(() => {
      this.you.value = undefined;
      this.drivers.value = new Map();
      this.asks.value = [];
      this.foregrounds.value = new Map();
    });
  }

  /** Shows a sentence for a while. */
  toast(text: string): void {
    this.toasts.show(text);
  }
}

/** Of all kinds, one behind the other; unknown until each is. */
function listOf(store: Store): readonly View[] | undefined {
  const kinds: readonly ViewKind<View>[] = Object.values(store.kinds);
  const lists = kinds.map((kind) => kind.list(store));
  return lists.includes(undefined) ? undefined : lists.flatMap((list) => list ?? []);
}
