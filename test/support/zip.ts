/** Writes ZIP files, also such that no ordinary program would write. */
import { crc32, deflateRawSync } from "node:zlib";

export interface ZipFile {
  readonly name: string | Buffer;
  readonly content?: string | Buffer;
  /** With the type, such as 0o120777 for a symbolic link. */
  readonly mode?: number;
  /** The name in front of the data, if it differs. */
  readonly localName?: string;
  readonly flags?: number;
  readonly method?: number;
  /** Stated instead of the real ones. */
  readonly size?: number;
  readonly crc?: number;
  /** Use the data of the entry with this index. */
  readonly sharesWith?: number;
}

/** An archive with these files. */
export function zip(files: readonly ZipFile[], comment = ""): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  const offsets: number[] = [];
  let at = 0;
  for (const file of files) {
    const name = Buffer.from(file.name);
    const content = Buffer.from(file.content ?? "");
    const method = file.method ?? 8;
    const packed = method === 8 ? deflateRawSync(content) : content;
    const crc = file.crc ?? crc32(content);
    const size = file.size ?? content.length;
    const flags = file.flags ?? 0x800;
    const shared = file.sharesWith === undefined ? undefined : offsets[file.sharesWith];
    const offset = shared ?? at;
    offsets.push(offset);
    if (shared === undefined) {
      const local = Buffer.from(file.localName ?? name);
      const header = Buffer.alloc(30);
      header.writeUInt32LE(0x04034b50, 0);
      header.writeUInt16LE(20, 4);
      header.writeUInt16LE(flags, 6);
      header.writeUInt16LE(method, 8);
      header.writeUInt32LE(crc, 14);
      header.writeUInt32LE(packed.length, 18);
      header.writeUInt32LE(size, 22);
      header.writeUInt16LE(local.length, 26);
      parts.push(header, local, packed);
      at += header.length + local.length + packed.length;
    }
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(0x031e, 4);
    entry.writeUInt16LE(20, 6);
    entry.writeUInt16LE(flags, 8);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(crc, 16);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(size, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(((file.mode ?? 0o100644) << 16) >>> 0, 38);
    entry.writeUInt32LE(offset, 42);
    directory.push(entry, name);
  }
  const written = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(written.length, 12);
  end.writeUInt32LE(at, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...parts, written, end, Buffer.from(comment)]);
}

/** The manifest of a bundle whose server is `server/index.js`. */
export function manifest(changes: object = {}): object {
  return {
    manifest_version: "0.3",
    name: "notes",
    version: "2.0.1",
    description: "Notes in a folder",
    author: { name: "Example" },
    server: {
      type: "node",
      entry_point: "server/index.js",
      mcp_config: { command: "node", args: ["${__dirname}/server/index.js"] },
    },
    ...changes,
  };
}

/** A bundle with a manifest, a server and further files. */
export function bundle(changes: object = {}, files: readonly ZipFile[] = [], server = ""): Buffer {
  return zip([
    { name: "manifest.json", content: JSON.stringify(manifest(changes)) },
    { name: "server/index.js", content: server },
    ...files,
  ]);
}

/** The source of a server with one tool, which needs nothing but Node.js. */
export const NOTES_SERVER = `
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const answers = {
    initialize: {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "notes", version: "1" },
    },
    "tools/list": {
      tools: [
        {
          name: "list_notes",
          description: "Lists the notes in " + process.argv[2] + (process.env.NOTES_KEY ? "" : "?"),
          inputSchema: { type: "object" },
        },
      ],
    },
  };
  const result = answers[method];
  const error = { code: -32601, message: "unknown" };
  const answer = { jsonrpc: "2.0", id, ...(result ? { result } : { error }) };
  process.stdout.write(JSON.stringify(answer) + "\\n");
});
`;

/** Settings of a bundle: a folder, and a key that is a secret. */
export const NOTES = {
  server: {
    type: "node",
    entry_point: "server/index.js",
    mcp_config: {
      command: "node",
      args: ["${__dirname}/server/index.js", "${user_config.folder}"],
      env: { NOTES_KEY: "${user_config.notes_key}" },
    },
  },
  user_config: {
    folder: { type: "directory", title: "Folder", default: "${HOME}/notes" },
    notes_key: { type: "string", title: "Key", sensitive: true, required: true },
  },
};
