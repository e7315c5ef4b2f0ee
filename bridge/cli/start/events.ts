// Prints a running bridge's events: JSON lines for programs, short lines for people.

import { Arrivals } from "../../../protocol/arrivals.ts";
import type { Places } from "../../doors/control/requests.ts";
import type { Decided } from "../../people/hosting.ts";
import { THE_HOST } from "../../people/hosting.ts";
import type { BridgeEvent, PeerTold } from "../../run/events.ts";
import type { DialProblem } from "../../link/dial-problem.ts";
import { Listeners } from "../../listeners.ts";
import { oneLine, settledText } from "../approvals/card.ts";
import type { Asker } from "./ending.ts";
import type { StartOptions } from "../flags/options.ts";
import { colors, printJson, say, tell } from "../output/output.ts";

/** A page sends its person's name within this time, even from far away. */
const NAME_MS = 700;

export class EventPrinter {
  readonly #options: Pick<StartOptions, "json" | "quiet">;
  readonly #arrivals = new Arrivals({
    say: (line) => say(colors.dim(`  ${line}`)),
    later: (action, milliseconds) => {
      // Does not keep the process alive.
      const timer = setTimeout(action, milliseconds).unref();
      return { cancel: () => clearTimeout(timer) };
    },
  });
  /** By peer number: `peer_left` carries no name. */
  readonly #names = new Map<number, string>();
  /** By peer number: joined, not announced yet. */
  readonly #greeting = new Map<number, NodeJS.Timeout>();
  readonly #refusals = new Listeners<[string]>();
  readonly #dialFailures = new Listeners<[DialProblem]>();
  readonly #newAddresses = new Listeners<[]>();
  /** Returns the workspace's current addresses; set once known. */
  places: (() => Places) | undefined;
  /** Where approvals are shown with keys; set once there are any. */
  asker: Pick<Asker, "isOpen"> | undefined;
  #seenUp = false;
  /** The bridge dropped the link itself: neither that nor the reconnect is announced. */
  #hasLeft = false;

  constructor(options: Pick<StartOptions, "json" | "quiet">) {
    this.#options = options;
  }

  /** Fires when the relay refused the bridge permanently. Returns the unsubscriber. */
  onRefused(listener: (reason: string) => void): () => void {
    return this.#refusals.add(listener);
  }

  /** Fires when a dial failed; the bridge retries. Returns the unsubscriber. */
  onDialFailed(listener: (problem: DialProblem) => void): () => void {
    return this.#dialFailures.add(listener);
  }

  /** Fires when the tunnel is back under another address. Returns the unsubscriber. */
  onNewAddress(listener: () => void): () => void {
    return this.#newAddresses.add(listener);
  }

  dialFailed(problem: DialProblem): void {
    this.#dialFailures.tell(problem);
  }

  on(event: BridgeEvent): void {
    if (event.event === "link_refused") this.#refusals.tell(event.reason);
    // The first link is reported by the ready line.
    const first = event.event === "link_up" && !this.#seenUp;
    this.#seenUp ||= event.event === "link_up";
    if (first) return;
    if (this.#options.json) return printJson(this.#whole(event));
    if (!this.#options.quiet) this.#tell(event);
    if (event.event === "tunnel_up" && event.isNew) this.#newAddresses.tell();
  }

  /** Returns the event; `tunnel_up` also carries the new links. */
  #whole(event: BridgeEvent): object {
    if (event.event !== "tunnel_up" || this.places === undefined) return event;
    const { relay, links, endpoints } = this.places();
    return { ...event, relay, links, endpoints };
  }

  /** Announces the peer after a moment, since its page sends the name a little later. */
  #greetSoon({ peer, grant }: PeerTold): void {
    const greet = () => {
      this.#greeting.delete(peer);
      this.#arrivals.joined({ key: grant, name: this.#names.get(peer) ?? "someone" });
    };
    this.#greeting.set(peer, setTimeout(greet, NAME_MS).unref());
  }

  #tell(event: BridgeEvent): void {
    switch (event.event) {
      case "host_lost":
        return tell(`  The pty host died${withIt(event.terminals)}. Starting another.`);
      case "tunnel_lost": {
        const seconds = Math.round(event.retryMs / 1_000);
        return tell(`  The tunnel is down: ${event.reason}. Retrying in ${seconds} s.`);
      }
      case "tunnel_up":
        return event.isNew ? undefined : say("  The tunnel is back, with the same links.");
      case "note":
        return tell(`  ${event.note}`);
      case "link_lost":
        this.#hasLeft = event.own;
        return event.own
          ? undefined
          : tell(`  Connection to the relay lost: ${event.reason}. Terminals keep running.`);
      case "link_up":
        if (this.#hasLeft) return undefined;
        return say("  Connection to the relay restored.");
      case "approval_requested": {
        if (this.asker?.isOpen === true) return undefined;
        const { id, agent } = event.approval;
        const name = oneLine(agent.label === "" ? agent.grant : agent.label);
        return tell(
          `  ${name} is waiting for approval ${id}: \`pairpty approvals\` shows it; then \`pairpty approve ${id} --code\` or \`pairpty deny ${id}\``,
        );
      }
      case "approval_settled":
        if (this.asker?.isOpen === true) return undefined;
        return say(colors.dim(`  ${settledText({ type: "approval:settled", ...event })}`));
      case "peer_joined":
        this.#names.set(event.peer, personWords(event));
        return this.#arrivals.isBack(event.grant) ? undefined : this.#greetSoon(event);
      case "peer_named":
        if (this.#names.has(event.peer)) this.#names.set(event.peer, personWords(event));
        return undefined;
      case "peer_left": {
        const name = this.#names.get(event.peer);
        this.#names.delete(event.peer);
        clearTimeout(this.#greeting.get(event.peer));
        // Left before the announcement, or was never admitted.
        if (this.#greeting.delete(event.peer) || name === undefined) return undefined;
        return this.#arrivals.left({ key: event.grant, name });
      }
      case "person_decided": {
        const words = decidedWords(event);
        return words === undefined ? undefined : say(colors.dim(`  ${words}`));
      }
      case "peer_knocked": {
        const how =
          this.asker?.isOpen === true
            ? "press w to let them in"
            : `\`pairpty admit ${event.who}\` lets them in`;
        return tell(`\u0007  ${personWords(event)} is waiting to be let in: ${how}`);
      }
      default:
        return undefined;
    }
  }
}

/** Returns `Ada (ana's link, edit)`: a self-chosen name is never shown alone. */
export function personWords({
  name,
  label,
  role,
  limited,
}: Pick<PeerTold, "name" | "label" | "role" | "limited">): string {
  const may = limited ? `${role}, limited` : role;
  // The page uses the same words for a link without a label.
  if (label === "") {
    const link = limited ? "edit link, limited to view" : `${role} link`;
    return name === undefined ? link : `${oneLine(name)} (${link})`;
  }
  if (name === undefined || name === label) return `${label} (${may})`;
  return `${oneLine(name)} (${label}, ${may})`;
}

/** Returns the line about a decision; undefined for those announced elsewhere. */
export function decidedWords({ what, who, by }: Decided): string | undefined {
  const [whom, actor] = [oneLine(who), oneLine(by)];
  switch (what) {
    case "let in":
      return undefined;
    case "turned away":
      return by === THE_HOST ? undefined : `${actor} turned ${whom} away`;
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

function withIt(terminals: number): string {
  if (terminals === 0) return "";
  return terminals === 1 ? ", with 1 terminal" : `, with ${terminals} terminals`;
}
