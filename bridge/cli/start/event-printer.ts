// Prints a running bridge's events: JSON lines for programs, short lines for people.

import { ArrivalNotices } from "../../../protocol/arrival-notices.ts";
import type { WorkspaceAddresses } from "../../doors/control/control-requests.ts";
import type { ModerationEvent } from "../../people/moderation.ts";
import { HOST_NAME } from "../../people/moderation.ts";
import type { BridgeEvent, PeerInfo } from "../../run/run-options.ts";
import type { DialProblem } from "../../link/dial-problem.ts";
import { Emitter } from "../../emitter.ts";
import { toOneLine, formatSettled } from "../approvals/approval-card.ts";
import type { KeyPrompt } from "./run-bridge.ts";
import type { StartOptions } from "../flags/start-options.ts";
import { colors, printJson, printNote, printWrapped } from "../output/output.ts";

/** A page sends its person's name within this time, even from far away. */
const NAME_DELAY_MS = 700;

export class EventPrinter {
  readonly #options: Pick<StartOptions, "json" | "quiet">;
  readonly #arrivals = new ArrivalNotices({
    print: (line) => printNote(colors.dim(`  ${line}`)),
    setTimer: (action, milliseconds) => {
      // Does not keep the process alive.
      const timer = setTimeout(action, milliseconds).unref();
      return { cancel: () => clearTimeout(timer) };
    },
  });
  /** Keyed by peer number, since `peer_left` carries no name. */
  readonly #names = new Map<number, string>();
  /** Peers that joined and are not announced yet, by number. */
  readonly #pendingAnnouncements = new Map<number, NodeJS.Timeout>();
  readonly #refusedEmitter = new Emitter<[string]>();
  readonly #dialFailedEmitter = new Emitter<[DialProblem]>();
  readonly #newAddressEmitter = new Emitter<[]>();
  /** Returns the workspace's current addresses; set once known. */
  getAddresses: (() => WorkspaceAddresses) | undefined;
  /** Where approvals are shown with keys; set once there are any. */
  hotkeyPrompt: Pick<KeyPrompt, "isOpen"> | undefined;
  #hasBeenUp = false;
  /** The bridge dropped the link itself: neither that nor the reconnect is announced. */
  #isReconnecting = false;

  constructor(options: Pick<StartOptions, "json" | "quiet">) {
    this.#options = options;
  }

  /** Fires when the relay refused the bridge permanently. Returns the unsubscriber. */
  onRefused(listener: (reason: string) => void): () => void {
    return this.#refusedEmitter.add(listener);
  }

  /** Fires when a dial failed; the bridge retries. Returns the unsubscriber. */
  onDialFailed(listener: (problem: DialProblem) => void): () => void {
    return this.#dialFailedEmitter.add(listener);
  }

  /** Fires when the tunnel is back under another address. Returns the unsubscriber. */
  onNewAddress(listener: () => void): () => void {
    return this.#newAddressEmitter.add(listener);
  }

  reportDialFailure(problem: DialProblem): void {
    this.#dialFailedEmitter.fire(problem);
  }

  handle(event: BridgeEvent): void {
    if (event.event === "link_refused") this.#refusedEmitter.fire(event.reason);
    // The first link is reported by the ready line.
    const first = event.event === "link_up" && !this.#hasBeenUp;
    this.#hasBeenUp ||= event.event === "link_up";
    if (first) return;
    if (this.#options.json) return printJson(this.#toJson(event));
    if (!this.#options.quiet) this.#print(event);
    if (event.event === "tunnel_up" && event.isNew) this.#newAddressEmitter.fire();
  }

  /** Returns the event; `tunnel_up` also carries the new links. */
  #toJson(event: BridgeEvent): object {
    if (event.event !== "tunnel_up" || this.getAddresses === undefined) return event;
    const { relay, links, endpoints } = this.getAddresses();
    return { ...event, relay, links, endpoints };
  }

  /** Announces the peer after a moment, since its page sends the name a little later. */
  #announceSoon({ peer, grant }: PeerInfo): void {
    const announce = () => {
      this.#pendingAnnouncements.delete(peer);
      this.#arrivals.onJoined({ key: grant, name: this.#names.get(peer) ?? "someone" });
    };
    this.#pendingAnnouncements.set(peer, setTimeout(announce, NAME_DELAY_MS).unref());
  }

  #print(event: BridgeEvent): void {
    switch (event.event) {
      case "host_lost":
        return printWrapped(
          `  The pty host died${formatLostTerminals(event.terminals)}. Starting another.`,
        );
      case "tunnel_lost": {
        const seconds = Math.round(event.retryMs / 1_000);
        return printWrapped(`  The tunnel is down: ${event.reason}. Retrying in ${seconds} s.`);
      }
      case "tunnel_up":
        return event.isNew ? undefined : printNote("  The tunnel is back, with the same links.");
      case "note":
        return printWrapped(`  ${event.note}`);
      case "link_lost":
        this.#isReconnecting = event.own;
        return event.own
          ? undefined
          : printWrapped(
              `  Connection to the relay lost: ${event.reason}. Terminals keep running.`,
            );
      case "link_up":
        if (this.#isReconnecting) return undefined;
        return printNote("  Connection to the relay restored.");
      case "approval_requested": {
        if (this.hotkeyPrompt?.isOpen === true) return undefined;
        const { id, agent } = event.approval;
        const name = toOneLine(agent.label === "" ? agent.grant : agent.label);
        return printWrapped(
          `  ${name} is waiting for approval ${id}: \`pairpty approvals\` shows it; then \`pairpty approve ${id} --code\` or \`pairpty deny ${id}\``,
        );
      }
      case "approval_settled":
        if (this.hotkeyPrompt?.isOpen === true) return undefined;
        return printNote(colors.dim(`  ${formatSettled({ type: "approval:settled", ...event })}`));
      case "peer_joined":
        this.#names.set(event.peer, formatPerson(event));
        return this.#arrivals.isBack(event.grant) ? undefined : this.#announceSoon(event);
      case "peer_named":
        if (this.#names.has(event.peer)) this.#names.set(event.peer, formatPerson(event));
        return undefined;
      case "peer_left": {
        const name = this.#names.get(event.peer);
        this.#names.delete(event.peer);
        clearTimeout(this.#pendingAnnouncements.get(event.peer));
        // The peer left before the announcement, or was never admitted.
        if (this.#pendingAnnouncements.delete(event.peer) || name === undefined) return undefined;
        return this.#arrivals.onLeft({ key: event.grant, name });
      }
      case "person_decided": {
        const text = formatDecision(event);
        return text === undefined ? undefined : printNote(colors.dim(`  ${text}`));
      }
      case "peer_knocked": {
        const how =
          this.hotkeyPrompt?.isOpen === true
            ? "press w to let them in"
            : `\`pairpty admit ${event.who}\` lets them in`;
        return printWrapped(`\u0007  ${formatPerson(event)} is waiting to be let in: ${how}`);
      }
      default:
        return undefined;
    }
  }
}

/** Returns `Ada (ana's link, edit)`: a self-chosen name is never shown alone. */
export function formatPerson({
  name,
  label,
  role,
  limited,
}: Pick<PeerInfo, "name" | "label" | "role" | "limited">): string {
  const access = limited ? `${role}, limited` : role;
  // The page uses the same words for a link without a label.
  if (label === "") {
    const link = limited ? "edit link, limited to view" : `${role} link`;
    return name === undefined ? link : `${toOneLine(name)} (${link})`;
  }
  if (name === undefined || name === label) return `${label} (${access})`;
  return `${toOneLine(name)} (${label}, ${access})`;
}

/** Returns the line about a decision; undefined for those announced elsewhere. */
export function formatDecision({ what, who, by }: ModerationEvent): string | undefined {
  const [whom, actor] = [toOneLine(who), toOneLine(by)];
  switch (what) {
    case "let in":
      return undefined;
    case "turned away":
      return by === HOST_NAME ? undefined : `${actor} turned ${whom} away`;
    case "sent away":
      return `${actor} removed ${whom}`;
    case "kept to watching":
      return `${actor} limited ${whom} to watching`;
    case "may type again":
      return `${actor} lets ${whom} type again`;
    case "may come again":
      return `${actor} lets ${whom} join again`;
  }
}

function formatLostTerminals(terminals: number): string {
  if (terminals === 0) return "";
  return terminals === 1 ? ", with 1 terminal" : `, with ${terminals} terminals`;
}
