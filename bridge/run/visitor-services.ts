// Assembles the people's services: presence, admission, moderation, links that people make, and their
// dialect.

import type { AuditLog } from "../audit/audit-log.ts";
import type { Hub } from "../callers/hub.ts";
import { RoomDialect } from "../dialects/room/dialect.ts";
import type { GrantTable } from "../grants/grant-table.ts";
import type { Log } from "../log.ts";
import { Devices } from "../people/devices.ts";
import type { Schedule } from "../schedule.ts";
import type { ModerationEvent } from "../people/moderation.ts";
import { Moderation } from "../people/moderation.ts";
import { KnockBroadcaster } from "../people/knock-broadcaster.ts";
import type { PresenceBroadcasterDeps } from "../people/presence-broadcaster.ts";
import { PresenceBroadcaster } from "../people/presence-broadcaster.ts";
import { LinkSharing } from "../people/link-sharing.ts";
import type { PresenceTrackerDeps } from "../people/presence-tracker.ts";
import { PresenceTracker } from "../people/presence-tracker.ts";
import type { FileSystem } from "../workspace/durable-file.ts";
import { awaitSaved } from "../workspace/durable-file.ts";
import type { FolderName } from "../workspace/identity.ts";

/** Options about the people who join. */
export interface VisitorOptions {
  /** The file that stores the host's decisions about browsers. */
  readonly devicesPath: string;
  /** Every guest waits for admission, whatever their link. */
  readonly isKnockOn: boolean;
  /** The workspace's display name. */
  readonly folder?: FolderName;
  /** The address that others use, if it is not the dialled one. */
  readonly getAddress?: () => string | undefined;
  /** Returns the page's address with the text behind its `#`. */
  readonly linkWith: (link: string) => string;
  /** Resolves when the room knows every grant. */
  readonly confirmed: () => Promise<void>;
  readonly onDecided: (decided: ModerationEvent) => void;
}

export interface VisitorServicesDeps {
  readonly hub: Hub;
  readonly grants: GrantTable;
  readonly viewers: PresenceTrackerDeps["viewers"];
  readonly terminal: PresenceBroadcasterDeps["terminal"];
  readonly audit: Pick<AuditLog, "write">;
  readonly log: Log;
  readonly now?: () => number;
  readonly schedule?: Schedule;
  readonly disk?: FileSystem | undefined;
}

export interface VisitorServices {
  readonly visitors: PresenceTracker;
  readonly moderation: Moderation;
  readonly sharing: LinkSharing;
  readonly devices: Devices;
  readonly dialect: RoomDialect;
  dispose(): void;
}

/** Builds the services and registers the admission gate with the hub. */
export function openVisitorServices(
  deps: VisitorServicesDeps,
  options: VisitorOptions,
): VisitorServices {
  const { hub, grants, viewers, terminal, audit, log, now, schedule, disk } = deps;
  const clock = { ...(now && { now }), ...(schedule && { schedule }) };
  const devices = new Devices(options.devicesPath, log, now, disk);
  const presence = new PresenceBroadcaster({
    hub,
    terminal,
    people: () => visitors.listPeople(),
    receivesPresence: (caller) => visitors.receivesPresence(caller),
    ...clock,
  });
  const knockNotifier = new KnockBroadcaster({
    hub,
    listKnocks: () => visitors.listKnocks(),
    isFor: (caller) => hosting.receivesKnocks(caller),
    ...clock,
  });
  const visitors: PresenceTracker = new PresenceTracker({
    hub,
    grants,
    devices,
    viewers,
    terminal,
    isAdmissionRequired: options.isKnockOn,
    log,
    ...clock,
  });
  visitors.onEvent(() => {
    presence.scheduleFlush();
    knockNotifier.scheduleFlush();
  });
  hub.addGate(visitors);
  const hosting = new Moderation({
    visitors,
    devices,
    grants,
    audit,
    onModerated: options.onDecided,
  });
  const { linkWith, confirmed } = options;
  const sharing = new LinkSharing({
    grants,
    visitors,
    devices,
    toLinkUrl: linkWith,
    confirmed,
    ...clock,
  });
  const dialect = new RoomDialect({
    visitors,
    presence,
    moderation: hosting,
    sharing,
    unsaved: () => awaitSaved([grants.file, devices.file]),
    findLink: ({ grantId }) => grants.lookUp(grantId),
    folder: options.folder,
    address: options.getAddress,
  });
  return {
    visitors,
    moderation: hosting,
    sharing,
    devices,
    dialect,
    dispose: () => {
      presence.dispose();
      knockNotifier.dispose();
      visitors.dispose();
    },
  };
}
