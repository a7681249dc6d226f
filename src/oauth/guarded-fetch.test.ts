import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

import { describe, expect, it } from "vitest";

import { perTest } from "../../test/support/disposables.ts";
import { type Answer, json, redirect, scriptedHttp } from "../../test/support/scripted-http.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";
import type { Lookup } from "./types.ts";

const disposables = perTest();

const resolvesTo =
  (...addresses: string[]): Lookup =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));

describe("a guarded request", () => {
  const PUBLIC = "https://mcp.example.com/mcp";

  it.each([
    ["file:///etc/passwd", /only https/],
    ["javascript:alert(1)", /only https/],
    ["data:application/json,{}", /only https/],
    ["ftp://mcp.example.com/", /only https/],
    ["//mcp.example.com/x", /not a URL/],
    ["", /not a URL/],
    ["https://mcp.example.com/\n", /not a URL/],
    ["https://user@mcp.example.com/", /user name/],
    ["https://:secret@mcp.example.com/", /user name/],
    ["https://mcp.example.com/#x", /fragment/],
    ["http://mcp.example.com/", /not encrypted|not be encrypted/],
    ["http://localhost/", /not be encrypted/],
  ])("refuses the address %j", async (url, problem) => {
    const fetch = createGuardedFetch(PUBLIC, { lookup: resolvesTo("93.184.216.34") });
    const failure = await fetch(url).catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: "metadata", message: expect.stringMatching(problem) });
    expect(String(failure)).not.toContain("secret");
  });

  it.each([
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "①②⑦.0.0.1",
    "127.0.0.1.",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[0:0:0:0:0:ffff:7f00:1]",
    "[64:ff9b::7f00:1]",
    "0.0.0.0",
    "0",
    "[::]",
    "10.0.0.1",
    "192.168.0.1",
    "169.254.169.254",
    "[fe80::1]",
    "[fd00::1]",
    "255.255.255.255",
  ])("is not sent to %s for a server on the internet", async (host) => {
    const lookup = resolvesTo("93.184.216.34");
    const fetch = createGuardedFetch(PUBLIC, { lookup });
    await expect(fetch(`https://${host}:1/x`)).rejects.toMatchObject({ kind: "metadata" });
  });

  it.each(["127.0.0.1", "10.0.0.1", "::1", "::ffff:10.0.0.1", "169.254.169.254"])(
    "is not sent to a name that resolves to %s",
    async (address) => {
      const lookup: Lookup = async (host) =>
        host === "mcp.example.com"
          ? [{ address: "93.184.216.34", family: 4 }]
          : [
              { address: "93.184.216.34", family: 4 },
              { address, family: 4 },
            ];
      const fetch = createGuardedFetch(PUBLIC, { lookup });
      const failure = fetch("https://as.example.com/x");
      await expect(failure).rejects.toMatchObject({
        kind: "metadata",
        message: expect.stringContaining(`(${address})`),
      });
    },
  );

  it("is not sent to this machine, although the name of the server resolves to it as well", async () => {
    const canary = await scriptedHttp(disposables);
    const fetch = createGuardedFetch("https://rebound.example.com/mcp", {
      lookup: resolvesTo("127.0.0.1"),
    });
    const url = `https://rebound.example.com:${canary.port}/`;
    await expect(fetch(url)).rejects.toMatchObject({ kind: "metadata" });
    expect(canary.requests).toEqual([]);
  });

  it("is not sent to a cloud's metadata address for a server in a private network", async () => {
    const fetch = createGuardedFetch("https://10.0.0.5/mcp");
    const failure = fetch("https://169.254.169.254/latest");
    await expect(failure).rejects.toMatchObject({ kind: "metadata" });
  });

  it("may go to a private address for a server in a private network", async () => {
    const asked: string[] = [];
    const lookup: Lookup = async (host) => {
      asked.push(host);
      return [{ address: host === "mcp.corp.example" ? "10.0.0.5" : "10.0.0.6", family: 4 }];
    };
    const controller = new AbortController();
    const reason = new Error("far enough");
    const fetch = createGuardedFetch("https://mcp.corp.example/mcp", {
      signal: controller.signal,
      lookup: async (host) => {
        const addresses = await lookup(host);
        // Both names are allowed; the connection itself is not part of this test.
        if (asked.length === 2) controller.abort(reason);
        return addresses;
      },
    });
    await expect(fetch("https://as.corp.example/")).rejects.toBe(reason);
    expect(asked).toEqual(["as.corp.example", "mcp.corp.example"]);
  });

  it("asks for an address once and connects to it, not to what the system finds", async () => {
    let asked = 0;
    let connections = 0;
    const listener = createServer((socket) => {
      connections++;
      socket.destroy();
    }).listen(0, "127.0.0.1");
    disposables.defer(() => listener.close());
    await once(listener, "listening");
    const { port } = listener.address() as AddressInfo;
    const lookup: Lookup = async () => {
      asked++;
      return [{ address: "127.0.0.1", family: 4 }];
    };
    const fetch = createGuardedFetch("http://localhost/mcp", { lookup });
    // The system cannot resolve this name.
    await expect(fetch(`https://as.invalid:${port}/x`)).rejects.toMatchObject({ kind: "network" });
    expect({ asked, connections }).toEqual({ asked: 1, connections: 1 });
  });

  it("is not sent without encryption if localhost is a different machine", async () => {
    const fetch = createGuardedFetch("http://localhost/mcp", {
      lookup: resolvesTo("93.184.216.34"),
    });
    await expect(fetch("http://localhost/x")).rejects.toMatchObject({ kind: "metadata" });
  });

  it("carries no cookies and no headers other than those of OAuth", async () => {
    const server = await scriptedHttp(disposables, () => ({ "POST /x": {} }));
    const fetch = createGuardedFetch(server.origin);
    const headers = { cookie: "a=b", "x-own": "1", authorization: "Basic eDp5" };
    await fetch(`${server.origin}/x`, { method: "POST", headers, body: "a=1" });
    const [sent] = server.requests;
    expect(Object.keys(sent?.headers ?? {}).toSorted()).toEqual([
      "accept",
      "accept-encoding",
      "authorization",
      "connection",
      "content-length",
      "host",
      "user-agent",
    ]);
    expect(sent?.body).toBe("a=1");
  });
});

