// The numbers that the rules and the documents tell are those of the code.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { AGENT_DEFAULTS } from "../../bridge/agents/defaults.ts";
import { SHOWN_BYTES } from "../../bridge/agents/command-mirrors.ts";
import { INACTIVITY_MS } from "../../bridge/agents/terminal-timers.ts";
import { MIN_INTERVAL_MS, PREVIEW_BYTES } from "../../bridge/agents/output-previews.ts";
import { DEFAULT_READ_BYTES } from "../../bridge/reading/terminal-text.ts";
import { KEY_LIFETIME_MS as KEY_KEPT_MS } from "../../bridge/agents/request-keys.ts";
import { FINISHED_KEPT, FINISHED_MS, KEPT_OUTPUT_LIMITS } from "../../bridge/commands/commands.ts";
import { CONTEXT_LINES } from "../../bridge/reading/pattern-search.ts";
import { ANSWER_MS } from "../../bridge/sessions/tool-backend.ts";
import { ENDED_SESSION_MS } from "../../bridge/sessions/session-registry.ts";
import { MAX_MASKED_CHARS } from "../../bridge/secrets/mask.ts";
import { DEFAULT_INTERVALS } from "../../bridge/sessions/tool-waits.ts";
import { LIMITS, REFUSALS_PER_MINUTE } from "../../bridge/pipeline/slots.ts";
import { MAX_WAIT_MS } from "../../bridge/reading/wait-until.ts";
import { CONFIRM_AFTER_MS } from "../../bridge/run/room-link.ts";
import { MAX_CONFIG_BYTES as CONFIG_BYTES } from "../../bridge/config/config-files.ts";
import {
  IDLE_MS,
  KEEP_ALIVE_MS,
  MAX_SESSIONS_PER_GRANT,
  MAX_SESSIONS,
} from "../../bridge/dialects/mcp/legacy-sessions.ts";
import { MAX_DISCONNECTED } from "../../bridge/grants/local-agents.ts";
import { LOCAL_GRACE_MS } from "../../bridge/grants/grant-table.ts";
import { REMOTE_BATCH_MS } from "../../bridge/link/frame-batch.ts";
import { PING_AFTER_MS, SUSPECT_AFTER_MS } from "../../bridge/link/liveness.ts";
import { MAX_CONNECTIONS } from "../../bridge/local/local-socket.ts";
import { MAX_LOG_FILES, MAX_LOG_BYTES as LOG_BYTES } from "../../bridge/logs/rotating-file.ts";
import { MAX_DEPTH, MAX_WORDS } from "../../bridge/policy/inspection.ts";
import { MAX_LENGTH } from "../../bridge/policy/policy.ts";
import { BATCH_MS, LEASE_MS, READ_AHEAD_BYTES } from "../../bridge/pty-host/reader.ts";
import { CLAIM_MS, MAX_FINISHED, MAX_FINISHED_MS } from "../../bridge/pty-host/ring.ts";
import { MAX_QUERIES } from "../../bridge/pty-host/output-watcher.ts";
import { RETRY_MS } from "../../bridge/run/part-restarter.ts";
import { SCROLLBACK_LINES } from "../../bridge/screens/emulator.ts";
import { FEED_MS, SLICE_BYTES } from "../../bridge/screens/feed-pacing.ts";
import { SNAPSHOT_BYTES } from "../../bridge/screens/serialize.ts";
import { MIN_KEY_LENGTH, MAX_KEY_LENGTH } from "../../bridge/self-hosted-relay/relay-exposure.ts";
import { TURN_BYTES } from "../../bridge/doors/http/http-tunnel.ts";
import * as limits from "../../protocol/limits.ts";
import { ACK_STEP } from "../../relay/room/delivery.ts";
import { findRuleText } from "../support/spec.ts";

const kib = (bytes: number) => `${bytes / limits.KiB} KiB`;
const mib = (bytes: number) => `${bytes / limits.MiB} MiB`;
const seconds = (milliseconds: number) => `${milliseconds / 1_000} s`;
const minutes = (milliseconds: number) => `${milliseconds / 60_000} minutes`;
const many = (count: number) => count.toLocaleString("en");
const words = ["no", "one", "two", "three", "four", "five"];
const ordinal = (count: number) =>
  `${count}${["th", "st", "nd", "rd"][count % 100 > 10 && count % 100 < 14 ? 0 : count % 10] ?? "th"}`;
