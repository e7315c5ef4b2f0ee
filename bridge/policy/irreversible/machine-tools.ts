// Owns the hard-to-undo calls of programs that change a machine: disks, services, users, system
// packages, and copies that delete. Data only; call-row.ts describes the format.

import type { ToolRows } from "./call-row.ts";

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
