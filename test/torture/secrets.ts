/** Secrets that must not leak, and all places where they could. */
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Place } from "../support/workbench.ts";

/** Looks different in every encoding. */
export function newSecret(): string {
  return `k"${randomBytes(9).toString("hex")}/+ ü?=${randomBytes(9).toString("hex")}`;
}

/** Every form in which the secret could be written down. */
export function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // In base64 a text looks different at each of three positions; its first and last characters
  // depend on their neighbours.
  const base64 = [0, 1, 2].map((offset) =>
    Buffer.concat([Buffer.alloc(offset), bytes])
      .toString("base64")
      .slice(4, -4),
  );
  const forms = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    ...base64,
    ...base64.map((form) => form.replaceAll("+", "-").replaceAll("/", "_")),
    bytes.toString("hex"),
  ];
  return [...new Set(forms)];
}

/** What the tests put there. */
const OWN_FILES = /^(workbench-config\.json|witness)/;

/** Every file that the program has written, by its path. */
export function writtenFiles(place: Place): Map<string, string> {
  for (;;) {
    try {
      return filesIn(place);
    } catch (error) {
      // A program that runs may replace a file in between; then all are read again.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
}

function filesIn(place: Place): Map<string, string> {
  const entries = readdirSync(place.dir, { withFileTypes: true, recursive: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(place.dir, join(entry.parentPath, entry.name)))
    .filter((path) => !OWN_FILES.test(path));
  return new Map(paths.map((path) => [path, readFileSync(join(place.dir, path), "latin1")]));
}

/** The places in which a form of the secret occurs. */
export function leaks(secret: string, sinks: ReadonlyMap<string, string>): string[] {
  const found: string[] = [];
  for (const form of formsOf(secret)) {
    const asBytes = Buffer.from(form).toString("latin1");
    for (const [name, text] of sinks)
      if (text.includes(form) || text.includes(asBytes)) found.push(`${name}: ${form}`);
  }
  return found;
}
