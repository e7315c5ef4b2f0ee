// Owns the raw rendition as the page speaks it: output frames as they came over the link, acks of all
// terminals in one frame, everything else JSON.

import { decodeFrames, FRAME_HEADER_BYTES } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import {
  decodeOffset,
  decodeOutput,
  OUTPUT_HEADER_BYTES,
  encodeAcks,
  PROOF_CHANNEL,
} from "../../protocol/output.ts";
import type { Dialect, Received } from "./dialect.ts";
import type { Words } from "./json-dialect.ts";
import { isJson, jsonDialect, meaning, parse } from "./json-dialect.ts";

const HEADERS_BYTES = FRAME_HEADER_BYTES + OUTPUT_HEADER_BYTES;

export function rawDialect(): Dialect {
  const json = jsonDialect();
  const ids = new Map<number, string>();
  const channels = new Map<string, number>();
  const take = (words: Words): Received | undefined => {
    if (words.type === "pty:attached" && words.id !== undefined && words.channel !== undefined) {
      ids.set(words.channel, words.id);
      channels.set(words.id, words.channel);
    }
    return meaning(words);
  };
  return {
    ...json,
    ack: (rendered, proof) => {
      const acks = [...rendered].flatMap(([id, offset]) => {
        const channel = channels.get(id);
        return channel === undefined ? [] : [{ channel, offset }];
      });
      if (proof !== undefined) acks.push({ channel: PROOF_CHANNEL, offset: proof });
      return acks.length === 0 ? [] : [encodeAcks(0, acks)];
    },
    hear: (data, binary) => {
      if (!binary) return isJson(data) ? take(parse(data)) : undefined;
      const [frame] = decodeFrames(data).frames;
      if (frame?.type === FrameType.proof) {
        return { is: "asked", n: decodeOffset(frame.payload) ?? 0 };
      }
      const output = frame === undefined ? undefined : decodeOutput(frame.payload);
      if (frame === undefined || output === undefined) return undefined;
      if (output.span === 0) return take(parse(Buffer.from(output.body)));
      const id = ids.get(frame.stream) ?? "";
      const { offset, span } = output;
      return { is: "output", id, data: data.subarray(HEADERS_BYTES), offset, next: offset + span };
    },
    body: (data, binary) => (binary ? data.subarray(HEADERS_BYTES) : json.body(data, binary)),
  };
}
