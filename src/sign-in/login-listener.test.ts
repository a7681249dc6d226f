import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { freePort } from "../../test/support/free-port.ts";
import {
  type LoginListener,
  type LoginListenerOptions,
  openLoginListener,
} from "./login-listener.ts";
import { LOGIN_PORTS } from "./login-ports.ts";
import type { PendingLogin } from "./types.ts";

interface Page {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: string;
}

const listeners: LoginListener[] = [];

async function open(options: LoginListenerOptions = {}): Promise<LoginListener> {
  const listener = await openLoginListener({ ports: [], ...options });
  listeners.push(listener);
  return listener;
}

afterEach(() => {
  for (const listener of listeners.splice(0)) listener.close();
});

function get(url: string, options: { method?: string; host?: string } = {}): Promise<Page> {
  return new Promise((resolve, reject) => {
    const { method = "GET", host } = options;
    const sent = request(url, { method, ...(host && { headers: { host } }) }, (response) => {
      let body = "";
      response.on("data", (chunk) => (body += chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
      );
    });
    sent.on("error", reject);
    sent.end();
  });
}

function pendingLogin(state: string, finish: (returned: string) => Promise<void>): PendingLogin {
  return { url: "https://as.example/authorize?client_id=x", state, finish };
}

describe("the login listener", () => {
  it("gives the login the address with which the browser returned, once", async () => {
    const listener = await open();
    const returned: string[] = [];
    const done = listener.expect(pendingLogin("s1", async (url) => void returned.push(url)));
    const kept = listener.link(() => Promise.reject(new Error("not opened")));
    const address = `${listener.redirectUri}?code=c&state=s1`;
    const page = await get(address);
    await done;
    expect(page.status).toBe(200);
    expect(page.body).toContain("Signed in");
    expect(returned).toEqual([address]);
    expect((await get(address)).status).toBe(404);
    expect(returned).toHaveLength(1);
    kept.cancel();
  });

  it("answers a return with a different, repeated or missing state with 404", async () => {
    const listener = await open();
    let isUsed = false;
    void listener.expect(pendingLogin("s1", async () => void (isUsed = true))).catch(() => {});
    for (const query of ["?code=c&state=s2", "?code=c&state=s1&state=s2", "?code=c", ""])
      expect((await get(`${listener.redirectUri}${query}`)).status).toBe(404);
    expect(isUsed).toBe(false);
  });

  it("answers 404 for other paths, methods and hosts", async () => {
    const listener = await open();
    void listener.expect(pendingLogin("s1", async () => {})).catch(() => {});
    const { origin } = new URL(listener.redirectUri);
    const returned = `${listener.redirectUri}?code=c&state=s1`;
    expect((await get(`${origin}/`)).status).toBe(404);
    expect((await get(`${origin}/callback/x?state=s1`)).status).toBe(404);
    expect((await get(returned, { method: "POST" })).status).toBe(404);
    expect((await get(returned, { host: "evil.example" })).status).toBe(404);
    expect((await get(returned)).status).toBe(200);
  });

  it("shows fixed pages that run nothing, and says nothing about the error", async () => {
    const listener = await open();
    const reason = "<script>alert(1)</script>";
    const done = listener.expect(pendingLogin("s1", () => Promise.reject(new Error(reason))));
    const query = `?state=s1&error=${encodeURIComponent(reason)}`;
    const page = await get(`${listener.redirectUri}${query}`);
    await expect(done).rejects.toThrow(reason);
    expect(page.status).toBe(400);
    expect(page.body).not.toContain("script");
    expect(page.headers).toMatchObject({
      "content-security-policy": expect.stringContaining("default-src 'none'"),
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
    });
  });

  it("redirects from a link once, without a referrer", async () => {
    const listener = await open();
    const uris: string[] = [];
    const link = listener.link(async (redirectUri) => {
      uris.push(redirectUri);
      return pendingLogin("s1", async () => {});
    });
    expect(link.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/login\/[\w-]{22}$/);
    expect(link.isUsed).toBe(false);
    const page = await get(link.url);
    expect(page.status).toBe(302);
    expect(page.body).toBe("");
    expect(page.headers).toMatchObject({
      location: "https://as.example/authorize?client_id=x",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
    });
    expect(link.isUsed).toBe(true);
    expect(uris).toEqual([listener.redirectUri]);
    expect((await get(link.url)).status).toBe(404);
    await get(`${listener.redirectUri}?code=c&state=s1`);
    await link.done;
  });

  it("does not let a browser use up a link before the user opens it", async () => {
    const listener = await open();
    const link = listener.link(async () => pendingLogin("s1", async () => {}));
    const headers = { "sec-purpose": "prefetch;prerender" };
    expect((await fetch(link.url, { headers, redirect: "manual" })).status).toBe(502);
    expect(link.isUsed).toBe(false);
    expect((await get(link.url)).status).toBe(302);
    link.cancel();
  });

  it("lets a link be opened again if the login could not begin", async () => {
    const listener = await open();
    let attempts = 0;
    const link = listener.link(async () => {
      if (++attempts === 1) throw new Error("the authorization server is down");
      return pendingLogin("s1", async () => {});
    });
    expect((await get(link.url)).status).toBe(502);
    expect((await get(link.url)).status).toBe(302);
    link.cancel();
    await expect(link.done).rejects.toThrow("cancelled");
  });

  it("closes when no login is pending", async () => {
    const listener = await open();
    const done = listener.expect(pendingLogin("s1", async () => {}));
    await get(`${listener.redirectUri}?state=s1`);
    await done;
    expect(listener.isClosed).toBe(true);
    await expect(get(listener.redirectUri)).rejects.toThrow("ECONNREFUSED");
  });

  it("ends connections that a browser opened in advance, for which a program would wait", async () => {
    const listener = await open();
    const done = listener.expect(pendingLogin("s1", async () => {}));
    const early = connect(Number(new URL(listener.redirectUri).port), "127.0.0.1");
    early.on("error", () => {});
    await once(early, "connect");
    const closed = once(early, "close");
    expect((await get(`${listener.redirectUri}?state=s1`)).body).toContain("Signed in");
    await done;
    await closed;
  });

  it("gives a login up after its time", async () => {
    const listener = await open({ maxLoginMs: 1 });
    const keepAlive = setInterval(() => {}, 1000);
    await expect(listener.expect(pendingLogin("s1", async () => {}))).rejects.toThrow("in time");
    clearInterval(keepAlive);
    expect(listener.isClosed).toBe(true);
  });

  it("uses the first free port of the list, and any other if none is free", async () => {
    const first = await open();
    const taken = Number(new URL(first.redirectUri).port);
    const second = await open({ ports: [taken] });
    expect(new URL(second.redirectUri).port).not.toBe(String(taken));
    expect(new Set(LOGIN_PORTS).size).toBe(3);
  });

  it("uses a configured redirect URI as it is, and refuses one of a different machine", async () => {
    const free = await freePort();
    const redirectUri = `http://localhost:${free}/oauth/back`;
    const listener = await open({ redirectUri });
    expect(listener.redirectUri).toBe(redirectUri);
    const done = listener.expect(pendingLogin("s1", async () => {}));
    const url = `http://127.0.0.1:${free}/oauth/back?state=s1`;
    expect((await get(url, { host: `localhost:${free}` })).status).toBe(200);
    await done;
    await expect(open({ redirectUri: "https://example.com/cb" })).rejects.toThrow("this machine");
    await expect(open({ redirectUri: "http://10.0.0.1:80/cb" })).rejects.toThrow("this machine");
  });
});
