import { describe, expect, it } from "vitest";

import { aboutServer } from "./server-text.ts";

describe("aboutServer", () => {
  const serverInfo = { name: "z", title: "Zoo manager", description: "Manages animals" };

  it("is the description of the server, then its instructions", () => {
    expect(aboutServer("zoo", { serverInfo, instructions: "Ask first." })).toBe(
      "Manages animals\n\nAsk first.",
    );
    expect(aboutServer("zoo", { serverInfo })).toBe("Manages animals");
    expect(aboutServer("zoo", { serverInfo: {}, instructions: "Ask first." })).toBe("Ask first.");
  });

  it("is the title of the server if there is nothing else", () => {
    expect(aboutServer("zoo", { serverInfo: { title: "Zoo manager" }, instructions: " " })).toBe(
      "Zoo manager",
    );
  });

  it("is nothing if the title only repeats the name, or is no text", () => {
    expect(aboutServer("zoo-manager", { serverInfo: { title: "Zoo Manager" } })).toBe("");
    expect(aboutServer("zoo", { serverInfo: { title: 7, description: {} } })).toBe("");
  });
});
