/** Rules of the source code that a compiler cannot check. */
import { describe, expect, it } from "vitest";
import { bundleProgram } from "../scripts/bundle.mjs";
import {
  importsOf,
  isTest,
  resolveImport,
  sourceFiles,
  staticImports,
  withoutComments,
  withoutTextAndComments,
} from "./support/source.ts";
import {
  countStaticImports,
  importCycles,
  moduleState,
  publicMembers,
} from "./support/source-rules.ts";

const files = sourceFiles();
const code = files.filter((file) => !isTest(file));

/** From top to bottom: each layer may import itself and the layers below it. */
const LAYERS = [
  "cli",
  "dashboard",
  "offers",
  "embed",
  "serve",
  "workbench",
  "access",
  "telemetry",
  "audit",
  "pins",
  "toolboxes",
  "servers",
  "scripts",
  "results",
  "calls",
  "protocol",
  "wire",
  "sign-in",
  "oauth",
  "credentials",
  "cluster",
];
/** Below all layers; available to all. */
const GROUND = ["config", "error-codes", "errors", "secrets", "text", "files", "log", "version"];
/** Know the ground alone, and are used only by these layers. */
const LEAVES = ["search", "clients"];
const LEAF_USERS = ["workbench", "dashboard", "cli"];
/** The public interface gathers from everywhere, and nothing imports it. */
const PUBLIC = "index";

const MAX_IMPORTS = 15;
/** May import more, for the reason given. At most five files. */
const MANY_IMPORTS: Readonly<Record<string, string>> = {
  "index.ts": "the public interface is a list of exports of other files",
};

const MAX_PUBLIC_MEMBERS = 20;

/** State of modules that are in several bundles; each bundle has its own copy, for the reason given. */
const STATE_PER_BUNDLE: Readonly<Record<string, string>> = {
  "config/check/fast-check.ts: compiled": "the compiled rules; every copy compiles the same",
  "search/vectors/products.ts: fastest":
    "the compiled multiplication; every copy compiles the same",
  "secrets/patterns.ts: token": "a compiled pattern; every copy compiles the same",
  "serve/http/http-responses.ts: unread":
    "large answers that are being read; a stdio workbench with --metrics has no other clients over HTTP",
  "serve/http/http-responses.ts: unreadBytes": "the size of those",
  "serve/surface/native-definitions.ts: written":
    "definitions by catalogue; a second copy writes the same text again",
  "servers/transport/stdio/process-table.ts: reading":
    "a reading that callers share; a second copy reads the processes once more",
  "workbench/discovery/word-table-file.ts: reading":
    "the table of word vectors; a second copy reads the file once more",
  "wire/param-headers.ts: cache": "headers by schema; every copy finds the same",
};

const partOf = (path: string): string =>
  path.split("/")[0]?.replace(/(\.test(-d)?)?\.ts$/, "") ?? "";

/** Why one part of the source may not import the other; undefined if it may. */
function objection(from: string, to: string): string | undefined {
  if (from === to || from === PUBLIC) return undefined;
  if (to === PUBLIC) return "nothing imports the public interface";
  if (GROUND.includes(to)) return undefined;
  if (GROUND.includes(from)) return "the ground knows nothing above it";
  if (LEAVES.includes(from)) return "a leaf knows the ground alone";
  if (LEAVES.includes(to)) {
    return LEAF_USERS.includes(from) ? undefined : `only ${LEAF_USERS.join(" and ")} use a leaf`;
  }
  return LAYERS.indexOf(from) < LAYERS.indexOf(to) ? undefined : "imports point downwards";
}

const linesWith = (pattern: RegExp, text: string): number[] =>
  text.split("\n").flatMap((line, i) => (pattern.test(line) ? [i + 1] : []));

let bundles: ReturnType<typeof bundleProgram> | undefined;
/** The sources of each bundle; made once. */
function bundled(): ReturnType<typeof bundleProgram> {
  return (bundles ??= bundleProgram({ write: false }));
}

