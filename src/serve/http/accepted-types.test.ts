import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { acceptedTypes } from "./accepted-types.ts";

const accepted = (accept: string | undefined): string => {
  const { json, events } = acceptedTypes({ headers: { accept } } as IncomingMessage);
  return [json && "json", events && "events"].filter(Boolean).join(" ");
};

describe("the Accept header", () => {
  it.each([
    [undefined, "json events"],
    ["application/json, text/event-stream", "json events"],
    ["TEXT/Event-Stream;q=0.5 , Application/JSON ; v=1", "json events"],
    ["*/*", "json events"],
    ["application/json", "json"],
    ["application/*", "json"],
    ["text/event-stream", "events"],
    ["text/*;q=0.1", "events"],
    ["text/html", ""],
    ["application/jsonx", ""],
    ["", ""],
  ])("%j allows responses of type %j", (accept, types) => {
    expect(accepted(accept)).toBe(types);
  });
});
