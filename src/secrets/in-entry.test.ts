import { describe, expect, it } from "vitest";
import * as fc from "fast-check";

import type { ServerEntry } from "../clients/canonical.ts";
import { isSecretName } from "./patterns.ts";
import { secretsInEntry, lineMask, mask, maskEntry } from "./in-entry.ts";

// Made up, and cut in two so that scanners of repositories do not take them for real ones.
const GITHUB = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`;
const UUID = "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed";
const SLACK = "https://hooks.slack.com/services";
const RANDOM = "q7Xv2LmN9pRt4WzY8kJd3HbF";
const JWT = `eyJ${"hbGciOiJIUzI1NiJ9"}.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r`;

const values = (entry: ServerEntry): readonly string[] => secretsInEntry(entry).map((s) => s.value);

describe("findSecrets", () => {
  it.each<[string, ServerEntry, readonly string[]]>([
    ["a variable that sounds secret", { env: { API_TOKEN: "hunter2!" } }, ["hunter2!"]],
    ["a known prefix under any name", { env: { SETTING: GITHUB } }, [GITHUB]],
    ["a random value under any name", { env: { SETTING: RANDOM } }, [RANDOM]],
    [
      "a digest as a value",
      { env: { SETTING: "0123456789abcdef".repeat(4) } },
      ["0123456789abcdef".repeat(4)],
    ],
    ["a client secret", { url: "https://h", oauth: { clientSecret: "hunter2" } }, ["hunter2"]],
    ["a private key", { url: "https://h", oauth: { privateKey: "hunter2" } }, ["hunter2"]],
    ["a bearer header", { headers: { Authorization: `Bearer ${GITHUB}` } }, [GITHUB]],
    ["a header key", { headers: { "X-Api-Key": "s3cr3t" } }, ["s3cr3t"]],
    ["an option with a value", { args: ["--api-key=s3cr3t"] }, ["s3cr3t"]],
    ["an option followed by its value", { args: ["--token", "s3cr3t", "--verbose"] }, ["s3cr3t"]],
    ["an assignment", { args: ["run", "-e", "DB_PASSWORD=s3cr3t"] }, ["s3cr3t"]],
    ["a header as an argument", { args: ["--header", "Authorization: Bearer s3cr3t"] }, ["s3cr3t"]],
    ["a password in a URL", { args: ["postgres://u:s3cr3t@host/db"] }, ["s3cr3t"]],
    ["a query parameter of a URL", { url: "https://h/mcp?apiKey=s3cr3t&x=1" }, ["s3cr3t"]],
    ["a path segment of a URL", { url: `https://h/mcp/s/${RANDOM}/mcp` }, [RANDOM]],
    ["a web token", { env: { X: JWT } }, [JWT]],
    ["a name that ends with PASS", { env: { MYSQL_PASS: "hunter2" } }, ["hunter2"]],
    ["an assignment to such a name", { args: ["run", "-e", "SMTP_PASS=hunter2"] }, ["hunter2"]],
    ["-p after a user name", { args: ["-u", "root", "-p", "hunter"] }, ["hunter"]],
    ["-p with a value like a password", { args: ["-y", "pkg", "-p", "hunter2!"] }, ["hunter2!"]],
    ["a Slack webhook", { env: { HOOK: `${SLACK}/T0/B0/abc` } }, [`${SLACK}/T0/B0/abc`]],
    ["a webhook within an argument", { args: [`--hook=x ${SLACK}/T0/B0/abc`] }, ["T0/B0/abc"]],
    ["a Slack webhook as the URL", { url: `${SLACK}/T0/B0/abc` }, ["T0/B0/abc"]],
    [
      "a Discord webhook",
      { args: ["at https://discord.com/api/webhooks/123/abc-def"] },
      ["abc-def"],
    ],
    [
      "a Teams webhook",
      { args: ["at https://x.webhook.office.com/webhookb2/a@b/IncomingWebhook/c/d"] },
      ["a@b/IncomingWebhook/c/d"],
    ],
    ["a Zapier webhook", { args: ["at https://hooks.zapier.com/hooks/catch/1/x/"] }, ["1/x/"]],
    [
      "an assignment in a script",
      { args: ["-c", "export A_TOKEN=hunter22; B_PASS='pa ss' npx x --api-key \"k e y\""] },
      ["hunter22", "pa ss", "k e y"],
    ],
    [
      "a header in a script",
      { args: ["-lc", "npx mcp-remote x --header 'Authorization: Bearer abcd'"] },
      ["abcd"],
    ],
    ["an address of Zapier", { url: `https://mcp.zapier.com/api/mcp/s/${UUID}/mcp` }, [UUID]],
    ["one of Pipedream", { url: `https://mcp.pipedream.net/${UUID}/slack` }, [UUID]],
    ["one of Composio", { url: `https://mcp.composio.dev/gmail/${UUID}?agent=x` }, [UUID]],
    ["one of Klavis", { url: `https://x.klavis.ai/mcp/?instance_id=${UUID}` }, [UUID]],
    ["one of Make", { url: "https://eu2.make.com/mcp/api/v1/u/ab-cd-ef-12/sse" }, ["ab-cd-ef-12"]],
    ["one of n8n", { args: ["mcp-remote", `https://a.app.n8n.cloud/mcp/${UUID}/sse`] }, [UUID]],
    ["one of Firecrawl", { url: "https://mcp.firecrawl.dev/my-own-key/v2/sse" }, ["my-own-key"]],
    [
      "the key of an account in an address",
      { env: { RPC: `https://eth.g.alchemy.com/v2/${UUID}` } },
      [`https://eth.g.alchemy.com/v2/${UUID}`],
    ],
    ["a key of an Azure function", { url: "https://x.azurewebsites.net/mcp?code=a-b" }, ["a-b"]],
    [
      "a private key",
      { env: { X: "-----BEGIN RSA PRIVATE KEY-----\nMII" } },
      ["-----BEGIN RSA PRIVATE KEY-----\nMII"],
    ],
  ])("finds %s", (_what, entry, secrets) => {
    expect(values(entry)).toEqual(secrets);
  });

  it.each<[string, ServerEntry]>([
    [
      "a reference",
      { env: { API_TOKEN: "${API_TOKEN}" }, headers: { Authorization: "Bearer ${T}" } },
    ],
    ["a placeholder", { env: { API_TOKEN: "<your token>", API_KEY: "YOUR_API_KEY" } }],
    [
      "a file",
      { env: { GOOGLE_APPLICATION_CREDENTIALS: "/etc/key.json", TOKEN_FILE: "x1234567" } },
    ],
    ["a number of tokens", { env: { MAX_TOKENS: "4096", TOKEN_LIMIT: "100000" } }],
    ["a switch", { env: { USE_AUTH: "true" } }],
    [
      "a package",
      { args: ["-y", "@modelcontextprotocol/server-filesystem@2026.8.31", "/home/ada"] },
    ],
    ["a pinned image", { args: [`ghcr.io/a/b@sha256:${"0123456789abcdef".repeat(4)}`] }],
    ["a pinned commit", { args: [`git+https://github.com/a/b@${"0123456789".repeat(4)}`] }],
    ["a long name", { args: ["ModelContextProtocolServer2025Release"] }],
    ["an identifier", { env: { PROJECT: "123e4567-e89b-12d3-a456-426614174000" } }],
    ["a port", { args: ["run", "-p", "8080:80", "-p", "127.0.0.1:1:2", "image"] }],
    ["a package for npx", { args: ["-y", "-p", "base64-mcp2", "cmd", "-p", "@a/b2@1.0.0"] }],
    ["a project", { args: ["build", "-p", "web"] }],
    ["a page about webhooks", { args: ["https://api.slack.com/messaging/webhooks"] }],
    ["an address that needs a login", { url: "https://mcp.zapier.com/api/mcp/mcp" }],
    ["a variable in a script", { args: ["-c", 'A_TOKEN=$X B_TOKEN="$(cat t)" npx -y pkg'] }],
    ["a script without secrets", { args: ["-c", "cd ~/src && npx -y pkg --port 8080"] }],
    ["an ordinary URL", { url: "https://mcp.example.com/v1/mcp?region=eu" }],
  ])("does not report %s", (_what, entry) => {
    expect(values(entry)).toEqual([]);
  });

  it("returns the exact position of the secret", () => {
    expect(secretsInEntry({ args: ["x", "--header", "Authorization: Bearer s3cr3t"] })).toEqual([
      { where: ["args", "2"], start: 22, end: 28, value: "s3cr3t", name: "Authorization" },
    ]);
  });
});

