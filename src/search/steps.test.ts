import { describe, expect, it } from "vitest";

import { stepsIn } from "./steps.ts";

describe("stepsIn", () => {
  it.each([
    ["read config.json then create a ticket", ["read config.json", "create a ticket"]],
    ["get the weather; add an event", ["get the weather", "add an event"]],
    ["Find the file. Please send it to Bob", ["Find the file", "Please send it to Bob"]],
    [
      "download the page, translate it and email it to the team",
      ["download the page", "email it to the team"],
    ],
    [
      "find papers about cats and dogs, and then save the list",
      ["find papers about cats dogs", "save the list"],
    ],
  ])("splits %j", (query, steps) => {
    expect(stepsIn(query)).toEqual(steps);
  });

  it.each([
    "read a file",
    "find and replace a text in files",
    "create, update or delete records",
    "weather in Paris and London",
    "compare prices, ratings and reviews",
    "list a folder's contents and tell me how large each item is",
    "send it, and then delete it",
    "read docs/v1.2/index.html",
    "",
    ", ; and then",
  ])("takes %j as one step", (query) => {
    expect(stepsIn(query)).toEqual([]);
  });

  it("returns at most three, and reads only the beginning of a query", () => {
    expect(stepsIn("send the mail; ".repeat(100_000))).toHaveLength(3);
  });
});
