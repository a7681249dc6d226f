import { describe, expect, it } from "vitest";
import type { CallPage, LiveCall, LogPage, ServerPage, ServerSummary } from "../../contract.ts";
import { updateCalls, updateLog, updateServers } from "./live-data.ts";
import { applyEvent, INITIAL, versionOf } from "./state.ts";
import { Store } from "./store.ts";

describe("the state of the page", () => {
  it("counts the changes of each list", () => {
    let state = applyEvent(INITIAL, { type: "changed", topics: ["tools", "pins"] });
    state = applyEvent(state, { type: "changed", topics: ["tools"] });
    expect(state.changes).toEqual({ tools: 2, pins: 1 });
    expect([versionOf(state, []), versionOf(state, ["tools", "pins"])]).toEqual([0, 3]);
  });

  it.each([
    { type: "hello", pid: 1, startedAt: "" },
    { type: "lost", events: 3 },
  ] as const)("has a new generation after $type, so that everything is loaded again", (event) => {
    const state = applyEvent({ ...INITIAL, connection: "reconnecting" }, event);
    expect([state.generation, state.connection]).toEqual([1, "live"]);
  });

  it("stops with the workbench, and ignores what it does not know", () => {
    expect(applyEvent(INITIAL, { type: "bye", reason: "shutdown" }).connection).toBe("stopped");
    expect(applyEvent(INITIAL, { type: "later" } as never)).toBe(INITIAL);
  });
});

describe("the store", () => {
  it("reports changes and events until the listener leaves", () => {
    const store = new Store();
    const seen: string[] = [];
    const leave = store.subscribe(() => seen.push(store.state.connection));
    const stop = store.listen(({ type }) => seen.push(type));
    store.setConnection("reconnecting");
    store.onEvent({ type: "hello", pid: 1, startedAt: "" });
    store.onEvent({ type: "log", lines: [] });
    leave();
    stop();
    store.onEvent({ type: "hello", pid: 1, startedAt: "" });
    expect(seen).toEqual(["reconnecting", "live", "hello", "log"]);
  });

  it("says the same thing twice if it happens twice", () => {
    const store = new Store();
    store.announce("Saved");
    const first = store.state.announcement;
    store.announce("Saved");
    expect(first).toBe("Saved");
    expect(store.state.announcement).not.toBe(first);
    expect(store.state.announcement.trim()).toBe(first);
  });
});

describe("loaded servers", () => {
  it("are replaced by newer ones, and no others are added", () => {
    const server = (name: string, restarts = 0): ServerSummary =>
      ({ toolbox: "dev", server: name, restarts }) as ServerSummary;
    const page: ServerPage = {
      items: [server("a"), server("b")],
      total: 2,
      offset: 0,
      toolboxes: [],
    };
    const event = { type: "servers", servers: [server("b", 1), server("c")] } as const;
    expect(updateServers(page, event)).toEqual({ ...page, items: [server("a"), server("b", 1)] });
  });
});

describe("loaded servers in one state", () => {
  const server = (name: string, state: ServerSummary["state"]): ServerSummary =>
    ({ toolbox: "dev", server: name, state }) as ServerSummary;
  const page: ServerPage = {
    items: [server("a", "ready")],
    total: 1,
    offset: 0,
    toolboxes: [],
  };
  const after = (one: ServerSummary) =>
    updateServers(page, { type: "servers", servers: [one] }, "ready");

  it("are loaded again when one enters or leaves it", () => {
    expect(after(server("a", "backoff"))).toBe("reload");
    expect(after(server("b", "ready"))).toBe("reload");
    expect(after(server("b", "idle"))).toEqual(page);
  });
});

describe("loaded calls", () => {
  const call = (id: string, state: LiveCall["state"] = "running", more = {}): LiveCall =>
    ({
      id,
      state,
      subject: `tool${id}`,
      server: null,
      toolbox: null,
      client: null,
      principal: { kind: "owner", name: "owner" },
      method: "tools/call",
      ...more,
    }) as LiveCall;
  const page = (...items: LiveCall[]): CallPage => ({
    items,
    total: items.length,
    offset: 0,
    since: "",
  });
  const ANY = { q: "", state: "" } as const;
  const shown = ({ items }: CallPage): string[] => items.map(({ id, state }) => `${id} ${state}`);

  it("are replaced when they end, and new ones come first", () => {
    const calls = [call("9", "ok"), call("10")];
    const next = updateCalls(page(call("9"), call("8", "ok")), { type: "calls", calls }, ANY);
    expect(shown(next)).toEqual(["10 running", "9 ok", "8 ok"]);
    expect(next.total).toBe(3);
    const late = { type: "calls", calls: [call("9")] } as const;
    expect(shown(updateCalls(next, late, ANY))).toEqual(shown(next));
  });

  it("leave the list when they no longer match", () => {
    const event = { type: "calls", calls: [call("9", "ok"), call("8", "cancelled")] } as const;
    const running = page(call("9"), call("7"));
    const next = updateCalls(running, event, { q: "", state: "running" });
    expect([shown(next), next.total]).toEqual([["7 running"], 1]);
    expect(shown(updateCalls(page(), event, { q: "", state: "failed" }))).toEqual([]);
  });

  it("are found by the words that the workbench finds them by", () => {
    const calls = [call("1", "ok", { toolbox: "dev", server: "fx" })];
    const find = (q: string) => shown(updateCalls(page(), { type: "calls", calls }, { ...ANY, q }));
    for (const q of ["dev/fx/tool1", " FX ", "tools/call"]) expect(find(q)).toEqual(["1 ok"]);
    expect(find("other")).toEqual([]);
  });

  it("are those that match, and not too many", () => {
    const calls = [
      call("1", "error"),
      call("2", "ok", { server: "Files" }),
      call("3", "denied", { client: { name: "files-client", version: "" } }),
    ];
    const event = { type: "calls", calls } as const;
    expect(shown(updateCalls(page(), event, { q: "FILES", state: "" }))).toEqual([
      "3 denied",
      "2 ok",
    ]);
    expect(shown(updateCalls(page(), event, { q: "", state: "failed" }))).toEqual([
      "3 denied",
      "1 error",
    ]);
    const many = Array.from({ length: 300 }, (_, i) => call(String(i)));
    const { items, total } = updateCalls(page(), { type: "calls", calls: many }, ANY);
    expect([items.length, total, items[0]?.id]).toEqual([200, 300, "299"]);
  });
});

describe("a loaded log", () => {
  it("gets the new lines that match, each once", () => {
    const line = (text: string, level: "info" | "error" | null = "info") => ({
      time: "t",
      level,
      text,
    });
    const page: LogPage = { file: null, lines: [line("a")] };
    const lines = [line("a"), line("b"), line("B failed", "error"), line("c", null)];
    const after = (q: string, level: "" | "warn"): string[] =>
      updateLog(page, { type: "log", lines }, { q, level }).lines.map(({ text }) => text);
    expect(after("", "")).toEqual(["a", "b", "B failed", "c"]);
    expect(after("b", "warn")).toEqual(["a", "B failed"]);
  });
});
