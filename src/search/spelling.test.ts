import { describe, expect, it } from "vitest";

import { Spelling } from "./spelling.ts";

function spelling(...words: string[]): Spelling {
  const known = new Spelling();
  known.add(words);
  return known;
}

describe("Spelling", () => {
  it("suggests words that differ by a typo, the closest first", () => {
    const known = spelling("dashboard", "dashboards", "keyboard", "board");
    expect(known.nearest("dashbord", 5)).toEqual(["dashboard", "dashboards"]);
    expect(known.nearest("dashbord", 1)).toEqual(["dashboard"]);
  });

  it("suggests words that begin with the given one", () => {
    expect(spelling("prometheus", "promote", "compromise").nearest("prom", 5)).toEqual([
      "prometheus",
      "promote",
    ]);
  });

  it("prefers the more common of two equally close words", () => {
    const known = spelling("male", "mail");
    known.add(["mail"]);
    expect(known.nearest("maie", 5)).toEqual(["mail", "male"]);
  });

  it("suggests nothing for short words", () => {
    expect(spelling("git", "get", "gitlab").nearest("gt", 5)).toEqual([]);
  });

  it("allows a second typo only in long words", () => {
    expect(spelling("invoice").nearest("nvoicee", 5)).toEqual([]);
    expect(spelling("repository").nearest("repsitori", 5)).toEqual(["repository"]);
  });

  it.each([
    ["isue", "issu"],
    ["isues", "issu"],
    ["dlete", "delet"],
    ["rmove", "remov"],
    ["tble", "tabl"],
    ["updtae", "updat"],
  ])("finds the stem of what %j stands for", (typo, stem) => {
    const known = spelling("issue", "delete", "remove", "table", "update", "updates", "updated");
    expect(known.nearestStems(typo, 3)).toEqual([stem]);
  });

  it("forgets a word when its last use is removed", () => {
    const known = spelling("calendar");
    known.add(["calendar"]);
    known.remove(["calendar", "never-seen"]);
    expect(known.nearest("calender", 5)).toEqual(["calendar"]);
    known.remove(["calendar"]);
    expect(known.nearest("calender", 5)).toEqual([]);
  });
});