const driver = `${limits.MIN_DRIVER_WINDOW / limits.KiB} to ${kib(limits.DRIVER_WINDOW)}`;
const previews = `${1_000 / MIN_INTERVAL_MS} a second and ${kib(PREVIEW_BYTES)} each`;
const { minMs, settleMs, maxMs } = DEFAULT_INTERVALS;
const intervals = `(${minMs / 1_000}, ${settleMs / 1_000} and ${seconds(maxMs)})`;
const logs = `${words[MAX_LOG_FILES]} files of at most ${mib(LOG_BYTES)}`;

const RULES: Readonly<Record<string, readonly string[]>> = {
  P4: [kib(limits.MAX_FRAME_PAYLOAD)],
  P6: [kib(limits.HISTORY_NEWLINE_REACH)],
  R13: [ordinal(limits.MAX_PEERS + 1)],
  R15: [mib(limits.MAX_HTTP_BODY)],
  R20: [mib(limits.PEER_HARD_CAP)],
  R25: [kib(limits.STREAM_WINDOW)],
  R29: [kib(limits.PEER_DRAINED)],
  R30: [mib(limits.UNPROVEN_BYTES)],
  R32: [mib(limits.PEER_HARD_CAP), mib(limits.PEER_TOTAL_CAP), kib(ACK_STEP)],
  R33: [kib(limits.RECEIPT_EVERY_BYTES), `${limits.RECEIPT_EVERY_FRAMES} frames`],
  R34: [ordinal(limits.MAX_PEERS_PER_GRANT + 1)],
  R36: [`${limits.PEER_MESSAGES_PER_SECOND} messages`, many(limits.PEER_MESSAGES_BURST)],
  R50: [seconds(limits.NUDGE_TIMEOUT_MS)],
  R53: [ordinal(limits.MAX_REQUESTS_PER_GRANT + 1)],
  R70: [mib(limits.PROOF_REQUEST_BYTES)],
  L4: [kib(limits.UPLINK_WINDOW)],
  L7: [driver],
  L8: [`${REMOTE_BATCH_MS} ms`],
  H4: [mib(limits.REPLAY_BYTES)],
  H6: [seconds(LEASE_MS)],
  H7: [`${BATCH_MS} ms`, kib(limits.FRAME_SOFT_BYTES)],
  H17: [kib(limits.HISTORY_BYTES), seconds(CLAIM_MS)],
  H19: [`last ${MAX_FINISHED} finished`, minutes(MAX_FINISHED_MS)],
  F11: [`${many(SCROLLBACK_LINES)} lines`, `${many(SNAPSHOT_BYTES)} bytes`],
  F16: [`${MAX_QUERIES} questions`],
  F19: [seconds(FEED_MS)],
  F20: [`${many(limits.MAX_CELLS)} cells`],
  V1: [`${limits.MIN_DRIVER_WINDOW / limits.KiB} and ${kib(limits.DRIVER_WINDOW)}`],
  G26: [minutes(LOCAL_GRACE_MS)],
  G27: [`the ${MAX_DISCONNECTED} that left last`],
  E10: [`${MAX_CONNECTIONS} terminals and ${MAX_CONNECTIONS} agents`],
  K7: [kib(CONFIG_BYTES)],
  A14: [kib(MAX_LENGTH), `(${MAX_DEPTH})`, `(${many(MAX_WORDS)})`],
  S1: [`${LIMITS.background.perMinute} terminals a minute`],
  S2: [`${LIMITS.background.maxConcurrent} agents' terminals`],
  S3: [`${REFUSALS_PER_MINUTE} times in a minute`],
  S10: [minutes(KEY_KEPT_MS)],
  S11: [minutes(INACTIVITY_MS)],
  S33: [`${MAX_MASKED_CHARS / limits.KiB} Ki characters`],
  S35: [`${DEFAULT_READ_BYTES / 1_000} KB`],
  S45: [previews],
  Y2: [kib(KEPT_OUTPUT_LIMITS.head + KEPT_OUTPUT_LIMITS.tail)],
  Y76: [`last ${FINISHED_KEPT} finished`, minutes(FINISHED_MS)],
  Y11: [intervals],
  Y12: [`${many(AGENT_DEFAULTS.bash.cropOutput)} characters`],
  Y83: [`After ${seconds(ANSWER_MS)}`],
  Y89: [minutes(ENDED_SESSION_MS)],
  Y97: [kib(SHOWN_BYTES)],
  Y141: [`${words[CONTEXT_LINES]} around each`],
  M9: [seconds(KEEP_ALIVE_MS)],
  N5: [`${MIN_KEY_LENGTH} to ${MAX_KEY_LENGTH} characters`],
  O4: [logs],
};

