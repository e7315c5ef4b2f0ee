// Owns the hard-to-undo calls of tools that change databases, registries and a project's own files.
// Data only; call-row.ts describes the format. Also owns the hard-to-undo calls of programs that
// change a machine: disks, services, users, system packages, and copies that delete.

import type { ToolRows } from "./call-row.ts";

// Data only; call-row.ts describes the format.

const FIREWALL: ToolRows = {
  rows: [
    "** -F|--flush|-X|--delete-chain|-D|--delete|-P|--policy|-A|--append|-I|--insert|-R|-Z|-N",
  ],
};
const SYSTEM_PACKAGES: ToolRows = {
  valueOptions: "-t -o -c --target-release --option",
  rows: ["remove|purge|autoremove|autopurge|erase|dist-upgrade|full-upgrade|rm|del"],
};

export const MACHINE_TOOLS: Readonly<Record<string, ToolRows>> = {
  systemctl: {
    valueOptions: "-H --host -M --machine -t --type -p --property",
    rows: ["stop|disable|mask|revert|clean|set-default|kill|isolate"],
  },
  service: { rows: ["* stop|disable"] },
  "rc-service sv initctl": { rows: ["** stop|down|exit"] },
  launchctl: { rows: ["unload|remove|bootout|disable|stop|kill|reboot"] },
  loginctl: { rows: ["terminate-*|kill-*|lock-*|disable-linger"] },
  "sc sc.exe": { rows: ["delete|stop|config"] },
  "groupdel deluser delgroup dscl userdel": { rows: ["**"] },
  net: { rows: ["user|share|localgroup ** /delete"] },
  "rsync grsync": { rows: ["** --del*|--remove-source-files !-n"] },
  rclone: {
    valueOptions: "--config --include --exclude --filter",
    rows: ["delete|deletefile|purge|sync|rmdir|rmdirs|cleanup|move|moveto|bisync|dedupe !-n"],
  },
  zfs: { rows: ["destroy|rollback|receive|recv|rename|promote"] },
  zpool: { rows: ["destroy|labelclear|remove|detach|offline|export|create"] },
  btrfs: {
    rows: [
      "subvolume|su|sub|subvol delete|del",
      "device remove|delete",
      "check --repair",
      "rescue",
      "balance",
    ],
  },
  "lvremove vgremove pvremove lvreduce vgreduce cryptsetup-reencrypt dmraid": { rows: ["**"] },
  lvm: { rows: ["lvremove|vgremove|pvremove|lvreduce|vgreduce"] },
  cryptsetup: { rows: ["erase|luksErase|luksFormat|luksKillSlot|luksRemoveKey|reencrypt|remove"] },
  mdadm: { rows: ["** --stop|-S|--zero-superblock|--remove|-r|--fail|-f|--create|-C"] },
  dmsetup: { rows: ["remove|remove_all|wipe_table|clear"] },
  diskutil: {
    rows: ["erase*|partition*|secureErase|zeroDisk|reformat|unmount*|eject", "apfs delete*"],
  },
  hdparm: { rows: ["** --security-erase|--trim-sector-ranges|--write-sector"] },
  nvme: { rows: ["format|sanitize|write-zeroes|delete-ns"] },
  "iptables ip6tables ebtables": FIREWALL,
  nft: { rows: ["flush|delete|destroy|reset"] },
  ufw: { rows: ["** reset|disable|delete"] },
  "firewall-cmd": { rows: ["** --remove-*|--complete-reload|--panic-on|--delete-*"] },
  pfctl: { rows: ["** -F|-d"] },
  ip: { rows: ["link|addr|address|route|rule|netns|neigh delete|del|flush", "link set ** down"] },
  nmcli: { rows: ["** delete|down|off"] },
  "apt apt-get aptitude dnf yum zypper apk": SYSTEM_PACKAGES,
  pacman: { rows: ["** -R|--remove"] },
  "snap flatpak": { rows: ["remove|uninstall"] },
  dpkg: { rows: ["** -r|--remove|-P|--purge"] },
  rpm: { rows: ["** -e|--erase"] },
  "swapoff update-grub grub-install efibootmgr bootctl": { rows: ["**"] },
  history: { rows: ["** -c|-d|-w"] },
  tmutil: { rows: ["delete|disable|deletelocalsnapshots"] },
  "borg restic duplicity": {
    valueOptions: "-r --repo -p --password-file",
    rows: ["delete|prune|forget|compact|recreate|remove-*|cleanup|unlock"],
  },
  "curl curlie": { rows: ["** -X=DELETE|--request=DELETE"], texts: [/\/_delete_by_query\b/] },
  "http https xh xhs": { rows: ["delete"], texts: [/\/_delete_by_query\b/] },
  wget: { rows: ["** --method=DELETE"], texts: [/\/_delete_by_query\b/] },
  "gpg gpg2": { rows: ["** --delete-*"] },
  "ssh-add": { rows: ["** -D|-d"] },
  security: { rows: ["delete-*"] },
  "tmux screen zellij": {
    rows: ["kill-server|kill-session|kill-window|kill-all-sessions|delete-all-sessions"],
  },
  supervisorctl: {
    valueOptions: "-c -s -u -p",
    rows: ["stop|shutdown|remove|clear|signal"],
  },
  pg_ctl: { valueOptions: "-D -m -l -o -p -t -U", rows: ["stop|kill|promote"] },
  pg_ctlcluster: { rows: ["** stop|promote"] },
  nginx: { rows: ["** -s=stop|-s=quit"] },
  "apachectl apache2ctl httpd": { rows: ["stop|graceful-stop", "** -k=stop|-k=graceful-stop"] },
  "atrm lprm ipcrm": { rows: ["**"] },
  postsuper: { rows: ["** -d"] },
  journalctl: { rows: ["** --vacuum-*"] },
  "nix-collect-garbage": { rows: ["**"] },
  nix: { rows: ["store gc|delete", "profile wipe-history"] },
  guix: { rows: ["gc", "** --delete-generations*"] },
  wsl: { rows: ["** --unregister|--shutdown|--terminate|-t"] },
  machinectl: { rows: ["terminate|poweroff|remove|kill|clean"] },
  "distrobox toolbox": { rows: ["rm|rmi"] },
  // A file moved to /dev/null is lost, and a copy from it empties the target.
  "mv gmv": { rows: ["** /dev/null"] },
  "cp gcp install ginstall": { rows: ["** /dev/null \\S+"] },
  "ln gln": { rows: ["** /dev/null \\S+ -f|--force"] },
  "tar gtar bsdtar": { rows: ["** --remove-files"] },
  zip: { rows: ["** -m|--move"] },
  "7z 7za 7zr 7zz": { rows: ["d|rn", "** -sdel"] },
  "svn hg": { rows: ["revert|strip|purge"] },
};

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
