// Owns the order of the measures: every chain once a round, each round starting with another, so
// that what else the machine does falls on all of them.

import type { Chain } from "./chain.ts";
import type { Sample } from "./input-file.ts";
import {
  BULK_TRIES,
  LAST_ROUND_BEGINS_MS,
  ECHO_PROGRAM,
  ECHO_SAMPLES,
  ECHO_WARM_UP,
  bulkProgram,
} from "./plan.ts";
import { processorTime, spent } from "./processor-time.ts";
import type { Role } from "./role.ts";
import type { Viewed, ViewerAnswer, ViewerRequest } from "./viewing.ts";

/** What one chain gave in one round. */
export interface Measured {
  readonly echoMs: readonly number[];
  /** Undefined when the viewer lost bytes each time. */
  readonly bulk: Bulk | undefined;
  /** What came of the tries before it. */
  readonly losses: readonly Loss[];
}

export type Loss = "skipped" | "stuck";

export interface Bulk {
  readonly megabytesPerSecond: number;
  readonly messages: number;
  readonly processorMs: Readonly<Record<string, number>>;
}

/** By the chain's name, one entry a round. */
export type Rounds = ReadonlyMap<string, Measured[]>;

export class Measuring {
  readonly #viewer: Role;
  readonly #chains: readonly Chain[];

  constructor(viewer: Role, chains: readonly Chain[]) {
    this.#viewer = viewer;
    this.#chains = chains;
  }

  async warmUp(sample: Sample): Promise<void> {
    for (const chain of this.#chains) {
      await this.#echo(chain, ECHO_SAMPLES);
      await this.#bulk(chain, sample);
    }
  }

  async run(rounds: number, sample: Sample, progress: (text: string) => void): Promise<Rounds> {
    const results = new Map<string, Measured[]>(this.#chains.map(({ name }) => [name, []]));
    // This clock began with the process.
    const isTime = () => performance.now() < LAST_ROUND_BEGINS_MS;
    for (let round = 0; round < rounds && isTime(); round++) {
      const first = round % this.#chains.length;
      const order = [...this.#chains.slice(first), ...this.#chains.slice(0, first)];
      const echoes = new Map<string, readonly number[]>();
      for (const chain of order) {
        const samples = await this.#echo(chain, ECHO_WARM_UP + ECHO_SAMPLES);
        echoes.set(chain.name, samples.slice(ECHO_WARM_UP));
      }
      for (const chain of order) {
        const echoMs = echoes.get(chain.name) ?? [];
        results.get(chain.name)?.push({ echoMs, ...(await this.#bulkAtLast(chain, sample)) });
      }
      progress(`round ${round + 1} of ${rounds}`);
    }
    return results;
  }

  async #echo(chain: Chain, samples: number): Promise<readonly number[]> {
    const answer = await this.#measure(chain, ECHO_PROGRAM, (of) => {
      return { measure: "echo", of, samples };
    });
    if (answer.measure !== "echo") throw new Error(`${chain.name}: an echo did not come`);
    return answer.milliseconds;
  }

  async #bulkAtLast(chain: Chain, sample: Sample): Promise<Omit<Measured, "echoMs">> {
    const losses: Loss[] = [];
    while (losses.length < BULK_TRIES) {
      const bulk = await this.#bulk(chain, sample);
      if (typeof bulk !== "string") return { bulk, losses };
      losses.push(bulk);
    }
    return { bulk: undefined, losses };
  }

  async #bulk(chain: Chain, { path, bytes, sha256 }: Sample): Promise<Bulk | Loss> {
    const before = processorTime(chain.processes);
    const answer = await this.#measure(chain, bulkProgram(path), (of) => {
      return { measure: "bulk", of, bytes };
    });
    if (answer.measure === "echo") throw new Error("the viewer measured something else");
    if (answer.measure !== "bulk") return answer.measure;
    if (answer.sha256 !== sha256) throw new Error(`${chain.name}: other bytes came than printed`);
    return {
      megabytesPerSecond: bytes / 1000 / answer.milliseconds,
      messages: answer.messages,
      processorMs: spent(before, processorTime(chain.processes)),
    };
  }

  async #measure(
    chain: Chain,
    command: readonly string[],
    request: (of: Viewed) => ViewerRequest,
  ): Promise<Exclude<ViewerAnswer, { error: string }>> {
    const terminal = await chain.open(command);
    try {
      const { id, url, protocols, acks } = terminal;
      const heard = this.#viewer.heard<ViewerAnswer>();
      this.#viewer.tell(request({ id, url, protocols, acks }));
      const answer = await heard;
      if ("error" in answer) throw new Error(`${chain.name}: ${answer.error}`);
      return answer;
    } finally {
      await terminal.close();
    }
  }
}
