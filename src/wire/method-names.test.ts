import { describe, expect, it } from "vitest";

import { resemblesStandardMethod } from "./method-names.ts";

describe("resemblesStandardMethod", () => {
  it.each([
    "Elicitation/Create",
    "elicitation/create ",
    "elicitation.create",
    "sampling/createmessage",
    "ROOTS/LIST",
    "Skills/Get",
    "resources/directory_read",
    "notifications/Cancelled",
    "notifications/progress\u0000",
    "notifications//progress",
    "ta\u017fks/result",
    "\uff54ools/call",
  ])("is true for %j", (method) => {
    expect(resemblesStandardMethod(method)).toBe(true);
  });

  it.each(["elicitation/create", "notifications/cancelled", "vendor/create", "tools/call2", ""])(
    "is false for %j",
    (method) => {
      expect(resemblesStandardMethod(method)).toBe(false);
    },
  );
});
