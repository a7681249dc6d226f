import { describe, expect, it } from "vitest";

import { WEATHER } from "../../../test/support/registry.ts";
import {
  BARE,
  lineOf,
  named,
  offerOf,
  offersOf,
  positional,
  valuesFrom,
} from "../../../test/support/registry-offers.ts";
import { filledEntry } from "../fill.ts";
import type { Offer } from "../offer.ts";

const NPM = WEATHER.packages[0]!;
const PYTHON = { registryType: "pypi", identifier: "x" };

describe("serverOffers", () => {
  it("reads a package with its inputs", () => {
    const [offer] = offersOf(WEATHER).offers as [Offer];
    expect(offer).toMatchObject({
      kind: "npm",
      name: "com.example/weather",
      version: "1.2.0",
      identifier: "@example/weather",
      packageVersion: "1.2.3",
      transport: "stdio",
    });
    expect(offer.inputs).toMatchObject([
      { name: "units", default: ["metric"], choices: ["metric", "imperial"], isSecret: false },
      { name: "city", isRequired: true },
      { name: "WEATHER_API_KEY", isRequired: true, isSecret: true },
      { name: "WEATHER_LOG", isRequired: false },
    ]);
    const values = valuesFrom({ units: ["metric"], city: ["Rome"], WEATHER_API_KEY: ["${K}"] });
    expect(filledEntry(offer, values)).toEqual({
      command: "npx",
      args: ["-y", "@example/weather@1.2.3", "--units", "metric", "Rome"],
      env: { WEATHER_API_KEY: "${K}" },
    });
  });

  it("repeats arguments, and asks for the variables in a text", () => {
    const offer = offerOf({
      registryType: "oci",
      identifier: "example/x:1.0",
      runtimeArguments: [
        {
          ...named("--mount", "type=bind,src={source},dst={target}"),
          isRepeated: true,
          variables: { source: { format: "filepath", isRequired: true }, target: { value: "/p" } },
        },
      ],
    });
    expect(offer.inputs).toMatchObject([{ name: "source", format: "path", isRepeated: true }]);
    expect(lineOf(offer, { source: ["/a", "/b"] })).toBe(
      "docker run -i --rm --mount type=bind,src=/a,dst=/p --mount type=bind,src=/b,dst=/p example/x:1.0",
    );
    expect(lineOf(offer)).toBe("docker run -i --rm example/x:1.0");
  });

  it("reads remote servers, whose secrets may be a part of a header or of the address", () => {
    const { offers } = offersOf({
      remotes: [
        {
          type: "streamable-http",
          url: "https://{tenant}.example.com/mcp",
          variables: { tenant: { description: "Yours" } },
          headers: [
            {
              name: "Authorization",
              value: "Bearer {token}",
              isSecret: true,
              isRequired: true,
              variables: { token: {} },
            },
          ],
        },
      ],
    });
    const [offer] = offers as [Offer];
    expect(offer.inputs).toMatchObject([
      { name: "tenant", isRequired: true, isSecret: false },
      { name: "token", isRequired: true, isSecret: true },
    ]);
    expect(filledEntry(offer, valuesFrom({ tenant: ["me"], token: ["${T}"] }))).toEqual({
      type: "http",
      url: "https://me.example.com/mcp",
      headers: { Authorization: "Bearer ${T}" },
    });
    expect(() => filledEntry(offer, valuesFrom({ tenant: ["a@evil/"], token: ["x"] }))).toThrow(
      "user name",
    );
  });

  it("gives variables of the same name in different places different names", () => {
    const variables = { path: { isRequired: true } };
    const offer = offerOf({
      packageArguments: [
        { ...named("--in", "{path}"), variables },
        { ...named("--out", "{path}"), variables },
      ],
    });
    expect(offer.inputs.map(({ name }) => name)).toEqual(["path", "out.path"]);
  });

  it.each<[string, object, RegExp]>([
    ["an unknown kind", { registryType: "cargo" }, /'cargo' are not supported/],
    ["an HTTP server", { transport: { type: "sse", url: "http://x" } }, /Start it yourself/],
    ["another program", { runtimeHint: "bash" }, /asks for the program 'bash'/],
    ["a moving version", { version: "latest" }, /not exact/],
    ["a range", { version: "^1.2.3" }, /not exact/],
    ["a range with an x", { version: "1.x" }, /not exact/],
    ["a major version of npm", { version: "1" }, /not exact/],
    ["a minor version of npm", { version: "1.2" }, /not exact/],
    ["a tag of npm with a digit", { version: "beta1" }, /not exact/],
    ["no version", { version: undefined }, /no exact version/],
    ["a moving image", { registryType: "oci", identifier: "a/b:latest" }, /not exact/],
    ["an option as a name", { identifier: "--call=x" }, /not a name of a package/],
    ["an address as a name", { identifier: "git+ssh://x/y" }, /not a name of a package/],
    ["a command for a shell", { runtimeArguments: [named("-c", "curl x | sh")] }, /'-c' for npx/],
    ["another package", { runtimeArguments: [named("--package", "evil")] }, /'--package' for npx/],
    ["an option in one word", { runtimeArguments: [positional("--registry=http://x")] }, /regist/],
    [
      "an input as an option",
      { runtimeArguments: [{ type: "positional", valueHint: "x" }] },
      /<x>/,
    ],
    [
      "another origin",
      { registryType: "pypi", identifier: "x", runtimeArguments: [named("--from", "xevil")] },
      /from 'xevil'/,
    ],
    [
      "an origin at an address",
      {
        registryType: "pypi",
        identifier: "x",
        runtimeArguments: [named("--from", "x @ http://e")],
      },
      /takes its program from/,
    ],
    [
      "options of uvx in front of the program",
      {
        ...PYTHON,
        runtimeArguments: [named("--from", "x")],
        packageArguments: [named("--with", "evil"), positional("x")],
      },
      /first argument/,
    ],
    [
      "a shell in place of the program",
      {
        ...PYTHON,
        runtimeArguments: [named("--from", "x")],
        packageArguments: [positional("sh"), named("-c", "curl x")],
      },
      /runs 'sh' instead/,
    ],
    [
      "a program that the user could leave out",
      {
        ...PYTHON,
        runtimeArguments: [named("--from", "x")],
        packageArguments: [{ ...named("x", undefined), format: "boolean", default: "false" }],
      },
      /first argument/,
    ],
    [
      "another version of an image among the options",
      { registryType: "oci", identifier: "a/b:1.0", runtimeArguments: [positional("a/b:2.0")] },
      /'a\/b:2.0' for docker/,
    ],
    [
      "a flag in place of an option with a value",
      {
        registryType: "oci",
        identifier: "a/b:1.0",
        runtimeArguments: [
          { ...named("-e"), format: "boolean", description: "x" },
          positional("--privileged"),
        ],
      },
      /lacks its value/,
    ],
    ["no program", { ...PYTHON, runtimeArguments: [named("--from", "x")] }, /first argument/],
    ["an interpreter", { ...PYTHON, runtimeArguments: [named("--python", "/tmp/x")] }, /Python/],
    ["--from of another launcher", { runtimeArguments: [named("--from", "@example/x")] }, /--from/],
    ["a plain registry", { registryBaseUrl: "http://npm.example.com" }, /not be encrypted/],
    [
      "a steering variable",
      { environmentVariables: [{ name: "NODE_OPTIONS", value: "-r x" }] },
      /NODE_OPTIONS/,
    ],
    [
      "the same by default",
      { environmentVariables: [{ name: "npm_config_registry", default: "http://x" }] },
      /npm_config_registry/,
    ],
    ["a bad variable", { environmentVariables: [{ name: "A=B" }] }, /name of a variable/],
    [
      "a variable twice",
      { environmentVariables: [{ name: "A" }, { name: "a" }] },
      /more than once/,
    ],
    ["a bad option", { packageArguments: [named("--a b", "x")] }, /not an option/],
  ])("refuses %s", (_, changes, problem) => {
    expect(() => offerOf(changes)).toThrow(problem);
  });

  it.each([
    "NODE_OPTIONS",
    "NODE_EXTRA_CA_CERTS",
    "LD_PRELOAD",
    "PATH",
    "PREFIX",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "OPENSSL_CONF",
    "JAVA_TOOL_OPTIONS",
    "CORECLR_PROFILER_PATH",
    "PERL5OPT",
    "XDG_CONFIG_HOME",
    "USERPROFILE",
    "CONTAINERS_CONF",
    "container_host",
    "BASH_ENV",
  ])("refuses a value for the variable %s, but not a question for it", (name) => {
    const reason = `it sets ${name}, which can change what runs`;
    for (const given of [{ value: "x" }, { default: "x" }])
      expect(() => offerOf({ environmentVariables: [{ name, ...given }] })).toThrow(reason);
    expect(offerOf({ environmentVariables: [{ name }] }).inputs).toMatchObject([{ name }]);
  });

  it.each(["NODE_ENV", "NODE_URL", "SSL_MODE", "CORE_URL", "BROWSER", "PYTHONUNBUFFERED"])(
    "accepts a value for the variable %s",
    (name) => {
      const { runs } = offerOf({ environmentVariables: [{ name, value: "x" }] });
      expect(runs?.env).toEqual([{ name, value: ["x"] }]);
    },
  );

  it.each([
    ["-v", "{folder}:/data", {}],
    ["--mount", "type=bind,dst=/data,src={folder}", {}],
    ["--volume", undefined, { default: "/:/host" }],
  ])("does not take the publisher's default for what %s %s mounts", (name, value, more) => {
    const variables = { folder: { default: "/", isRequired: true } };
    const offer = offerOf({
      registryType: "oci",
      identifier: "a/b:1.0",
      runtimeArguments: [{ ...named(name, value), variables, ...more }],
    });
    expect(offer.inputs).toHaveLength(1);
    expect(offer.inputs[0]).not.toHaveProperty("default");
  });

  it.each([
    ["--privileged", undefined],
    ["--mount", "type=bind,src=/var/run/docker.sock,dst=/s"],
    ["-v", "/:/host"],
    ["-v", "~/.ssh:/ssh"],
    ["-v", "a/../../etc:/x"],
    ["--mount", 'type=bind,"src=/etc",dst=/x'],
    ["--mount", "type=bind,SRC=/etc,dst=/x"],
    ["--mount", "type=bind,dst=/x,source=/etc"],
    ["--mount", "type=volume,src=v,dst=/x,volume-opt=o=bind,volume-opt=device=/"],
    ["--security-opt", "seccomp=unconfined"],
  ])("refuses the option %s %s of a container", (name, value) => {
    const changes = {
      registryType: "oci",
      identifier: "a/b:1.0",
      runtimeArguments: [named(name, value)],
    };
    expect(() => offerOf(changes)).toThrow(/not allowed|you choose/);
  });

  it.each([
    ["http://example.com/mcp", /encrypted/],
    ["ftp://example.com", /https/],
    ["https://a:b@example.com/mcp", /password/],
    ["https://exa mple.com", /not a URL/],
    ["javascript:alert(1)", /https/],
  ])("refuses the address %s", (url, problem) => {
    expect(offersOf({ remotes: [{ type: "sse", url }] }).refused[0]?.reason).toMatch(problem);
  });

  it("refuses headers that the transport sets, and bundles that cannot be verified", () => {
    const remote = { type: "sse", url: "https://example.com", headers: [{ name: "Host" }] };
    const bundle = { ...BARE, registryType: "mcpb", identifier: "https://example.com/x.mcpb" };
    const reasons = offersOf({ remotes: [remote], packages: [bundle] }).refused.map(
      ({ reason }) => reason,
    );
    expect(reasons).toEqual([
      expect.stringContaining("SHA-256"),
      expect.stringContaining("set by the workbench"),
    ]);
  });

  it("says what it does not use of the entry of a bundle, and which hash is malformed", () => {
    const bundle = { ...BARE, registryType: "mcpb", identifier: "https://example.com/x.mcpb" };
    const parts = {
      packageArguments: [positional("--evil")],
      environmentVariables: [{ name: "NODE_OPTIONS", value: "-r x" }],
    };
    const fileSha256 = "a".repeat(64);
    const { offers } = offersOf({ packages: [{ ...bundle, fileSha256, ...parts }] });
    expect(offers).toMatchObject([{ notes: [expect.stringContaining("arguments, NODE_OPTIONS")] }]);
    expect(offersOf({ packages: [{ ...bundle, fileSha256 }] }).offers).toMatchObject([
      { notes: [] },
    ]);
    const malformed = offersOf({ packages: [{ ...bundle, fileSha256: "2faac96d43" }] });
    expect(malformed.refused[0]?.reason).toContain("is malformed");
  });

  it("does not let a publisher refer to variables or secrets of the user", () => {
    const offer = offerOf({
      packageArguments: [positional("${keychain:GITHUB_TOKEN}"), positional("$")],
      environmentVariables: [{ name: "A", value: "${HOME}" }],
    });
    expect(filledEntry(offer, new Map())).toMatchObject({
      args: ["-y", "@example/x@1.0.0", "$${keychain:GITHUB_TOKEN}", "$"],
      env: { A: "$${HOME}" },
    });
  });

  it("needs nothing of the entry that the schema does not require", () => {
    expect(NPM.transport.type).toBe("stdio");
    expect(offersOf({ description: undefined })).toEqual({ offers: [], refused: [] });
  });
});
