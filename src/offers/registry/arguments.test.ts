import { describe, expect, it } from "vitest";

import { lineOf, named, offerOf, positional } from "../../../test/support/registry-offers.ts";

describe("the command line of a package", () => {
  it("does not take a default that is not one of the choices", () => {
    const argument = { ...named("--c"), choices: ["a", "b"], default: "z" };
    expect(offerOf({ packageArguments: [argument] }).inputs[0]?.default).toBeUndefined();
  });

  it.each<[string, object, string]>([
    ["npm", {}, "npx -y @example/x@1.0.0"],
    [
      "flags",
      {
        runtimeArguments: [named("-y")],
        packageArguments: [
          named("--stdio"),
          { ...named("--verbose", "true"), format: "boolean" },
          { ...named("--quiet", "false"), format: "boolean" },
        ],
      },
      "npx -y @example/x@1.0.0 --stdio --verbose",
    ],
    [
      "an image that is named again, and options with a value for a flag",
      {
        registryType: "oci",
        identifier: "ghcr.io/example/x:1.0.0",
        version: undefined,
        runtimeArguments: [
          positional("run"),
          { ...named("-i", "true"), format: "boolean", isRequired: true },
          { ...named("--rm", "true"), format: "boolean" },
          { ...named("--init"), description: "Run an init process" },
          named("-e", "MODE=read"),
          { ...positional("ghcr.io/example/x"), valueHint: "image_name" },
        ],
      },
      "docker run -i --rm --init -e MODE=read ghcr.io/example/x:1.0.0",
    ],
    ["npm with its own -y", { runtimeArguments: [positional("-y")] }, "npx -y @example/x@1.0.0"],
    [
      "npm from another registry",
      { registryBaseUrl: "https://npm.example.com/" },
      "npx -y --registry https://npm.example.com/ @example/x@1.0.0",
    ],
    ["pypi", { registryType: "pypi", identifier: "x" }, "uvx x@1.0.0"],
    [
      "pypi with another program",
      {
        registryType: "pypi",
        identifier: "x",
        runtimeArguments: [named("--from", "x[all]"), named("--python", "3.12")],
        packageArguments: [positional("x-mcp")],
      },
      "uvx --python 3.12 --from x[all]==1.0.0 x-mcp",
    ],
    ["nuget", { registryType: "nuget", identifier: "X.Y" }, "dnx X.Y@1.0.0 --yes"],
    [
      "nuget with arguments",
      { registryType: "nuget", identifier: "X.Y", packageArguments: [positional("start")] },
      "dnx X.Y@1.0.0 --yes -- start",
    ],
    [
      "an image",
      { registryType: "oci", identifier: "docker.io/example/x:1.0.0", version: undefined },
      "docker run -i --rm docker.io/example/x:1.0.0",
    ],
    [
      "an image in the older form",
      { registryType: "oci", registryBaseUrl: "https://ghcr.io", identifier: "example/x" },
      "docker run -i --rm ghcr.io/example/x:1.0.0",
    ],
    [
      "an image with a digest",
      { registryType: "oci", identifier: `localhost:5000/x:1@sha256:${"a".repeat(64)}` },
      `docker run -i --rm localhost:5000/x@sha256:${"a".repeat(64)}`,
    ],
    [
      "an image with variables",
      {
        registryType: "oci",
        identifier: "example/x:1.0",
        runtimeArguments: [positional("run"), named("--network", "none")],
        environmentVariables: [{ name: "A", value: "1" }, { name: "B" }],
      },
      "docker run -i --rm --network none -e A example/x:1.0",
    ],
    [
      "an image with flags, and its name among the options, as GitHub publishes it",
      {
        registryType: "oci",
        identifier: "ghcr.io/github/github-mcp-server:0.20.0",
        version: undefined,
        runtimeArguments: [
          { ...positional("run"), isRequired: true },
          { ...named("-i", "true"), format: "boolean", isRequired: true },
          { ...named("--rm", "true"), format: "boolean" },
          { ...positional("ghcr.io/github/github-mcp-server"), valueHint: "image_name" },
        ],
      },
      "docker run -i --rm ghcr.io/github/github-mcp-server:0.20.0",
    ],
    [
      "a package that is named among the options, too",
      { runtimeArguments: [positional("-y"), positional("@example/x@1.0.0")] },
      "npx -y @example/x@1.0.0",
    ],
    [
      "options of a launcher that are flags",
      {
        registryType: "oci",
        identifier: "a/b:1.0",
        runtimeArguments: [
          named("-i"),
          { ...named("--rm"), description: "Remove it" },
          named("--init", "true"),
          named("--read-only", "false"),
        ],
      },
      "docker run -i --rm --init a/b:1.0",
    ],
    [
      "flags with a value in their format only",
      {
        packageArguments: [
          named("--stdio"),
          { ...named("--verbose", "true"), format: "boolean" },
          { ...named("--quiet", "false"), format: "boolean" },
          { ...named("--log"), isRequired: false },
          named("--format", "true"),
        ],
      },
      "npx -y @example/x@1.0.0 --stdio --verbose --log --format true",
    ],
    [
      "options of which the values are words of their own",
      {
        registryType: "oci",
        identifier: "a/b:1.0",
        runtimeArguments: [
          positional("--network"),
          { type: "positional", valueHint: "net" },
          positional("-e"),
          positional("A=1"),
        ],
      },
      // Without a value for the network, -e would be its value.
      "docker run -i --rm -e A=1 a/b:1.0",
    ],
  ])("runs %s", (_, changes, line) => {
    expect(lineOf(offerOf(changes))).toBe(line);
  });

  it.each([
    { choices: ["a", "b"], default: "z" },
    { format: "number", default: "many" },
    { format: "boolean", default: "yes" },
  ])("does not use a default that a user could not give: %o", (given) => {
    const offer = offerOf({ packageArguments: [{ ...named("--c"), ...given }] });
    expect(offer.inputs).toMatchObject([{ name: "c" }]);
    expect(offer.inputs[0]).not.toHaveProperty("default");
    expect(lineOf(offer)).toBe("npx -y @example/x@1.0.0");
  });

  it("asks whether to give a flag that the publisher leaves open", () => {
    const flag = { ...named("--verbose"), format: "boolean", description: "Says more" };
    const offer = offerOf({ packageArguments: [flag, named("--stdio")] });
    expect(offer.inputs).toMatchObject([{ name: "verbose", format: "flag" }]);
    const line = "npx -y @example/x@1.0.0";
    expect(lineOf(offer, { verbose: ["true"] })).toBe(`${line} --verbose --stdio`);
    expect(lineOf(offer, { verbose: ["false"] })).toBe(`${line} --stdio`);
    expect(lineOf(offer)).toBe(`${line} --stdio`);
  });

  it.each([
    { ...named("--port"), isRequired: true },
    { ...named("--port"), format: "number" },
    { ...named("--port"), description: "Where it listens" },
    { ...named("--port"), isSecret: true },
    { ...named("--port"), choices: ["1"] },
  ])("asks for the value of an option that is not a flag: %o", (option) => {
    const offer = offerOf({ packageArguments: [option] });
    expect(offer.inputs).toMatchObject([{ name: "port" }]);
    expect(lineOf(offer, { port: ["1"] })).toBe("npx -y @example/x@1.0.0 --port 1");
  });
});
