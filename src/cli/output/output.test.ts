import { stripVTControlCharacters } from "node:util";

import { describe, expect, it } from "vitest";

import { FakeStream, fakeTerminal } from "../../../test/support/fake-terminal.ts";
import { columns, plural, wrap } from "./layout.ts";
import { Output } from "./output.ts";
import { Progress } from "./progress.ts";
import { styleFor, wantsColours } from "./style.ts";

describe("the output of a command", () => {
  it("writes the result to standard output and remarks to standard error", () => {
    const { out, stdout, stderr } = fakeTerminal();
    out.print("result");
    out.say("by the way");
    out.document({ not: "wanted" });
    expect(stdout.text).toBe("result\n");
    expect(stderr.text).toBe("by the way\n");
  });

  it("is one document with --json, with only warnings on standard error", () => {
    const { out, stdout, stderr } = fakeTerminal({ json: true });
    out.print("result");
    out.printRaw("raw");
    out.say("by the way");
    out.warn("careful");
    out.document({ a: [1] });
    expect(JSON.parse(stdout.text)).toEqual({ a: [1] });
    expect(stderr.text).toBe("! careful\n");
  });

  it("contains JSON text unchanged, except in a terminal", () => {
    const json = '{"text":"\u009b2J"}';
    const piped = fakeTerminal({ json: true });
    piped.out.documentText(json);
    expect(piped.stdout.text).toBe(`${json}\n`);
    const shown = fakeTerminal({ json: true, stdoutIsTerminal: true });
    shown.out.documentText(json);
    expect(shown.stdout.text).toBe('{"text":"\\u009b2J"}\n');
  });

  it("wraps at words in a terminal only", () => {
    const piped = fakeTerminal({ columns: 20 });
    piped.out.print("one two three four five six");
    expect(piped.stdout.text).toBe("one two three four five six\n");
    const shown = fakeTerminal({ columns: 20, stdoutIsTerminal: true, stderrIsTerminal: true });
    shown.out.print("one two three four five six", "  ");
    shown.out.warn("one two three four five");
    shown.out.printRaw("one two three four five six");
    expect(shown.stdout.text).toBe("one two three four\n  five six\none two three four five six");
    expect(shown.stderr.text).toBe("! one two three four\n  five\n");
  });

  it("clears the live line before anything else is written to the terminal", () => {
    const screen = new FakeStream(true);
    const out = new Output({
      json: false,
      colours: false,
      env: {},
      stdout: screen,
      stderr: screen,
    });
    out.liveLine.show("*", "working");
    out.print("result");
    out.liveLine.show("*", "working");
    out.say("note");
    out.liveLine.show("*", "working");
    out.printRaw("raw\n");
    out.liveLine.clear();
    const clear = "\r\u001b[K";
    const live = `${clear}* working${clear}`;
    expect(screen.text).toBe(`${live}result\n${live}note\n${live}raw\n`);
  });

  it("is silent after an interruption, except for the last document", () => {
    const { out, stdout, stderr } = fakeTerminal({ stderrIsTerminal: true });
    out.liveLine.show("*", "working");
    out.stop();
    stderr.text = "";
    out.print("late");
    out.say("late");
    out.warn("late");
    out.liveLine.show("*", "late");
    expect(stdout.text + stderr.text).toBe("");
    const program = fakeTerminal({ json: true });
    program.out.stop();
    program.out.document({ late: true });
    program.out.failure({ code: "INTERRUPTED", message: "Interrupted" });
    program.out.document({ late: true });
    expect(JSON.parse(program.stdout.text)).toEqual({
      error: { code: "INTERRUPTED", message: "Interrupted" },
    });
  });

  it("prints events on one line each, the failure too, if the command has events", () => {
    const { out, stdout } = fakeTerminal({ json: true, lines: true });
    out.document({ event: "open", url: "https://login.test" });
    out.failure({ code: "USAGE", message: "Wrong", hint: "Write it differently" });
    expect(stdout.text).toBe(
      '{"event":"open","url":"https://login.test"}\n{"event":"failed","code":"USAGE","reason":"Wrong. Write it differently"}\n',
    );
  });

  it("redacts secrets everywhere but in raw output", () => {
    const secret = 'se"cret-value';
    const { out, stdout, stderr } = fakeTerminal();
    out.hide(["first-secret"]);
    out.hide([secret]);
    out.print(`print ${secret} first-secret`);
    out.say(`say ${secret}`);
    out.warn(`warn ${secret}`);
    out.draw(`draw ${secret}`);
    expect(stdout.text).toBe("print [redacted] [redacted]\n");
    expect(stderr.text).toBe("say [redacted]\n! warn [redacted]\ndraw [redacted]");
    const narrow = fakeTerminal({ stderrIsTerminal: true, columns: 24 });
    narrow.out.hide([secret]);
    narrow.out.liveLine.show("*", `at the end: ${secret}`);
    expect(narrow.stderr.text).toContain("* at the end: [redacte…");
    out.printRaw(secret);
    expect(stdout.text).toContain(secret);
    const program = fakeTerminal({ json: true });
    program.out.hide([secret]);
    program.out.document({ checks: [{ fix: `run it with ${secret}` }] });
    expect(JSON.parse(program.stdout.text)).toEqual({
      checks: [{ fix: "run it with [redacted]" }],
    });
  });

  it.each([
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: "1" }, true, false],
    [{ NO_COLOR: "" }, true, true],
    [{ FORCE_COLOR: "1" }, false, true],
    [{ FORCE_COLOR: "0" }, true, false],
    [{ NO_COLOR: "1", FORCE_COLOR: "1" }, true, false],
    [{ TERM: "dumb" }, true, false],
  ])("uses colours with %o in a terminal (%s): %s", (env, isTerminal, expected) => {
    expect(wantsColours(env, isTerminal)).toBe(expected);
  });

  it("has no colour codes if colours are off or the text is empty", () => {
    expect(styleFor(false).red("x")).toBe("x");
    expect(styleFor(true).red("")).toBe("");
    expect(styleFor(true).red("x")).toBe("\u001b[31mx\u001b[39m");
  });
});

