import { type RequestListener, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import { FakeCluster } from "../../../test/support/fake-cluster.ts";
import type { ClusterLink } from "../../cluster/cluster-link.ts";
import { LEASE_MS } from "../../cluster/replica-lease.ts";
import { AddressCheck } from "./address-check.ts";
import { NOT_HERE, answerMoved, replicaRequest } from "./replica-header.ts";

const server = createServer();
let address = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

/** Answers as a replica does. */
const replica =
  (link: ClusterLink): RequestListener =>
  (request, response) => {
    if (replicaRequest(link, request)?.isForThis !== true)
      return answerMoved(request, response, NOT_HERE);
    response.end('{"owns":false,"isUp":true,"isKnown":false}');
  };

/** What the replica "self" reports if this answers at its address. */
async function reported(handle: RequestListener, advertise = address): Promise<string[]> {
  server.removeAllListeners("request").on("request", handle);
  const problems: string[] = [];
  const link = new FakeCluster().link("self", advertise);
  await new AddressCheck(link, (problem) => problems.push(problem)).run();
  return problems;
}

describe("the address that a replica gives the others", () => {
  it("is right if it leads to this replica", async () => {
    expect(await reported(replica(new FakeCluster().link("self")))).toEqual([]);
  });

  it("is reported if it leads to another replica", async () => {
    const [problem, ...more] = await reported(replica(new FakeCluster().link("other")));
    expect(problem).toContain(`'cluster.advertise' (${address}): another replica answers there`);
    expect(more).toEqual([]);
  });

  it("is reported if it leads to something else", async () => {
    const refused: RequestListener = (_request, response) => response.writeHead(401).end();
    const welcome: RequestListener = (_request, response) => response.end("<h1>Welcome</h1>");
    expect(await reported(refused)).toEqual([
      expect.stringContaining("(HTTP 401) is not a replica with the same keys"),
    ]);
    expect(await reported(welcome)).toEqual([expect.stringContaining("(HTTP 200) is not a")]);
  });

  it("is reported if nothing answers there, or not with TLS", async () => {
    const never: RequestListener = () => {};
    expect(await reported(never, "http://127.0.0.1:1")).toEqual([
      expect.stringContaining("ECONNREFUSED"),
    ]);
    expect(await reported(never, address.replace("http:", "https:"))).toEqual([
      expect.stringMatching(/SSL|TLS/i),
    ]);
  });
});

describe("a replica with the address of another", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const check = (problems: string[]): AddressCheck =>
    new AddressCheck(new FakeCluster().link("self", "http://same:1"), (problem) =>
      problems.push(problem),
    );

  it("reports that once, if the other one still lives when its lease would have ended", () => {
    const problems: string[] = [];
    const own = check(problems);
    const peers = new Map([
      ["other", "http://same:1"],
      ["third", "http://third:1"],
    ]);
    own.onPeers(peers);
    vi.advanceTimersByTime(LEASE_MS);
    own.onPeers(peers);
    expect(problems).toEqual([]);
    vi.advanceTimersByTime(1);
    own.onPeers(peers);
    own.onPeers(peers);
    expect(problems).toEqual([expect.stringContaining("the same 'cluster.advertise'")]);
  });

  it("reports nothing if the other one was its predecessor", () => {
    const problems: string[] = [];
    const own = check(problems);
    for (const id of ["first", "second"]) {
      own.onPeers(new Map([[id, "http://same:1"]]));
      vi.advanceTimersByTime(LEASE_MS);
    }
    own.onPeers(new Map());
    expect(problems).toEqual([]);
  });
});
