import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";

import { GENEROUS_MS } from "../test/support/clients/json-rpc.ts";
import { newFolder } from "../test/support/new-folder.ts";
import { waitFor } from "../test/support/proc.ts";
import { createLogger } from "./log.ts";
import { redactor } from "./secrets/redact.ts";

const MB = 1024 ** 2;
let dir: string;
let written: string;

beforeEach(() => {
  dir = newFolder("mcp-workbench-log");
  written = "";
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    written += String(text);
    return true;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(dir, { recursive: true });
});

describe("the log", () => {
  it("omits messages below its level", () => {
    const log = createLogger({ level: "warn", format: "text", file: undefined }, (text) => text);
    log.debug("a");
    log.info("b");
    log.warn("c");
    log.error("d");
    expect(written.match(/(WARN|ERROR)\s+\w/g)).toEqual(["WARN  c", "ERROR d"]);
    expect(written.split("\n")).toHaveLength(3);
  });

  it("writes one line for each event, whatever a server sent", () => {
    const log = createLogger({ level: "info", format: "text", file: undefined }, (text) => text);
    log.info("said:\r\n2030-01-01 ERROR forged \u001b[31m", { server: "a\nb" });
    expect(written.split("\n")).toHaveLength(2);
    expect(written).not.toContain("\u001b");
    const json = createLogger({ level: "info", format: "json", file: undefined }, (text) => text);
    written = "";
    json.warn("x\ny", { server: "s", calls: 3 });
    expect(JSON.parse(written)).toMatchObject({
      level: "warn",
      message: "x\ny",
      server: "s",
      calls: 3,
    });
  });

  it.each(["text", "json"] as const)("controls no terminal in %s format", (format) => {
    const log = createLogger({ level: "info", format, file: undefined }, (text) => text);
    const text = "a\u009b31m\u202eb\u2028c\u0085d";
    log.info(text, { inField: text });
    expect(written).not.toMatch(/[\u007f-\u009f\u2028-\u202e]/);
    expect(written).toContain(String.raw`a\u009b31m\u202eb\u2028c\u0085d`);
  });

  it.each(["text", "json"] as const)("redacts secrets everywhere in %s format", async (format) => {
    const file = join(dir, "log");
    const log = createLogger({ level: "debug", format, file }, redactor(['s3cret"value']));
    log.debug('in a message: s3cret"value', { inField: 'Bearer s3cret"value' });
    await waitFor(() => existsSync(file) && statSync(file).size > 0, GENEROUS_MS, "the file");
    for (const text of [written, readFileSync(file, "utf8")]) {
      expect(text).toContain("[redacted]");
      expect(text).not.toContain("s3cret");
    }
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("keeps its file and the previous one below ten megabytes each", async () => {
    const file = join(dir, "log");
    writeFileSync(file, "x\n".repeat(5 * MB - 50_000));
    const log = createLogger({ level: "info", format: "text", file }, (text) => text);
    const size = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    for (let i = 0; i < 20; i++) {
      const before = size(file) + size(`${file}.1`);
      log.info("x".repeat(10_000));
      await waitFor(() => size(file) + size(`${file}.1`) > before, GENEROUS_MS, "the line");
    }
    expect(readdirSync(dir).sort()).toEqual(["log", "log.1"]);
    for (const name of readdirSync(dir))
      expect(statSync(join(dir, name)).size).toBeLessThanOrEqual(10 * MB);
  });

  it.each(["/dev/full", "/nonexistent/folder/log", tmpdir()])(
    "continues without a file that cannot be written: %s",
    async (file) => {
      const log = createLogger({ level: "info", format: "text", file }, (text) => text);
      log.info("before");
      await waitFor(
        () => written.includes("cannot write to the log file"),
        GENEROUS_MS,
        "the loss to be reported",
      );
      for (let i = 0; i < 100; i++) log.info("after");
      // Fails later than any attempt of the log to open the file again.
      await writeFile(file, "").catch(() => {});
      expect(written.match(/cannot write to the log file/g)).toHaveLength(1);
      expect(written.match(/after/g)).toHaveLength(100);
    },
  );

  it("can be reconfigured while it is in use", async () => {
    const [first, second] = [join(dir, "first"), join(dir, "second")];
    const log = createLogger({ level: "warn", format: "text", file: first }, (text) => text);
    log.info("not yet");
    log.warn("in the first");
    log.configure({ level: "debug", format: "json", file: second });
    log.debug("in the second");
    const read = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");
    await waitFor(() => read(first) && read(second), GENEROUS_MS, "both files");
    expect(written).not.toContain("not yet");
    expect(read(first)).toMatch(/ WARN {2}in the first\n$/);
    expect(JSON.parse(read(second))).toMatchObject({ level: "debug", message: "in the second" });
    log.configure({ level: "debug", format: "json", file: undefined });
    log.debug("in none");
    expect(written).toContain("in none");
    log.configure({ level: "silent", format: "text", file: join(dir, "third") });
    log.error("nowhere");
    expect(written).not.toContain("nowhere");
    expect(readdirSync(dir).sort()).toEqual(["first", "second"]);
    expect(read(second)).not.toContain("in none");
  });

  it("drops lines that its reader does not consume", () => {
    // Not a spy: its restoration would leave `undefined` in place of the inherited getter.
    Object.defineProperty(process.stderr, "writableLength", { value: 2 * MB, configurable: true });
    onTestFinished(() => void Reflect.deleteProperty(process.stderr, "writableLength"));
    const log = createLogger({ level: "info", format: "text", file: undefined }, (text) => text);
    log.info("lost");
    expect(written).toBe("");
  });
});
