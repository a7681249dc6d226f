import { describe, expect, it } from "vitest";

import { newEffects } from "./new-effects.ts";

type Entry = Readonly<Record<string, unknown>>;

const config = (servers: Readonly<Record<string, Entry>>, more: Entry = {}): string =>
  JSON.stringify({ toolboxes: { dev: { description: "d", mcpServers: servers } }, ...more });

const RUN = { command: "node", args: ["a.js"] };
const added = (before: string, after: string) => newEffects("/tmp/c.json", before, after);

describe("a change to a configuration", () => {
  it.each<[string, string, string]>([
    ["adds a command", config({}), config({ a: RUN })],
    ["changes an argument", config({ a: RUN }), config({ a: { ...RUN, args: ["b.js"] } })],
    ["changes a variable", config({ a: RUN }), config({ a: { ...RUN, env: { X: "1" } } })],
    ["changes the folder", config({ a: RUN }), config({ a: { ...RUN, cwd: "/" } })],
    ["renames a server", config({ a: RUN }), config({ b: RUN })],
    ["switches a server on", config({ a: { ...RUN, disabled: true } }), config({ a: RUN })],
    ["adds an address", config({}), config({ a: { url: "https://example.com" } })],
    [
      "sends a header",
      config({ a: { url: "https://example.com" } }),
      config({ a: { url: "https://example.com", headers: { X: "${HOME}" } } }),
    ],
    [
      "leaves out a sandbox",
      config({ a: { ...RUN, sandbox: { kind: "bwrap" } } }),
      config({ a: RUN }),
    ],
    ["passes on variables", config({ a: RUN }), config({ a: { ...RUN, inheritEnv: ["AWS"] } })],
    [
      "runs a program for a secret",
      config({}),
      config({}, { secretCommands: { X: { command: ["pass"] } } }),
    ],
    ["writes a log", config({}), config({}, { log: { file: "/tmp/x.log" } })],
    [
      "lets users of an identity provider in",
      config({}),
      config({}, { http: { oauth: { issuer: "https://id.example.com" } } }),
    ],
    [
      "gives users more",
      config({}, { http: { oauth: { scopes: { a: { toolboxes: ["dev"] } } } } }),
      config({}, { http: { oauth: { scopes: { a: {} } } } }),
    ],
    [
      "shares clients with other workbenches",
      config({}),
      config({}, { cluster: { redis: "redis://a", advertise: "http://b" } }),
    ],
    ["follows a text that cannot be read", "{", config({ a: RUN })],
  ])("that %s has to be confirmed", async (_, before, after) => {
    expect(await added(before, after)).not.toEqual([]);
  });

  it.each<[string, string, string]>([
    ["removes a server", config({ a: RUN, b: RUN }), config({ a: RUN })],
    ["switches a server off", config({ a: RUN }), config({ a: { ...RUN, disabled: true } })],
    ["hides a tool", config({ a: RUN }), config({ a: { ...RUN, toolFilters: ["x"] } })],
    ["sets a policy", config({ a: RUN }), config({ a: RUN }, { policy: { readOnly: true } })],
    ["adds a disabled server", config({}), config({ a: { ...RUN, disabled: true } })],
    [
      "removes an identity provider",
      config({}, { http: { oauth: { issuer: "https://id.example.com" } } }),
      config({}),
    ],
    ["only adds white space", config({ a: RUN }), `${config({ a: RUN })}\n`],
  ])("that %s need not", async (_, before, after) => {
    expect(await added(before, after)).toEqual([]);
  });

  it("is described by what is new in it", async () => {
    const lines = await added(config({ a: RUN }), config({ a: RUN, b: { command: "sh" } }));
    expect(lines).toEqual(["start dev/b: sh"]);
  });
});
