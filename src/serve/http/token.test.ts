import { chmodSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/new-folder.ts";
import { storedToken, tokenFromEnvironment } from "./token.ts";

let root: string;
let dir: string;
beforeEach(() => {
  root = newFolder("mcp-workbench-token");
  dir = join(root, "state", "mcp-workbench");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe("storedToken", () => {
  it("creates a token once and returns the same afterwards", async () => {
    const first = await storedToken(dir);
    expect(first).toMatchObject({ created: true, file: join(dir, "token") });
    expect(first.token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(await storedToken(dir)).toEqual({ ...first, created: false });
  });

  it("creates a different token in every folder", async () => {
    const { token } = await storedToken(dir);
    expect((await storedToken(join(root, "other"))).token).not.toBe(token);
  });

  it("makes the file and its folder private to their owner", async () => {
    const { file } = await storedToken(dir);
    expect(modeOf(file)).toBe("600");
    expect(modeOf(dir)).toBe("700");
  });

  it("returns the same token to workbenches that start at the same time", async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => storedToken(dir)));
    expect(new Set(all.map(({ token }) => token)).size).toBe(1);
    expect(all.filter(({ created }) => created)).toHaveLength(1);
  });

  it("accepts a token that the user wrote into the file", async () => {
    const { file } = await storedToken(dir);
    writeFileSync(file, "  a-token-of-my-own  \n");
    expect((await storedToken(dir)).token).toBe("a-token-of-my-own");
  });

  it.each(["644", "660", "604"])(
    "rejects a file with mode %s, which others can access",
    async (mode) => {
      const { file, token } = await storedToken(dir);
      chmodSync(file, mode);
      const refusal = await storedToken(dir).catch((error: unknown) => error);
      expect(refusal).toMatchObject({
        code: "TOKEN_UNUSABLE",
        message: expect.stringContaining(file),
        hint: expect.stringContaining("Delete the file"),
        exitCode: 3,
      });
      expect(String(refusal)).not.toContain(token);
      expect(readFileSync(file, "utf8")).toBe(`${token}\n`);
    },
  );

  it("does not follow a symbolic link", async () => {
    const { file } = await storedToken(dir);
    const elsewhere = join(root, "elsewhere");
    writeFileSync(elsewhere, "another-users-token", { mode: 0o600 });
    rmSync(file);
    symlinkSync(elsewhere, file);
    await expect(storedToken(dir)).rejects.toMatchObject({ code: "TOKEN_UNUSABLE" });
  });

  it.each(["short", "with spaces in the middle", "\u00e9".repeat(20)])(
    "rejects the token %j",
    async (text) => {
      const { file } = await storedToken(dir);
      writeFileSync(file, text);
      await expect(storedToken(dir)).rejects.toMatchObject({ code: "TOKEN_UNUSABLE" });
    },
  );

  it("fails if the folder cannot be created", async () => {
    writeFileSync(join(root, "state"), "");
    await expect(storedToken(dir)).rejects.toMatchObject({ code: "FOLDER_UNUSABLE" });
  });
});

describe("tokenFromEnvironment", () => {
  it("removes the token from the environment", () => {
    const env = { TOKEN: " a-token-of-my-own\n", OTHER: "x" };
    expect(tokenFromEnvironment("TOKEN", env)).toBe("a-token-of-my-own");
    expect(env).toEqual({ OTHER: "x" });
  });

  it.each([{}, { TOKEN: "" }, { TOKEN: "  " }])("fails if the variable is not set in %j", (env) => {
    expect(() => tokenFromEnvironment("TOKEN", env)).toThrow("the variable TOKEN is not set");
  });

  it("fails if the token is too short, without repeating it", () => {
    const refusal = (): unknown => tokenFromEnvironment("TOKEN", { TOKEN: "too-short" });
    expect(refusal).toThrow(/variable TOKEN/);
    expect(refusal).not.toThrow(/too-short/);
  });
});
