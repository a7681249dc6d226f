import { describe, expect, it } from "vitest";

import packageJson from "../../../package.json" with { type: "json" };
import { parseConfig } from "../../config/load.ts";
import { unpinnedPackage } from "../doctor/packages.ts";
import { STARTER_FILESYSTEM, STARTER_MEMORY, starterConfig } from "./starter.ts";

describe("the starter configuration", () => {
  it.each(["/home/ada", 'C:\\Users\\Ada "x"'])("is valid for the folder %s", async (folder) => {
    const settings = await parseConfig(starterConfig(folder), { env: {} });
    expect(settings.warnings).toEqual([]);
    const server = settings.toolboxes.get("files")?.servers.get("filesystem");
    expect(server?.transport).toMatchObject({ args: ["-y", STARTER_FILESYSTEM, folder] });
  });

  it("runs the server versions that the tests use", () => {
    const { devDependencies } = packageJson;
    for (const spec of [STARTER_FILESYSTEM, STARTER_MEMORY]) {
      const [, name = "", version] = /^(.+)@(.+)$/.exec(spec) ?? [];
      expect(devDependencies[name as keyof typeof devDependencies]).toBe(version);
      expect(unpinnedPackage(["npx", "-y", spec])).toBeUndefined();
    }
  });

  it("contains comments that explain it", () => {
    expect(starterConfig("/x").match(/^\s*\/\//gm)?.length).toBeGreaterThan(8);
  });
});
