import { expect, test } from "vitest";
import { maskValue } from "./mask.ts";

const SECRET = "hunter2secret";

const FLAGGED = [
  `mysql -u root -p${SECRET} mydb`,
  `env A=1 /usr/bin/mysqldump -p${SECRET} mydb`,
  `sshpass -p ${SECRET} ssh host`,
  `redis-cli -h x -a ${SECRET} ping`,
  `mongosh -u me -p ${SECRET}`,
  `docker login -u me -p ${SECRET} registry.example.com`,
  `ldapsearch -D cn=x -w ${SECRET}`,
  `7z x a.7z -p${SECRET}`,
  `unzip -P ${SECRET} a.zip`,
  `http -a me:${SECRET} example.com`,
  `openssl rsa -in k -passin pass:${SECRET}`,
  `gpg --passphrase ${SECRET} -d x`,
  `curl -ume:${SECRET} example.com`,
  `aws configure set aws_secret_access_key ${SECRET}`,
  `npm config set //registry.example.com/:_authToken ${SECRET}`,
];

test("S32 a secret is masked below its name at any depth, in lists and in pairs", () => {
  for (const secret of [
    { tokens: [SECRET] },
    { password: [[SECRET]] },
    { credentials: { user: "me", words: [SECRET] } },
    { apiKey: SECRET },
    { "x-api-key": SECRET },
    { headers: { Authorization: SECRET } },
    { env: [{ name: "API_KEY", value: SECRET }] },
    { env: [{ key: "npm_token", value: SECRET }] },
    { env: [{ k: "npm_token", v: SECRET }] },
    { headers: [{ header: "Proxy-Authorization", values: [SECRET] }] },
    { env: [["API_KEY", SECRET]] },
    {
      env: [
        ["PORT", "3000"],
        ["GITHUB_TOKEN", SECRET],
      ],
    },
    ["tool", "--api-key", SECRET],
    ["tool", "--client-secret", [SECRET]],
    ["curl", "-u", `me:${SECRET}`],
    [["curl", `--user=me:${SECRET}`]],
    { pin: { passphrase: 12_345_678 } },
    // Flags of certain programs, as words and in a line.
    ...FLAGGED.flatMap((line) => [{ command: line.split(" ") }, { command: ["sh", "-c", line] }]),
  ]) {
    const masked = JSON.stringify(maskValue(secret));
    expect(masked).not.toMatch(/hunter2secret|12345678/);
    expect(masked).toContain("•••");
  }
});

test("S32 what is no secret stays readable", () => {
  const secret = {
    command: ["grep", "-n", "token", "src"],
    others: [
      ["mkdir", "-p", "src/a"],
      ["mysql", "-p", "mydb"],
      ["docker", "run", "-p", "3000:3000", "app"],
      ["ssh", "-p", "22", "host"],
      ["git", "log", "-p", "-a"],
      ["sh", "-c", "mysql -p mydb; mkdir -p x; ps -a y"],
    ],
    env: [{ name: "PORT", value: "3000" }, ["NODE_ENV", "test"]],
    requestKey: "dev-server",
    count: 3,
    isError: false,
    exit: null,
  };
  expect(maskValue(secret)).toEqual(secret);
});

test("S32 thousands of flags behind a long word are masked in no time, and only behind their program", () => {
  const flags = Array.from({ length: 2_000 }, () => `-p${SECRET}`);
  const long = "lorem ipsum ".repeat(100_000);
  const from = performance.now();
  const masked = maskValue([
    [long, "mysql", ...flags],
    [long, ...flags],
  ]);
  // Was 30 s before the cache, and is 0.1 s with it.
  expect(performance.now() - from).toBeLessThan(3_000);
  const left = "(1200000 characters, left out)";
  expect(masked).toEqual([
    [left, "mysql", ...flags.map(() => "-p•••")],
    [left, ...flags],
  ]);
});
