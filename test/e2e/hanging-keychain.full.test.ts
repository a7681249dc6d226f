/**
 * A keychain that does not answer, while calls need the sign-ins whose key it has. In the full suite because
 * each case signs in first, and some wait for a time limit; `keyring-process.test.ts` has the time limit itself.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { failureOf, textOf, useTool } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { type FakeKeychain, fakeKeychain } from "../support/fake-keychain.ts";
import { count } from "../support/oauth/counted-calls.ts";
import { startWorld, type World } from "../support/oauth/world.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS, type RawClient } from "../support/raw-client.ts";
import { fixture } from "../support/servers.ts";
import { startIn, temporaryFolder } from "../support/workbench.ts";

const cleanup = perTest();

interface Scene extends World {
  readonly keychain: FakeKeychain;
  setCredentials(mode: "auto" | "file"): void;
  start(): Promise<RawClient>;
  /** Makes the call of a signed-in server that needs the keychain, which hangs then. */
  callUntilKeychain(client: RawClient): Promise<{ readonly answer: ReturnType<typeof count> }>;
}

/** A remote server with a sign-in, one without, and a local one. */
async function scene(): Promise<Scene> {
  const keychain = fakeKeychain(temporaryFolder(cleanup));
  cleanup.defer(async () => keychain.hang(false));
  const world = await startWorld(cleanup, { env: keychain.env, others: () => ({ fx: fixture() }) });
  const { place } = world;
  const config = JSON.parse(readFileSync(place.configFile, "utf8")) as object;
  const uses = (): number => keychain.commandLines().split("\n").length;
  return {
    ...world,
    keychain,
    setCredentials: (credentials) => place.writeConfig(JSON.stringify({ ...config, credentials })),
    start: async () => (await startIn(cleanup, place)).client,
    async callUntilKeychain(client) {
      keychain.hang(true);
      const before = uses();
      const answer = count(client, "first");
      await waitFor(() => uses() > before, GENEROUS_MS, "the keychain to be asked");
      return { answer };
    },
  };
}

const echo = async (client: RawClient, text: string): Promise<string> =>
  textOf(await useTool(client, "dev/fx/echo", { text }));

describe("a sign-in whose key is in a keychain that does not answer", () => {
  it("delays its own calls until the keychain answers, and no others", async () => {
    const { setCredentials, logIn, start, callUntilKeychain, keychain } = await scene();
    setCredentials("auto");
    await logIn();
    expect(Object.keys(keychain.secrets())).toEqual(["credentials-key"]);
    const client = await start();
    const { answer } = await callUntilKeychain(client);
    let isAnswered = false;
    void answer.then(() => (isAnswered = true));
    for (const text of ["one", "two", "three"]) expect(await echo(client, text)).toBe(text);
    expect(isAnswered).toBe(false);
    keychain.hang(false);
    expect(textOf(await answer)).toBe("count first");
  });

  it("fails its calls with the reason if it never answers", async () => {
    const { setCredentials, logIn, start, callUntilKeychain, server } = await scene();
    setCredentials("auto");
    await logIn();
    const client = await start();
    const { answer } = await callUntilKeychain(client);
    expect(await echo(client, "one")).toBe("one");
    expect(failureOf(await answer)).toMatch(/keychain cannot be used: no answer within/);
    expect(await echo(client, "two")).toBe("two");
    expect(server.calls.executed).toBe(0);
  });
});

describe("a refresh while the keychain does not answer", () => {
  it("continues without it, and other calls do not wait", async () => {
    const { setCredentials, logIn, start, callUntilKeychain, authorization } = await scene();
    setCredentials("file");
    await logIn();
    setCredentials("auto");
    authorization.expireAccessTokens();
    const client = await start();
    const { answer } = await callUntilKeychain(client);
    expect(await echo(client, "one")).toBe("one");
    expect(textOf(await answer)).toBe("count first");
    expect(authorization.record.refreshes).toBe(1);
    // The new tokens are stored: another process needs no login and no refresh.
    const other = await start();
    expect(textOf(await count(other, "second"))).toBe("count second");
    expect(authorization.record.refreshes).toBe(1);
  });
});
