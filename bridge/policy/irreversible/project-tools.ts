// Owns the hard-to-undo calls of tools that change databases, registries and a project's own files.
// Data only; call-row.ts describes the format.

import type { ToolRows } from "./call-row.ts";

const RAILS: ToolRows = {
  rows: [
    "db:drop*|db:reset*|db:purge*|db:truncate*|db:rollback*|db:migrate:down|db:migrate:reset|db:migrate:redo|db:schema:load*|db:structure:load|db:seed:replant|db:setup",
    "** db:drop*|db:reset*|db:purge*|db:truncate*|db:rollback*|db:migrate:reset",
    "destroy|d",
    "*:destroy|*:drop|*:wipe|*:clobber|clobber",
  ],
};

const DJANGO: ToolRows = {
  valueOptions: "--settings --pythonpath --database",
  rows: [
    "flush|sqlflush|reset_db|clearsessions|remove_stale_contenttypes|delete_*|drop_*|purge_*",
    "migrate ** zero",
    "migrate --fake|--run-syncdb|--prune",
  ],
};

/** `sequelize db:migrate:undo`, `doctrine:database:drop`, `migrate:fresh`. */
const BY_COLON =
  "*:drop*|*:reset*|*:wipe*|*:fresh*|*:rollback*|*:undo*|*:down*|*:revert*|*:refresh*|*:purge*|*:truncate*|*:destroy*|*:delete*|*:clear-all|*:flush*";

const PUBLISHES: ToolRows = { rows: ["publish|unpublish|yank|upload|push"] };

export const PROJECT_TOOLS: Readonly<Record<string, ToolRows>> = {
  "dropdb dropuser pg_dropcluster pg_resetwal": { rows: ["**"] },
  mysqladmin: {
    valueOptions: "-u --user -h --host -P --port",
    flags: "-p -f",
    rows: ["** drop|shutdown|flush-*|kill|password"],
  },
  pg_restore: { rows: ["** -c|--clean"] },
  mongorestore: { rows: ["** --drop"] },
  "redis-cli valkey-cli keydb-cli": {
    readsCalls: true,
    valueOptions: "-h -p -n -a -u -s --user --pass --eval -r -i -x",
    rows: [
      "flushall|flushdb|del|unlink|shutdown|debug|rename|restore|swapdb|replicaof|slaveof|failover|expire|expireat|pexpire*|hdel|zrem|zremrange*|zpop*|srem|spop|smove|lpop|rpop|lrem|ltrim|getdel|xtrim|xdel|migrate|move",
      "config set|rewrite|resetstat",
      "script|function flush|kill|delete|restore",
      "acl deluser|setuser|load",
      "cluster reset|forget|failover|flushslots",
      "client kill",
      "** --cluster=del-node",
    ],
  },
  prisma: {
    rows: ["migrate reset|deploy|dev|resolve", "db push|execute|seed"],
  },
  "drizzle-kit": { rows: ["push|push:*|migrate|drop|up"] },
  knex: {
    rows: ["migrate:rollback|migrate:down|migrate:latest|migrate:up|migrate:unlock|seed:run"],
  },
  "typeorm typeorm-ts-node-commonjs typeorm-ts-node-esm": {
    rows: ["** migration:run|migration:revert|schema:sync|schema:drop"],
  },
  "sequelize sequelize-cli": { rows: ["db:drop|db:migrate|db:migrate:undo*|db:seed*|db:create"] },
  "mikro-orm": {
    rows: ["migration:up|migration:down|migration:fresh|schema:update|schema:drop|schema:fresh"],
  },
  "rails rake spring": RAILS,
  "manage.py django-admin django": DJANGO,
  alembic: { valueOptions: "-c --config -n --name -x", rows: ["downgrade|stamp"] },
  flask: {
    valueOptions: "--app -A -e --env-file",
    rows: ["db downgrade|stamp", "** drop*|reset*|flush*"],
  },
  aerich: { rows: ["downgrade"] },
  "artisan ace": { rows: [BY_COLON, "down"] },
  console: { rows: [BY_COLON] },
  "doctrine doctrine-migrations phinx": { rows: [BY_COLON, "rollback"] },
  mix: {
    rows: [
      "ecto.drop|ecto.reset|ecto.rollback|phx.gen.*|hex.publish|hex.retire|hex.owner|deps.clean",
    ],
  },
  "dotnet-ef": { rows: ["database drop|update", "migrations remove"] },
  dotnet: { rows: ["ef database drop", "ef migrations remove", "nuget push|delete"] },
  nuget: { rows: ["push|delete"] },
  diesel: { rows: ["database reset|drop", "migration revert|redo"] },
  "sqlx cargo-sqlx": {
    rows: ["database drop|reset", "migrate revert", "sqlx database drop|reset"],
  },
  cargo: {
    rows: ["publish|yank|owner|uninstall", "sqlx database drop|reset", "sqlx migrate revert"],
  },
  "flyway liquibase": {
    rows: ["clean|undo|repair", "rollback*|drop-all|dropAll|update-*|clear-checksums"],
  },
  "migrate golang-migrate goose dbmate atlas tern": {
    valueOptions: "-path -database -source -dir --url -u -d",
    rows: ["** down|drop|reset|rollback|force|redo|down-to|clean"],
  },
  "kafka-topics kafka-topics.sh kafka-consumer-groups kafka-consumer-groups.sh kafka-configs": {
    rows: ["** --delete", "** --delete-offsets|--reset-offsets --execute"],
  },
  "conda mamba micromamba": { rows: ["env remove", "remove --all", "clean -a|--all"] },
  pipx: { rows: ["uninstall-all|reinstall-all"] },
  poetry: { rows: ["env remove", "cache clear"] },
  pm2: { rows: ["delete|del|kill|flush|cleardump|stop"] },
  forever: { rows: ["stop|stopall|cleanlogs"] },
  "aws-vault": { rows: ["remove|rm|clear|rotate"] },
  dvc: { rows: ["destroy|gc|remove|push"] },
  nx: { rows: ["release|reset", "run *:destroy|*:delete|*:purge|*:wipe|*:deploy|*:publish"] },
  "kafka-delete-records kafka-delete-records.sh": { rows: ["**"] },
  rabbitmqctl: {
    valueOptions: "-n --node -p --vhost",
    rows: ["reset|force_reset|stop|stop_app|delete_*|purge_queue|forget_cluster_node|clear_*"],
  },
  rabbitmqadmin: { rows: ["** delete|purge"] },
  influx: { rows: ["delete", "** delete"] },
  nodetool: { rows: ["decommission|removenode|drain|clearsnapshot|assassinate"] },
  "gem twine flit hatch pdm vsce ovsx": PUBLISHES,
  "poetry uv": { rows: ["publish"] },
  lerna: { rows: ["publish|clean"] },
  changeset: { rows: ["publish"] },
  goreleaser: { rows: ["release !--snapshot|--skip-publish"] },
  "mvn mvnw": { rows: ["** deploy|release:*|*:deploy|flyway:clean|*:drop*"] },
  "gradle gradlew": { rows: ["** publish|publish*|flywayClean|*:publish|dropAll"] },
  sbt: { rows: ["publish*|release"] },
};
