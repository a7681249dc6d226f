/**
 * Servers with an https url: their identity is checked, and nothing turns that off. In the full suite because each
 * case starts the program; test/remote tries other faults of remote servers in one process.
 */
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { failureOf, textOf, useTool } from "../support/calls.ts";
import { type Authority, HAS_OPENSSL, certificateAuthority } from "../support/certificates.ts";
import { type ChaosHttp, startChaosHttp } from "../support/chaos-http.ts";
import { perBlock, perTest } from "../support/disposables.ts";
import { remoteConfig } from "../support/remote.ts";
import { startWorkbench, temporaryFolder } from "../support/workbench.ts";

const block = perBlock();
const cleanup = perTest();

// Node can make keys but no certificates, so without openssl there is nothing to test with.
describe.skipIf(!HAS_OPENSSL)("a remote server with a certificate", () => {
  let authority: Authority;
  const servers = new Map<string, ChaosHttp>();

  beforeAll(async () => {
    authority = certificateAuthority(temporaryFolder(block));
    const start = async (name: string, subject: string, until?: string): Promise<void> => {
      const { key, cert } = authority.issue(name, subject, until);
      servers.set(name, await startChaosHttp(block, "--tls", key, cert));
    };
    await start("good", "IP:127.0.0.1");
    await start("elsewhere", "DNS:elsewhere.test");
    await start("expired", "IP:127.0.0.1", "210101000000Z");
  });

  async function call(name: string, env: Readonly<Record<string, string>>): Promise<string> {
    const url = `${servers.get(name)?.origin}/mcp`;
    const { client } = await startWorkbench(cleanup, remoteConfig({ api: { url } }), { env });
    const response = await useTool(client, "dev/api/echo", { text: "safe" });
    const { isError } = response.result as { isError?: boolean };
    return isError === true ? failureOf(response) : textOf(response);
  }

  beforeEach(async () => {
    for (const server of servers.values()) await server.set({ reset: true, forgetSessions: true });
  });

  const trusting = (): Record<string, string> => ({ NODE_EXTRA_CA_CERTS: authority.cert });

  it("from a trusted issuer is used", async () => {
    expect(await call("good", trusting())).toBe("safe");
  });

  it.each([
    ["from an unknown issuer", "good", {}, "not from a trusted issuer"],
    [
      "from an unknown issuer that the environment allows",
      "good",
      { NODE_TLS_REJECT_UNAUTHORIZED: "0" },
      "not from a trusted issuer",
    ],
    ["for another host", "elsewhere", undefined, "is for another host"],
    ["that has expired", "expired", undefined, "has expired or is not valid yet"],
  ])("%s is refused", async (_what, name, env, reason) => {
    const failure = await call(name, env ?? trusting());
    expect(failure).toMatch(/^Failed to connect to server 'api' in toolbox 'dev': /);
    expect(failure).toContain(reason);
    expect((await servers.get(name)?.seen())?.requests).toEqual([]);
  });

  it("at a url with the wrong scheme fails with a hint at the cause", async () => {
    const plain = await startChaosHttp(cleanup);
    const urls = [
      `https://127.0.0.1:${plain.port}/mcp`,
      `http://127.0.0.1:${servers.get("good")?.port}/mcp`,
    ];
    const [a = "", b = ""] = urls;
    const { client } = await startWorkbench(
      cleanup,
      remoteConfig({ a: { url: a }, b: { url: b } }),
    );
    expect(failureOf(await useTool(client, "dev/a/echo"))).toContain(
      "Check that it uses https on this port",
    );
    expect(failureOf(await useTool(client, "dev/b/echo"))).toMatch(
      /closed the connection|not HTTP/,
    );
  });
});
