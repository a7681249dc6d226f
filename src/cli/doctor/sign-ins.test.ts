import { describe, expect, it } from "vitest";

import type { StoreCheck } from "../../credentials/types.ts";
import { storeFindings } from "./sign-ins.ts";

describe("what doctor reports about stored sign-ins", () => {
  it.each<[Partial<StoreCheck>, string]>([
    [
      { protection: { kind: "keychain" }, records: { encrypted: 2, plain: 0 } },
      "stored: 2 encrypted with a key from the keychain",
    ],
    [
      // Stored while the keychain was not available.
      { protection: { kind: "keychain" }, records: { encrypted: 0, plain: 1 } },
      "stored: 1 in files that only you can read",
    ],
    [
      {
        protection: { kind: "file", reason: "it is locked" },
        records: { encrypted: 1, plain: 1 },
      },
      "stored: 1 encrypted with a key from the keychain, 1 in files that only you can read; not encrypted: it is locked",
    ],
  ])("is how they are protected now: %j", (check, message) => {
    const store = { folder: "/f", mode: "auto", problems: [], ...check } as StoreCheck;
    expect(storeFindings(store)).toEqual([{ status: "ok", message }]);
  });

  it("is not that nothing is stored if it cannot be read", () => {
    const findings = storeFindings({
      folder: "/f",
      mode: "auto",
      protection: { kind: "keychain" },
      records: { encrypted: 0, plain: 0 },
      problems: ["Its key is gone."],
    });
    expect(findings).toEqual([{ status: "warning", message: "Its key is gone" }]);
  });
});
