import { describe, expect, it } from "vitest";
import { Transcript, transcriptsSince } from "./transcript.ts";

describe("a transcript", () => {
  it("prints messages in both directions, events and the log", () => {
    const transcript = new Transcript("program", () => "ready\n");
    transcript.sent("question");
    transcript.received("answer");
    transcript.note("exit");
    expect(String(transcript)).toMatch(/→ question\n.*← answer\n.*· exit\n.*log ---\nready$/);
  });

  it("prints only what came after a mark", () => {
    let log = "early\n";
    const transcript = new Transcript("program", () => log);
    for (let i = 0; i < 300; i++) transcript.sent(`before ${i}`);
    const mark = transcript.mark();
    transcript.sent("after");
    log += "late\n";
    const part = transcript.since(mark);
    expect(part).toMatch(/→ after\n.*log ---\nlate$/);
    expect(part).not.toMatch(/before|early|left out/);
  });

  it("stays small, and says what it leaves out", () => {
    const transcript = new Transcript("program");
    const mark = transcript.mark();
    for (let i = 0; i < 10_000; i++) transcript.received("x".repeat(10_000));
    expect(String(transcript).length).toBeLessThan(200_000);
    expect(transcript.since(mark)).toContain("(9960 earlier messages left out)");
    expect(transcript.since(mark).length).toBeLessThan(40_000);
  });

  it("of a running program is kept when many others have ended", () => {
    const start = performance.now();
    const running = new Transcript("the running program");
    for (let i = 0; i < 100; i++) new Transcript(`command ${i}`).close();
    const printed = transcriptsSince(start).join("\n");
    running.close();
    expect(printed).toContain("the running program");
    expect(printed).toContain("command 99");
    expect(printed).not.toContain("command 50:");
  });
});