describe("the layout of text", () => {
  it("leaves out empty columns", () => {
    const rows = [
      ["a", "", "b"],
      ["c", "", ""],
    ];
    expect(columns(rows)).toBe("a  b\nc");
  });

  it("keeps a wrapped last column aligned", () => {
    const rows = [
      ["--a", "one two three four five six seven"],
      ["--longer", "eight"],
    ] as const;
    expect(columns(rows, "  ", 36).split("\n")).toEqual([
      "  --a       one two three four five",
      "            six seven",
      "  --longer  eight",
    ]);
  });

  it("aligns columns regardless of colour codes", () => {
    const { red } = styleFor(true);
    const lines = columns([[red("a"), "first"], ["long", "second"], ["x"]], "  ").split("\n");
    expect(lines[0]).toBe(`  ${red("a")}     first`);
    expect(lines[1]).toBe("  long  second");
    expect(lines[2]).toBe("  x");
  });

  it("wraps at words and keeps paragraphs", () => {
    expect(wrap("one two three\n\nfour", 9, "> ")).toBe("> one two\n> three\n\n> four");
    expect(wrap("indivisible", 4)).toBe("indivisible");
  });

  it("writes counts with the plural and thousands separators", () => {
    expect([0, 1, 12_345].map((n) => plural(n, "tool"))).toEqual([
      "0 tools",
      "1 tool",
      "12,345 tools",
    ]);
  });
});

describe("the progress display", () => {
  it("redraws in a terminal and leaves a line for each finished step", () => {
    const { out, stderr } = fakeTerminal({ stderrIsTerminal: true });
    const progress = new Progress(out);
    const step = progress.start("connecting dev/files");
    step.update("almost");
    step.end("✓ dev/files");
    expect(stderr.text).toContain("connecting dev/files");
    expect(stderr.text).toContain("almost");
    expect(stderr.text.endsWith("\r\u001b[K✓ dev/files\n")).toBe(true);
  });

  it("counts finished steps, shows a common verb once, and how long a step takes", () => {
    const { out, stderr } = fakeTerminal({ stderrIsTerminal: true });
    let nowMs = 0;
    const progress = new Progress(out, { total: 3, now: () => nowMs });
    const first = progress.start("connecting dev/a");
    const second = progress.start("connecting dev/b");
    progress.start(() => "counting 1 of 2");
    expect(stderr.text.endsWith(" 0/3 connecting dev/a, dev/b, counting 1 of 2")).toBe(true);
    first.end();
    nowMs = 6_500;
    second.update("connecting dev/b");
    expect(stderr.text).toMatch(/ 1\/3 connecting dev\/b \(6 s\), counting 1 of 2 \(6 s\)$/);
    second.end();
  });

  it("never takes more than one line", () => {
    const { out, stderr } = fakeTerminal({ stderrIsTerminal: true, columns: 30 });
    const step = new Progress(out).start("connecting to a server with a long name");
    expect(stripVTControlCharacters(stderr.text)).toMatch(/^\r\S connecting to a server wit…$/);
    step.end();
  });

  it("only prints finished steps without a terminal", () => {
    const { out, stderr } = fakeTerminal();
    const step = new Progress(out).start("connecting");
    step.update("more");
    step.end("✓ done");
    step.end("twice");
    expect(stderr.text).toBe("✓ done\n");
  });

  it("draws nothing while it is hidden", async () => {
    const { out, stderr } = fakeTerminal({ stderrIsTerminal: true });
    const progress = new Progress(out);
    const step = progress.start("calling");
    await progress.hiddenDuring(async () => {
      stderr.text = "";
      step.update("not now");
    });
    expect(stderr.text).toBe("");
    step.end();
  });
});
