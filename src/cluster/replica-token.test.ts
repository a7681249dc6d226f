import { expect, it } from "vitest";

import type { ClusterLink } from "./cluster-link.ts";
import { Keyring } from "./keyring.ts";
import { newReplicaToken, openReplicaToken } from "./replica-token.ts";

function linkOf(replica: string, fill: number): ClusterLink {
  const keys = new Keyring([Buffer.alloc(32, fill).toString("base64")]);
  return {
    replica,
    advertise: `http://${replica}:1`,
    seal: (text: string, purpose: string) => keys.seal(text, purpose),
    open: (sealed: string, purpose: string) => keys.open(sealed, purpose),
  } as unknown as ClusterLink;
}

it("A replica token names its replica to every replica with the key, and to no one else", () => {
  const [one, other, stranger] = [linkOf("one", 1), linkOf("other", 1), linkOf("one", 2)];
  const token = newReplicaToken(one);
  expect(openReplicaToken(other, token)).toEqual({
    replica: "one",
    address: "http://one:1",
    isForReplica: false,
  });
  expect(openReplicaToken(stranger, token)).toBeUndefined();
  expect(token).not.toContain("one");
  expect(newReplicaToken(one)).not.toBe(token);
  for (const wrong of [undefined, 7, "", "state", `${token}A`, token.slice(18)])
    expect(openReplicaToken(one, wrong)).toBeUndefined();
});

it("A replica token for another replica names that one, which does not take it for its own", () => {
  const [holder, asker] = [linkOf("holder", 1), linkOf("asker", 1)];
  const token = newReplicaToken(holder, "asker");
  expect(openReplicaToken(asker, token)).toEqual({
    replica: "asker",
    address: undefined,
    isForReplica: true,
  });
});
