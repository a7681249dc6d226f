import { type IncomingMessage, maxHeaderSize } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";

import { FakeCluster } from "../../../test/support/fake-cluster.ts";
import { NO_LOG } from "../../log.ts";
import { newServer } from "../http/new-server.ts";
import { REPLICA_HEADER, isTooLong, replicaRequest, signRequest } from "./replica-header.ts";

describe("the headers of a request", () => {
  it("may be longer if a replica has added to them", async () => {
    const host = { cluster: new FakeCluster().link(), log: NO_LOG };
    const workbench = { settings: { http: {} }, host } as unknown as Parameters<
      typeof newServer
    >[0];
    const server = await newServer(workbench, {});
    server.on("request", (request, response) => response.end(String(isTooLong(request))));
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const answer = async (bytes: number): Promise<string> => {
      const got = await fetch(url, { headers: { "x-groups": "a".repeat(bytes) } });
      return got.ok ? got.text() : String(got.status);
    };
    expect(await answer(maxHeaderSize - 500)).toBe("false");
    expect(await answer(maxHeaderSize)).toBe("true");
    expect(await answer(maxHeaderSize + 2000)).toBe("true");
    expect(await answer(maxHeaderSize + 4096)).toBe("431");
    server.close();
    server.closeAllConnections();
  });
});

describe("the signature of a request", () => {
  afterEach(() => void vi.useRealTimers());
  const cluster = new FakeCluster();
  const [from, to] = [cluster.link("from"), cluster.link("to")];
  const path = "/mcp";
  const received = (changes: Partial<IncomingMessage> = {}): ReturnType<typeof replicaRequest> => {
    const signature = signRequest(from, { method: "POST", path, sessionId: "s", to: "to" });
    const headers = { [REPLICA_HEADER]: signature, "mcp-session-id": "s" };
    const request = { method: "POST", url: path, headers, ...changes } as IncomingMessage;
    vi.setSystemTime(arrival);
    return replicaRequest(to, request);
  };
  let arrival = 0;
  const sentAt = (time: number, arrives = time): void => {
    vi.useFakeTimers({ now: time });
    arrival = arrives;
  };

  it("names the replica that has sent it, for one session at one address", () => {
    sentAt(1e12);
    expect(received()).toMatchObject({ from: "from", isForThis: true, isOutdated: false });
    expect(received({ method: "GET" })).toBeUndefined();
    expect(received({ url: "/mcp/dev" })).toBeUndefined();
    expect(received({ headers: {} })).toBeUndefined();
  });

  it("is outdated if clocks differ by more than some minutes, in either direction", () => {
    for (const minutes of [-11, 11]) {
      sentAt(1e12, 1e12 + minutes * 60_000);
      expect(received()).toMatchObject({ isOutdated: true, ageMs: minutes * 60_000 });
    }
    for (const minutes of [-9, 9]) {
      sentAt(1e12, 1e12 + minutes * 60_000);
      expect(received()).toMatchObject({ isOutdated: false });
    }
  });
});
