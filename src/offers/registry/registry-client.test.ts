import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";

import { perTest } from "../../../test/support/disposables.ts";
import { registryEntry, startRegistry, WEATHER } from "../../../test/support/registry.ts";
import { downloadBundle } from "./download-bundle.ts";
import { RegistryClient } from "./registry-client.ts";

const disposables = perTest();
const NAME = WEATHER.name;
const json = (response: ServerResponse, body: string): true => {
  response.writeHead(200, { "content-type": "application/json" }).end(body);
  return true;
};
const redirect = (response: ServerResponse, location: string): true => {
  response.writeHead(302, { location }).end();
  return true;
};

describe("RegistryClient", () => {
  it("finds servers by all words, over several pages, and skips malformed and deleted ones", async () => {
    const registry = await startRegistry(disposables);
    for (let index = 0; index < 150; index += 1)
      registry.entries.push(registryEntry({ name: `com.example/weather-${index}` }));
    registry.entries.push(
      { server: { name: "com.example/weather broken" } },
      registryEntry({ name: "com.example/weather-gone" }, { status: "deleted" }),
      registryEntry({ name: NAME, description: "Storms" }),
    );
    const client = new RegistryClient({ url: `${registry.url}/v0.1/servers/` });
    const { servers, hasMore } = await client.search(["storms", "WEATHER"], 20);
    expect(servers.map(({ server }) => server.name)).toEqual([NAME]);
    expect(hasMore).toBe(false);
    expect(registry.requests.map(({ path }) => path)).toEqual([
      "/v0.1/servers?search=weather&version=latest&limit=100",
      "/v0.1/servers?search=weather&version=latest&limit=100&cursor=100",
    ]);
    expect((await client.search(["weather"], 20)).hasMore).toBe(true);
    expect((await client.search(["gone"], 20)).servers).toEqual([]);
  });

  it("asks for further words if no name has the longest", async () => {
    const registry = await startRegistry(disposables);
    registry.entries.push(registryEntry({ ...WEATHER, description: "Forecasts for all cities" }));
    const client = new RegistryClient(registry);
    const { servers } = await client.search(["weather", "forecasts", "Weather"], 20);
    expect(servers.map(({ server }) => server.name)).toEqual([NAME]);
    const asked = (): (string | null)[] =>
      registry.requests.map(({ path }) => new URL(path, registry.url).searchParams.get("search"));
    expect(asked()).toEqual(["forecasts", "weather"]);
    expect((await client.search(["aaaa", "bbb", "in", "ccc", "ddd"], 20)).servers).toEqual([]);
    expect(asked().slice(2)).toEqual(["aaaa", "bbb", "ccc"]);
  });

  it("shows the latest version of a server if a registry answers with all", async () => {
    const registry = await startRegistry(disposables);
    for (const version of ["1.1.0", "1.3.0", "1.2.0"])
      registry.entries.push(
        registryEntry({ ...WEATHER, version }, { isLatest: version === "1.3.0" }),
      );
    const { servers } = await new RegistryClient(registry).search(["weather"], 20);
    expect(servers.map(({ server }) => server.version)).toEqual(["1.3.0"]);
  });

  it("reads at most five pages of a registry that never ends", async () => {
    const registry = await startRegistry(disposables);
    registry.answer = (_, response) =>
      json(response, JSON.stringify({ servers: [], metadata: { nextCursor: "again" } }));
    const { hasMore } = await new RegistryClient(registry).search(["x"], 20);
    expect(hasMore).toBe(true);
    expect(registry.requests).toHaveLength(5);
  });

  it("resolves the latest version, and sends the token", async () => {
    const registry = await startRegistry(disposables, { token: "t1" });
    registry.entries.push(registryEntry({ ...WEATHER, version: "1.0.0" }), registryEntry(WEATHER));
    const client = new RegistryClient({ url: registry.url, token: "t1" });
    expect((await client.get(NAME, "latest")).server.version).toBe("1.2.0");
    expect((await client.get(NAME, "1.0.0")).server.version).toBe("1.0.0");
    expect(registry.requests[0]).toEqual({
      path: "/v0.1/servers/com.example%2Fweather/versions/latest",
      token: "Bearer t1",
    });
    await expect(client.get("com.example/none", "latest")).rejects.toMatchObject({
      code: "NOT_IN_REGISTRY",
    });
    await expect(client.get(NAME, "9")).rejects.toMatchObject({
      message: expect.stringContaining(`has no version 9 of a server '${NAME}'`),
    });
    await expect(new RegistryClient(registry).get(NAME, "latest")).rejects.toMatchObject({
      code: "REGISTRY_UNUSABLE",
      hint: expect.stringContaining("registry.token"),
    });
  });

  it.each<[string, string, RegExp]>([
    ["no JSON", "<html>", /not one of a registry/],
    ["a list", "[]", /not one of a registry/],
    ["another server", JSON.stringify(registryEntry({ name: "com.evil/x" })), /'com.evil\/x' for/],
    [
      "a server without a legal name",
      JSON.stringify(registryEntry({ name: "../../etc" })),
      /not one of a registry/,
    ],
    [
      "a text without end",
      JSON.stringify(registryEntry({ ...WEATHER, description: "x".repeat(5 * 1024 * 1024) })),
      /larger than/,
    ],
  ])("refuses an answer that is %s", async (_, body, problem) => {
    const registry = await startRegistry(disposables);
    registry.answer = (_path, response) => json(response, body);
    await expect(new RegistryClient(registry).get(NAME, "latest")).rejects.toThrow(problem);
  });

  it("names what is wrong with an entry, which is not a fault of the registry", async () => {
    const registry = await startRegistry(disposables);
    const [npm] = WEATHER.packages;
    const packages = [{ ...npm, environmentVariables: [{ name: "K", default: 5 }] }];
    registry.entries.push(registryEntry({ ...WEATHER, packages }));
    await expect(new RegistryClient(registry).get(NAME, "latest")).rejects.toMatchObject({
      code: "CANNOT_ADD",
      message: expect.stringContaining("server.packages.0.environmentVariables.0.default: "),
    });
  });

  it("does not follow a redirect to another place, and sends no token there", async () => {
    const [registry, other] = [await startRegistry(disposables), await startRegistry(disposables)];
    registry.answer = (_, response) => redirect(response, `${other.url}/v0.1/servers`);
    const client = new RegistryClient({ url: registry.url, token: "t1" });
    await expect(client.get(NAME, "latest")).rejects.toThrow(
      `it redirects to ${other.url}, and redirects to another host are not followed`,
    );
    expect(other.requests).toEqual([]);
    registry.answer = (_, response) => redirect(response, "file:///etc/passwd");
    await expect(client.get(NAME, "latest")).rejects.toThrow("it redirects to file:, and");
  });

  it.each([
    ["http://registry.example.com", "would not be encrypted"],
    ["ftp://example.com", "does not begin with https://"],
    ["https://a:b@example.com", "registry https://…@example.com: its address contains a user name"],
    ["x", "is not a URL"],
  ])("refuses the address %s, and does not blame its operator", (url, problem) => {
    const create = (): RegistryClient => new RegistryClient({ url });
    expect(create).toThrow(problem);
    expect(create).not.toThrow("operator");
  });

  it("ends a request that gets no answer", async () => {
    const registry = await startRegistry(disposables);
    registry.answer = () => true;
    const client = new RegistryClient(registry, { timeoutMs: 50 });
    await expect(client.get(NAME, "latest")).rejects.toThrow("did not answer");
  });
});

