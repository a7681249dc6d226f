import { describe, expect, it } from "vitest";

import { incompletePackageIn, isPackageManager, isPullingImage, launcherIn } from "./launchers.ts";

describe("the launcher in a command line", () => {
  it.each([
    ["npx -y mongodb-mcp-server@latest", "npx"],
    ["/usr/local/bin/npx -y x", "npx"],
    ["C:\\nodejs\\npx.cmd -y x", "npx"],
    ["NPX.CMD x", "npx"],
    ["cmd /c npx -y x", "npx"],
    ["cmd.exe /d /s /C npx.cmd -y x", "npx"],
    ["uvx mcp-server-git", "uvx"],
    ["uv tool run x", "uv tool run"],
    ["uv --quiet run --with mcp server.py", "uv run"],
    ["bunx x", "bunx"],
    ["bun x foo", "bun x"],
    ["pnpm dlx x", "pnpm dlx"],
    ["npm exec -- x", "npm exec"],
    ["npm --yes x foo", "npm x"],
    ["yarn dlx x", "yarn dlx"],
    ["pipx run x", "pipx run"],
    ["docker run -i --rm mcp/git", "docker run"],
    ["docker container run -i mcp/git", "docker container run"],
    ["podman run -i x", "podman run"],
    ["env DEBUG=1 npx x", "npx"],
  ])("%s: %s", (line, name) => {
    expect(launcherIn(line.split(" "))?.name).toBe(name);
  });

  it.each([
    ["sh", "-c", "npx -y x"],
    ["/bin/bash", "-lc", "cd /srv && exec npx -y x"],
    ["cmd", "/c", "npx -y x"],
  ])("is found in a command given as one word: %s %s '%s'", (...words) => {
    expect(launcherIn(words)?.name).toBe("npx");
  });

  it.each([
    "node server.js npx",
    "docker exec -i box server",
    "npm start",
    "pnpm exec x",
    "bun run x",
    "uv pip",
    "python -m npx",
    "sh npx",
    "cmd",
    "toString",
    "",
  ])("is missing in: %s", (line) => {
    expect(launcherIn(line.split(" "))).toBeUndefined();
  });
});

describe("a process of a package manager", () => {
  it.each([
    [["node", "/usr/bin/npx", "-y", "x"]],
    [["/usr/bin/node", "/usr/lib/node_modules/npm/bin/npx-cli.js", "x"]],
    [["npm exec mongodb-mcp-server@latest"]],
    [["bash", "/home/u/.asdf/shims/npx", "x"]],
    [["sh", "-c", "npx -y x"]],
    [["pnpm"]],
    [["uv", "tool", "uvx", "x"]],
    [["bun", "add", "x"]],
  ])("is recognised: %s", (words) => {
    expect(isPackageManager(words)).toBe(true);
  });

  it.each([
    [["sh", "-c", "mongodb-mcp-server"]],
    [["node", "/home/u/.npm/_npx/57c3/node_modules/.bin/mongodb-mcp-server"]],
    [["/usr/bin/python3", "/home/u/.cache/uv/x/bin/mcp-server-git"]],
    [["bun", "server.ts"]],
    [["node", "-e", "0"]],
    [["node"]],
    [[]],
  ])("is not: %s", (words) => {
    expect(isPackageManager(words)).toBe(false);
  });
});

describe("the folder of an incomplete package", () => {
  it("is found in the output of Node.js, if npx installed it", () => {
    const missing = (path: string): string[] => [
      "node:internal/modules/esm/resolve:283",
      "  const err = new Error(`Cannot find module '${request}'`);",
      `Error [ERR_MODULE_NOT_FOUND]: Cannot find module '${path}' imported from x`,
      "    at finalizeResolution (node:internal/modules/esm/resolve:283:11)",
    ];
    const folder = "/home/u/.npm/_npx/57c3a7b1c2d3e4f5";
    expect(incompletePackageIn(missing(`${folder}/node_modules/zod/index.js`))).toBe(folder);
    const windows = "C:\\Users\\u\\npm-cache\\_npx\\57c3a7b1c2d3e4f5";
    expect(incompletePackageIn(missing(`${windows}\\node_modules\\x.js`))).toBe(windows);
    expect(incompletePackageIn(missing("/srv/app/index.js"))).toBeUndefined();
    expect(incompletePackageIn([`reading ${folder}/x`])).toBeUndefined();
  });
});

describe("the output of docker and podman", () => {
  const PULL = ["Unable to find image 'mcp/git:latest' locally", "latest: Pulling from mcp/git"];

  it("shows that an image is being downloaded, until it is complete", () => {
    expect(isPullingImage([])).toBe(false);
    expect(isPullingImage(["some warning"])).toBe(false);
    expect(isPullingImage([...PULL, "4abc: Download complete"])).toBe(true);
    expect(isPullingImage([...PULL, "Status: Downloaded newer image for mcp/git:latest"])).toBe(
      false,
    );
    expect(isPullingImage(["Trying to pull docker.io/mcp/git:latest...", "Copying blob"])).toBe(
      true,
    );
    expect(isPullingImage(["Trying to pull x", "Writing manifest to image destination"])).toBe(
      false,
    );
  });
});
