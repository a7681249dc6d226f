import { createHash } from "node:crypto";

import { reasonOf } from "../../errors.ts";
import { allowedUrl } from "../../oauth/allowed-url.ts";
import { isOAuthFailure } from "../../oauth/failure.ts";
import { reachableAddresses } from "../../oauth/reachable-addresses.ts";
import { redirectTarget, sendChecked } from "../../oauth/send-checked.ts";
import type { ProtocolOptions } from "../../oauth/types.ts";
import { MAX_BUNDLE_BYTES } from "../bundles/limits.ts";
import { NotRunnable } from "../offer.ts";
import type { RegistryAccess } from "./registry-client.ts";
import type { BundleSource } from "./server-offers.ts";

const MAX_REDIRECTS = 5;
/** Until the answer begins, and between its parts. */
const SILENCE_MS = 10_000;
const TOTAL_MS = 10 * 60_000;

/**
 * Downloads a bundle that a registry names, and verifies its hash. Hosts of releases redirect to other
 * hosts, so redirects are followed, and each address is checked like the first one. The token of the
 * registry is sent only to the registry itself.
 */
export async function downloadBundle(
  { url: start, sha256 }: BundleSource,
  registry: RegistryAccess,
  { signal, lookup }: ProtocolOptions = {},
): Promise<Buffer> {
  const ends = new AbortController();
  const total = AbortSignal.any([
    ends.signal,
    AbortSignal.timeout(TOTAL_MS),
    ...(signal === undefined ? [] : [signal]),
  ]);
  let silence: NodeJS.Timeout | undefined;
  const expectMore = (): void => {
    clearTimeout(silence);
    silence = setTimeout(() => ends.abort(), SILENCE_MS);
  };
  try {
    let url = allowedUrl(start, "address of the bundle", registry.url);
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      expectMore();
      const isOwn = url.origin === new URL(registry.url).origin;
      const message = await sendChecked({
        url,
        method: "GET",
        headers: {
          accept: "application/octet-stream",
          ...(isOwn && registry.token && { authorization: `Bearer ${registry.token}` }),
        },
        body: undefined,
        addresses: await reachableAddresses(url, registry.url, lookup),
        signal: total,
      });
      const { statusCode = 0, headers } = message;
      const target = redirectTarget(statusCode, headers.location, url);
      if (target === undefined) {
        if (statusCode !== 200)
          throw new NotRunnable(`${url.host} answered with the status ${statusCode}`);
        if (Number(headers["content-length"] ?? 0) > MAX_BUNDLE_BYTES) {
          message.destroy();
          throw tooLarge();
        }
        return verified(await bytesOf(message, expectMore), sha256);
      }
      message.destroy();
      url = allowedUrl(target.href, "address of the bundle", registry.url);
    }
    throw new NotRunnable("its bundle is redirected too often");
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof NotRunnable || isOAuthFailure(error)) throw new NotRunnable(error.message);
    const reason = total.aborted ? "the download took too long" : reasonOf(error);
    throw new NotRunnable(`its bundle cannot be downloaded: ${reason}`);
  } finally {
    clearTimeout(silence);
  }
}

async function bytesOf(message: AsyncIterable<Buffer>, onPart: () => void): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of message) {
    onPart();
    size += part.length;
    if (size > MAX_BUNDLE_BYTES) throw tooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts);
}

const tooLarge = (): NotRunnable =>
  new NotRunnable(`its bundle is larger than ${MAX_BUNDLE_BYTES / 1024 / 1024} MB`);

function verified(bytes: Buffer, expected: string): Buffer {
  const found = createHash("sha256").update(bytes).digest("hex");
  if (found === expected) return bytes;
  throw new NotRunnable(
    `its bundle has the SHA-256 ${found} instead of ${expected}, so it is not the one that was published`,
  );
}
