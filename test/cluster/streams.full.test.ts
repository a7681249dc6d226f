/** Event streams that a client continues through another replica. In the full suite because of its processes. */
import { beforeAll, describe, expect, it } from "vitest";

import { ClusterRig, HAS_CLUSTER } from "../support/cluster-rig.ts";
import { perBlock } from "../support/disposables.ts";
import { type Begun, type HttpClient, messagesIn } from "../support/http-client.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { fixture } from "../support/servers.ts";

const CHANGE = { name: "change_list", arguments: {} };
const LIST_CHANGED = "notifications/tools/list_changed";

const lastIdIn = ({ text }: { text: string }): string | undefined =>
  Array.from(text.matchAll(/^id: (.*)$/gm), ([, id]) => id).at(-1);
const resume = (client: HttpClient, id: string | undefined): Begun =>
  client.listen({ "last-event-id": id });

describe.skipIf(!HAS_CLUSTER)("a stream of a session", () => {
  const disposables = perBlock();
  let rig: ClusterRig;
  let owner: HttpClient;
  let other: HttpClient;
  beforeAll(async () => {
    rig = await ClusterRig.start(
      disposables,
      { toolboxes: { dev: { description: "Test tools.", mcpServers: { fx: fixture() } } } },
      { replicas: 2 },
    );
    [owner, other] = [rig.clientOf(0, "/mcp/dev/fx"), rig.clientOf(1, "/mcp/dev/fx")];
    await owner.initialize("2025-11-25", { elicitation: {} });
    other.sessionId = owner.sessionId;
  });

  it("is continued through another replica, and contains what was missed", async () => {
    const call = owner.request("tools/call", { name: "elicit", arguments: {} }, { id: "asks" });
    const question = await call.method("elicitation/create");
    call.hangUp();
    const accept = { action: "accept", content: { ok: true } };
    await other.respond(question.id, accept);
    const rest = await resume(other, lastIdIn(call)).done();
    expect(messagesIn(rest.text)).toMatchObject([{ id: "asks", result: {} }]);
    expect((await resume(other, lastIdIn(rest)).done()).status).toBe(204);
  });

  it("is a new one after the replica that had it was killed; that of a call reports the loss", async () => {
    const stream = other.listen();
    await waitFor(() => lastIdIn(stream), GENEROUS_MS, "the first event");
    await other.ask("tools/call", CHANGE);
    await stream.method(LIST_CHANGED);
    const call = owner.request("tools/call", { name: "elicit", arguments: {} }, { id: "lost" });
    await call.method("elicitation/create");
    rig.replicas[0]?.kill("SIGKILL");
    // While it still closes its sockets, a request that is passed on to it gets an error.
    await rig.replicas[0]?.exited;
    await waitFor(() => stream.ended, GENEROUS_MS, "the stream to end");
    // The call was not passed on by a replica, which could have answered it.
    const [lost] = messagesIn((await resume(other, lastIdIn(call)).done()).text);
    expect(lost?.error?.message).toContain("may or may not have taken effect");
    expect(lost?.id).toBe("lost");
    const next = resume(other, lastIdIn(stream));
    expect((await next.head()).status).toBe(200);
    await other.ask("tools/call", CHANGE);
    await next.method(LIST_CHANGED);
    next.hangUp();
  });
});
