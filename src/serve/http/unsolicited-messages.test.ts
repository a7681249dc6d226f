import { describe, expect, it } from "vitest";
import type { EventStream } from "./event-stream.ts";
import { UnsolicitedMessages } from "./unsolicited-messages.ts";

class Stream {
  open = true;
  readonly sent: string[] = [];
  send(message: string): void {
    this.sent.push(message);
  }
  end(): void {
    this.open = false;
  }
  cut(): void {
    this.end();
  }
}

const attach = (unsolicited: UnsolicitedMessages): Stream => {
  const stream = new Stream();
  unsolicited.attach(stream as unknown as EventStream);
  return stream;
};
const changed = (what: string): string =>
  JSON.stringify({ jsonrpc: "2.0", method: `notifications/${what}/list_changed` });

describe("messages from the server outside of a POST", () => {
  it("go to the open stream, and are kept while none is open", () => {
    const unsolicited = new UnsolicitedMessages();
    unsolicited.send("1");
    unsolicited.send("2");
    const first = attach(unsolicited);
    unsolicited.send("3");
    first.end();
    unsolicited.send("4");
    const second = attach(unsolicited);
    unsolicited.send("5");
    expect(first.sent).toEqual(["1", "2", "3"]);
    expect(second.sent).toEqual(["4", "5"]);
  });

  it("are kept once if they only report a changed list", () => {
    const unsolicited = new UnsolicitedMessages();
    for (const what of ["tools", "prompts", "tools", "tools"]) unsolicited.send(changed(what));
    unsolicited.send("same");
    unsolicited.send("same");
    expect(attach(unsolicited).sent).toEqual([
      changed("tools"),
      changed("prompts"),
      "same",
      "same",
    ]);
  });

  it("are kept up to a maximum number, the latest ones", () => {
    const unsolicited = new UnsolicitedMessages();
    for (let i = 0; i < 10_000; i++) unsolicited.send(String(i));
    const { sent } = attach(unsolicited);
    expect(sent.length).toBeLessThanOrEqual(256);
    expect(sent.at(-1)).toBe("9999");
    expect(sent.at(0)).toBe(String(10_000 - sent.length));
  });

  it("are kept up to a maximum size", () => {
    const unsolicited = new UnsolicitedMessages();
    for (let i = 0; i < 20; i++) unsolicited.send(`${i}${"x".repeat(200_000)}`);
    const { sent } = attach(unsolicited);
    expect(sent.join("").length).toBeLessThanOrEqual(1024 * 1024);
    expect(sent.at(-1)).toMatch(/^19x/);
  });

  it("end with the session, which closes the stream", () => {
    const unsolicited = new UnsolicitedMessages();
    const stream = attach(unsolicited);
    unsolicited.close();
    expect(stream.open).toBe(false);
    expect(unsolicited.open).toBe(false);
  });
});
