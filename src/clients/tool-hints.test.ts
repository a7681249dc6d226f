import { describe, expect, it } from "vitest";

import { CLIENT_RESULT_LIMITS } from "./result-limits.ts";
import { CLIENTS } from "./table.ts";
import { CLIENT_TOOL_HINTS } from "./tool-hints.ts";

describe("what is known about clients", () => {
  const rows = [
    ...CLIENT_TOOL_HINTS,
    ...CLIENT_RESULT_LIMITS,
    ...CLIENTS.flatMap(({ id, keepLoaded }) =>
      keepLoaded === undefined ? [] : [{ client: id, ...keepLoaded }],
    ),
  ];

  it("has a source and a date, and is about clients in the table", () => {
    expect(rows.length).toBeGreaterThan(8);
    for (const { client, source, date } of rows) {
      expect(CLIENTS.map(({ id }) => id)).toContain(client);
      expect(source).not.toBe("");
      expect(date).toMatch(/^2026-\d\d-\d\d$/);
    }
  });

  it("agrees on the key with which a tool asks for larger results", () => {
    for (const { client, raisedBy } of CLIENT_RESULT_LIMITS) {
      const hints = CLIENT_TOOL_HINTS.find((row) => row.client === client);
      expect(hints?.resultChars?.key).toBe(raisedBy);
    }
  });
});
