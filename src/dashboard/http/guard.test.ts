import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";

import { RequestError } from "./api-error.ts";
import { cookiesOf, requireSameOrigin, requireThisMachine } from "./guard.ts";

const request = (headers: object, socket: object = {}, method = "GET"): IncomingMessage =>
  ({ headers, socket, method }) as unknown as IncomingMessage;

function isRefused(check: () => void): boolean {
  try {
    check();
    return false;
  } catch (error) {
    return error instanceof RequestError && error.status === 403;
  }
}

describe("a request to the dashboard", () => {
  it.each([
    ["127.0.0.1", "127.0.0.1", "127.0.0.1:7333", true],
    ["::ffff:127.0.0.1", "::ffff:127.0.0.1", "localhost:7333", true],
    ["::1", "::1", "[::1]:7333", true],
    ["192.0.2.1", "192.0.2.1", "192.0.2.1:7333", true],
    ["192.0.2.2", "192.0.2.1", "192.0.2.1:7333", false],
    ["127.0.0.1", "127.0.0.1", "workbench.example.com", false],
    ["127.0.0.1", "127.0.0.1", "localhost.example.com:7333", false],
    ["127.0.0.1", "127.0.0.1", undefined, false],
  ])("from %s to %s under the name %s is accepted: %s", (from, to, host, isAccepted) => {
    const one = request({ host }, { remoteAddress: from, localAddress: to });
    expect(isRefused(() => requireThisMachine(one))).toBe(!isAccepted);
  });

  it.each([
    ["GET", {}, true],
    ["GET", { "sec-fetch-site": "same-origin" }, true],
    ["GET", { "sec-fetch-site": "same-site" }, false],
    ["GET", { "sec-fetch-site": "cross-site" }, false],
    ["POST", {}, false],
    ["POST", { origin: "http://127.0.0.1:7333" }, true],
    ["POST", { "sec-fetch-site": "same-origin" }, true],
    ["POST", { origin: "http://127.0.0.1:7333", "sec-fetch-site": "none" }, false],
  ])("%s with %j is of the same origin: %s", (method, headers, isOwn) => {
    expect(isRefused(() => requireSameOrigin(request(headers, {}, method)))).toBe(!isOwn);
  });

  it("may have several cookies of the name", () => {
    const cookies = (text: string) => cookiesOf(request({ cookie: text }), "ui");
    expect(cookies("a=1; ui=x; b=2")).toEqual(["x"]);
    expect(cookies("ui=x;ui=y")).toEqual(["x", "y"]);
    expect(cookies("xui=1")).toEqual([]);
    expect(cookies("ui=x;".repeat(1000))).toHaveLength(10);
    expect(cookiesOf(request({}), "ui")).toEqual([]);
  });
});
