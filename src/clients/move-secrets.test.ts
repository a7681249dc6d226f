import { describe, expect, it } from "vitest";
import * as fc from "fast-check";

import { secretInstructions, moveSecrets } from "./move-secrets.ts";
import { secretsInEntry } from "../secrets/in-entry.ts";

const variables = (servers: Parameters<typeof moveSecrets>[0]): readonly string[] =>
  moveSecrets(servers).moved.map(({ variable }) => variable);

const GITHUB = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`;

describe("moveSecrets", () => {
  it("moves a secret with a literal ${, which is escaped in entries only", () => {
    const env = { A_PASSWORD: "pa$${ss}w0rd", B_PASSWORD: "${OTHER}", C_PASSWORD: "x${OTHER}$${" };
    const { servers, moved } = moveSecrets([{ name: "a", entry: { command: "a", env } }]);
    expect(moved).toMatchObject([{ variable: "A_PASSWORD", value: "pa${ss}w0rd" }]);
    expect(servers[0]?.entry.env).toEqual({ ...env, A_PASSWORD: "${A_PASSWORD}" });
  });

  it("replaces secrets with references to variables", () => {
    const { servers, moved } = moveSecrets([
      {
        name: "github",
        entry: {
          command: "docker",
          args: ["run", "-e", "LEVEL=info", "--api-key=k3y-value"],
          env: { GITHUB_TOKEN: "t0ken-value", HOST: "example.com" },
        },
      },
      {
        name: "api",
        entry: { url: "https://h/?key=qu3ry", headers: { Authorization: "Bearer b3arer" } },
      },
    ]);
    expect(servers.map(({ entry }) => entry)).toEqual([
      {
        command: "docker",
        args: ["run", "-e", "LEVEL=info", "--api-key=${GITHUB_API_KEY}"],
        env: { GITHUB_TOKEN: "${GITHUB_TOKEN}", HOST: "example.com" },
      },
      { url: "https://h/?key=${API_KEY}", headers: { Authorization: "Bearer ${API_TOKEN}" } },
    ]);
    expect(moved.map(({ value }) => value).sort()).toEqual(
      ["b3arer", "k3y-value", "qu3ry", "t0ken-value"].sort(),
    );
  });

  it.each([
    ["figma", { args: ["--figma-api-key=s3cr3t-value"] }, "FIGMA_API_KEY"],
    ["gitlab-ref", { args: ["--gitlab-token=s3cr3t-value"] }, "GITLAB_TOKEN"],
    ["figma", { args: ["--api-key=s3cr3t-value"] }, "FIGMA_API_KEY"],
    ["db", { env: { TOKEN: "s3cr3t-value" } }, "DB_TOKEN"],
    ["hub", { args: ["-e", GITHUB, `--hub-pat=${GITHUB}`] }, "HUB_PAT"],
    ["hub", { args: ["-e", GITHUB] }, "HUB_TOKEN"],
    ["token", { env: { TOKEN: "s3cr3t-value" } }, "TOKEN"],
  ])("names the secret of server %s without repeating words (%j)", (name, entry, variable) => {
    expect(variables([{ name, entry }])).toEqual([variable]);
  });

  it("uses no name that means something else where it is used, or that cannot be referred to", () => {
    const env = { GITHUB_TOKEN: GITHUB, API_KEY: "k3y-value-1234", OLD_TOKEN: "0ld-value-1234" };
    const stored = new Map([
      ["my.key", "k3y-value-1234"],
      ["OLD_TOKEN", "0ld-value-1234"],
    ]);
    const shell: Readonly<Record<string, string>> = {
      GITHUB_TOKEN: "other",
      HUB_GITHUB_TOKEN: "another",
      HUB_API_KEY: "k3y-value-1234",
      OLD_TOKEN: "newer",
    };
    const isShadowed = (name: string, value: string): boolean =>
      shell[name] !== undefined && shell[name] !== value;
    const { moved } = moveSecrets([{ name: "hub", entry: { command: "a", env } }], {
      stored,
      isShadowed,
    });
    expect(moved.map(({ variable }) => variable)).toEqual([
      "HUB_GITHUB_TOKEN_2",
      "HUB_API_KEY",
      "HUB_OLD_TOKEN",
    ]);
  });

  it("uses the name of a stored secret again for the same value, and no other stored name", () => {
    const stored = new Map([
      ["SLACK_TOKEN", "another-one"],
      ["OLD", "the-same"],
    ]);
    const env = { SLACK_TOKEN: "a-new-one", OTHER_TOKEN: "the-same" };
    const { moved } = moveSecrets([{ name: "slack", entry: { env } }], { stored });
    expect(moved.map(({ variable }) => variable)).toEqual(["SLACK_TOKEN_2", "OLD"]);
  });

  it("uses two variables for two accounts, and one for the same token", () => {
    const env = (token: string) => ({ command: "x", env: { SLACK_TOKEN: token } });
    const servers = [
      { name: "slack", entry: env("first-one") },
      { name: "slack-work", entry: env("second-one") },
      { name: "slack-copy", entry: env("first-one") },
    ];
    expect(variables(servers)).toEqual(["SLACK_TOKEN", "SLACK_WORK_TOKEN"]);
    expect(moveSecrets(servers).moved[0]?.uses).toEqual([
      "slack: env SLACK_TOKEN",
      "slack-copy: env SLACK_TOKEN",
    ]);
  });

  it("prefixes a vague name with the server's, and avoids names that are referenced", () => {
    expect(variables([{ name: "linear", entry: { env: { API_KEY: "abcdef" } } }])).toEqual([
      "LINEAR_API_KEY",
    ]);
    expect(
      variables([
        { name: "a", entry: { env: { MY_TOKEN: "${MY_TOKEN}" } } },
        { name: "b", entry: { env: { MY_TOKEN: "abcdef" } } },
      ]),
    ).toEqual(["B_MY_TOKEN"]);
  });

  it("leaves no secret behind and uses each variable for one value", () => {
    const entry = fc.record({
      command: fc.constant("x"),
      env: fc.dictionary(
        fc.constantFrom("API_KEY", "TOKEN", "GITHUB_TOKEN", "PLAIN"),
        fc.stringMatching(/^[a-z\d]{6,12}$/),
      ),
      args: fc.array(fc.stringMatching(/^(--token=|--x=)?[a-z\d]{6,12}$/), { maxLength: 3 }),
    });
    const servers = fc.array(fc.record({ name: fc.constantFrom("a", "b", "github"), entry }), {
      maxLength: 4,
    });
    fc.assert(
      fc.property(servers, (given) => {
        const { servers: after, moved } = moveSecrets(given);
        expect(after.flatMap((server) => secretsInEntry(server.entry))).toEqual([]);
        expect(new Set(moved.map(({ variable }) => variable)).size).toBe(moved.length);
        let text = JSON.stringify(after);
        for (const { variable, value } of moved) {
          text = text.replaceAll(`\${${variable}}`, () => value);
        }
        expect(JSON.parse(text)).toEqual(given);
      }),
    );
  });
});

describe("instructionsFor", () => {
  const { moved } = moveSecrets([
    { name: "github", entry: { env: { GITHUB_TOKEN: "t0ken-value" } } },
  ]);

  it("says what to set without showing a value", () => {
    const text = secretInstructions(moved, "linux");
    expect(text).toContain("GITHUB_TOKEN  github: env GITHUB_TOKEN");
    expect(text).toContain("export NAME=");
    expect(text).toContain('under "env" in its entry for the workbench');
    expect(text).not.toContain("t0ken-value");
    expect(secretInstructions(moved, "win32")).toContain("setx");
    expect(secretInstructions([])).toBe("");
  });
});
