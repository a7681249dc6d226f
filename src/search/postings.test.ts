import { describe, expect, it } from "vitest";

import { Postings, type Term } from "./postings.ts";

const textOf = ({ text }: Term): string => text;

describe("the terms of a text", () => {
  it("do not depend on earlier texts", () => {
    const postings = new Postings();
    const before = postings.termsIn("Listing GitHub repositories");
    postings.termsIn(Array.from({ length: 12_000 }, (_, i) => `word${i}`).join(" "));
    expect(postings.termsIn("Listing GitHub repositories")).toEqual(before);
    expect(before.map(textOf)).toEqual(["list", "github", "git", "hub", "repositori"]);
  });

  it("know their rows in the table of word vectors", () => {
    const postings = new Postings(new Map([["mail", 7]]));
    expect(postings.termsIn("mails sent").map(({ row }) => row)).toEqual([7, -1]);
  });

  it("are new ones after the last tool that contained them was removed", () => {
    const postings = new Postings();
    const [mail] = postings.termsIn("mail") as [Term];
    postings.add(mail, 0, 1);
    postings.remove([mail], new Set([0]));
    expect(postings.has("mail")).toBe(false);
    const [again] = postings.termsIn("mail") as [Term];
    postings.add(again, 1, 1);
    expect(postings.has("mail")).toBe(true);
    const scores = new Float64Array(2);
    postings.score("mail", 1, 2, scores);
    expect(Array.from(scores, (score) => score > 0)).toEqual([false, true]);
  });
});
