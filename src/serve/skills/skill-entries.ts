import { elementSpans, memberText, replaceMember } from "../../wire/members.ts";
import type { JsonObject } from "../../wire/messages.ts";

/** An entry of `skills/list` with other URIs, as JSON; everything else stays as it is written. */
export function entryWith(entry: string, rename: (uri: string) => string): string {
  const named = withUri(entry, rename);
  const files = memberText(named, "resources");
  // A server may state instead that its files change.
  return files?.startsWith("[")
    ? replaceMember(named, "resources", itemsWith(files, rename))
    : named;
}

/** A list of objects with `uri`, as JSON, with other URIs. */
export function itemsWith(list: string, rename: (uri: string) => string): string {
  const items = Array.from(elementSpans(list, 0), ({ start, end }) =>
    withUri(list.slice(start, end), rename),
  );
  return `[${items.join(",")}]`;
}

function withUri(object: string, rename: (uri: string) => string): string {
  const uri = memberText(object, "uri");
  if (!uri?.startsWith('"')) return object;
  return replaceMember(object, "uri", JSON.stringify(rename(JSON.parse(uri) as string)));
}

/** The URIs of the files of skills, by their entries. */
export function filesIn(entries: readonly JsonObject[]): string[] {
  return entries.flatMap(({ resources }) =>
    (Array.isArray(resources) ? (resources as unknown[]) : []).flatMap((file) => {
      const { uri } = (file ?? {}) as { uri?: unknown };
      return typeof uri === "string" ? [uri] : [];
    }),
  );
}

const DIRECTORY = "inode/directory";

/** What a directory contains, as resources; empty if none of the files is in it. */
export function childrenOf(directory: string, files: readonly string[]): JsonObject[] {
  const start = directory.endsWith("/") ? directory : `${directory}/`;
  const children = new Map<string, JsonObject>();
  for (const file of files) {
    if (!file.startsWith(start) || file.length === start.length) continue;
    const slash = file.indexOf("/", start.length);
    const uri = slash < 0 ? file : file.slice(0, slash);
    const name = uri.slice(start.length);
    const mimeType = slash < 0 ? typeOf(name) : DIRECTORY;
    children.set(uri, { uri, name, ...(mimeType !== undefined && { mimeType }) });
  }
  return [...children.values()];
}

function typeOf(name: string): string | undefined {
  return name.endsWith(".md") ? "text/markdown" : undefined;
}
