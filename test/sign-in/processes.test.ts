/** The sign-in engine with the real store and protocol, in several processes at the same time. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { beforeAll, expect, it } from "vitest";

import { newFolder } from "../support/new-folder.ts";
import { openCredentialStore } from "../../src/credentials/store.ts";
import { credentialFolder } from "../support/credentials.ts";
import { perBlock, perTest } from "../support/disposables.ts";
import { scriptedHttp } from "../support/scripted-http.ts";

const forAll = perBlock();
const disposables = perTest();
const PROCESSES = 8;
let built: string;

beforeAll(async () => {
  built = newFolder("sign-in-built");
  forAll.defer(() => rmSync(built, { recursive: true, force: true }));
  const source = (path: string): string =>
    fileURLToPath(new URL(`../../src/${path}.ts`, import.meta.url));
  await build({
    entryPoints: [source("credentials/store"), source("sign-in/sign-ins")],
    outdir: built,
    bundle: true,
    platform: "node",
    format: "esm",
    outExtension: { ".js": ".mjs" },
  });
});

/** A process that reports when it has loaded, waits for a line, and prints its token. */
function start(folder: string, url: string): ChildProcessWithoutNullStreams {
  const script = `
    const { openCredentialStore } = await import(${JSON.stringify(join(built, "credentials/store.mjs"))});
    const { createSignIns } = await import(${JSON.stringify(join(built, "sign-in/sign-ins.mjs"))});
    const store = openCredentialStore({ mode: "file", env: {}, folder: ${JSON.stringify(folder)} });
    const no = () => {};
    const log = { debug: no, info: no, warn: no, error: no };
    const signIns = createSignIns({ store, log, redactValues: no });
    const oauth = { account: "default", grant: "authorization_code" };
    const signIn = signIns.of({ url: ${JSON.stringify(url)}, oauth, place: { toolbox: "t", server: "s" } });
    await signIn.load();
    console.log("ready");
    process.stdin.once("data", async () => {
      const token = await signIn.token();
      console.log(token?.header);
      signIns.close();
      process.stdin.destroy();
    });`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script]);
  disposables.defer(() => child.kill("SIGKILL"));
  return child;
}

it("eight processes with an expired token send one refresh, and all get its token", async () => {
  const folder = credentialFolder(disposables);
  const http = await scriptedHttp(disposables);
  let issued = 0;
  http.answers.set("POST /token", (response, { form }) => {
    issued += 1;
    // A rotated token that comes again ends the family.
    const isValid = form["refresh_token"] === "refresh-token-0" && issued === 1;
    const body = isValid
      ? {
          access_token: "access-token-1",
          token_type: "Bearer",
          expires_in: 3600,
          refresh_token: "refresh-token-1",
        }
      : { error: "invalid_grant" };
    response.writeHead(isValid ? 200 : 400, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  });
  const url = `${http.origin}/mcp`;
  const store = openCredentialStore({ mode: "file", env: {}, folder });
  await store.write({
    version: 1,
    url,
    account: "default",
    generation: 1,
    endpoints: { issuer: http.origin, tokenEndpoint: `${http.origin}/token` },
    resource: url,
    client: { kind: "dcr", clientId: "client", authMethod: "none" },
    token: {
      accessToken: "access-token-0",
      refreshToken: "refresh-token-0",
      obtainedAt: Date.now() - 7_200_000,
      expiresAt: Date.now() - 3_600_000,
    },
  });
  const children = Array.from({ length: PROCESSES }, () => {
    const child = start(folder, url);
    const errors: string[] = [];
    child.stderr.setEncoding("utf8").on("data", (text: string) => errors.push(text));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async (): Promise<string> => {
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`the process ended: ${errors.join("")}`);
      return value;
    };
    return { child, next, closed: once(child, "close") };
  });
  for (const { next } of children) expect(await next()).toBe("ready");
  for (const { child } of children) child.stdin.write("go\n");
  const tokens = await Promise.all(children.map(({ next }) => next()));
  await Promise.all(children.map(({ closed }) => closed));
  expect(new Set(tokens)).toEqual(new Set(["Bearer access-token-1"]));
  expect(http.log).toEqual(["POST /token"]);
  const stored = await store.read({ url, account: "default" });
  expect(stored).toMatchObject({ generation: 2, token: { refreshToken: "refresh-token-1" } });
});
