import { describe, expect, it } from "vitest";

import { fakePrompt } from "../../../test/support/fake-terminal.ts";
import { answerElicitation } from "./elicitation.ts";

async function answer(params: Record<string, unknown>, ...lines: string[]) {
  const { prompt, out, type, stderr } = fakePrompt();
  type(...lines);
  const result = await answerElicitation(params, prompt, out);
  prompt.close();
  return { result, screen: stderr.text };
}

const form = (properties: object, required: string[] = []): Record<string, unknown> => ({
  message: "Please say",
  requestedSchema: { type: "object", properties, required },
});

describe("an elicitation in the terminal", () => {
  it("is answered field by field, each with its type", async () => {
    const params = form(
      {
        name: { type: "string", title: "Your name", description: "As others know you" },
        age: { type: "integer" },
        ok: { type: "boolean", default: true },
        note: { type: "string" },
      },
      ["name", "age"],
    );
    const { result, screen } = await answer(params, "", "Ada", "old", "36", "", "");
    expect(result).toEqual({ action: "accept", content: { name: "Ada", age: 36, ok: true } });
    expect(screen).toContain("Please say");
    expect(screen).toContain("As others know you");
    expect(screen).toContain("Expected integer, got 'old'");
  });

  it("can be declined", async () => {
    const { result } = await answer(form({ ok: { type: "boolean" } }), "n");
    expect(result).toEqual({ action: "decline" });
  });

  it("repeats a required field until it is filled in", async () => {
    const { result } = await answer(form({ name: { type: "string" } }, ["name"]), "y", "", "Ada");
    expect(result).toEqual({ action: "accept", content: { name: "Ada" } });
  });

  it("offers single and multiple choices", async () => {
    const params = form({
      size: { type: "string", enum: ["s", "m"], enumNames: ["Small", "Medium"] },
      colour: { type: "string", oneOf: [{ const: "r", title: "Red" }] },
      days: { type: "array", items: { type: "string", enum: ["mon", "tue"] } },
    });
    const { result, screen } = await answer(params, "y", "x", "m", "r", "mon, tue");
    expect(result).toEqual({
      action: "accept",
      content: { size: "m", colour: "r", days: ["mon", "tue"] },
    });
    expect(screen).toContain("Medium");
    expect(screen).toContain("Red");
    expect(screen).toContain("Expected one of s, m, got 'x'");
  });

  it("cannot control the terminal, whatever the server wrote", async () => {
    const evil = "\u001b]0;PWN\u0007\u009b31m\u202e";
    const params = {
      ...form({
        [`f${evil}`]: { type: `ty${evil}`, title: evil, description: evil, default: evil },
        g: { type: "string", enum: [`e${evil}`], enumNames: [evil] },
        h: { type: "integer", default: `d${evil}` },
      }),
      message: evil,
    };
    const { screen } = await answer(params, "y", "x", "nope", "", "1");
    // oxlint-disable-next-line no-control-regex -- control characters are what this looks for
    expect(screen.replaceAll(/\u001b\[\d*m/g, "")).not.toMatch(/[\u001b\u0007\u009b\u202e]/);
    expect(screen).toContain("\\u001b]0;PWN");
  });

  it("can ask to open a URL", async () => {
    const params = { mode: "url", message: "Log in", url: "https://example.com/\u001b[2J" };
    const { result, screen } = await answer(params, "y");
    expect(result).toEqual({ action: "accept" });
    expect(screen).toContain("https://example.com/\\u001b[2J");
    expect((await answer(params, "n")).result).toEqual({ action: "decline" });
  });
});
