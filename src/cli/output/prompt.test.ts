import { describe, expect, it } from "vitest";

import { fakePrompt } from "../../../test/support/fake-terminal.ts";
import { workbenchError } from "../../errors.ts";

describe("a prompt in the terminal", () => {
  it("is available only in a terminal and without --json", () => {
    expect(fakePrompt(true).prompt.available).toBe(true);
    expect(fakePrompt(false).prompt.available).toBe(false);
    expect(fakePrompt(true, { json: true }).prompt.available).toBe(false);
  });

  it("uses the default for an empty line", async () => {
    const { prompt, type } = fakePrompt();
    type("", "", "", "other");
    expect(await prompt.confirm("Sure?", true)).toBe(true);
    expect(await prompt.confirm("Sure?", false)).toBe(false);
    expect(await prompt.ask("Name?", "main")).toBe("main");
    expect(await prompt.ask("Name?", "main")).toBe("other");
    prompt.close();
  });

  it("is repeated until the answer is valid", async () => {
    const { prompt, type, stderr } = fakePrompt();
    type("maybe", "YES", "7 x", "2,1,2");
    expect(await prompt.confirm("Sure?", false)).toBe(true);
    expect(await prompt.choose("Which?", ["a", "b", "c"])).toEqual([1, 0]);
    expect(stderr.text).toContain("Please answer y or n.");
    expect(stderr.text).toContain("Please give numbers from 1 to 3");
    prompt.close();
  });

  it("accepts all, none and the default for a list", async () => {
    const { prompt, type } = fakePrompt();
    type("all", "none", "");
    expect(await prompt.choose("Which?", ["a", "b"])).toEqual([0, 1]);
    expect(await prompt.choose("Which?", ["a", "b"])).toEqual([]);
    expect(await prompt.choose("Which?", ["a", "b"], [1])).toEqual([1]);
    prompt.close();
  });

  it("is interrupted when the terminal closes", async () => {
    const { prompt, end } = fakePrompt();
    const answer = prompt.ask("Name?");
    end();
    await expect(answer).rejects.toMatchObject({ code: "INTERRUPTED" });
    await expect(prompt.ask("Again?")).rejects.toMatchObject({ code: "INTERRUPTED" });
  });

  it("is interrupted by its signal", async () => {
    const { prompt, abort } = fakePrompt();
    const answer = prompt.ask("Name?");
    abort.abort(workbenchError("INTERRUPTED", {}));
    await expect(answer).rejects.toMatchObject({ code: "INTERRUPTED" });
    prompt.close();
  });
});