describe("the answer to a guarded request", () => {
  const serverWith = (answers: (origin: string) => Record<string, Answer>) =>
    scriptedHttp(disposables, answers);

  it("follows three redirects within the origin", async () => {
    const server = await serverWith((origin) => ({
      "GET /1": redirect("/2"),
      "GET /2": redirect(`${origin}/3`, 307),
      "GET /3": redirect("./4", 308),
      "GET /4": { here: true },
    }));
    const response = await createGuardedFetch(server.origin)(`${server.origin}/1`);
    expect(await response.json()).toEqual({ here: true });
  });

  it("does not follow a fourth", async () => {
    const server = await serverWith(() => ({ "GET /1": redirect("/1") }));
    const response = await createGuardedFetch(server.origin)(`${server.origin}/1`);
    expect(response.status).toBe(302);
    expect(server.requests).toHaveLength(4);
  });

  it.each(["http://localhost:PORT/", "//127.0.0.2:PORT/", "http://127.0.0.1:PORT/"])(
    "does not follow a redirect to %s",
    async (target) => {
      const canary = await scriptedHttp(disposables);
      const location = target.replace("PORT", String(canary.port));
      const server = await serverWith(() => ({ "GET /1": redirect(location) }));
      const response = await createGuardedFetch(server.origin)(`${server.origin}/1`);
      expect(response.status).toBe(302);
      expect(canary.requests).toEqual([]);
    },
  );

  it.each([301, 302, 303, 307, 308])("never repeats a POST after status %i", async (status) => {
    const server = await serverWith(() => ({ "POST /1": redirect("/2", status) }));
    const fetch = createGuardedFetch(server.origin);
    const response = await fetch(`${server.origin}/1`, { method: "POST", body: "code=x" });
    expect(response.status).toBe(status);
    expect(server.log).toEqual(["POST /1"]);
  });

  it.each(["text/html", "application/jsonp", "application/xml", "image/svg+xml"])(
    "has no body if its type is %j",
    async (type) => {
      const server = await serverWith(() => ({
        "GET /1": (response) => void response.writeHead(200, { "content-type": type }).end("{}"),
      }));
      const response = await createGuardedFetch(server.origin)(`${server.origin}/1`);
      expect(await response.text()).toBe("");
    },
  );

  it.each([
    ["stated", (bytes: number) => ({ "content-length": String(bytes) })],
    ["not stated", () => ({})],
  ])("is refused above 256 KB, its size %s", async (_, lengthOf) => {
    const send =
      (bytes: number): Answer =>
      (response) => {
        response.writeHead(200, { "content-type": "application/json", ...lengthOf(bytes) });
        response.write('"');
        response.end(`${"x".repeat(bytes - 2)}"`);
      };
    const server = await serverWith(() => ({
      "GET /most": send(256 * 1024),
      "GET /more": send(256 * 1024 + 1),
    }));
    const fetch = createGuardedFetch(server.origin);
    expect(await (await fetch(`${server.origin}/most`)).text()).toHaveLength(256 * 1024);
    await expect(fetch(`${server.origin}/more`)).rejects.toThrow(/larger than 256 KB/);
  });

  it.each(["text/plain; charset=utf-8", "application/octet-stream", "text/json", ""])(
    "of the type %j may be JSON; if it is too large, it is not",
    async (type) => {
      const headers = type === "" ? {} : { "content-type": type };
      const server = await serverWith(() => ({
        "GET /1": (response) => void response.writeHead(200, headers).end("{}"),
        "GET /large": (response) =>
          void response.writeHead(404, headers).end("x".repeat(300 * 1024)),
      }));
      const fetch = createGuardedFetch(server.origin);
      expect(await (await fetch(`${server.origin}/1`)).text()).toBe("{}");
      const large = await fetch(`${server.origin}/large`);
      expect([large.status, await large.text()]).toEqual([404, ""]);
    },
  );

  it("is refused if it is compressed", async () => {
    const server = await serverWith(() => ({
      "GET /1": (response) => {
        const headers = { "content-type": "application/json", "content-encoding": "gzip" };
        response.writeHead(200, headers).end("x");
      },
    }));
    const fetch = createGuardedFetch(server.origin);
    await expect(fetch(`${server.origin}/1`)).rejects.toThrow(/compressed/);
  });

  it.each<[string, Answer]>([
    ["no answer", () => {}],
    [
      "a body that never ends",
      (response) => {
        response.writeHead(200, { "content-type": "application/json" });
        response.write("{");
      },
    ],
    ["a redirect to an address that does not answer", redirect("/slow")],
  ])("ends at the time limit: %s", async (_, answer) => {
    const server = await serverWith(() => ({ "GET /slow": () => {}, "GET /1": answer }));
    const fetch = createGuardedFetch(server.origin, { timeoutMs: 200 });
    const failure = fetch(`${server.origin}/1`);
    await expect(failure).rejects.toMatchObject({
      kind: "network",
      message: expect.stringContaining("did not answer within 0.2 s"),
    });
  });

  it("ends at the time limit if the name server does not answer", async () => {
    const fetch = createGuardedFetch("https://mcp.example.com", {
      timeoutMs: 50,
      lookup: () => new Promise(() => {}),
    });
    await expect(fetch("https://as.example.com")).rejects.toMatchObject({ kind: "network" });
  });

  it("ends with the reason of the signal", async () => {
    const controller = new AbortController();
    const reason = new Error("stopped by the user");
    const server = await serverWith(() => ({ "GET /1": () => controller.abort(reason) }));
    const fetch = createGuardedFetch(server.origin, { signal: controller.signal });
    await expect(fetch(`${server.origin}/1`)).rejects.toBe(reason);
    await expect(fetch(`${server.origin}/1`)).rejects.toBe(reason);
    expect(server.requests).toHaveLength(1);
  });

  it.each<[string, Answer]>([
    [
      "cut off",
      (response) =>
        void response
          .writeHead(200, { "content-type": "application/json", "content-length": "9" })
          .end("{", () => response.destroy()),
    ],
    ["no HTTP", (response) => void response.socket?.end("hello\r\n\r\n")],
    ["closed", (response) => void response.destroy()],
    ["status 999", json(999, {})],
  ])("is a network failure: %s", async (_, answer) => {
    const server = await serverWith(() => ({ "GET /1": answer }));
    const failure = createGuardedFetch(server.origin)(`${server.origin}/1`);
    await expect(failure).rejects.toMatchObject({ kind: "network" });
  });

  it("is a network failure if nothing listens there", async () => {
    const failure = createGuardedFetch("http://127.0.0.1:1")("http://127.0.0.1:1/x");
    await expect(failure).rejects.toMatchObject({
      kind: "network",
      message: "Cannot reach 127.0.0.1:1: ECONNREFUSED",
    });
  });
});
