import { describe, expect, it } from "vitest";

import { bundle, manifest, zip, type ZipFile } from "../../../test/support/zip.ts";
import { readBundle } from "./read-bundle.ts";
import { checkSizes, contentOf } from "./zip-content.ts";

const withFile = (file: ZipFile): Buffer => bundle({}, [file]);
const problemOf = (bytes: Buffer): string => {
  try {
    readBundle(bytes);
  } catch (error) {
    return (error as Error).message;
  }
  return "accepted";
};

describe("readBundle", () => {
  it("reads the manifest and the files", () => {
    const bytes = bundle({}, [{ name: "lib/" }, { name: "lib/a.txt", content: "text" }], "code");
    const { manifest: read, entries, digest } = readBundle(bytes);
    expect(read).toMatchObject({ name: "notes", version: "2.0.1", server: { type: "node" } });
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    const contents = entries.map((entry) => [entry.name, contentOf(bytes, entry).toString()]);
    expect(Object.fromEntries(contents)).toMatchObject({
      "server/index.js": "code",
      "lib/": "",
      "lib/a.txt": "text",
    });
  });

  it("reads stored files, executable ones, archive comments and signed bundles", () => {
    const file = { name: "run", content: "x", method: 0, mode: 0o100755 };
    const { entries } = readBundle(withFile(file));
    expect(entries.at(-1)).toMatchObject({ name: "run", isExecutable: true, size: 1 });
    expect(entries[0]?.isExecutable).toBe(false);
    const files = [
      { name: "manifest.json", content: JSON.stringify(manifest()) },
      { name: "server/index.js" },
    ];
    expect(problemOf(zip(files, "a comment"))).toBe("accepted");
    const signature = Buffer.concat([Buffer.from("MCPB_SIG_V1"), Buffer.alloc(70_000, 1)]);
    expect(problemOf(Buffer.concat([zip(files), signature]))).toBe("accepted");
  });

  it.each<[string, ZipFile, RegExp]>([
    ["a symbolic link", { name: "a", content: "/etc/passwd", mode: 0o120777 }, /link or a special/],
    ["a device", { name: "a", mode: 0o020666 }, /link or a special/],
    ["a path out of the folder", { name: "../a" }, /leads out/],
    ["the same in the middle", { name: "a/../../b" }, /leads out/],
    ["an absolute path", { name: "/etc/cron.d/a" }, /absolute path/],
    ["a path with two slashes", { name: "a//b" }, /leads out/],
    ["a drive", { name: "C:/a" }, /colon/],
    ["a drive without a slash", { name: "c:a" }, /colon/],
    ["a backslash", { name: "..\\a" }, /backslash/],
    ["a control character", { name: "a\u001b[2J" }, /control/],
    ["a NUL", { name: "a\0.js" }, /control/],
    ["a device of Windows", { name: "lib/nul.txt" }, /device on Windows/],
    ["the same with a space", { name: "lib/con .txt" }, /device on Windows/],
    ["the same with a small digit", { name: "COM\u00b9.log" }, /device on Windows/],
    ["a path that leads out on Windows", { name: ".. /a" }, /leads out/],
    ["a name that is not UTF-8", { name: Buffer.from([0x61, 0xff]) }, /not UTF-8/],
    ["the same name again", { name: "server/index.js" }, /more than once/],
    ["the same name in capitals", { name: "server/INDEX.js" }, /more than once/],
    ["the same name with a dot", { name: "server/index.js." }, /ends with a dot/],
    ["a folder that Windows takes for another", { name: "a./b" }, /ends with a dot/],
    ["a file that Windows takes for another", { name: "a/b " }, /ends with a dot or a space/],
    ["the same name in other letters", { name: "\u017ferver/index.js" }, /more than once/],
    ["a folder in capitals", { name: "Server/other.js" }, /differ only in case/],
    ["a folder that is a file", { name: "manifest.json/a" }, /both a file and a folder/],
    ["a second manifest", { name: "MANIFEST.json", content: "{}" }, /more than once/],
    ["an encrypted file", { name: "a", flags: 1 }, /encrypted/],
    ["an unknown compression", { name: "a", method: 12 }, /unusual/],
    ["another name in front of the data", { name: "a", localName: "b" }, /damaged/],
    ["a name that is too long", { name: "a".repeat(300) }, /too long/],
    ["a path that is too deep", { name: `${"a/".repeat(70)}b` }, /too deep/],
    ["files that share their data", { name: "a", sharesWith: 1 }, /overlap|damaged/],
  ])("refuses %s", (_, file, problem) => {
    expect(problemOf(withFile(file))).toMatch(problem);
  });

  it("refuses a file that becomes larger than its directory says, or has other content", () => {
    const content = Buffer.alloc(100_000);
    const larger = withFile({ name: "a", content, size: 10 });
    const { entries } = readBundle(larger);
    expect(() => contentOf(larger, entries.at(-1)!)).toThrow(/damaged/);
    const changed = withFile({ name: "a", content: "abc", crc: 1 });
    expect(() => contentOf(changed, readBundle(changed).entries.at(-1)!)).toThrow(/damaged/);
  });

  it("refuses bombs by the sizes in the directory", () => {
    const bomb = withFile({ name: "zeros", content: "0", size: 40 * 1024 * 1024 });
    expect(problemOf(bomb)).toMatch(/hundred times larger/);
    const entry = readBundle(bundle()).entries[0]!;
    const huge = { ...entry, size: 500 * 1024 * 1024 };
    expect(() => checkSizes([huge, huge, huge], 200 * 1024 * 1024)).toThrow(/unpacked/);
    expect(() => checkSizes([{ ...entry, size: 2 ** 30 }], 2 ** 30)).toThrow(/too large/);
  });

  it.each([
    ["nothing", Buffer.alloc(0), /not a ZIP/],
    ["a text", Buffer.from("hello ".repeat(100)), /not a ZIP/],
    ["an archive that was cut off", bundle().subarray(0, -30), /not a ZIP/],
    ["bytes in front of the archive", Buffer.concat([Buffer.from("x"), bundle()]), /damaged/],
    ["bytes after the archive", Buffer.concat([bundle(), Buffer.from("x")]), /not a ZIP/],
    ["no manifest", zip([{ name: "a" }]), /no manifest/],
    [
      "a manifest that is not JSON",
      zip([{ name: "manifest.json", content: "{" }]),
      /json is not JSON/,
    ],
  ])("refuses %s", (_, bytes, problem) => {
    expect(problemOf(bytes)).toMatch(problem);
  });

  it.each(["server\\index.js", ".\\server\\index.js", "./server/index.js"])(
    "finds the entry point %s",
    (entryPoint) => {
      const { manifest: read } = readBundle(
        bundle({ server: { type: "uv", entry_point: entryPoint } }),
      );
      expect(read.server.entry_point).toBe("server/index.js");
    },
  );

  it.each<[string, object, RegExp]>([
    ["an unknown version", { manifest_version: "9.0" }, /version '9.0'/],
    ["a version that is a path", { version: "../../x" }, /not a version/],
    ["a missing server", { server: undefined }, /server/],
    ["an entry point outside", { server: { type: "node", entry_point: "../x.js" } }, /entry point/],
    ["the same on Windows", { server: { type: "node", entry_point: "..\\x.js" } }, /entry point/],
  ])("refuses a manifest with %s", (_, changes, problem) => {
    expect(problemOf(bundle(changes))).toMatch(problem);
  });
});
