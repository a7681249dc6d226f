import { randomBytes } from "node:crypto";

import { describe, expect, it } from "vitest";

import { Keyring } from "./keyring.ts";

const key = (): string => randomBytes(32).toString("base64");

describe("the keys of a cluster", () => {
  it("open what they have sealed, for the same purpose only", () => {
    const keyring = new Keyring([key()]);
    const sealed = keyring.seal("grüße", "session");
    expect(sealed).toMatch(/^[\w-]+$/);
    expect(keyring.open(sealed, "session")).toBe("grüße");
    expect(keyring.open(sealed, "token")).toBeUndefined();
  });

  it("open what a former first key has sealed", () => {
    const [old, fresh] = [key(), key()];
    const before = new Keyring([old]);
    const after = new Keyring([fresh, old]);
    expect(after.open(before.seal("a", "p"), "p")).toBe("a");
    expect(before.open(after.seal("a", "p"), "p")).toBeUndefined();
    expect(after.verify(before.sign("a", "p"), "a", "p")).toBe(true);
  });

  it("open nothing that was changed anywhere", () => {
    const keyring = new Keyring([key()]);
    const sealed = keyring.seal("a longer text", "p");
    for (let i = 0; i < sealed.length; i++) {
      const other = sealed[i] === "A" ? "B" : "A";
      expect(keyring.open(sealed.slice(0, i) + other + sealed.slice(i + 1), "p")).toBeUndefined();
    }
    for (const text of ["", "A", sealed.slice(0, -1), `${sealed}A`, `${sealed}=`, " " + sealed])
      expect(keyring.open(text, "p")).toBeUndefined();
  });

  it("verify only their own signatures of the same text and purpose", () => {
    const keyring = new Keyring([key()]);
    const signature = keyring.sign("text", "purpose");
    expect(keyring.verify(signature, "text", "purpose")).toBe(true);
    expect(keyring.verify(signature, "text2", "purpose")).toBe(false);
    expect(keyring.verify(signature, "etext", "purpos")).toBe(false);
    expect(keyring.verify("", "text", "purpose")).toBe(false);
    expect(new Keyring([key()]).verify(signature, "text", "purpose")).toBe(false);
  });
});
