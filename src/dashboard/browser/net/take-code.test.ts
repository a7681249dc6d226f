import { describe, expect, it } from "vitest";
import { takeCode } from "./take-code.ts";

function addressBar(hash: string): { taken: string | undefined; replaced: string[] } {
  const replaced: string[] = [];
  const taken = takeCode({
    location: { hash, pathname: "/ui/" },
    history: { replaceState: (_state, _unused, url) => replaced.push(url) },
  });
  return { taken, replaced };
}

describe("the one-time code", () => {
  it("is taken out of the address", () => {
    expect(addressBar("#code=abc-123")).toEqual({ taken: "abc-123", replaced: ["/ui/"] });
  });

  it("is not there in other addresses, which stay as they are", () => {
    for (const hash of ["", "#/tools/dev/x/y", "#/tools?q=code%3Dx"])
      expect(addressBar(hash)).toEqual({ taken: undefined, replaced: [] });
  });
});
