import { maxHeaderSize } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";

import { FakeCluster } from "../../../test/support/fake-cluster.ts";
import { NO_LOG } from "../../log.ts";
import { newServer } from "../http/new-server.ts";
import { isTooLong } from "./replica-header.ts";

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
