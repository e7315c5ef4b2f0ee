// Owns tools that come as packages and whose purpose is to delete, kill, publish or migrate: as hard to
// undo as what names.ts calls dangerous, however they are started.

import type { Rule } from "../run.ts";

/** By purpose: whatever they are told. */
const PURPOSE: Readonly<Record<string, string>> = {
  "deletes files": "rimraf del-cli del trash trash-cli premove npkill",
  "ends processes": "fkill fkill-cli kill-port kill-port-process killport tree-kill",
  publishes: "np release-it semantic-release publish-please gh-pages surge bumpp",
  "migrates a database":
    "db-migrate node-pg-migrate migrate-mongo postgrator postgrator-cli dbmate graphile-migrate",
};

/** By what they are told. */
const TOLD: Readonly<Record<string, RegExp>> = {
  prisma: /^(?:migrate (?!status|diff)|db (?:push|execute))/,
  "drizzle-kit": /^(?:push|migrate|drop)\b/,
  knex: /^(?:migrate:(?!make|list|currentVersion)|seed:run)/,
  typeorm: /\b(?:migration:(?:run|revert)|schema:(?:sync|drop))/,
  sequelize: /^db:(?!migrate:status)/,
  "sequelize-cli": /^db:(?!migrate:status)/,
  "mikro-orm": /^(?:migration:(?:up|down|fresh)|schema:(?:update|drop|fresh))/,
  supabase: /^db (?:push|reset)/,
  wrangler: /\b(?:deploy|publish|delete|rollback)\b(?!.*--dry-run)/,
  vercel: /^(?:deploy|--prod|remove|rm|promote|rollback)\b/,
  netlify: /^(?:deploy|sites:delete)\b/,
  firebase: /^(?:deploy|hosting:disable|\w+:delete)\b/,
  "firebase-tools": /^(?:deploy|hosting:disable|\w+:delete)\b/,
  lerna: /^(?:publish|clean)\b/,
  changeset: /^publish\b/,
  cdk: /^(?:deploy|destroy)\b/,
  serverless: /^(?:deploy|remove)\b/,
  sst: /^(?:deploy|remove)\b/,
  vsce: /^(?:publish|unpublish)\b/,
  cargo: /^(?:\+\S+ )?(?:publish|yank)\b(?!.*--dry-run)/,
  gem: /^(?:push|yank)\b/,
  twine: /^upload\b/,
  poetry: /^publish\b(?!.*--dry-run)/,
  uv: /^publish\b(?!.*--dry-run)/,
  flit: /^publish\b/,
  hatch: /^publish\b/,
  pdm: /^publish\b/,
  rsync: /(?:^| )--(?:del|remove-source-files)/,
};

/** Whether one table says which of its words are hard to undo. */
export function isListedTool(name: string): boolean {
  return Object.hasOwn(TOLD, name);
}

const always =
  (name: string, why: string): Rule =>
  (_args, run) =>
    run.note("dangerous", `${name} ${why}`);

const whenTold =
  (name: string, what: RegExp): Rule =>
  (args, run) => {
    if (what.test(args.join(" "))) run.note("dangerous", `${name} ${args[0]} is hard to undo`);
  };

/** `shx rm x` */
const shx: Rule = (args, run) => run.argv(args);

export const TOOL_RULES: readonly [string, Rule][] = [
  ...Object.entries(PURPOSE).flatMap(([why, names]) =>
    names.split(" ").map((name): [string, Rule] => [name, always(name, why)]),
  ),
  ...Object.entries(TOLD).map(([name, what]): [string, Rule] => [name, whenTold(name, what)]),
  ["shx", shx],
];
