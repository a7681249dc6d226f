import { describe, expect, it } from "vitest";
import type { EventStream } from "./event-stream.ts";
import { Mailbox } from "./mailbox.ts";

class Stream {
  open = true;
  readonly sent: string[] = [];
  send(message: string): void {
    this.sent.push(message);
  }
  end(): void {
    this.open = false;
  }
}

const attach = (mailbox: Mailbox): Stream => {
  const stream = new Stream();
  mailbox.attach(stream as unknown as EventStream);
  return stream;
};
const changed = (what: string): string =>
  JSON.stringify({ jsonrpc: "2.0", method: `notifications/${what}/list_changed` });

describe("messages from the server outside of a POST", () => {
  it("go to the open stream, and are kept while none is open", () => {
    const mailbox = new Mailbox();
    mailbox.send("1");
    mailbox.send("2");
    const first = attach(mailbox);
    mailbox.send("3");
    first.end();
    mailbox.send("4");
    const second = attach(mailbox);
    mailbox.send("5");
    expect(first.sent).toEqual(["1", "2", "3"]);
    expect(second.sent).toEqual(["4", "5"]);
  });

  it("are kept once if they only report a changed list", () => {
    const mailbox = new Mailbox();
    for (const what of ["tools", "prompts", "tools", "tools"]) mailbox.send(changed(what));
    mailbox.send("same");
    mailbox.send("same");
    expect(attach(mailbox).sent).toEqual([changed("tools"), changed("prompts"), "same", "same"]);
  });

  it("are kept up to a maximum number, the latest ones", () => {
    const mailbox = new Mailbox();
    for (let i = 0; i < 10_000; i++) mailbox.send(String(i));
    const { sent } = attach(mailbox);
    expect(sent.length).toBeLessThanOrEqual(256);
    expect(sent.at(-1)).toBe("9999");
    expect(sent.at(0)).toBe(String(10_000 - sent.length));
  });

  it("are kept up to a maximum size", () => {
    const mailbox = new Mailbox();
    for (let i = 0; i < 20; i++) mailbox.send(`${i}${"x".repeat(200_000)}`);
    const { sent } = attach(mailbox);
    expect(sent.join("").length).toBeLessThanOrEqual(1024 * 1024);
    expect(sent.at(-1)).toMatch(/^19x/);
  });

  it("end with the session, which closes the stream", () => {
    const mailbox = new Mailbox();
    const stream = attach(mailbox);
    mailbox.close();
    expect(stream.open).toBe(false);
    expect(mailbox.open).toBe(false);
  });
});
