import { freePort } from "../../../test/support/free-port.ts";
import { afterEach, describe, expect, it } from "vitest";
import type { TargetSignIn } from "../../calls/target-sign-in.ts";
import type { Logger } from "../../log.ts";
import { LoginLinks } from "./login-links.ts";

class Target implements TargetSignIn {
  readonly place = { toolbox: "dev", server: "api" };
  readonly user = undefined;
  readonly origin = "https://api.example";
  readonly usesBrowser = true;
  readonly redirectUri: string | undefined;
  signIn = (): void => {};
  readonly #signedIn = new Promise<void>((resolve) => (this.signIn = resolve));

  constructor(redirectUri?: string) {
    this.redirectUri = redirectUri;
  }

  async beginLogin() {
    return { url: "https://as.example/authorize", state: "s", finish: async () => {} };
  }

  whenSignedIn(): Promise<void> {
    return this.#signedIn;
  }

  challengeIn(): undefined {
    return undefined;
  }

  async answerResult(): Promise<void> {}
  onResult(): void {}
}

const open: LoginLinks[] = [];

afterEach(() => {
  for (const links of open.splice(0)) links.close();
});

function scene(redirectUri?: string) {
  const target = new Target(redirectUri);
  const lines: string[] = [];
  const write = (line: string): void => void lines.push(line);
  const log: Logger = { debug: write, info: write, warn: write, error: write };
  const links = new LoginLinks(log);
  open.push(links);
  return { target, links, lines };
}

describe("a link for a sign-in", () => {
  it("is offered again until it is used", async () => {
    const { target, links } = scene();
    const first = await links.linkFor(target);
    expect((await links.linkFor(target))?.url).toBe(first?.url);
    await fetch(first?.url ?? "", { redirect: "manual" });
    expect((await links.linkFor(target))?.url).not.toBe(first?.url);
  });

  it("is the same for all calls that need it at the same time", async () => {
    const { target, links } = scene();
    const made = await Promise.all(Array.from({ length: 5 }, () => links.linkFor(target)));
    expect(new Set(made.map((link) => link?.url)).size).toBe(1);
  });

  it("is offered to all servers that return to the same configured address", async () => {
    const { target, links, lines } = scene(`http://127.0.0.1:${await freePort()}/back`);
    const targets = [target, new Target(target.redirectUri)];
    const made = await Promise.all(targets.map((one) => links.linkFor(one)));
    const origin = new URL(target.redirectUri ?? "").origin;
    expect(made.map((link) => new URL(link?.url ?? "").origin)).toEqual([origin, origin]);
    expect(lines).toEqual([]);
  });

  it("ends when the user has signed in elsewhere, and nothing listens any longer", async () => {
    const { target, links, lines } = scene();
    const link = await links.linkFor(target);
    target.signIn();
    await expect(link?.done).rejects.toThrow("cancelled");
    await expect(fetch(link?.url ?? "")).rejects.toThrow("fetch failed");
    expect(lines).toEqual([]);
  });
});
