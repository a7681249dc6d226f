import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { perTest } from "../../../test/support/disposables.ts";
import { FakeClient, fakeServer, requestIn } from "../../../test/support/fake-client.ts";
import { FakeConnection } from "../../../test/support/fake-connection.ts";
import { temporaryFolder } from "../../../test/support/workbench.ts";
import { ClientCall, type LargeResults as Hook, type Step } from "../../calls/call.ts";
import { dispatch } from "../../calls/dispatch.ts";
import { UI_EXTENSION } from "../../protocol/ui-extension.ts";
import { type Job, type JobResult, runJob } from "../../results/jobs.ts";
import { LargeResults } from "../../results/large-results.ts";
import { Catalogue } from "../../servers/tools/catalogue.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import { CatalogueSurface } from "./catalogue-surface.ts";
import { ScopeTools } from "./scope-tools.ts";

const cleanup = perTest();
const SETTINGS = {
  limit: "client",
  maxBytes: 10_000,
  totalBytes: 20_000,
  idleMs: 3_600_000,
  messageBytes: 5000,
  memoryMb: 64,
} as const;
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Options {
  /** Whether the client shows pages. */
  readonly showsPages?: boolean;
  readonly tool?: object;
  readonly steps?: readonly Step[];
}

/** A client in dynamic mode, with the stored results r1 (JSON) and r2 (a text). */
async function scene({ showsPages = false, tool = {}, steps = [] }: Options = {}) {
  const fake = new FakeConnection();
  const value = { name: "echo", ...tool };
  fake.connection.catalogue = new Catalogue([{ value, text: JSON.stringify(value) }], () => true);
  const client = new FakeClient([fakeServer(fake)], "modern", undefined, steps);
  const extensions = showsPages ? { [UI_EXTENSION]: {} } : {};
  const results = new LargeResults({
    settings: () => SETTINGS,
    debug: () => {},
    run: async <J extends Job>(job: J) => runJob(job) as JobResult<J>,
    root: join(temporaryFolder(cleanup), "results"),
  });
  cleanup.defer(() => results.close());
  const stored = results.of(client);
  expect([await stored.store('{"n":1.0}'), await stored.store("text")]).toEqual(["r1", "r2"]);
  const hook: Partial<Hook> = {
    isUsed: true,
    resolve: (...given) => results.resolve(...given),
  };
  Object.assign(client, { profile: { client: { capabilities: { extensions } } } });
  Object.assign(client.pipeline, { results: hook });
  const workbench = { pipeline: { scripts: {} } } as Workbench;
  const surface = new CatalogueSurface(workbench, new ScopeTools(workbench));
  const use = async (args: unknown, parent?: ClientCall): Promise<ClientCall> => {
    const params = { name: "dev__fx__echo", arguments: args };
    const request = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    const call = new ClientCall(client, requestIn(JSON.stringify(request)));
    call.parent = parent;
    dispatch(call, () => surface.route(client, call));
    for (let i = 0; i < 5; i++) await settled();
    return call;
  };
  const sent = () => fake.channel.of("tools/call").map(({ params }) => params);
  return { client, use, sent };
}

describe("a reference to a stored result in the arguments of a native tool", () => {
  it("is resolved, and the steps see what is sent", async () => {
    const seen: unknown[] = [];
    const step: Step = (call, next) => {
      seen.push(call.request.params["arguments"]);
      return next();
    };
    const { use, sent } = await scene({ steps: [step] });
    await use({ a: { $result: "r1", path: "n" }, b: [{ $result: "r2" }] });
    await use({ $result: "r1" });
    expect(sent()).toMatchObject([{ arguments: { a: 1, b: ["text"] } }, { arguments: { n: 1 } }]);
    expect(seen).toEqual([{ a: 1, b: ["text"] }, { n: 1 }]);
  });

  it.each([
    [{ a: { $result: "r9" } }, "Result 'r9' not found"],
    [{ a: { $result: "r1", more: 1 } }, "a reference is"],
    [{ $result: "r2" }, "the arguments must be an object"],
  ])("is refused if it is wrong: %j", async (args, message) => {
    const { client, use, sent } = await scene();
    await use(args);
    expect(client.errors.map(({ text }) => text)).toEqual([expect.stringContaining(message)]);
    expect(sent()).toEqual([]);
  });

  it("is an argument like any other in a script, where results are variables", async () => {
    const { use, sent } = await scene();
    await use({ a: { $result: "r1" } }, await use({}));
    expect(sent()[1]).toMatchObject({ arguments: { a: { $result: "r1" } } });
  });

  it("is refused if the call may come from a page of a server", async () => {
    const { client, use, sent } = await scene({ showsPages: true });
    await use({ a: { $result: "r1" } });
    await use({ a: { $result: "r9" } });
    const refused = expect.stringContaining("pages of servers may call this tool") as unknown;
    expect(client.errors.map(({ text }) => text)).toEqual([refused, refused]);
    await use({ a: 1 });
    expect(sent()).toMatchObject([{ arguments: { a: 1 } }]);
  });

  it("is resolved for a client with pages if pages may not call the tool", async () => {
    const tool = { _meta: { ui: { visibility: ["model"] } } };
    const { use, sent } = await scene({ showsPages: true, tool });
    await use({ a: { $result: "r1" } });
    expect(sent()).toMatchObject([{ arguments: { a: { n: 1 } } }]);
  });
});
