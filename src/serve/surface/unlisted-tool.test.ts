import { describe, expect, it } from "vitest";

import { parseToolName } from "../../toolboxes/native-names.ts";
import { unlistedToolHint } from "./unlisted-tool.ts";

const id = { toolbox: "dev", server: "fast", name: "read_file" };
const listed = new Map([["dev__fast__read_file", { id }]]);

function server(name: string, state: string, lastError?: string): [string, never] {
  const connections = { observed: { toolCount: undefined } };
  return [name, { name, state, failures: { lastError }, connections } as never];
}

const dev = {
  name: "dev",
  servers: new Map([
    server("fast", "ready"),
    server("slow", "connecting"),
    server("cold", "downloading"),
    server("dead", "backoff", "it exited with code 1"),
  ]),
};

function hint(name: string, isOpen = true): string {
  const tool = parseToolName(name);
  return unlistedToolHint(name, tool, tool?.toolbox === "dev" ? dev : undefined, isOpen, listed);
}

describe("the hint for a native tool that is not listed", () => {
  it("is to open the toolbox, unless it is open", () => {
    expect(hint("dev__fast__x", false)).toBe("Open toolbox 'dev' with open_toolbox first");
    expect(hint("dev__fast__read_fil")).toBe("Did you mean 'dev__fast__read_file'?");
    expect(hint("dev__fast__zzz")).toBe("Available: dev__fast__read_file");
    expect(hint("dev__unknown__zzz")).toBe("Available: dev__fast__read_file");
  });

  it("never suggests to open what is starting or has failed", () => {
    for (const name of ["slow", "cold"])
      expect(hint(`dev__${name}__x`)).toBe(
        `Server '${name}' is still starting; its tools are listed when it is ready`,
      );
    expect(hint("dev__dead__x")).toBe("Server 'dead' failed to connect");
    expect(hint("dev__dead__x", false)).toBe("Server 'dead' failed to connect");
  });

  it("is the name in the list for a path or the tool's own name", () => {
    for (const name of ["dev/fast/read_file", "dev.fast.read_file", "fast/read_file", "read_file"])
      expect(hint(name)).toBe("Call it as 'dev__fast__read_file'");
    expect(hint("zzz")).toMatch(/^Find tools with search_tools/);
  });
});
