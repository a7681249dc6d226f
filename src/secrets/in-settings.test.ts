import { afterEach, describe, expect, it, vi } from "vitest";
import { redactor } from "./redact.ts";
import { resolveConfig } from "../config/load.ts";

const box = (server: object) => ({
  description: "d",
  mcpServers: { "a-server": server as { command: string } },
});

async function secretsOf(
  server: object,
  env: Record<string, string> = {},
): Promise<readonly string[]> {
  const config = { toolboxes: { dev: box(server) } };
  return (await resolveConfig(config, { env, cwd: "/" })).secrets;
}

afterEach(() => vi.unstubAllEnvs());

describe("the secrets of a configuration", () => {
  it.each([
    [
      "a variable with a telling name, wherever it is used",
      { command: "x", args: ["--k=${API_KEY}"] },
    ],
    ["a variable in a header", { url: "https://x", headers: { "X-Tenant": "t ${PLAIN}" } }],
    ["a variable in a telling entry of env", { command: "x", env: { DB_PASSWORD: "${PLAIN}" } }],
    ["a literal in a telling entry of env", { command: "x", env: { GITHUB_PAT: "s3cr3t-value" } }],
    [
      "a literal in a telling header",
      { url: "https://x", headers: { "X-Api-Key": "s3cr3t-value" } },
    ],
    [
      "what follows Bearer",
      { url: "https://x", headers: { Authorization: "Bearer s3cr3t-value" } },
    ],
    ["a client secret", { url: "https://x", oauth: { clientSecret: "s3cr3t-value" } }],
    ["a variable in a client secret", { url: "https://x", oauth: { clientSecret: "${PLAIN}" } }],
    ["a private key", { url: "https://x", oauth: { privateKey: "s3cr3t-value" } }],
    ["the default of a variable", { command: "x", args: ["${MY_TOKEN:-s3cr3t-value}"] }],
    [
      "a literal beside a variable that is not set",
      { command: "${NO}", env: { A_KEY: "s3cr3t-value" } },
    ],
    ["a parameter of the URL", { url: "https://x/?api_key=s3cr3t-value" }],
    ["a signature in the URL", { url: "https://x/?a=1&sig=s3cr3t-value" }],
    ["a part of the URL behind #", { url: "https://x/#token=s3cr3t-value" }],
    ["a password by its short name", { command: "x", env: { SMTP_PASS: "s3cr3t-value" } }],
    ["a password by a name in one word", { command: "x", env: { PGPASS: "s3cr3t-value" } }],
    ["credentials by their short name", { command: "x", env: { CREDS: "s3cr3t-value" } }],
    [
      "a password in a connection string",
      { command: "x", env: { CONN: "Server=h;Password=s3cr3t-value;Database=d" } },
    ],
    ["a key in JSON", { command: "x", env: { CONFIG: '{"apiKey":"s3cr3t-value","a":1}' } }],
    [
      "a header in JSON",
      { command: "x", env: { HEADERS: '{"Authorization": "Bearer s3cr3t-value"}' } },
    ],
    ["a header in a variable", { command: "x", env: { H: "Authorization: Bearer s3cr3t-value" } }],
    ["the word after an option", { command: "x", args: ["--db-pass", "s3cr3t-value"] }],
    ["the password of a user", { command: "x", args: ["-u", "me:s3cr3t-value"] }],
    ["a variable for a container", { command: "x", args: ["-e", "DB_PASS=s3cr3t-value"] }],
  ])("include %s", async (_, server) => {
    const env = { API_KEY: "s3cr3t-value", PLAIN: "s3cr3t-value" };
    expect(await secretsOf(server, env)).toEqual(["s3cr3t-value"]);
  });

  it.each([
    ["an ordinary variable", { command: "x", args: ["${HOME}"], env: { PATH: "${HOME}/bin" } }],
    ["a short value", { command: "x", env: { API_KEY: "12345" } }],
    ["an ordinary literal", { command: "x", env: { LOG_LEVEL: "verbose" } }],
    ["what is passed by", { command: "x", env: { BYPASS: "localhost", COMPASS: "magnetic" } }],
    ["a file with a key", { command: "x", args: ["--key-file", "/etc/server.pem"] }],
    [
      "ordinary arguments",
      {
        command: "npx",
        args: ["-y", "@scope/server-of-files@1.2.3", "--port=8080", "--level", "verbose"],
      },
    ],
    ["a URL without a password", { url: "https://api.example.com:8443/v1/mcp?region=europe" }],
    ["the basics of something", { command: "x", args: ["basic configuration"] }],
    ["an ordinary header", { url: "https://x", headers: { Accept: "application/json" } }],
    ["a part of a name", { command: "x", env: { DB_PASSWORD: "server" } }],
    ["a variable that is not set", { command: "x", env: { API_KEY: "${API_KEY}" } }],
    ["one in the URL", { url: "https://x/?api_key=${Q_API_KEY}" }],
    ["one that is an argument", { command: "x", args: ["--api-key", "${Q_API_KEY}"] }],
    [
      "a name that only begins like one",
      { command: "x", env: { PATH: "/usr/bin", COMPATIBLE: "everything" } },
    ],
  ])("do not include %s", async (_, server) => {
    expect(await secretsOf(server, { HOME: "/home/user" })).toEqual([]);
  });

  it.each([
    ["a token in a plain variable", "sk-proj-aabbccddeeff00112233445566"],
    [
      "the token of an issuer in a text",
      "log in with ghp_a1B2c3D4e5F6a1B2c3D4",
      "ghp_a1B2c3D4e5F6a1B2c3D4",
    ],
    ["the password of a URL", "postgres://app:horse-staple@db:5432/x", "horse-staple"],
    ["a password with an at sign", "postgres://app:horse@staple@db:5432/x", "horse@staple"],
    [
      "an encoded password",
      "redis://:horse%40staple%2F@db/0",
      "horse%40staple%2F",
      "horse@staple/",
    ],
    ["a badly encoded password", "redis://:horse%staple@db/0", "horse%staple"],
    [
      "a key as the user of a URL",
      "https://aabbccdd00112233aabbccdd@o1.example/1",
      "aabbccdd00112233aabbccdd",
    ],
    ["a parameter of a URL", "https://x/?access_token=horse-staple&a=b", "horse-staple"],
  ])("include, recognised by its form, %s", async (_, text, ...expected) => {
    const values = expected.length === 0 ? [text] : expected;
    vi.stubEnv("PLAIN", text);
    expect(await secretsOf({ command: "x", env: { PLAIN: text } })).toEqual(values);
    expect(await secretsOf({ command: "x", args: ["serve", text] })).toEqual(values);
    expect(await secretsOf({ command: "x", args: ["--to=${A}"] }, { A: text })).toEqual(values);
    expect(await secretsOf({ command: "x", inheritEnv: ["PLAIN"] })).toEqual(values);
    expect(await secretsOf({ url: "https://x", headers: { "X-Plain": text } })).toEqual(values);
    const place = { overrides: { t: { arguments: { place: "${A}" } } } };
    expect(await secretsOf({ command: "x", ...place }, { A: text })).toEqual(values);
  });

  it.each([
    [["--api-key", "horse-staple"]],
    [["--token=horse-staple"]],
    [["-e", "DB_PASSWORD=horse-staple"]],
    [["--header", "Authorization: Bearer horse-staple"]],
  ])("include the value of a secret option: %j", async (args) => {
    expect(await secretsOf({ command: "x", args })).toEqual(["horse-staple"]);
  });

  it("include a key in the path of a URL", async () => {
    const key = "4f9c1ab27e03d85b6fae9012c7d3b458";
    expect(await secretsOf({ url: `https://x.example/${key}/mcp` })).toEqual([key]);
  });

  it("include the password that a Basic header encodes", async () => {
    const encoded = Buffer.from("me:horse:staple").toString("base64");
    const expected = [encoded, "horse:staple"];
    const headers = { Authorization: `Basic ${encoded}` };
    expect(await secretsOf({ url: "https://x", headers })).toEqual(expected);
    const args = ["--header", `Authorization: basic ${encoded}`];
    expect(await secretsOf({ command: "x", args })).toEqual(expected);
    const referred = { Authorization: "Basic ${B64}" };
    expect(await secretsOf({ url: "https://x", headers: referred }, { B64: encoded })).toEqual(
      expected,
    );
  });

  it("include inherited variables with a name that suggests a secret", async () => {
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "inherited-value");
    vi.stubEnv("EDITOR_OF_CHOICE", "ordinary-value");
    const inheritEnv = ["AWS_SECRET_ACCESS_KEY", "EDITOR_OF_CHOICE", "NOT_SET_TOKEN"];
    expect(await secretsOf({ command: "x", inheritEnv })).toEqual(["inherited-value"]);
    const everywhere = { inheritEnv, toolboxes: { dev: box({ command: "x" }) } };
    expect((await resolveConfig(everywhere, { env: {}, cwd: "/" })).secrets).toEqual([
      "inherited-value",
    ]);
  });

  it("include each line of a multi-line value, but not the header and footer of a key", async () => {
    const lines = ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj", "wC=="];
    const key = ["-----BEGIN PRIVATE KEY-----", ...lines, "-----END PRIVATE KEY-----"].join("\r\n");
    const found = await secretsOf({ command: "x", env: { SSH_KEY: `${key}\r\n` } });
    expect(found).toEqual([key, ...lines.slice(0, 2)]);
    const onOneLine = key.replaceAll("\r\n", String.raw`\n`);
    expect(await secretsOf({ command: "x", env: { SSH_KEY: onOneLine } })).toEqual([
      onOneLine,
      ...lines.slice(0, 2),
    ]);
    const shown = redactor(found);
    const [first = "", second = ""] = lines;
    expect(shown(`read ${first}`)).toBe("read [redacted]");
    expect(shown(key.replaceAll("\r\n", "  "))).not.toContain(second);
    expect(shown(JSON.stringify({ [`a\n${first}`]: second }))).not.toMatch(/MIIE|BKcw/);
    const encoded = Buffer.from(key.replaceAll("\r", "")).toString("base64");
    const hidden = Buffer.from(
      shown(encoded).replaceAll("[redacted]", "AAAA"),
      "base64",
    ).toString();
    for (const line of [first, second]) expect(hidden).not.toContain(line.slice(4, -4));
  });

  it("are unique and sorted from longest to shortest", async () => {
    const env = { A_TOKEN: "abcdef", B_TOKEN: "abcdefghi", C_TOKEN: "abcdef" };
    const args = ["${A_TOKEN}", "${B_TOKEN}", "${C_TOKEN}"];
    expect(await secretsOf({ command: "x", args }, env)).toEqual(["abcdefghi", "abcdef"]);
  });

  it("include a passphrase both as a whole and without its first word", async () => {
    const found = await secretsOf({ command: "x", env: { PASSWORD: "correct horse battery" } });
    expect(found).toEqual(["correct horse battery", "horse battery"]);
  });
});
