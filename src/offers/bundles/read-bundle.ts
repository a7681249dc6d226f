import { createHash } from "node:crypto";

import { parseJson } from "../../text/json.ts";
import { issueText } from "../issue-text.ts";
import { NotRunnable } from "../offer.ts";
import { checkNames } from "./entry-names.ts";
import { MAX_BUNDLE_BYTES, MAX_MANIFEST_BYTES } from "./limits.ts";
import { type Manifest, manifestSchema } from "./manifest-schema.ts";
import { checkSizes, contentOf } from "./zip-content.ts";
import { hasSignature, readDirectory, type ZipEntry } from "./zip-directory.ts";

/** A bundle whose directory and manifest were checked. Nothing has been written. */
export interface Bundle {
  readonly bytes: Buffer;
  /** SHA-256 of the file. */
  readonly digest: string;
  readonly entries: readonly ZipEntry[];
  /** It has a signature, which is not verified: there is no list of publishers to trust. */
  readonly isSigned: boolean;
  readonly manifest: Manifest;
}

const VERSIONS = new Set(["0.1", "0.2", "0.3", "0.4"]);
const VERSION = /^[0-9A-Za-z](?:[0-9A-Za-z.+_-]{0,98}[0-9A-Za-z])?$/;

/** Throws NotRunnable. */
export function readBundle(bytes: Buffer): Bundle {
  if (bytes.length > MAX_BUNDLE_BYTES)
    throw new NotRunnable(`it is larger than ${MAX_BUNDLE_BYTES / 1024 / 1024} MB`);
  const entries = readDirectory(bytes);
  checkNames(entries);
  checkSizes(entries, bytes.length);
  const found = entries.find(({ name }) => name === "manifest.json");
  if (found === undefined) throw new NotRunnable("it has no manifest.json");
  if (found.size > MAX_MANIFEST_BYTES) throw new NotRunnable("its manifest.json is too large");
  const manifest = manifestOf(contentOf(bytes, found).toString("utf8"), entries);
  const digest = createHash("sha256").update(bytes).digest("hex");
  return { bytes, entries, manifest, digest, isSigned: hasSignature(bytes, entries) };
}

function manifestOf(text: string, entries: readonly ZipEntry[]): Manifest {
  const written = parseJson(text.replace(/^\ufeff/, ""));
  if (written === undefined) throw new NotRunnable("its manifest.json is not JSON");
  const { data, error } = manifestSchema.safeParse(written);
  if (data === undefined)
    throw new NotRunnable(`its manifest.json is not valid: ${issueText(error)}`);
  const version = data.manifest_version ?? data.dxt_version ?? "";
  if (!VERSIONS.has(version))
    throw new NotRunnable(`its manifest has version '${version}'. Known are 0.1 to 0.4`);
  if (!VERSION.test(data.version))
    throw new NotRunnable(`'${data.version}' is not a version of a bundle`);
  const entryPoint = plain(data.server.entry_point);
  const files = new Set(entries.filter(({ isFolder }) => !isFolder).map(({ name }) => name));
  // Programs for Windows may be named without their ending.
  if (!files.has(entryPoint) && !files.has(`${entryPoint}.exe`))
    throw new NotRunnable(`it does not contain its entry point '${data.server.entry_point}'`);
  return { ...data, server: { ...data.server, entry_point: entryPoint } };
}

/** As the archive has it. A manifest that was written on Windows may have backslashes. */
const plain = (path: string): string => path.replaceAll("\\", "/").replace(/^\.\//, "");
