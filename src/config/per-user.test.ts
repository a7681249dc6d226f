import { describe, expect, it } from "vitest";

import { parseConfig } from "./load.ts";
import { OWNER_USER, isPerUser, settingsForUser } from "./per-user.ts";
import { serverIdentity } from "./server-identity.ts";
import type { ServerSettings } from "./types.ts";

async function read(entry: object): Promise<ServerSettings> {
  const toolboxes = { dev: { description: "d", mcpServers: { s: entry } } };
  const settings = await parseConfig(JSON.stringify({ toolboxes }), { env: { P: "perUser" } });
  const server = settings.toolboxes.get("dev")?.servers.get("s");
  if (server === undefined) throw new Error("No server");
  return server;
}

const remote = (entry: object = {}): object => ({
  url: "https://x.example",
  credentials: "perUser",
  ...entry,
});

describe('"credentials": "perUser"', () => {
  it("makes the sign-in of the configuration that of the owner", async () => {
    const settings = await read(remote({ oauth: { account: "work" } }));
    expect(settings.transport).toMatchObject({ oauth: { account: "work", user: OWNER_USER } });
    expect(isPerUser(settings)).toBe(true);
    for (const entry of [{ credentials: "shared" }, { credentials: undefined }])
      expect(isPerUser(await read(remote(entry)))).toBe(false);
    expect(isPerUser(await read({ command: "x" }))).toBe(false);
  });

  it("makes the server a different one for each user", async () => {
    const settings = await read(remote());
    const all = [
      await read(remote({ credentials: "shared" })),
      settings,
      settingsForUser(settings, { id: "token:1", name: "ci" }),
      settingsForUser(settings, { id: "token:2", name: "ci" }),
    ];
    const identities = all.map((one) => serverIdentity(one, undefined, {}));
    expect(new Set(identities).size).toBe(all.length);
  });

  it.each([
    ["an Authorization header", remote({ headers: { authorization: "x" } }), "the same for all"],
    ["no sign-in", remote({ oauth: false }), "turns off"],
    ["a client without a user", remote({ oauth: { grant: "client_credentials" } }), "has no user"],
    ["a program", { command: "x", credentials: "perUser" }, 'only a server with "url"'],
    ["a variable that says so", remote({ credentials: "${P}", oauth: false }), "turns off"],
    ["another word", remote({ credentials: "file" }), 'expected "shared" or "perUser"'],
  ])("is refused with %s", async (_, entry, reason) => {
    await expect(read(entry)).rejects.toThrow(reason);
  });
});
