// Owns the list of dialects by name.

import { ttyShareDialect } from "../peers/tty-share.ts";
import { ttydDialect } from "../peers/ttyd.ts";
import { vibetunnelDialect } from "../peers/vibetunnel.ts";
import { wettyDialect } from "../peers/wetty.ts";
import { bytesDialect } from "./bytes-dialect.ts";
import type { Dialect } from "./dialect.ts";
import { jsonDialect } from "./json-dialect.ts";
import { rawDialect } from "./raw-dialect.ts";
import type { DialectName } from "./viewing.ts";

export const DIALECTS: Readonly<Record<DialectName, (id: string) => Dialect>> = {
  json: jsonDialect,
  raw: rawDialect,
  bytes: bytesDialect,
  ttyd: ttydDialect,
  wetty: wettyDialect,
  "tty-share": ttyShareDialect,
  vibetunnel: vibetunnelDialect,
};