describe("downloadBundle", () => {
  const bytes = Buffer.from("content");
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const source = (url: string) => ({ kind: "mcpb" as const, url, sha256, notes: [] });

  it("follows redirects, and sends the token to the registry only", async () => {
    const [registry, other] = [await startRegistry(disposables), await startRegistry(disposables)];
    other.files.set("/file", bytes);
    registry.answer = (_, response) => redirect(response, `${other.url}/file`);
    const access = { url: registry.url, token: "t1" };
    expect(await downloadBundle(source(`${registry.url}/x.mcpb`), access)).toEqual(bytes);
    expect(registry.requests[0]?.token).toBe("Bearer t1");
    expect(other.requests[0]?.token).toBeUndefined();
  });

  it("refuses a bundle that is announced as too large, without waiting for it", async () => {
    const registry = await startRegistry(disposables);
    registry.answer = (_, response) => {
      response.writeHead(200, { "content-length": String(5 * 1024 ** 3) }).flushHeaders();
      return true;
    };
    await expect(downloadBundle(source(`${registry.url}/x`), registry)).rejects.toThrow(
      "larger than 256 MB",
    );
  });

  it("refuses other content, other addresses and endless redirects", async () => {
    const registry = await startRegistry(disposables);
    registry.files.set("/x", Buffer.from("changed"));
    const get = (path: string) => downloadBundle(source(registry.url + path), registry);
    await expect(get("/x")).rejects.toThrow("not the one that was published");
    registry.answer = (_, response) => redirect(response, "http://registry.example.com/x");
    await expect(get("/x")).rejects.toThrow("would not be encrypted");
    registry.answer = (_, response) => redirect(response, "/x");
    await expect(get("/x")).rejects.toThrow("redirected too often");
    const remote = { url: "https://registry.example.com" };
    await expect(downloadBundle(source(`${registry.url}/x`), remote)).rejects.toThrow(
      "not allowed",
    );
  });
});
