import { randomBytes } from "node:crypto";

import { describe, expect, it, vi } from "vitest";

import type { ClusterLink } from "./cluster-link.ts";
import { Keyring } from "./keyring.ts";
import { SharedText } from "./shared-text.ts";

const [OLD, NEW] = [randomBytes(32).toString("base64"), randomBytes(32).toString("base64")];

/** Redis with one hash, as replicas with these keys see it. */
class Redis {
  hash: { version: string; text: string } | undefined;

  text(keys: readonly string[], report: (problem: string) => void = () => {}): SharedText {
    const keyring = new Keyring(keys);
    const link = {
      key: (name: string) => name,
      seal: (text: string, purpose: string) => keyring.seal(text, purpose),
      open: (sealed: string, purpose: string) => keyring.open(sealed, purpose),
      isCurrent: (sealed: string, purpose: string) => keyring.isCurrent(sealed, purpose),
      publish: () => {},
      command: async () => [this.hash?.version ?? null, this.hash?.text ?? null],
      script: async (_lua: string, _keys: unknown, [before, version, text]: string[]) => {
        if ((this.hash?.version ?? "") !== before) return 0;
        this.hash = { version: version ?? "", text: text ?? "" };
        return 1;
      },
    };
    return new SharedText(link as unknown as ClusterLink, "tokens", report);
  }
}

describe("a text that replicas share", () => {
  it("survives the replacement of the key, although it does not change", async () => {
    const redis = new Redis();
    await redis.text([OLD]).replace(undefined, "tokens");
    expect((await redis.text([OLD, NEW]).read())?.text).toBe("tokens");
    const { hash } = redis;
    expect((await redis.text([NEW, OLD]).read())?.text).toBe("tokens");
    await vi.waitFor(() => expect(redis.hash).not.toBe(hash), 60_000);
    expect((await redis.text([NEW]).read())?.text).toBe("tokens");
  });

  it("is not read with other keys, which is reported once", async () => {
    const redis = new Redis();
    const report = vi.fn();
    await redis.text([OLD]).replace(undefined, "tokens");
    const other = redis.text([NEW], report);
    await expect(other.read()).rejects.toThrow("not sealed with a key of this cluster");
    await expect(other.read()).rejects.toThrow("not sealed with a key of this cluster");
    expect(report).toHaveBeenCalledOnce();
  });

  it("is replaced only by a replica that has read the latest version", async () => {
    const redis = new Redis();
    const [one, other] = [redis.text([OLD]), redis.text([OLD])];
    expect(await one.replace(undefined, "a")).toBe(true);
    expect(await other.replace(undefined, "b")).toBe(false);
    expect(await other.replace(await other.read(), "b")).toBe(true);
    expect((await one.read())?.text).toBe("b");
  });
});
