import { expect, test } from "vitest";
import { maskValue } from "./mask.ts";

const SECRET = "hunter2secret";

test("S7 a secret is masked below its name at any depth, in lists and in pairs", () => {
  for (const told of [
    { tokens: [SECRET] },
    { password: [[SECRET]] },
    { credentials: { user: "me", words: [SECRET] } },
    { apiKey: SECRET },
    { "x-api-key": SECRET },
    { headers: { Authorization: SECRET } },
    { env: [{ name: "API_KEY", value: SECRET }] },
    { env: [{ key: "npm_token", value: SECRET }] },
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
  ]) {
    const masked = JSON.stringify(maskValue(told));
    expect(masked).not.toMatch(/hunter2secret|12345678/);
    expect(masked).toContain("•••");
  }
});

test("S7 what is no secret stays readable", () => {
  const told = {
    command: ["grep", "-n", "token", "src"],
    env: [{ name: "PORT", value: "3000" }, ["NODE_ENV", "test"]],
    requestKey: "dev-server",
    count: 3,
    isError: false,
    exit: null,
  };
  expect(maskValue(told)).toEqual(told);
});