test.each(Object.entries(RULES))("X20 the numbers of rule %s are the code's", (rule, claims) => {
  const text = findRuleText(rule);
  for (const claim of claims) expect(text).toContain(claim);
});

const DOCUMENTS: Readonly<Record<string, readonly string[]>> = {
  "docs/threat-model.md": [
    `${mib(limits.PEER_HARD_CAP)} behind on a terminal or ${mib(limits.PEER_TOTAL_CAP)} in all`,
    `sent ${mib(limits.UNPROVEN_BYTES)}`,
    `${limits.MAX_PEERS_PER_GRANT} times ${mib(limits.UNPROVEN_BYTES)}`,
    `no hello is closed after ${seconds(limits.HELLO_TIMEOUT_MS)}`,
    `${MAX_CONNECTIONS} terminals and ${MAX_CONNECTIONS} agents`,
    `no one reads costs ${kib(limits.STREAM_WINDOW)}`,
    `${LIMITS.background.perMinute} spawns a minute, ${LIMITS.background.maxConcurrent} agents' terminals at once`,
    `${REFUSALS_PER_MINUTE} refusals a minute`,
    `${minutes(INACTIVITY_MS)} without activity`,
    `the last ${mib(limits.REPLAY_BYTES)} of each, and ${kib(limits.HISTORY_BYTES)} of one that has ended and that no one has read for ${seconds(CLAIM_MS)}, for ${minutes(MAX_FINISHED_MS)}`,
  ],
  "docs/agents.md": [
    `up to ${seconds(MAX_WAIT_MS)}`,
    `${LIMITS.background.perMinute} spawns a minute and ${LIMITS.background.maxConcurrent} agents' terminals at once`,
    `nothing happens for ${minutes(INACTIVITY_MS)}`,
    `more than ${REFUSALS_PER_MINUTE} times in a minute`,
    `${LIMITS.command.perMinute} commands a minute and ${LIMITS.command.maxConcurrent} at once`,
    `output over ${many(AGENT_DEFAULTS.bash.cropOutput)} characters`,
    `pairpty keeps ${kib(KEPT_OUTPUT_LIMITS.head + KEPT_OUTPUT_LIMITS.tail)}`,
    `After ${ANSWER_MS / 1_000} seconds`,
    `after ${minutes(FINISHED_MS)} or ${FINISHED_KEPT} more commands`,
    `${AGENT_DEFAULTS.bash.timeoutSeconds} unless the`,
  ],
  "bridge/agents/README.md": [previews],
  "bridge/channels/README.md": [
    `${BATCH_MS} ms or ${kib(limits.FRAME_SOFT_BYTES)}`,
    `every ${kib(limits.ACK_BYTES)} or ${limits.ACK_MS} ms; output of a terminal that someone else types into every ${kib(limits.WATCHER_ACK_BYTES)}`,
    `a paced reader with ${kib(READ_AHEAD_BYTES)} unsent holds the program, under a lease of ${seconds(LEASE_MS)}`,
    `the room's mark + ${kib(limits.UPLINK_WINDOW)}`,
    `its window, ${driver}`,
    `ring of ${mib(limits.REPLAY_BYTES)}`,
    `${mib(limits.PEER_HARD_CAP)} beyond the peer's last ack on a channel, ${mib(limits.PEER_TOTAL_CAP)} on all`,
    `${mib(limits.UNPROVEN_BYTES)} without proof`,
    `every ${kib(limits.RECEIPT_EVERY_BYTES)} or ${limits.RECEIPT_EVERY_FRAMES} frames`,
    `nudges after ${seconds(CONFIRM_AFTER_MS)}`,
  ],
  "bridge/dialects/README.md": [`a comment every ${seconds(KEEP_ALIVE_MS)}`],
  "bridge/doors/README.md": [
    `${kib(limits.STREAM_WINDOW)} beyond what its reader took`,
    `body has ${mib(limits.MAX_HTTP_BODY)} at most (one that brings a file ${mib(limits.MAX_FILE_BYTES)})`,
    `${kib(TURN_BYTES)} of bodies a turn`,
  ],
  "bridge/link/README.md": [
    `${seconds(PING_AFTER_MS)} of quiet`,
    `unconfirmed for ${seconds(SUSPECT_AFTER_MS)}`,
    `${seconds(limits.NUDGE_TIMEOUT_MS)} more`,
  ],
  "bridge/run/README.md": [`every ${RETRY_MS} ms until it succeeds`],
  "bridge/screens/README.md": [`slices of ${kib(SLICE_BYTES)}`],
  "bridge/terminals/README.md": [`the last ${mib(limits.REPLAY_BYTES)} of each`],
  "bridge/viewers/README.md": [`\`history\` of at most ${kib(limits.HISTORY_BYTES)}`],
  "protocol/README.md": [`at most ${kib(limits.MAX_FRAME_PAYLOAD)}`],
  "relay/README.md": [
    `At most ${limits.MAX_PEERS} people, ${limits.MAX_PEERS_PER_GRANT} by one link`,
  ],
  "docs/cloudflare.md": [
    `${limits.MAX_PEERS} people in a room`,
    `${limits.MAX_REQUESTS_PER_GRANT} requests at once`,
    `${mib(limits.MAX_HTTP_BODY)} in a request`,
    `within ${REMOTE_BATCH_MS} ms`,
    `every ${limits.ACK_MS} ms`,
  ],
  "docs/decisions/0004-pacing-by-credit.md": [
    `ring, ${mib(limits.REPLAY_BYTES)} per terminal`,
    `once ${kib(READ_AHEAD_BYTES)} are read`,
    `ends ${seconds(LEASE_MS)} after`,
    `cap of ${mib(limits.PEER_HARD_CAP)}`,
    `marks after ${seconds(CONFIRM_AFTER_MS)}`,
  ],
  "docs/decisions/0005-mcp-in-the-bridge.md": [
    `${MAX_SESSIONS} at most and ${MAX_SESSIONS_PER_GRANT} of one grant, swept after ${minutes(IDLE_MS)}`,
    `a comment every ${seconds(KEEP_ALIVE_MS)}`,
  ],
  "docs/protocol.md": [
    `every ${kib(limits.ACK_BYTES)} or ${limits.ACK_MS} ms`,
    `${mib(limits.PEER_HARD_CAP)} behind on a terminal and ${mib(limits.PEER_TOTAL_CAP)} in all`,
    `every ${mib(limits.PROOF_REQUEST_BYTES)}`,
    `sent ${mib(limits.UNPROVEN_BYTES)} without an answer`,
    `each terminal, ${limits.MAX_ATTACHED} at most`,
    `${many(SCROLLBACK_LINES)} lines above`,
  ],
  "docs/self-hosting.md": [logs],
  "docs/sharing.md": [
    `${limits.MAX_PEERS_PER_GRANT} people are here with this link, or ${limits.MAX_PEERS}`,
  ],
  "docs/terminals.md": [
    `last ${mib(limits.REPLAY_BYTES)} of each terminal's output`,
    `${many(SCROLLBACK_LINES)} lines above`,
    `read for ${minutes(MAX_FINISHED_MS)}`,
  ],
  "docs/troubleshooting.md": [logs, `${mib(limits.UNPROVEN_BYTES)} were sent to it`],
};

test.each(Object.entries(DOCUMENTS))("X20 the numbers of %s are the code's", (page, claims) => {
  const text = readFileSync(page, "utf8");
  for (const claim of claims) expect(text).toContain(claim);
});