describe("the source code", () => {
  it("has no file above 400 lines, except generated ones", () => {
    const written = files.filter(({ path }) => !path.endsWith(".generated.ts"));
    const long = written.filter(({ text }) => text.split("\n").length > 401);
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  it("has no default exports", () => {
    const pattern = /^\s*export\s+default\b|\bas\s+default\b/;
    const found = files.filter(
      ({ text }) => linesWith(pattern, withoutTextAndComments(text)).length,
    );
    expect(found.map(({ path }) => path)).toEqual([]);
  });

  it("never uses the type any", () => {
    const pattern = /(?<![.\w$])any(?![\w$:(])/;
    const found = files.flatMap(({ path, text }) =>
      linesWith(pattern, withoutTextAndComments(text)).map((line) => `${path}:${line}`),
    );
    expect(found).toEqual([]);
  });

  it("has no tests that replace modules, which other tests in the same process may use", () => {
    const found = files.filter(({ text }) =>
      /\bvi\s*\.\s*(?:do)?[mM]ock\(/.test(withoutComments(text)),
    );
    expect(found.map(({ path }) => path)).toEqual([]);
  });

  it("says client and server, never upstream and downstream", () => {
    const found = code.filter(({ text }) => /\b(up|down)stream/i.test(withoutComments(text)));
    expect(found.map(({ path }) => path)).toEqual([]);
  });
});

describe("every call", () => {
  const filesWith = (pattern: RegExp): string[] =>
    code.filter(({ text }) => pattern.test(withoutComments(text))).map(({ path }) => path);

  it("is settled, and its caller answered, in one place", () => {
    expect(filesWith(/\.state = "settled"/)).toEqual(["calls/settle.ts"]);
    expect(filesWith(/\bcaller\.onSettled\(/)).toEqual(["calls/settle.ts"]);
  });

  it("of a client is dispatched where it is made", () => {
    const made = filesWith(/\bnew ClientCall\(/);
    expect(made).not.toEqual([]);
    expect(made).toEqual(filesWith(/(?<!function )\bdispatch\(/));
  });

  it("is sent by the connection that has its id", () => {
    expect(filesWith(/\bcalls\.submit\(/)).toEqual([
      "calls/dispatch.ts",
      "servers/requests/ask.ts",
    ]);
  });
});

describe("the layers of the source code", () => {
  it("are exactly the ones listed in this test", () => {
    const known = new Set([...LAYERS, ...GROUND, ...LEAVES, PUBLIC]);
    expect(files.map(({ path }) => partOf(path)).filter((part) => !known.has(part))).toEqual([]);
  });

  it("import only from the layers below", () => {
    const wrong = code.flatMap(({ path, text }) =>
      importsOf(text).flatMap(({ specifier }) => {
        const target = resolveImport(path, specifier);
        const problem = target && objection(partOf(path), partOf(target));
        return problem ? [`${path} → ${target}: ${problem}`] : [];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it.each([
    ["cli", "serve", true],
    ["serve", "cli", false],
    ["cli", "wire", true],
    ["calls", "servers", false],
    ["servers", "calls", true],
    ["serve", "embed", false],
    ["wire", "config", true],
    ["config", "wire", false],
    ["credentials", "secrets", true],
    ["credentials", "servers", false],
    ["workbench", "search", true],
    ["servers", "search", false],
    ["search", "errors", true],
    ["search", "workbench", false],
    ["index", "workbench", true],
    ["workbench", "index", false],
  ])("are checked by a rule that lets %s import %s: %s", (from, to, allowed) => {
    expect(objection(from, to) === undefined).toBe(allowed);
  });
});

describe("the modules of the source code", () => {
  it("do not import each other in a circle, not even types", () => {
    expect(importCycles(code)).toEqual([]);
  });

  it(`import at most ${MAX_IMPORTS} modules, types included`, () => {
    const many = code.filter(({ text }) => countStaticImports(text) > MAX_IMPORTS);
    const named = Object.keys(MANY_IMPORTS);
    expect(named.length).toBeLessThanOrEqual(5);
    expect(many.map(({ path }) => path).toSorted()).toEqual(named.toSorted());
  });

  it(`have no class with more than ${MAX_PUBLIC_MEMBERS} public members`, () => {
    const wide = code.flatMap(({ path, text }) =>
      publicMembers(text)
        .filter(({ members }) => members.length > MAX_PUBLIC_MEMBERS)
        .map(({ name, members }) => `${path}: ${name} has ${members.length}`),
    );
    expect(wide).toEqual([]);
  });

  it("have no state if they are part of several bundles", async () => {
    const outputs = [...(await bundled()).values()];
    const isShared = (path: string): boolean =>
      outputs.filter((sources) => sources.includes(path)).length > 1;
    expect(isShared("errors.ts")).toBe(true);
    const state = code
      .filter(({ path }) => isShared(path))
      .flatMap(({ path, text }) => moduleState(text).map((name) => `${path}: ${name}`));
    expect(state.toSorted()).toEqual(Object.keys(STATE_PER_BUNDLE).toSorted());
  });
});

describe("a workbench that serves over stdio", () => {
  it.each(["cli/main.ts", "serve/stdio.ts"])(
    "starts without loading what it may never need (from %s)",
    (entry) => {
      expect(code.map(({ path }) => path)).toContain(entry);
      const loaded = staticImports(code, entry);
      const heavy =
        /^(zod|jsonc-parser|cross-spawn|@modelcontextprotocol\/|(node:)?https?2?$|search\/|pins\/|telemetry\/(?!otel-use)|workbench\/(discovery\/|catalogue\/catalogue-))/;
      const found = [...loaded].filter(([target]) => heavy.test(target));
      expect(found.map(([target, by]) => `${by} → ${target}`)).toEqual([]);
    },
  );

  it.each(["program.cjs", "chunks/serve-serve-stdio.cjs"])(
    "has no code of sign-ins, credentials and secret stores in %s",
    async (output) => {
      const sources = (await bundled()).get(output) ?? [];
      const ofSignIns =
        /^(oauth|sign-in|credentials|servers\/secrets|workbench\/sign-in)\/|sign-in-required|server-authorization|host-secrets|keychain|keyring|secret-(syntax|texts|command)|rare-rules|foreign-sign-in/;
      expect(sources.length).toBeGreaterThan(50);
      expect(sources.filter((path) => ofSignIns.test(path))).toEqual([]);
    },
  );

  it("loads only modules of Node and of the project", () => {
    const loaded = [...staticImports(code, "cli/main.ts").keys()];
    expect(loaded.filter((target) => !/^node:|\.ts$/.test(target))).toEqual([]);
  });
});
