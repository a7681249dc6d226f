/** A replica that is asked to end: what its clients may have missed is replayed by another one. */
import { readFileSync, writeFileSync } from "node:fs";

import { beforeAll, describe, expect, it } from "vitest";

import { ClusterRig, HAS_CLUSTER, type Replica } from "../support/cluster-rig.ts";
import { perBlock } from "../support/disposables.ts";
import { messagesIn } from "../support/http-client.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { fixture } from "../support/servers.ts";

const lastIdIn = ({ text }: { text: string }): string | undefined =>
  Array.from(text.matchAll(/^id: (.*)$/gm), ([, id]) => id).at(-1);

describe.skipIf(!HAS_CLUSTER)("a replica that ends", () => {
  const disposables = perBlock();
  let rig: ClusterRig;
  beforeAll(async () => {
    rig = await ClusterRig.start(
      disposables,
      { toolboxes: { dev: { description: "Test tools.", mcpServers: { fx: fixture() } } } },
      { replicas: 2 },
    );
  });

  it("hands over what clients may have missed", async () => {
    const [owner, other] = [rig.clientOf(0, "/mcp/dev/fx"), rig.clientOf(1, "/mcp/dev/fx")];
    await owner.initialize("2025-11-25", { elicitation: {} });
    other.sessionId = owner.sessionId;
    const call = owner.request("tools/call", { name: "elicit", arguments: {} }, { id: "asks" });
    const question = await call.method("elicitation/create");
    const id = lastIdIn(call);
    await owner.respond(question.id, { action: "accept", content: { ok: true } });
    await call.done();
    const stream = owner.listen();
    await waitFor(() => lastIdIn(stream), GENEROUS_MS, "the first event");
    const start = lastIdIn(stream);
    await owner.ask("tools/call", { name: "change_list", arguments: {} });
    await stream.method("notifications/tools/list_changed");
    rig.replicas[0]?.kill("SIGTERM");
    await waitFor(() => stream.ended, GENEROUS_MS, "the stream to end");
    const rest = await other.listen({ "last-event-id": id }).done();
    expect(messagesIn(rest.text)).toMatchObject([{ id: "asks", result: {} }]);
    const next = other.listen({ "last-event-id": start });
    await next.method("notifications/tools/list_changed");
    next.hangUp();
  });

  it("lets calls finish, also if `cluster` has been removed from its configuration", async () => {
    const { configFile, stderr, url, kill } = rig.replicas[1] as Replica;
    const client = rig.clientOf(1, "/mcp/dev/fx");
    await client.initialize("2025-11-25", { elicitation: {} });
    const call = client.request("tools/call", { name: "elicit", arguments: {} }, { id: "asks" });
    const question = await call.method("elicitation/create");
    const config = JSON.parse(readFileSync(configFile, "utf8")) as Record<string, unknown>;
    writeFileSync(configFile, JSON.stringify({ ...config, cluster: undefined }));
    await waitFor(() => stderr().includes("cluster was changed"), GENEROUS_MS, "the change");
    kill("SIGTERM");
    const readiness = async (): Promise<string> => (await fetch(`${url}/readyz`)).text();
    const isDraining = async (): Promise<boolean> => (await readiness()).includes("draining");
    await waitFor(isDraining, GENEROUS_MS, "the replica to drain");
    await client.respond(question.id, { action: "accept", content: { ok: true } });
    const { text } = await call.done();
    expect(messagesIn(text).at(-1)).toMatchObject({ id: "asks", result: {} });
  });
});