it("isSecretName recognises names that suggest a secret", () => {
  for (const name of ["GITHUB_TOKEN", "apiKey", "--access-key", "X-Api-Key", "client_secret"]) {
    expect(isSecretName(name)).toBe(true);
  }
  for (const name of ["MAX_TOKENS", "KEYBOARD", "AUTHOR", "TOKEN_URL", "client_id", "MONKEY"]) {
    expect(isSecretName(name)).toBe(false);
  }
});

it("the name of a variable that holds a token is not a secret", () => {
  expect(lineMask()('bearer_token_env_var = "TEAM_TOKEN"')).toBe(
    'bearer_token_env_var = "TEAM_TOKEN"',
  );
  const args = ["serve", "--token-env", "TEAM_TOKEN"];
  expect(secretsInEntry({ args })).toEqual([]);
});

describe("mask", () => {
  it("shows the issuer's prefix and hardly anything else", () => {
    expect(mask(GITHUB)).toBe("ghp_***");
    expect(mask("short")).toBe("***");
    expect(mask(RANDOM)).toBe("q7***");
  });

  it("leaves no secret in an entry that is shown", () => {
    expect(
      maskEntry({ command: "x", args: ["--token=s3cr3t"], env: { API_KEY: "hunter2", A: "b" } }),
    ).toEqual({ command: "x", args: ["--token=***"], env: { API_KEY: "***", A: "b" } });
  });
});

describe("lineMask", () => {
  const show = lineMask(["plain-value"]);
  it.each([
    ['      "API_KEY": "hunter2",', '      "API_KEY": "***",'],
    ["api_key = 'hunter2'", "api_key = '***'"],
    ["    TOKEN: hunter2", "    TOKEN: ***"],
    [`  "args": ["-e", "X=${GITHUB}"]`, '  "args": ["-e", "X=ghp_***"]'],
    ['  "url": "https://u:pw12@h/?token=abcd"', '  "url": "https://u:***@h/?token=***"'],
    ['  "plain-value",', '  "***",'],
    ['  "Authorization": "Bearer hunter2"', '  "Authorization": "Bearer ***"'],
    ['  "command": "npx",', '  "command": "npx",'],
    ['  "TOKEN": "${TOKEN}"', '  "TOKEN": "${TOKEN}"'],
    ["Set it, or write ${TOKEN:-default}", "Set it, or write ${TOKEN:-default}"],
  ])("shows '%s' as '%s'", (line, shown) => {
    expect(show(line)).toBe(shown);
  });

  it("hides the given values in any context", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 4 }), fc.string(), fc.string(), (value, before, after) => {
        fc.pre(!mask(value).includes(value));
        const line = JSON.stringify(before + value + after);
        expect(lineMask([value])(line)).not.toContain(JSON.stringify(value).slice(1, -1));
      }),
    );
  });
});
