import { join, resolve } from "node:path";

import { homeDir, expandHome, thisMachine } from "../../config/directories.ts";
import { legalName } from "../../clients/names.ts";
import { reasonOf, workbenchError } from "../../errors.ts";
import { readRegularFile } from "../../files/read-regular-file.ts";
import { bundleOffer } from "../../offers/bundles/bundle-offer.ts";
import { MAX_BUNDLE_BYTES } from "../../offers/bundles/limits.ts";
import { type Bundle, readBundle } from "../../offers/bundles/read-bundle.ts";
import { isNotRunnable, type Offer } from "../../offers/offer.ts";
import { codeOf } from "../../text/error-code.ts";
import { visible } from "../../text/visible.ts";
import type { Context } from "../core/command.ts";
import { stateFolder } from "../core/host-info.ts";
import { hasProgram } from "./has-program.ts";

/** What to add: an offer, and the bundle to unpack for it. */
export interface FoundOffer {
  readonly offer: Offer;
  /** The registry it comes from; null for a file. */
  readonly registry: string | null;
  /** The file of a bundle. */
  readonly file?: string;
  readonly bundle?: { readonly content: Bundle; readonly folder: string };
}

/** Whether a word names a file with a bundle; `.dxt` is the older ending. */
export const isBundleFile = (word: string): boolean => /\.(?:mcpb|dxt)$/i.test(word);

const DIGEST_CHARS = 16;

/** Where bundles are. */
export const bundlesFolder = (context: Pick<Context, "env">): string =>
  join(stateFolder(context), "bundles");

/** The bundle in a file. */
export function offerInFile(context: Context, word: string): FoundOffer {
  const { cwd, env } = context;
  const file = resolve(cwd, expandHome(word, homeDir(thisMachine(env))));
  try {
    const found = offerInBundle(context, readRegularFile(file, MAX_BUNDLE_BYTES));
    return { ...found, registry: null, file };
  } catch (error) {
    throw invalidBundle(file, error);
  }
}

export function invalidBundle(file: string, error: unknown): Error {
  const reason = codeOf(error) === "ENOENT" ? "it does not exist" : visible(reasonOf(error));
  return workbenchError("BUNDLE_INVALID", { file: visible(file), reason }, undefined, error);
}

/** The bundle in some bytes. Throws NotRunnable. */
export function offerInBundle(
  context: Pick<Context, "env">,
  bytes: Buffer,
): Pick<FoundOffer, "offer"> & { readonly bundle: NonNullable<FoundOffer["bundle"]> } {
  const content = readBundle(bytes);
  const { name, version } = content.manifest;
  // The digest is part of the path: another file of the same version never replaces this one.
  const parts = [legalName(name, "bundle"), version, content.digest.slice(0, DIGEST_CHARS)];
  const folder = join(bundlesFolder(context), ...parts);
  const { env } = context;
  const offer = bundleOffer(content, {
    folder,
    home: homeDir(thisMachine(env)),
    platform: process.platform,
    hasProgram: (program) => hasProgram(program, env),
  });
  return { offer, bundle: { content, folder } };
}

/** Turns a refusal into an error for the user. */
export function refusalOf(name: string, error: unknown): unknown {
  if (!isNotRunnable(error)) return error;
  return workbenchError("CANNOT_ADD", { name: visible(name), reason: visible(error.message) });
}
