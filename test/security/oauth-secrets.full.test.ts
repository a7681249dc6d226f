/**
 * Tokens, codes and secrets of a sign-in are in requests and in the credential store, and nowhere
 * else. In the full suite because it starts an authorization server and a program for each sign-in.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { describe, expect, it } from "vitest";
import { openToolbox, searchTools, useTool } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { Browser } from "../support/oauth/browser.ts";
import { startWorld, statusOf } from "../support/oauth/world.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { startIn } from "../support/workbench.ts";

const cleanup = perTest();
const CLIENT_SECRET = "zebra-lantern-hill-client-secret";

/** The text of every file below a folder, by its path. */
function filesBelow(folder: string): [string, string][] {
  for (;;) {
    try {
      return readFiles(folder);
    } catch (error) {
      // The program may replace a file in between; then all are read again.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
}

function readFiles(folder: string): [string, string][] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => [path, readFileSync(path, "latin1")]);
}

describe("the secrets of a sign-in", () => {
  it("are in no log, message, status, error, cache, catalogue or audit log", async () => {
    const world = await startWorld(cleanup, {
      authorization: {
        registration: false,
        clients: [
          {
            client_id: "by-hand",
            client_secret: CLIENT_SECRET,
            redirect_uris: ["http://127.0.0.1/callback"],
            application_type: "native",
            grant_types: ["authorization_code", "refresh_token"],
          },
        ],
      },
      oauth: { clientId: "by-hand", clientSecret: "${BY_HAND_SECRET}" },
      env: { BY_HAND_SECRET: CLIENT_SECRET },
    });
    const { authorization, place } = world;
    const config = JSON.parse(readFileSync(place.configFile, "utf8")) as object;
    const audit = { enabled: true, arguments: "redacted" };
    place.writeConfig(JSON.stringify({ ...config, audit }));
    const { client, pid } = await startIn(cleanup, place);
    const printed: string[] = [];
    const run = async (...args: string[]): Promise<void> => {
      const { stdout, stderr } = await world.run(...args);
      printed.push(stdout, stderr);
    };
    const count = (id: string): Promise<unknown> => useTool(client, "dev/api/count", { id });

    // Everything that handles tokens: a sign-in, use, refresh, failures, a refused grant, the end.
    await count("before");
    const browser = new Browser();
    await world.logIn({ browser });
    await count("first");
    await openToolbox(client, "dev");
    await searchTools(client, "count");
    authorization.expireAccessTokens();
    await count("second");
    authorization.expireAccessTokens();
    authorization.tokenFault = 503;
    await count("third");
    authorization.tokenFault = undefined;
    await authorization.revokeGrants();
    await count("fourth");
    printed.push(JSON.stringify(await waitFor(() => statusOf(place, pid), GENEROUS_MS, "status")));
    await run("auth", "--json");
    await run("auth");
    await run("doctor", "--json");
    await run("call", "dev/api/count", "id=fifth");
    await run("logs");
    await run("logout", "dev/api");

    const returned = browser.visited.map((url) => new URL(url).searchParams);
    const codes = returned.map((query) => query.get("code")).filter((code) => code !== null);
    const states = returned.map((query) => query.get("state")).filter((state) => state !== null);
    const secrets = [...authorization.record.secrets, ...codes, ...new Set(states), CLIENT_SECRET];
    expect(secrets.length).toBeGreaterThanOrEqual(7);

    const files = filesBelow(place.dir).filter(
      ([path]) => !path.includes(`${sep}credentials${sep}`),
    );
    expect(files.length).toBeGreaterThan(1);
    // The audit log is one of them.
    expect(files.filter(([, text]) => text.includes('"count"')).length).toBeGreaterThan(0);
    const sinks: [string, string][] = [
      ["the messages to the client", client.lines.join("\n")],
      ["standard error", client.stderr],
      ["commands", printed.join("\n")],
      ...files,
    ];
    const leaks = sinks.flatMap(([name, text]) =>
      secrets.filter((secret) => text.includes(secret)).map((secret) => `${secret} in ${name}`),
    );
    expect(leaks).toEqual([]);
  });
});
