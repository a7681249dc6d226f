import { afterEach, describe, expect, it } from "vitest";
import type { TargetSignIn } from "../../calls/target-sign-in.ts";
import type { Logger } from "../../log.ts";
import { LoginLinks } from "./login-links.ts";

class Target implements TargetSignIn {
  readonly origin = "https://api.example";
  readonly usesBrowser = true;
  readonly redirectUri = undefined;
  signIn = (): void => {};
  readonly #signedIn = new Promise<void>((resolve) => (this.signIn = resolve));

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

function scene() {
  const target = new Target();
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

  it("ends when the user has signed in elsewhere, and nothing listens any longer", async () => {
    const { target, links, lines } = scene();
    const link = await links.linkFor(target);
    target.signIn();
    await expect(link?.done).rejects.toThrow("cancelled");
    await expect(fetch(link?.url ?? "")).rejects.toThrow("fetch failed");
    expect(lines).toEqual([]);
  });
});
