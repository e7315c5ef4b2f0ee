// Owns what the page shows, as signals. Only the session and the UI's own switches change it.

import type { ReadonlySignal } from "@preact/signals";
import { batch, computed, signal } from "@preact/signals";
import type { BridgeState, PtyAsked, PtyDriver, PtyForeground } from "../../protocol/pty.ts";
import type { Role } from "../../protocol/grant.ts";
import type { TerminalLink } from "../terminal/links/terminal-link.ts";
import type { Timeline } from "../agents/timeline.ts";
import type { Splits } from "../splits/splits.ts";
import type { ViewSummary, Kinds, View, ViewKind } from "../views/view.ts";
import { Views } from "../views/views.ts";
import { Approvals } from "./approvals.ts";
import { createStoredList } from "./device.ts";
import type { Connection } from "./room-socket.ts";
import { Conversations } from "./conversations.ts";
import type { DriverState, Drivers } from "./driver-state.ts";
import {
  removeControlRequest,
  addControlRequest,
  filterDrivenRequests,
  setDriver,
} from "./driver-state.ts";
import { InputHold } from "./input-hold.ts";
import { nameTerminals } from "./terminal-names.ts";
import { People } from "./people.ts";
import type { TerminalEntry, Terminals } from "./terminal-list.ts";
import { removeTerminal, findTerminal, hasTab, toTerminalView } from "./terminal-list.ts";
import { ToastList } from "./toast-list.ts";

export type Dialog =
  | { kind: "help" }
  | { kind: "palette" }
  | { kind: "settings" }
  | { kind: "connect" }
  /** All tabs, with a filter. */
  | { kind: "tabs" }
  /** Renames a terminal. */
  | { kind: "rename"; id: string }
  | { kind: "people" }
  | { kind: "recordings" }
  /** Closes when `question` returns undefined: there is nothing left to confirm. */
  | { kind: "confirm"; question: () => Question | undefined }
  /** Shown before a terminal's link is followed. */
  | { kind: "link"; link: TerminalLink };

export interface Question {
  readonly title: string;
  readonly text: string;
  /** The labels of the two answers. */
  readonly yes: string;
  readonly no: string;
  readonly run: () => void;
}

/** A request for control expires after this time; its person can ask again or take over. */
const ASK_EXPIRY_MS = 30_000;

/** Prefix of the keys of conversations' views. */
export const CONVERSATION_KEY = "conversation-";

export class Store {
  readonly workspace: string;
  /** The workspace's name for people; unknown until the room lets us in. */
  readonly workspaceName = signal<string | undefined>(undefined);
  readonly connection = signal<Connection>({ state: "connecting" });
  readonly bridge = signal<BridgeState>({ type: "bridge", state: "here" });
  /** How many terminals of this page ran when the host ended on purpose. */
  readonly endedWithHost = signal<number | undefined>(undefined);
  /** The terminal list arrived on this socket: the bridge is connected and accepts requests. */
  readonly isListed = signal(false);
  /** Unknown until the room has sent it. */
  readonly role = signal<Role | undefined>(undefined);
  /** This socket's number in the room, which identifies us as a driver. */
  readonly you = signal<number | undefined>(undefined);
  readonly drivers = signal<Drivers>(new Map());
  /** Requests by others for control of terminals that we drive. */
  readonly controlRequests = signal<readonly PtyAsked[]>([]);
  /** By terminal: the program that reads our input where we have stepped in. */
  readonly foregrounds = signal<ReadonlyMap<string, PtyForeground>>(new Map());
  /** Undefined until the first list, so that "no terminals" never shows too early. */
  readonly terminals = signal<Terminals | undefined>(undefined);
  /** Terminals of conversations that were given a tab on this page. */
  readonly tabs = signal<ReadonlySet<string>>(new Set());
  /** True from the request for a terminal until it is on the screen. */
  readonly spawning: ReadonlySignal<boolean> = computed(() => this.inputHold.isUnderWay);
  /**
   * A terminal has drawn its content: the page may now load what the first prompt does not need.
   */
  readonly hasPrompted = signal(false);
  /** The address where others reach this workspace, if it is a tunnel's. */
  readonly address = signal<string | undefined>(undefined);
  /** A person whose link ended wants to paste another. */
  readonly isEnteringLink = signal(false);
  readonly dialog = signal<Dialog | undefined>(undefined);
  readonly toasts = new ToastList();

  /** Agents' open questions. */
  readonly approvals = new Approvals((text) => this.toast(text));

  /** People here, and those who wait to join. */
  readonly people = new People((text) => this.toast(text));

  /** Conversations between agents and people. */
  readonly conversations: Conversations;

  /** Terminals with a tab. */
  readonly tabbedTerminals = computed(() =>
    this.terminals.value?.filter((one) => hasTab(one, this.tabs.value)),
  );
  /** Their display names, by id. */
  readonly names = computed(() => nameTerminals(this.tabbedTerminals.value ?? []));
  /** Whether input would arrive. */
  readonly reachable = computed(
    () =>
      this.connection.value.state === "live" &&
      this.bridge.value.state === "here" &&
      this.isListed.value,
  );
  /** Why this visit cannot continue, as a message; undefined while it may recover. */
  readonly overReason = computed(() => {
    if (this.bridge.value.how === "ended")
      return "The host ended this session, so nothing new can be started.";
    const isRefused = this.connection.value.state === "refused";
    return isRefused ? "This link no longer opens this room. Use another link." : undefined;
  });
  readonly mayEdit = computed(() => this.role.value === "edit");

