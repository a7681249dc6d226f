import { describe, expect, it } from "vitest";

import { SignInBench } from "../../test/support/sign-in/bench.ts";
import { LOGIN_PORTS, LOGIN_REDIRECT_URIS, portsToTry, redirectUriOf } from "./login-ports.ts";

describe("the ports on which a browser returns", () => {
  it("are neither given to outgoing connections nor privileged", () => {
    for (const port of LOGIN_PORTS) {
      expect(port).toBeLessThan(32_768);
      expect(port).toBeGreaterThan(1024);
    }
    // Kubernetes gives these to services.
    expect(LOGIN_PORTS.filter((port) => port >= 30_000)).toEqual([]);
  });

  it("begin with the port of the registration", () => {
    expect(portsToTry(undefined)).toEqual(LOGIN_PORTS);
    expect(portsToTry(redirectUriOf(8765))).toEqual([8765, ...LOGIN_PORTS]);
    const [, second = 0] = LOGIN_PORTS;
    expect(portsToTry(redirectUriOf(second))[0]).toBe(second);
    expect(portsToTry(redirectUriOf(second))).toHaveLength(LOGIN_PORTS.length);
  });

  it("do not include one of a registration that any connection may take", () => {
    for (const port of [33871, 38471, 43917])
      expect(portsToTry(redirectUriOf(port))).toEqual(LOGIN_PORTS);
    expect(portsToTry("https://login.example/callback")).toEqual(LOGIN_PORTS);
  });
});

it("a client that was registered with a different port is registered again", async () => {
  const bench = new SignInBench();
  const old = redirectUriOf(33871);
  bench.stored({
    client: { kind: "dcr", clientId: "client-0", authMethod: "none", redirectUri: old },
  });
  const signIn = bench.signIn();
  await signIn.load();
  const [port = 0] = portsToTry(signIn.redirectUri);
  const login = await signIn.beginLogin(redirectUriOf(port));
  await login.finish("?code=the-code&state=the-state");
  expect(LOGIN_REDIRECT_URIS).toContain(bench.store.only().client?.redirectUri);
  expect(bench.store.only().client?.clientId).not.toBe("client-0");
});
