import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";

import type { TokenVerdict } from "../../access/tokens/token-access.ts";
import { newToken } from "../../access/tokens/token-format.ts";
import { OWNER_PRINCIPAL, type Principal } from "../../calls/principal.ts";
import { isWorkbenchError } from "../../errors.ts";
import { Access, type Identity, type Users } from "./access.ts";

const TOKEN = "correct-horse-battery-staple";

/** A request as Node provides it: of some headers it keeps only the first. */
function requestWith(raw: readonly string[], localAddress = "127.0.0.1"): IncomingMessage {
  const headers: Record<string, string> = {};
  for (let i = 0; i < raw.length; i += 2)
    headers[String(raw[i]).toLowerCase()] ??= String(raw[i + 1]);
  return { headers, rawHeaders: raw, socket: { localAddress } } as unknown as IncomingMessage;
}

const access = new Access({ host: "127.0.0.1", port: 7333 }, [], { owner: TOKEN });
const hostProblem = (host: string, by = access): string | undefined =>
  by.foreign(requestWith(["Host", host]))?.message;

describe("the check of the Host header", () => {
  it.each(["127.0.0.1:7333", "localhost:7333", "LocalHost:7333", "[::1]:7333"])(
    "accepts %s",
    (host) => {
      expect(hostProblem(host)).toBeUndefined();
    },
  );

  it.each([
    "evil.example",
    "evil.example:7333",
    "localhost",
    "localhost:7334",
    "localhost.:7333",
    "localhost.evil.example:7333",
    "127.0.0.1.evil.example:7333",
    "user@localhost:7333",
    "localhost:7333@evil.example",
    "localhost:7333,evil.example",
    "127.1:7333",
    "2130706433:7333",
    "0x7f.0.0.1:7333",
    "0.0.0.0:7333",
    "192.168.0.5:7333",
    " localhost:7333",
    "",
  ])("rejects %j", (host) => {
    expect(hostProblem(host)).toMatch(/^Forbidden: the Host header/);
  });

  it("rejects a missing header and a repeated one", () => {
    expect(access.foreign(requestWith([]))?.httpStatus).toBe(403);
    const twice = ["Host", "localhost:7333", "HOST", "localhost:7333"];
    expect(access.foreign(requestWith(twice))?.httpStatus).toBe(403);
  });

  it("accepts the host of the address of a resource, also after it has changed", () => {
    const users = { hosts: ["wb.example.com"] as readonly string[] } as Users;
    const by = new Access({ host: "127.0.0.1", port: 7333 }, [], { owner: TOKEN, users });
    expect(hostProblem("WB.example.com", by)).toBeUndefined();
    expect(hostProblem("wb.example.com:443", by)).toBeUndefined();
    Object.assign(users, { hosts: ["other.example.com:8443"] });
    expect(hostProblem("other.example.com:8443", by)).toBeUndefined();
    for (const host of ["wb.example.com", "other.example.com", "other.example.com:443"])
      expect(hostProblem(host, by)).toMatch(/Host header/);
    Object.assign(users, { hosts: [] });
    expect(hostProblem("other.example.com:8443", by)).toMatch(/Host header/);
  });

  it("accepts a name without the default port", () => {
    const onDefault = new Access({ host: "127.0.0.1", port: 80 }, [], { owner: TOKEN });
    expect(hostProblem("localhost", onDefault)).toBeUndefined();
    expect(hostProblem("localhost:80", onDefault)).toBeUndefined();
    expect(hostProblem("evil.example", onDefault)).toBeDefined();
  });

  it("accepts the name the server listens on and the names of --allow-host", () => {
    const named = new Access({ host: "Box.lan", port: 7333 }, ["proxy", "other:8080"], {
      owner: TOKEN,
    });
    // Behind a proxy the port is that of the proxy, and left out if it is a default.
    const proxied = ["proxy", "proxy:80", "proxy:443", "proxy:7333"];
    for (const host of ["box.lan:7333", ...proxied, "other:8080", "localhost:7333"])
      expect(hostProblem(host, named)).toBeUndefined();
    for (const host of ["box.lan:7334", "box.lan", "proxy:8443", "other", "other:7333"])
      expect(hostProblem(host, named)).toBeDefined();
  });

  it.each([
    ["10.0.0.7", "10.0.0.7:7333"],
    ["::ffff:10.0.0.7", "10.0.0.7:7333"],
    ["fd00::7", "[fd00::7]:7333"],
  ])("accepts the local address %s of the connection", (local, host) => {
    const everywhere = new Access({ host: "0.0.0.0", port: 7333 }, [], { owner: TOKEN });
    expect(everywhere.foreign(requestWith(["Host", host], local))).toBeUndefined();
    expect(everywhere.foreign(requestWith(["Host", "10.0.0.8:7333"], local))).toBeDefined();
  });
});

describe("the check of the Origin header", () => {
  const originProblem = (...origins: readonly string[]): string | undefined => {
    const pairs = origins.flatMap((origin) => ["Origin", origin]);
    const request = requestWith(["Host", "localhost:7333", ...pairs]);
    // Node joins the values of headers it does not know to be single.
    if (origins.length > 1) request.headers.origin = origins.join(", ");
    return access.foreign(request)?.message;
  };

  it.each(["http://localhost:7333", "http://127.0.0.1:7333", "https://[::1]:7333"])(
    "accepts %s",
    (origin) => {
      expect(originProblem(origin)).toBeUndefined();
    },
  );

  it.each([
    "null",
    "",
    "http://evil.example",
    "http://localhost",
    "http://localhost:3000",
    "http://localhost:7333.evil.example",
    "http://localhost.evil.example:7333",
    "http://localhost:7333/",
    "http://localhost:7333@evil.example",
    "http://user@localhost:7333",
    "file://localhost:7333",
    "chrome-extension://localhost:7333",
    "localhost:7333",
  ])("rejects %j", (origin) => {
    expect(originProblem(origin)).toMatch(/^Forbidden: requests from other web sites/);
  });

  it("rejects a repeated header", () => {
    expect(originProblem("http://localhost:7333", "http://localhost:7333")).toBeDefined();
  });
});