  /** Whether the agents view has a tab; kept over a reload. */
  readonly showsAgents: ReadonlySignal<boolean>;
  readonly showAgents: (isOn: boolean) => void;
  /** The timeline of agents' actions, while it is shown. */
  readonly timeline = signal<Timeline | undefined>(undefined);
  /** How views are split; undefined until the first split. */
  readonly splits = signal<Splits | undefined>(undefined);
  /** The key of the view whose tab is being dragged. */
  readonly dragged = signal<string | undefined>(undefined);
  /** All views, and which of them are shown. */
  readonly views: Views<View>;
  /** Ids of terminals that this page asked to close, until the answer. */
  readonly closing = signal<ReadonlySet<string>>(new Set());
  /** Input that waits for a terminal that this page is opening. */
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
    const isWaiting = storage?.getItem(key)?.startsWith(CONVERSATION_KEY) ?? false;
    this.conversations = new Conversations(workspace, storage, isWaiting);
    this.views = new Views<View>({
      list: () => listViews(this),
      getKey: (view) => this.getKind(view).key(view),
      remembered: {
        get: () => storage?.getItem(key) ?? undefined,
        set: (active) => storage?.setItem(key, active),
      },
      order: createStoredList(`pairpty:order:${workspace}`),
      getGroup: (view) => this.splits.value?.getGroup(view) ?? [view],
      getShownWith: (view) => this.splits.value?.getShownWith(view) ?? [view],
    });
    this.inputHold = new InputHold({
      toast: (text) => this.toast(text),
      reachable: this.reachable,
      current: () => {
        const view = this.views.current.value;
        return view && this.views.key(view);
      },
      focus: this.views.focus,
      getKey: (id) => kinds.terminal.key(toTerminalView(id)),
    });
  }

  /** Returns why a watcher cannot do `action` and what to ask for; undefined with edit rights. */
  readOnlyReason(action: string): string | undefined {
    if (this.mayEdit.value) return undefined;
    return this.people.you.value?.limited
      ? `Read-only: this browser was limited to watching and cannot ${action}. Ask the host to let you type again.`
      : `Read-only: this link cannot ${action}. Ask the host for an Edit link.`;
  }

  getKind(view: View): ViewKind<View> {
    return this.kinds[view.kind];
  }

  getSummary(view: View): ViewSummary {
    return this.getKind(view).summarize(this, view);
  }

  findTerminal(id: string | undefined): TerminalEntry | undefined {
    return findTerminal(this.terminals.value ?? [], id);
  }

  updateTerminals(by: (terminals: Terminals) => Terminals): void {
    this.terminals.value = by(this.terminals.peek() ?? []);
  }

  /** Sets the tunnel's address; old links stop working when it changes, so a toast shows that. */
  onAddress(origin: string): void {
    const before = this.address.peek();
    this.address.value = origin;
    if (before !== undefined && before !== origin) {
      this.toast(`The tunnel has a new address, ${origin}: the old links no longer work.`);
    }
  }

  dismiss(id: string): void {
    batch(() => {
      this.views.leave(toTerminalView(id));
      this.updateTerminals((terminals) => removeTerminal(terminals, id));
    });
  }

  /** Gives a conversation's terminal its own tab, or removes that. */
  setTab(id: string, isTab: boolean): void {
    batch(() => {
      if (!isTab) this.views.leave(toTerminalView(id));
      const others = [...this.tabs.peek()].filter((one) => one !== id);
      this.tabs.value = new Set(isTab ? [...others, id] : others);
      if (isTab) this.views.enter(toTerminalView(id));
    });
  }

  dispose(): void {
    this.inputHold.dispose();
    this.splits.peek()?.dispose();
    this.views.dispose();
  }

  findDriver(id: string): DriverState | undefined {
    return this.drivers.value.get(id);
  }

  onDriver(message: PtyDriver): void {
    batch(() => {
      this.drivers.value = setDriver(this.drivers.peek(), message, this.you.peek());
      this.controlRequests.value = filterDrivenRequests(
        this.controlRequests.peek(),
        this.drivers.peek(),
      );
    });
  }

  onAsked(ask: PtyAsked): void {
    this.controlRequests.value = addControlRequest(this.controlRequests.peek(), ask);
    setTimeout(() => {
      this.controlRequests.value = this.controlRequests.peek().filter((one) => one !== ask);
    }, ASK_EXPIRY_MS);
  }

  onAnswered(ask: PtyAsked): void {
    this.controlRequests.value = removeControlRequest(this.controlRequests.peek(), ask);
  }

  onForeground(message: PtyForeground): void {
    this.foregrounds.value = new Map(this.foregrounds.peek()).set(message.id, message);
  }

  /** Forgets drivers: peer numbers are different on the next socket. */
  forgetDrivers(): void {
    batch(() => {
      this.you.value = undefined;
      this.drivers.value = new Map();
      this.controlRequests.value = [];
      this.foregrounds.value = new Map();
    });
  }

  /** Shows a toast for a while. */
  toast(text: string): void {
    this.toasts.show(text);
  }
}

/** Lists the views of all kinds in order; undefined until every kind's list is known. */
function listViews(store: Store): readonly View[] | undefined {
  const kinds: readonly ViewKind<View>[] = Object.values(store.kinds);
  const lists = kinds.map((kind) => kind.list(store));
  return lists.includes(undefined) ? undefined : lists.flatMap((list) => list ?? []);
}
