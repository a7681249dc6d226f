import { describe, expect, it } from "vitest";
import { parseConfig, type ParseOptions } from "./load.ts";
import type { ServerSettings, WorkbenchSettings } from "./types.ts";

const options: ParseOptions = { file: "/etc/wb/workbench-config.json", env: {} };

const withServers = (mcpServers: unknown): string =>
  JSON.stringify({ toolboxes: { dev: { description: "d", mcpServers } } });

const serverOf = (settings: WorkbenchSettings, name: string): ServerSettings => {
  const server = settings.toolboxes.get("dev")?.servers.get(name);
  if (server === undefined) throw new Error(`No server ${name}`);
  return server;
};

describe("the setting oauth", () => {
  it.each([
    ["by default", {}, { account: "default", grant: "authorization_code" }],
    [
      "as configured",
      { oauth: { account: "work", clientId: "c", clientSecret: "${T}", resource: false } },
      {
        account: "work",
        grant: "authorization_code",
        clientId: "c",
        clientSecret: "abcdef",
        resource: false,
      },
    ],
    ["never if it is turned off", { oauth: false }, undefined],
    ["never beside an Authorization header", { headers: { authorization: "Basic x" } }, undefined],
    [
      "never beside an Authorization header, even if configured",
      { headers: { Authorization: "Basic x" }, oauth: { clientId: "c" } },
      undefined,
    ],
  ])("lets a remote server sign in %s", async (_, entry, expected) => {
    const text = withServers({ s: { url: "https://x", ...entry } });
    const settings = await parseConfig(text, { ...options, env: { T: "abcdef" } });
    const { transport } = serverOf(settings, "s");
    expect("oauth" in transport ? transport.oauth : undefined).toEqual(expected);
  });

  it.each([
    [{ oauth: { authorizationParams: { client_id: "x" } } }, "authorizationParams.client_id"],
    [
      { oauth: { authorizationParams: { code_challenge: "x" } } },
      "the sign-in sets this parameter",
    ],
    [{ oauth: { clientID: "x" } }, 'Did you mean "clientId"?'],
    [{ oauth: { grant: "password" } }, 'expected "authorization_code" or'],
    [{ oauth: { scopes: ["a b"] } }, "Write one scope per item"],
    [{ oauth: { clientMetadataUrl: "http://x" } }, "is not an https URL"],
    [{ oauth: "yes" }, "expected an object, got a string"],
  ])("rejects the sign-in %j with advice", async (entry, message) => {
    const text = withServers({ s: { url: "https://x", ...entry } });
    await expect(parseConfig(text, options)).rejects.toThrow(message);
  });

  it("rejects a sign-in for a local server", async () => {
    const text = withServers({ s: { command: "x", oauth: { clientId: "c" } } });
    await expect(parseConfig(text, options)).rejects.toThrow('only a server with "url"');
  });
});
