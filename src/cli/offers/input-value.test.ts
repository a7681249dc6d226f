import { describe, expect, it } from "vitest";

import type { OfferInput } from "../../offers/offer.ts";
import { checkedValue } from "./input-value.ts";

const PLACE = { cwd: "/work", home: "/home/me" };
const INPUT: OfferInput = {
  name: "city",
  description: "",
  isRequired: false,
  isSecret: false,
  format: "string",
  choices: [],
  isRepeated: false,
};
const problemOf = (changes: Partial<OfferInput>, value: string): string | undefined => {
  const checked = checkedValue({ ...INPUT, ...changes }, value, PLACE);
  return "problem" in checked ? checked.problem : undefined;
};

describe("a value of the user", () => {
  it("for a flag is known when the server is added", () => {
    expect(problemOf({ format: "flag" }, "true")).toBeUndefined();
    expect(problemOf({ format: "flag" }, "${VERBOSE}")).toBe("city must be true or false");
    expect(problemOf({ format: "boolean" }, "${VERBOSE}")).toBeUndefined();
  });
});
