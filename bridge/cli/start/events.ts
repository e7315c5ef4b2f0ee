// Owns what a running bridge tells as it happens: JSON lines for programs, a calm line for people.

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

/** What a page says of itself has come by then, also from far away. */
const NAME_MS = 700;

export class EventPrinter {
  readonly #options: Pick<StartOptions, "json" | "quiet">;
  readonly #arrivals = new Arrivals({
    say: (line) => say(colors.dim(`  ${line}`)),
    later: (action, milliseconds) => {
      // Not a reason to stay.
      const timer = setTimeout(action, milliseconds).unref();
      return { cancel: () => clearTimeout(timer) };
    },
  });
  /** By peer: what leaves does not say who it was. */
  readonly #names = new Map<number, string>();
  /** By peer: those of whom nobody has been told yet. */
  readonly #greeting = new Map<number, NodeJS.Timeout>();
  readonly #refusals = new Listeners<[string]>();
  readonly #dialFailures = new Listeners<[DialProblem]>();
  readonly #newAddresses = new Listeners<[]>();
  /** Where the workspace is reached now; set once that is known. */
  places: (() => Places) | undefined;
  /** Where questions are shown with keys: set once there are any. */
  asker: Pick<Asker, "isOpen"> | undefined;
  #seenUp = false;
  /** We left by ourselves last time: no news, and coming back is none either. */
  #hasLeft = false;

  constructor(options: Pick<StartOptions, "json" | "quiet">) {
    this.#options = options;
  }

  /** The relay refused the bridge for good. Returns the end of it. */
  onRefused(listener: (reason: string) => void): () => void {
    return this.#refusals.add(listener);
  }

  /** A dial came to nothing; another follows. Returns the end of it. */
  onDialFailed(listener: (problem: DialProblem) => void): () => void {
    return this.#dialFailures.add(listener);
  }

  /** The tunnel is back by another name. Returns the end of it. */
  onNewAddress(listener: () => void): () => void {
    return this.#newAddresses.add(listener);
  }

  dialFailed(problem: DialProblem): void {
    this.#dialFailures.tell(problem);
  }

  on(event: BridgeEvent): void {
    if (event.event === "link_refused") this.#refusals.tell(event.reason);
    // The first one is what the ready line says.
    const first = event.event === "link_up" && !this.#seenUp;
    this.#seenUp ||= event.event === "link_up";
    if (first) return;
    if (this.#options.json) return printJson(this.#whole(event));
    if (!this.#options.quiet) this.#tell(event);
    if (event.event === "tunnel_up" && event.isNew) this.#newAddresses.tell();
  }

  /** Programs get the new links with the news. */
  #whole(event: BridgeEvent): object {
    if (event.event !== "tunnel_up" || this.places === undefined) return event;
    const { relay, links, endpoints } = this.places();
    return { ...event, relay, links, endpoints };
  }

  /** A page says its person's name a moment after it came. */
  #greetSoon({ peer, grant }: PeerTold): void {
    const greet = () => {
      this.#greeting.delete(peer);
      this.#arrivals.joined({ key: grant, name: this.#names.get(peer) ?? "somebody" });
    };
    this.#greeting.set(peer, setTimeout(greet, NAME_MS).unref());
  }

  #tell(event: BridgeEvent): void {
    switch (event.event) {
      case "host_lost":
        return tell(`  the pty host died${withIt(event.terminals)}; starting another`);
      case "tunnel_lost": {
        const seconds = Math.round(event.retryMs / 1_000);
        return tell(`  the tunnel is down: ${event.reason}; trying again in ${seconds} s`);
      }
      case "tunnel_up":
        return event.isNew ? undefined : say("  the tunnel is back, with the same links");
      case "note":
        return tell(`  ${event.note}`);
      case "link_lost":
        this.#hasLeft = event.own;
        return event.own ? undefined : tell(`  link lost: ${event.reason}; terminals keep running`);
      case "link_up":
        if (this.#hasLeft) return undefined;
        return say("  link is back");
      case "approval_requested": {
        if (this.asker?.isOpen === true) return undefined;
        const { id, agent } = event.approval;
        const name = oneLine(agent.label === "" ? agent.grant : agent.label);
        return tell(
          `  ${name} is waiting for an answer: \`pairpty approvals\`, then \`pairpty approve ${id} --code\` or \`pairpty deny ${id}\``,
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
        // Gone before anybody was told of it, or never let in.
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
        return tell(`\u0007  ${personWords(event)} is waiting at the door: ${how}`);
      }
      default:
        return undefined;
    }
  }
}

/** `Ada (ana's link, edit)`: a name that somebody chose never stands alone. */
export function personWords({
  name,
  label,
  role,
  limited,
}: Pick<PeerTold, "name" | "label" | "role" | "limited">): string {
  const may = limited ? `${role}, limited` : role;
  // As the page calls whoever has a link without a label.
  if (label === "") {
    const link = limited ? "edit link, limited to view" : `${role} link`;
    return name === undefined ? link : `${oneLine(name)} (${link})`;
  }
  if (name === undefined || name === label) return `${label} (${may})`;
  return `${oneLine(name)} (${label}, ${may})`;
}

/** Undefined for what is said elsewhere: that they joined, or beneath the key w. */
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
      return `${actor} lets ${whom} come again`;
  }
}

function withIt(terminals: number): string {
  if (terminals === 0) return "";
  return terminals === 1 ? ", and 1 terminal with it" : `, and ${terminals} terminals with it`;
}