describe("the check of the bearer token", () => {
  const problem = (...raw: readonly string[]): string | undefined =>
    problemOf(access.identify(requestWith(raw)));

  it.each([`Bearer ${TOKEN}`, `bearer ${TOKEN}`, `BEARER   ${TOKEN} `])(
    "accepts the Authorization header %j",
    (value) => {
      expect(problem("Authorization", value)).toBeUndefined();
    },
  );

  it.each([
    "",
    "Bearer",
    "Bearer ",
    TOKEN,
    `Basic ${TOKEN}`,
    `Bearer ${TOKEN.slice(0, -1)}`,
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.toUpperCase()}`,
    `Bearer ${TOKEN} ${TOKEN}`,
    `Bearer ${TOKEN}, Bearer x`,
  ])("rejects the Authorization header %j", (value) => {
    expect(problem("Authorization", value)).toMatch(/^Unauthorized: /);
  });

  it("rejects a missing header and a repeated one", () => {
    expect(problem()).toMatch(/^Unauthorized: a bearer token is required/);
    const twice = ["Authorization", `Bearer ${TOKEN}`, "Authorization", `Bearer ${TOKEN}`];
    expect(problem(...twice)).toBeDefined();
  });

  it("makes the client the owner", () => {
    expect(access.identify(requestWith(["Authorization", `Bearer ${TOKEN}`]))).toBe(
      OWNER_PRINCIPAL,
    );
  });

  it("makes every client the owner if no token is required", () => {
    const open = new Access({ host: "127.0.0.1", port: 7333 }, [], { owner: undefined });
    expect(open.identify(requestWith([]))).toBe(OWNER_PRINCIPAL);
    expect(open.identify(requestWith(["Authorization", "Bearer x"]))).toBe(OWNER_PRINCIPAL);
  });
});

describe("an access token", () => {
  const [id, other] = ["0123abcd", "zzzzzzzz"];
  const [own, expired, unknown] = [newToken(id), newToken(id), newToken(other)];
  const principal: Principal = { kind: "token", id: `token:${id}`, name: "ci", readOnly: false };
  const tokens = {
    find: (token: string): TokenVerdict =>
      token === own ? principal : token === expired ? "expired" : "unknown",
  };
  const by = (credentials: { owner: string | undefined }, ...raw: readonly string[]) =>
    new Access({ host: "127.0.0.1", port: 7333 }, [], { ...credentials, tokens }).identify(
      requestWith(raw),
    );
  const sent = (token: string): readonly [string, string] => ["Authorization", `Bearer ${token}`];

  it.each([{ owner: TOKEN }, { owner: undefined }])("decides who the client is (%o)", (owner) => {
    expect(by(owner, ...sent(own))).toBe(principal);
    expect(problemOf(by(owner, ...sent(expired)))).toBe("Unauthorized: the token has expired");
    expect(problemOf(by(owner, ...sent(unknown)))).toBe("Unauthorized: the token is not valid");
    expect(problemOf(by(owner, ...sent(own.slice(0, -1))))).toMatch(/not valid/);
    expect(problemOf(by(owner, ...sent(own), ...sent(own)))).toMatch(/not valid/);
    expect(problemOf(by(owner, ...sent(own), ...sent(TOKEN)))).toMatch(/not valid/);
  });

  it("is not asked for where the token of the owner fits, whatever that looks like", () => {
    expect(by({ owner: unknown }, ...sent(unknown))).toBe(OWNER_PRINCIPAL);
    expect(by({ owner: TOKEN }, ...sent(TOKEN))).toBe(OWNER_PRINCIPAL);
  });
});

describe("a token of an identity provider", () => {
  const user: Principal = { kind: "oauth", id: "oauth:x y", name: "oauth:y", readOnly: false };
  const asked: string[] = [];
  const users = {
    hosts: [],
    resource: undefined as never,
    find: (token: string): Principal | undefined => {
      asked.push(token);
      return token === "a.b.c" ? user : undefined;
    },
  };
  const by = (owner: string | undefined, token: string) =>
    new Access({ host: "127.0.0.1", port: 7333 }, [], { owner, users }).identify(
      requestWith(["Authorization", `Bearer ${token}`]),
    );

  it("is looked at if it is neither the owner's nor an access token", () => {
    expect(by(TOKEN, "a.b.c")).toBe(user);
    expect(by(TOKEN, TOKEN)).toBe(OWNER_PRINCIPAL);
    expect(problemOf(by(TOKEN, newToken("0123abcd")))).toMatch(/not valid/);
    expect(asked).toEqual(["a.b.c"]);
    expect(problemOf(by(TOKEN, "other"))).toMatch(/not valid/);
  });
});

function problemOf(found: Identity | Promise<Identity>): string | undefined {
  if (found instanceof Promise) throw new Error("only users have to be waited for");
  return isWorkbenchError(found) ? found.message : undefined;
}
