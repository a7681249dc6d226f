import { expect, it } from "vitest";

import { OwnCheck } from "./own-check.ts";
import type { OwnedSession, OwnedSessions } from "./owned-sessions.ts";
import type { OwnerFinder } from "./owner-finder.ts";
import type { NoAnswer, Peer, PeerAnswer } from "./peer-client.ts";

const peer = (id: string): Peer => ({ id, address: `http://${id}` });
const session = { uid: "s" } as OwnedSession;

/** What a replica decides that does not reach Redis, if the others answer like this. */
function decide(answers: readonly (PeerAnswer | NoAnswer)[]): Promise<unknown> {
  const owned = { confirm: () => Promise.reject(new Error("away")) };
  const found = new Map(answers.map((answer, i) => [peer(`p${i}`), answer]));
  const finder = { askAll: () => Promise.resolve(found) };
  const check = new OwnCheck(
    owned as unknown as OwnedSessions,
    finder as unknown as OwnerFinder,
    "self",
  );
  return check.decide(session);
}

const down = { owns: false, isUp: false, isKnown: false };
const up = { owns: false, isUp: true, isKnown: true };

it.each([
  ["serves it if no replica reaches Redis", [down, down], "here"],
  ["serves it if all others have ended", ["gone", "gone"], "here"],
  ["serves it if another says that it owns it", [{ ...up, owner: peer("self") }], "here"],
  ["serves it if another says that Redis does not know it", [{ ...up, isKnown: false }], "here"],
  ["refuses it if another one is silent, which may have taken it", [down, "silent"], "isolated"],
  ["passes it on to the one that has taken it", [down, { ...down, owns: true }], peer("p1")],
  ["passes it on to the owner that another names", [{ ...up, owner: peer("x") }], peer("x")],
  ["passes it on to one that can find the owner", [up], peer("p0")],
] as const)("A replica without Redis that had a session %s", async (_name, answers, expected) => {
  expect(await decide(answers)).toEqual(expected);
});

it("A replica with Redis serves what it owns, and loses what another has taken", async () => {
  const verdict = (isOwned: boolean): Promise<unknown> => {
    const owned = { confirm: () => Promise.resolve(isOwned) } as unknown as OwnedSessions;
    return new OwnCheck(owned, {} as OwnerFinder, "self").decide(session);
  };
  expect([await verdict(true), await verdict(false)]).toEqual(["here", "lost"]);
});
