// Owns programs that run another one in too many syntaxes to know: every argument at which a command
// could start is judged. A list, grouped by why they run something.

import { registerRule, type Rule } from "../rule.ts";

const sweep: Rule = (args, run) => run.judgeEveryStart(args);

const SWEPT: Readonly<Record<string, string>> = {
  "namespaces and limits":
    "unshare nsenter setpriv capsh runcon prlimit numactl cpulimit firejail bwrap proot " +
    "fakeroot fakechroot fakeroot-ng linux32 linux64 i386 x86_64 arch cgexec cgroup-exec " +
    "trickle softlimit setarch uname26 uclampset pipesz setpgid",
  "tracers and debuggers":
    "strace ltrace dtruss gdb lldb valgrind perf rr heaptrack hyperfine multitime bench",
  "terminals and loggers":
    "script expect screen tmux zellij dtach abduco rlwrap chronic ts pv asciinema ttyrec termtosvg vhs " +
    "xterm uxterm urxvt rxvt alacritty kitty konsole gnome-terminal foot wezterm tilix terminator st " +
    "xfce4-terminal lxterminal mate-terminal",
  "services and sessions":
    "systemd-run systemd-inhibit systemd-nspawn dbus-run-session dbus-launch xvfb-run " +
    "ssh-agent gpg-agent start-stop-daemon daemonize supervise runsv envdir envuidgid " +
    "setuidgid tini dumb-init catatonit retry chpst s6-setuidgid setlock pipexec sem sg newgrp pm2 forever foreman " +
    "honcho overmind mprocs hivemind goreman",
  "time, network and machines":
    "faketime libfaketime torsocks proxychains proxychains4 tsocks sshpass autossh mosh " +
    "pssh parallel-ssh pdsh clush dsh mussh vagrant ansible lxc lxc-attach lxc-execute machinectl distrobox toolbox flatpak snap wine " +
    "wsl",
  environments:
    "direnv asdf mise rtx nvm fnm volta poetry pipenv uv uvx pipx pdm hatch tox nox conda mamba " +
    "micromamba bundle rbenv pyenv nix nix-shell guix dotenv dotenvx doppler op aws-vault " +
    "infisical chamber env-cmd corepack",
  "runners and watchers":
    "nodemon watchexec entr reflex air onchange chokidar concurrently run-p run-s " +
    "npm-run-all start-server-and-test pnpm pnpx turbo nx lerna rush just task mask cargo-watch cargo go-task",
  "other shells' words": "repeat and or not begin -",
  "the dynamic loader":
    "ld.so ld-linux.so.2 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 ld-musl-x86_64.so.1 " +
    "ld-musl-aarch64.so.1",
  "blocked by name already; what they run says more":
    "sudo doas su pkexec run0 runuser gosu dzdo su-exec sudo-rs",
};

/** Groups of programs with sub-commands of their own, which may delete (`pm2 delete all`). */
const WITH_VERBS = [
  "services and sessions",
  "time, network and machines",
  "environments",
  "runners and watchers",
];

/** Programs that run others and have sub-commands of their own. */
export const SWEPT_WITH_VERBS: ReadonlySet<string> = new Set(
  WITH_VERBS.flatMap((group) => SWEPT[group]?.split(" ") ?? []),
);

export const SWEPT_RULES: readonly [string, Rule][] = Object.values(SWEPT).flatMap((names) =>
  registerRule(names, sweep),
);
