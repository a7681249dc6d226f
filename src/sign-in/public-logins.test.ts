import { type IncomingMessage, type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { cookieIn, loginCookie } from "./login-cookie.ts";
import { PublicLogins, placeOfLogin } from "./public-logins.ts";
import type { PendingLogin } from "./types.ts";

const SUBJECT = { server: "dev/api", origin: "https://api.example", user: "<b>eve</b>" };

let http: Server;
let address: string;
let logins: PublicLogins;
/** What the browser came back with. */
let finished: string[];

beforeEach(async () => {
  finished = [];
  http = createServer((request, response) => void logins.handle(request, response));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  logins = new PublicLogins(() => address);
});

afterEach(() => {
  logins.close();
  http.close();
  http.closeAllConnections();
});

const begin = async (redirectUri: string): Promise<PendingLogin> => ({
  url: `https://as.example/authorize?to=${redirectUri}`,
  state: "state-1",
  finish: async (returned) => {
    if (returned.includes("error=")) throw new Error("access denied");
    finished.push(returned);
  },
});

const newLink = () => logins.link(SUBJECT, address, begin);

/** Opens a link; the cookie and the value in the form. */
async function open(url: string): Promise<{ cookie: string; value: string; text: string }> {
  const response = await fetch(url);
  const text = await response.text();
  const [cookie = ""] = response.headers.getSetCookie();
  const value = /name="confirm" value="([\w-]+)"/.exec(text)?.[1] ?? "";
  return { cookie: cookie.split(";")[0] ?? "", value, text };
}

const confirm = (url: string, cookie: string, value: string): Promise<Response> =>
  fetch(url, {
    method: "POST",
    redirect: "manual",
    headers: { cookie },
    body: new URLSearchParams({ confirm: value }),
  });

/** Confirms it; the cookie with which the browser returns. */
async function confirmed(url: string, cookie: string, value: string): Promise<string> {
  const response = await confirm(url, cookie, value);
  expect(response.status).toBe(303);
  return response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

const comeBack = (query: string, cookie = ""): Promise<Response> =>
  fetch(`${address}/login/callback?${query}`, { headers: { cookie } });

describe("a login of a user elsewhere", () => {
  it("begins when the person has confirmed it, and ends in the same browser", async () => {
    const link = newLink();
    const { cookie, value, text } = await open(link.url);
    expect(text).toContain("&lt;b&gt;eve&lt;/b&gt;");
    expect(text).not.toContain("<b>eve");
    const redirect = await confirm(link.url, cookie, value);
    expect([redirect.status, redirect.headers.get("location")]).toEqual([
      303,
      `https://as.example/authorize?to=${address}/login/callback`,
    ]);
    expect(link.isUsed).toBe(true);
    const own = redirect.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    expect((await comeBack("state=state-1&code=c", own)).status).toBe(200);
    await link.done;
    expect(finished).toEqual([`${address}/login/callback?state=state-1&code=c`]);
    expect((await comeBack("state=state-1&code=c", own)).status).toBe(404);
    expect((await fetch(link.url)).status).toBe(404);
  });

  it("is not confirmed without the cookie of the browser, or by a form that does not know it", async () => {
    const link = newLink();
    const { cookie, value } = await open(link.url);
    const other = await open(link.url);
    for (const [sent, known] of [
      ["", value],
      [cookie, ""],
      [cookie, other.value],
      [`${cookie}; ${other.cookie}`, value],
    ] as const)
      expect((await confirm(link.url, sent, known)).status).toBe(403);
    expect(link.isUsed).toBe(false);
    expect((await confirm(link.url, cookie, value)).status).toBe(303);
  });

  it("does not end in another browser, and stays open for its own", async () => {
    const link = newLink();
    const { cookie, value } = await open(link.url);
    const own = await confirmed(link.url, cookie, value);
    const [name = ""] = own.split("=");
    for (const sent of ["", cookie, `${name}=${value}`, `${name}=`])
      expect((await comeBack("state=state-1&code=c", sent)).status).toBe(403);
    for (const query of ["code=c", "state=x&code=c", "state=state-1&state=state-1"])
      expect((await comeBack(query, own)).status).toBe(404);
    expect(finished).toEqual([]);
    expect((await comeBack("state=state-1&code=c", own)).status).toBe(200);
  });

  it("fails if the authorization server refuses it", async () => {
    const link = newLink();
    const { cookie, value } = await open(link.url);
    const own = await confirmed(link.url, cookie, value);
    expect((await comeBack("state=state-1&error=access_denied", own)).status).toBe(400);
    await expect(link.done).rejects.toThrow("access denied");
  });

  it("can be confirmed again if the service cannot be reached", async () => {
    let isReachable = false;
    const link = logins.link(SUBJECT, address, async (uri) => {
      if (!isReachable) throw new Error("unreachable");
      return begin(uri);
    });
    const { cookie, value } = await open(link.url);
    expect((await confirm(link.url, cookie, value)).status).toBe(502);
    isReachable = true;
    expect((await confirm(link.url, cookie, value)).status).toBe(303);
  });

  it("shows nothing to a browser that guesses, or after it was cancelled", async () => {
    const link = newLink();
    const guess = await fetch(link.url, { headers: { "sec-purpose": "prefetch" } });
    expect(guess.status).toBe(502);
    expect((await fetch(link.url, { method: "PUT" })).status).toBe(404);
    link.cancel();
    await expect(link.done).rejects.toThrow("cancelled");
    expect((await fetch(link.url)).status).toBe(404);
  });
});

describe("a login at one of several replicas", () => {
  it("says at which, in the link and when the browser returns", async () => {
    logins = new PublicLogins(() => address, { here: () => "sealed-place" });
    const link = newLink();
    const placeOf = (url: string, cookie = ""): string | undefined =>
      placeOfLogin({ url, headers: { cookie } } as IncomingMessage);
    const { pathname } = new URL(link.url);
    expect(pathname).toMatch(/^\/login\/[\w-]{22}\.sealed-place$/);
    expect(placeOf(pathname)).toBe("sealed-place");
    const { cookie, value } = await open(link.url);
    const own = await confirmed(link.url, cookie, value);
    expect(placeOf("/login/callback?state=state-1&code=c", own)).toBe("sealed-place");
    expect(placeOf("/login/callback?state=other&code=c", own)).toBeUndefined();
    expect((await comeBack("state=state-1&code=c", own)).status).toBe(200);
  });
});

describe("the cookie of a login", () => {
  it("can be set only by the host itself over https", () => {
    const { header, value } = loginCookie("ab", "https://wb.example.com");
    expect(header).toBe(
      `__Host-mcp-workbench-login-ab=${value}; Path=/; Max-Age=1200; HttpOnly; SameSite=Lax; Secure`,
    );
    expect(cookieIn(`a=b; __Host-mcp-workbench-login-ab=${value}`, "ab")).toBe(value);
    expect(cookieIn(`__Host-mcp-workbench-login-ab=${value}`, "cd")).toBeUndefined();
  });
});
