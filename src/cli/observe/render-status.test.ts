import { describe, expect, it } from "vitest";

import type { ServerStatus, WorkbenchStatus } from "../../workbench/status.ts";
import { fitStatus, renderStatus } from "./render-status.ts";

const server: ServerStatus = {
  name: "github",
  state: "ready",
  pid: 4711,
  restarts: 0,
  lastError: null,
  lastErrorCode: null,
  stderrTail: [],
  processes: [],
  problems: [],
  tools: 26,
  auth: null,
  calls: 12,
  errors: 1,
  latency: { p50: 2.18, p99: 2.53, max: 3 },
};

function statusWith(...servers: readonly ServerStatus[]): WorkbenchStatus {
  return {
    version: "0.1.0",
    pid: 1,
    uptimeMs: 2000,
    sessions: 1,
    config: null,
    configProblem: null,
    toolboxes: [{ name: "code", open: true, servers }],
  } as unknown as WorkbenchStatus;
}

describe("the status of a server", () => {
  it("is one line if there is room", () => {
    expect(renderStatus(statusWith(server)).split("\n")).toEqual([
      "workbench 0.1.0, pid 1, up 2 s, 1 client, no file",
      "  code",
      "    github               ready      pid 4711, 26 tools, 12 calls, 1 error, p50 2.18 ms, p99 2.53 ms",
    ]);
  });

  it("continues in its own column in a narrow terminal", () => {
    const [, , ...lines] = renderStatus(statusWith(server), 62).split("\n");
    expect(lines).toEqual([
      "    github               ready      pid 4711, 26 tools, 12",
      "                                    calls, 1 error, p50 2.18",
      "                                    ms, p99 2.53 ms",
    ]);
  });
});

describe("the status in a terminal with few rows", () => {
  const idle = {
    ...server,
    state: "idle",
    pid: null,
    tools: null,
    calls: 0,
    latency: null,
  } as const;
  const status = statusWith(
    { ...idle, name: "a" },
    server,
    { ...idle, name: "b" },
    { ...idle, name: "failed", lastError: "it exited" },
  );

  it("has one line for the idle servers of a toolbox", () => {
    expect(fitStatus([status], 110, 7).split("\n")).toHaveLength(7);
    expect(
      fitStatus([status], 110, 6)
        .split("\n")
        .map((line) => line.trim().slice(0, 16)),
    ).toEqual([
      "workbench 0.1.0,",
      "code",
      "github          ",
      "failed          ",
      "last error: it e",
      "idle:  a, b",
    ]);
  });

  it("leaves the end out if that is still too much", () => {
    const lines = fitStatus([status], 110, 4).split("\n");
    expect(lines).toHaveLength(4);
    expect(lines.at(-1)).toBe("… 3 lines more, see mcp-workbench status");
  });
});

describe("the users of a server that each user signs in to", () => {
  const auth = { state: "needs-login", login: "x" } as ServerStatus["auth"];
  const users = Array.from({ length: 12 }, (_, i) => ({
    user: `u${i}`,
    state: "ready" as const,
    auth: null,
    calls: i,
    errors: 0,
  }));

  it("are shown, those who have to sign in first, and the others are counted", () => {
    const waiting = { user: "late", state: "needs-auth" as const, auth, calls: 0, errors: 0 };
    const shown = { ...server, users: [...users, waiting], userCount: 250 };
    const lines = renderStatus(statusWith(shown)).split("\n").slice(3);
    expect(lines.slice(0, 2)).toEqual([
      "      user late: needs-auth, needs-login, 0 calls",
      "      user u0: ready, 0 calls",
    ]);
    expect(lines.slice(10)).toEqual(["      and 240 more users"]);
  });
});
