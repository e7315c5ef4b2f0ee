// The ways out of a sandbox that people try, each with a real bubblewrap, for root and for a plain
// user. What is tried inside is looked at from outside.

import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import type { Server } from "node:net";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { alive, readCommand } from "../support/processes.ts";
import { until } from "../support/waiting.ts";
import type { IsolatedWorld } from "../support/walls.ts";
import { canSandbox, openIsolation, WHO } from "../support/walls.ts";

const SECRETS = {
  AWS_SECRET_ACCESS_KEY: "hunter2-aws",
  COOKIE_OF_MINE: "hunter2-cookie",
  SSH_AUTH_SOCK: "/tmp/hunter2-agent.sock",
  DBUS_SESSION_BUS_ADDRESS: "unix:path=/run/hunter2-bus",
  DOCKER_HOST: "unix:///run/hunter2-docker.sock",
  XDG_RUNTIME_DIR: "/run/user/hunter2",
};

const TREE = { recursive: true, force: true };

const isHere = await canSandbox();

describe.each(WHO)("%s", { skip: !isHere }, (who) => {
  let world: IsolatedWorld;
  beforeAll(async () => {
    world = await openIsolation(who, {}, SECRETS);
    const { folder } = world;
    world.write(join(folder, ".git", "hooks", "pre-commit"), "#!/bin/sh\n");
    world.write(join(folder, ".git", "config"), "[core]\n");
    world.write(join(folder, ".envrc"), "mine\n");
    world.write(join(world.home, ".ssh", "id"), "hunter2-key\n");
    world.write(join(world.top, "elsewhere", "file"), "hunter2-elsewhere\n", 0o644);
  });
  afterAll(() => world.close());

  /** What a shell line printed, and that it did not end early. */
  async function printed(line: string): Promise<string> {
    const { text, exit } = await world.run(`${line}\necho; echo done`);
    expect([text.split("\n").at(-2), exit.exitCode], text).toEqual(["done", 0]);
    return text;
  }

  test("I73 nothing outside the workspace can be written", async () => {
    const name = `pairpty-${randomBytes(6).toString("hex")}`;
    const places = ["/", "/etc", "/usr", "/usr/bin", "/opt", "/var", "/run", "/root", "/home"];
    const outside = [...places, join(world.top, "elsewhere"), world.top];
    await printed(outside.map((place) => `echo x > ${place}/${name}`).join("\n"));
    for (const place of outside) expect(existsSync(join(place, name)), place).toBe(false);
    await printed(`echo x > ${name}; rm ${name}; echo built > result`);
    expect(readFileSync(join(world.folder, "result"), "utf8")).toBe("built\n");
  });

  test("I5 I75 what runs as the user later cannot be changed, replaced, moved or unmounted", async () => {
    const { folder } = world;
    const files = [
      ".git/hooks/pre-commit",
      ".git/hooks/post-checkout",
      ".git/config",
      ".git/commondir",
      ".vscode/tasks.json",
      ".envrc",
      ".mcp.json",
      "pairpty.config.json",
    ];
    const before = () => files.map((file) => contents(join(folder, file)));
    const was = before();
    await printed(`
      for f in ${files.join(" ")}; do
        echo evil > $f; echo evil >> $f; rm -f $f; mv $f moved; ln -sf /etc/passwd $f
        echo evil > evil; mv -f evil $f; ln -f evil $f; cp -f evil $f; chmod 777 $f; umount $f
      done
      mv .git stolen && mkdir -p .git/hooks && echo evil > .git/hooks/pre-commit
      mv .git/hooks stolen; rm -rf .git; mv .vscode stolen; rmdir .vscode; rm -rf .vscode
      mount --bind /tmp .git; mount -o remount,rw .git/hooks; umount -l .git/hooks
      cd / && mv ${folder} ${folder}-stolen
    `);
    expect(before()).toEqual(was);
    expect(readdirSync(join(folder, ".git"))).toEqual(["config", "hooks"]);
    expect(statSync(join(folder, ".git", "config")).mode & 0o777).toBe(0o600);
    expect(await printed("echo object > .git/index; cat .git/index .git/config")).toContain(
      "[core]",
    );
  });

  test("I4 neither /etc/shadow nor anyone's home nor the folders around can be read", async () => {
    const text = await printed(`
      cat /etc/shadow /etc/gshadow /etc/sudoers /etc/ssh/* /root/.bashrc /root/.ssh/* /home/*/.*
      ls -A /root /home /mnt /media /srv /boot /sys /var/lib /var/log /etc/ssh
      cat ${world.home}/.ssh/id ${world.top}/elsewhere/file; ls ${world.top}
      cat /proc/1/root/etc/shadow /proc/self/root/etc/shadow; ls /proc/1/root/root
    `);
    expect(text).not.toMatch(/hunter2|root:[^\n]*:\d|PRIVATE/);
    expect(text).toMatch(/shadow: (No such file|Permission denied)/);
    expect(text).not.toContain("elsewhere\n");
  });

  test("I6 pairpty's own folders are not there, wherever they are", async () => {
    const text = await printed(
      `ls -A ${world.place.folder} ${world.top}/state; cat ${world.place.folder}/passwd`,
    );
    expect(text).not.toMatch(/placeholders|terminal\.bpf|agent:|plain:/);
  });

  test("I73 home and /tmp are private: empty at each start, and gone with it", async () => {
    const mark = randomBytes(6).toString("hex");
    writeFileSync(`/tmp/pairpty-${mark}`, "outside");
    const first = await printed(`
      ls /tmp/pairpty-${mark}; ls -A ~ | tr '\\n' ' '
      echo inside > /tmp/inside-${mark}; echo inside > ~/inside-${mark}; echo kept > ~/.cache/${mark}
    `);
    expect(first).toContain("No such file");
    expect(first).toContain(".cache \n");
    const second = await printed(`ls /tmp ~; cat ~/.cache/${mark}`);
    expect(second).not.toContain("inside-");
    expect(second).toContain("kept");
    for (const place of ["/tmp", world.home])
      expect(existsSync(`${place}/inside-${mark}`)).toBe(false);
    rmSync(`/tmp/pairpty-${mark}`);
  });

  test("I9 no capability, no new privileges, no namespaces of its own, no setuid", async () => {
    const text = await printed(`
      grep -E '^(Cap|NoNewPrivs|Seccomp:|Uid)' /proc/self/status
      unshare -U true; unshare -Ur true; unshare -m true; chroot / true; mount -t tmpfs x /tmp
      su -c id root < /dev/null; mknod /tmp/sda b 8 0; dmesg | head -1
      hostname evil
      for f in .git/config own-file $(find /proc/sys /proc/irq /proc/bus /proc/fs /proc/sysrq-trigger -type f 2>/dev/null); do
        { command : >> $f; } 2>/dev/null && echo "writable $f"
      done
    `);
    for (const set of ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"]) {
      expect(text).toContain(`${set}:\t0000000000000000`);
    }
    expect(text).toContain("NoNewPrivs:\t1");
    expect(text).toContain("Seccomp:\t2");
    // The workspace's own file shows that the loop tells what it could open.
    expect(text.match(/^writable .*$/gm)).toEqual(["writable own-file"]);
    expect(text).not.toMatch(/uid=0/);
    expect(text.match(/^unshare: /gm)?.length).toBe(3);
  });

  test("I82 no descriptor is inherited, and no process outside is seen, traced or signalled", async () => {
    const text = await printed(`
      for fd in /proc/self/fd/*; do readlink $fd; done
      ls -d /proc/[0-9]* | wc -l
      cat /proc/*/cmdline | tr '\\0' ' '
      kill -9 ${world.hostPid} ${process.pid}
      cat /proc/${world.hostPid}/environ
    `);
    expect(text).not.toContain("pty-host");
    expect(Number(/^(\d+)$/m.exec(text)?.[1])).toBeLessThan(6);
    expect(text.split("\n").filter((line) => /socket:|pipe:|\.bpf|anon_inode/.test(line))).toEqual(
      [],
    );
    await world.run("kill -9 -1");
    expect(alive(world.hostPid)).toBe(true);
  });

  test("I9 I20 it makes no file that runs as its owner or with their group outside", async () => {
    world.write(join(world.folder, "shared", "file"), "");
    chmodSync(join(world.folder, "shared"), 0o2770);
    const text = await printed(`
      cp /bin/true own; chmod u+s own; chmod 4755 own; cp /bin/true other; chmod 755 other && echo fine
      cp /bin/true group; chmod g+s group; chmod 2755 group; chmod 2644 group; chmod 6755 group
      install -m 2755 /bin/true installed; cp -p group copied; mkdir -m 2775 folder
      python3 -c 'import os; os.open("made", os.O_CREAT | os.O_WRONLY, 0o4755)'
      python3 -c 'import os; os.open("made-group", os.O_CREAT | os.O_WRONLY, 0o2755)'
      python3 -c 'import os; os.mknod("made-node", 0o102755)'
      mkdir shared/sub && touch shared/sub/file && rm -r shared/sub && echo in a shared folder
    `);
    expect(text).toMatch(/fine[^]*in a shared folder/);
    expect(text.match(/not permitted/g)?.length).toBeGreaterThanOrEqual(9);
    for (const name of readdirSync(world.folder).filter((one) => one !== "shared")) {
      expect(statSync(join(world.folder, name)).mode & 0o6000, name).toBe(0);
    }
  });

  test("I21 I91 I92 what it writes to memory is bounded, and it writes to no other", async () => {
    const text = await printed(`
      echo x > /dev/file; echo x > /dev/null && echo device
      python3 - <<'END'
import os
total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
mounts = [line.split()[1:4] for line in open("/proc/mounts") if " tmpfs " in line]
def is_written(path):
    try:
        os.rmdir(os.mkdir(path + "/probe") or path + "/probe")
        return True
    except OSError:
        return False
written = [path for path, kind, options in mounts if is_written(path)]
sizes = [os.statvfs(path).f_blocks * os.statvfs(path).f_frsize for path in written]
print("written", *sorted(written))
print("bounded", sum(sizes) <= total / 2 + 65536)
END
    `);
    expect(text).toContain("device\n");
    expect(text).toContain("bounded True");
    const folders = ["/dev/shm", world.home, "/tmp", "/var/tmp"].sort().join(" ");
    expect(text).toContain(`written ${folders}\n`);
  });

  test("I83 it cannot type into its terminal, nor read the keyrings of the session", async () => {
    const program = `
import fcntl, ctypes, platform
for request in (0x5412, 0x541c):
    try:
        fcntl.ioctl(0, request, b"x")
        print("typed")
    except OSError as error:
        print("refused", error.errno)
libc = ctypes.CDLL(None, use_errno=True)
number = {"x86_64": 250, "aarch64": 219}[platform.machine()]
print("keyctl", libc.syscall(number, 0, -3, 0), ctypes.get_errno())
`;
    world.write(join(world.folder, "type.py"), program);
    const text = await printed("python3 type.py");
    expect(text).toContain("refused 1\nrefused 1\nkeyctl -1 1\n");
  });

  test("I7 no secret is in the environment, not even of the first process", async () => {
    const text = await printed(
      "env; cat /proc/*/environ | tr '\\0' '\\n'; cat /proc/1/cmdline | tr '\\0' ' '",
    );
    expect(text).not.toContain("hunter2");
    expect(text).toContain(`HOME=${world.home}`);
  });

  test("I7 a variable that a request adds runs nothing outside", async () => {
    const { home, top } = world;
    // The loader of whoever gets these writes a file for each process that it starts.
    const env = {
      LD_DEBUG: "statistics",
      LD_DEBUG_OUTPUT: join(top, "loader"),
      ENV: "x",
      BASH_ENV: "x",
    };
    const { exit } = await world.run("true", { env });
    expect(exit.exitCode).toBe(0);
    const written = [top, home, world.folder].flatMap((folder) => readdirSync(folder));
    expect(written.filter((name) => name.startsWith("loader"))).toEqual([]);
  });

  test("I8 no network: neither this machine's ports nor its sockets, abstract ones included", async () => {
    const name = `pairpty-${randomBytes(6).toString("hex")}`;
    const path = join(world.folder, "..", "elsewhere", "bridge.sock");
    const servers = await Promise.all([
      listening({ port: 0, host: "127.0.0.1" }),
      listening({ path: `\0${name}` }),
      listening({ path }),
    ]);
    const address = servers[0]?.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const program = `
import socket, os
def to(family, address):
    one = socket.socket(family, socket.SOCK_STREAM)
    one.settimeout(2)
    try:
        one.connect(address)
        print("reached", address)
    except OSError as error:
        print("refused")
to(socket.AF_INET, ("127.0.0.1", ${port}))
to(socket.AF_INET, ("1.1.1.1", 53))
to(socket.AF_UNIX, "\\0${name}")
to(socket.AF_UNIX, "${path}")
for known in ("/run/docker.sock", "/var/run/docker.sock", "/run/dbus/system_bus_socket"):
    to(socket.AF_UNIX, known)
try:
    socket.socket(40, socket.SOCK_STREAM)
    print("reached the host of this machine")
except OSError as error:
    print("refused" if error.errno == 97 else error)
own = socket.create_server(("127.0.0.1", 0))
print("own", len([socket.create_connection(own.getsockname())]))
print(len(os.listdir("/sys/class/net")) if os.path.exists("/sys/class/net") else "no sys")
`;
    world.write(join(world.folder, "reach.py"), program);
    const text = await printed("python3 reach.py; ls -A /run /var/run");
    for (const server of servers) server.close();
    expect(text).toContain(`${"refused\n".repeat(8)}own 1\n`);
    expect(text).not.toContain("reached");
  });

  describe("a workspace without `.git`", () => {
    let other: IsolatedWorld;
    beforeAll(async () => {
      other = await openIsolation(who);
      other.write(join(other.top, "elsewhere", "id"), "hunter2-elsewhere\n", 0o644);
      other.write(join(other.home, ".ssh", "id"), "hunter2-key\n");
    });
    // Each test finds it empty.
    afterEach(() => {
      for (const name of readdirSync(other.folder)) rmSync(join(other.folder, name), TREE);
    });
    afterAll(() => other.close());

    test("I79 a guarded file that is a link is refused", async () => {
      symlinkSync("elsewhere", join(other.folder, ".envrc"));
      await expect(other.run("true")).rejects.toThrow(".envrc is a symbolic link");
    });

    test("I80 what a sandbox swaps for links while others start leads them nowhere", async () => {
      const outside = join(other.top, "elsewhere");
      // `.git` and `.claude` are absent when it starts: nothing keeps it from making both. It swaps
      // thousands of times a second, which is often while another starts, and rests in between: the
      // processor is wanted elsewhere.
      const program = `
import ctypes, os, time
libc = ctypes.CDLL(None)
for name in (".claude", ".git"):
    os.makedirs(name + "/hooks"); os.symlink("${outside}", name + ".link")
print("swapping", flush=True)
while True:
    for name in (b".claude", b".git"):
        libc.syscall(316, -100, name, -100, name + b".link", 2)
    time.sleep(0.0001)
`;
      other.write(join(other.folder, "swap.py"), program);
      const swapping = await other.start(["/bin/sh", "-c", "exec python3 swap.py"]);
      await swapping.saw("swapping");
      const before = readdirSync(outside);
      const seen: string[] = [];
      // A start that followed a link would do so every other time.
      for (let i = 0; i < 12; i++) {
        const { text } = await other
          .run("cat .claude/id .git/id; echo x > .git/evil; echo x > .claude/evil; ls .git .claude")
          .catch((error: unknown) => ({ text: String(error) }));
        seen.push(text);
      }
      swapping.signal("SIGKILL");
      await swapping.exit();
      expect(seen.join("\n")).not.toContain("hunter2");
      expect(readdirSync(outside)).toEqual(before);
    });

    test("I74 a `.git` that a sandbox wrote opens no other folder to the next one", async () => {
      await other.run(`
        mkdir -p fake worktrees/fake; echo ${other.home}/.ssh > fake/commondir
        echo $PWD/.git > fake/gitdir; echo "gitdir: $PWD/fake" > .git`);
      const { text } = await other.run(`cat ${other.home}/.ssh/id; echo done`);
      expect(text).toMatch(/No such file[^]*done/);
    });
  });

  test("I74 a PATH that a request brings along shows no other folder", async () => {
    const { home } = world;
    const env = { PATH: `${home}/.ssh:/usr/local/bin:/usr/bin:/bin` };
    const { text } = await world.run(`cat ${home}/.ssh/id; echo $PATH; echo done`, { env });
    expect(text).toMatch(/No such file[^]*done/);
    expect(text).toContain(`${home}/.ssh:`);
  });

  test("I11 nothing is left of it, whatever is killed", async () => {
    const mark = `pairpty-${randomBytes(6).toString("hex")}`;
    const line = `(setsid sh -c 'sleep 1000; : ${mark}' &) ; nohup sh -c 'sleep 1000; : ${mark}' > /dev/null & trap '' HUP TERM INT; echo up; sleep 1000; : ${mark}`;
    const up = async () => {
      const terminal = await world.start(["/bin/sh", "-c", line]);
      await terminal.saw("up");
      // Both of bubblewrap's, the line itself, and the two that went into the background.
      await until("all of it runs", () => running(mark).length >= 5);
      return terminal;
    };
    for (const signal of ["SIGKILL", "SIGHUP"]) {
      const terminal = await up();
      terminal.signal(signal);
      await terminal.exit();
      await until(`nothing is left after ${signal}`, () => running(mark).length === 0);
    }
    for (const victim of ["outer", "init"] as const) {
      const terminal = await up();
      const [outer = 0, init = 0] = bwraps(mark);
      process.kill(victim === "outer" ? outer : init, "SIGKILL");
      await terminal.exit();
      await until(`nothing is left of the ${victim}`, () => running(mark).length === 0);
    }
    // The pty host itself, last.
    await up();
    process.kill(world.hostPid, "SIGKILL");
    await until("nothing is left of the host", () => running(mark).length === 0);
  });
});

function contents(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

async function listening(options: object): Promise<Server> {
  const server = createServer((socket) => socket.end());
  server.listen(options);
  await once(server, "listening");
  return server;
}

/** Processes whose command line has the mark, as seen from outside. */
function running(mark: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => readCommand(pid).join("\0").includes(mark) && alive(pid));
}

/** The outer bubblewrap, then the first process inside. */
function bwraps(mark: string): number[] {
  return running(mark).filter((pid) => readCommand(pid)[0] === "/usr/bin/bwrap");
}
