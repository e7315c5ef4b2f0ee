// Owns the heads of tunnelled HTTP. Bodies are opaque bytes in `streamData` frames.

import * as z from "zod/mini";
import { GrantId } from "./grant.ts";

const HeaderList = z
  .array(z.tuple([z.string().check(z.maxLength(200)), z.string().check(z.maxLength(8192))]))
  .check(z.maxLength(64));

export const StreamOpen = z.object({
  method: z.string().check(z.regex(/^[A-Z]{1,16}$/)),
  /** Below the workspace: `/pty/spawn`, with its query. */
  path: z.string().check(z.startsWith("/"), z.maxLength(2048)),
  headers: HeaderList,
  /** Stamped by the room from the token. */
  grant: GrantId,
});
export type StreamOpen = z.infer<typeof StreamOpen>;

export const StreamHead = z.object({
  status: z.int().check(z.gte(200), z.lte(599)),
  headers: HeaderList,
});
export type StreamHead = z.infer<typeof StreamHead>;

export const StreamCancel = z.object({ reason: z.string().check(z.maxLength(200)) });
export type StreamCancel = z.infer<typeof StreamCancel>;
