// Assembles the people's services: presence, admission, moderation, links that people make, and their
// dialect.

import type { AuditLog } from "../audit/log.ts";
import type { Hub } from "../callers/hub.ts";
import { RoomDialect } from "../dialects/room/dialect.ts";
import type { GrantTable } from "../grants/table.ts";
import type { Log } from "../log.ts";
import { Devices } from "../people/devices.ts";
import type { Later } from "../people/gathering.ts";
import type { Decided } from "../people/hosting.ts";
import { Hosting } from "../people/hosting.ts";
import { KnockTelling } from "../people/knock-telling.ts";
import type { PresenceParts } from "../people/presence.ts";
import { Presence } from "../people/presence.ts";
import { Sharing } from "../people/sharing.ts";
import type { VisitorsParts } from "../people/visitors.ts";
import { Visitors } from "../people/visitors.ts";
import type { Disk } from "../workspace/durable-file.ts";
import { awaitSaved } from "../workspace/durable-file.ts";
import type { FolderName } from "../workspace/folder-name.ts";

/** Options about the people who join. */
export interface VisitsWish {
  /** The file that stores the host's decisions about browsers. */
  readonly devicesPath: string;
  /** Every guest waits for admission, whatever their link. */
  readonly isKnockOn: boolean;
  /** The workspace's display name. */
  readonly folder?: FolderName;
  /** The address that others use, if it is not the dialled one. */
  readonly address?: () => string | undefined;
  /** Returns the page's address with a token. */
  readonly linkWith: (token: string) => string;
  /** Resolves when the room knows every grant. */
  readonly confirmed: () => Promise<void>;
  readonly onDecided: (decided: Decided) => void;
}

export interface VisitingParts {
  readonly hub: Hub;
  readonly grants: GrantTable;
  readonly viewers: VisitorsParts["viewers"];
  readonly terminal: PresenceParts["terminal"];
  readonly audit: Pick<AuditLog, "write">;
  readonly log: Log;
  readonly now?: () => number;
  readonly later?: Later;
  readonly disk?: Disk | undefined;
}

export interface Visiting {
  readonly visitors: Visitors;
  readonly hosting: Hosting;
  readonly sharing: Sharing;
  readonly devices: Devices;
  readonly dialect: RoomDialect;
  dispose(): void;
}

/** Builds the services and registers the admission gate with the hub. */
export function openVisiting(parts: VisitingParts, visits: VisitsWish): Visiting {
  const { hub, grants, viewers, terminal, audit, log, now, later, disk } = parts;
  const clock = { ...(now && { now }), ...(later && { later }) };
  const devices = new Devices(visits.devicesPath, log, now, disk);
  const presence = new Presence({
    hub,
    terminal,
    people: () => visitors.people(),
    listens: (caller) => visitors.listens(caller),
    ...clock,
  });
  const knockTelling = new KnockTelling({
    hub,
    knocks: () => visitors.knocks(),
    isFor: (caller) => hosting.hearsKnocks(caller),
    ...clock,
  });
  const visitors: Visitors = new Visitors({
    hub,
    grants,
    devices,
    viewers,
    isKnockOn: visits.isKnockOn,
    log,
    ...clock,
  });
  visitors.onEvent(() => {
    presence.changed();
    knockTelling.changed();
  });
  hub.guard(visitors);
  const hosting = new Hosting({
    visitors,
    devices,
    grants,
    audit,
    onDecided: visits.onDecided,
  });
  const { linkWith, confirmed } = visits;
  const sharing = new Sharing({ grants, visitors, devices, linkWith, confirmed, ...clock });
  const dialect = new RoomDialect({
    visitors,
    presence,
    hosting,
    sharing,
    unsaved: () => awaitSaved([grants.file, devices.file]),
    linkOf: ({ grantId }) => grants.lookUp(grantId),
    folder: visits.folder,
    address: visits.address,
  });
  return {
    visitors,
    hosting,
    sharing,
    devices,
    dialect,
    dispose: () => {
      presence.dispose();
      knockTelling.dispose();
      visitors.dispose();
    },
  };
}
