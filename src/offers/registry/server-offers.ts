import { addressProblem } from "../address-problem.ts";
import { checkHeaderName } from "../names.ts";
import {
  isNotRunnable,
  NotRunnable,
  OFFER_KINDS,
  type Offer,
  type OfferKind,
  type Refusal,
} from "../offer.ts";
import { InputCollector } from "./inputs.ts";
import { packageProgram } from "./package-offer.ts";
import type { RegistryPackage, RegistryServer, RegistryTransport } from "./schema.ts";

/** A bundle to download before it can be offered. */
export interface BundleSource {
  readonly kind: "mcpb";
  readonly url: string;
  readonly sha256: string;
  /** What users should know that the bundle does not say. */
  readonly notes: readonly string[];
}

/** The ways to run a server, in the order of the publisher, and those that cannot be used. */
export interface ServerOffers {
  readonly offers: readonly (Offer | BundleSource)[];
  readonly refused: readonly Refusal[];
}

/** Reads an entry of a registry. Nothing is fetched or run. */
export function serverOffers(server: RegistryServer): ServerOffers {
  const offers: (Offer | BundleSource)[] = [];
  const refused: Refusal[] = [];
  const attempt = (kind: string, identifier: string, make: () => Offer | BundleSource): void => {
    try {
      offers.push(make());
    } catch (error) {
      if (!isNotRunnable(error)) throw error;
      refused.push({ kind, identifier, reason: error.message });
    }
  };
  for (const one of server.packages ?? [])
    attempt(one.registryType, one.identifier, () =>
      one.registryType === "mcpb" ? bundleSource(one) : packageOffer(server, one),
    );
  for (const one of server.remotes ?? [])
    attempt("remote", one.url ?? "", () => remoteOffer(server, one));
  return { offers, refused };
}

function packageOffer(server: RegistryServer, given: RegistryPackage): Offer {
  const { command, args, env, inputs, identifier, version } = packageProgram(given);
  return {
    ...describe(server),
    kind: OFFER_KINDS.find((kind) => kind === given.registryType) as OfferKind,
    identifier,
    packageVersion: version,
    transport: "stdio",
    runs: { command, args, env },
    inputs,
  };
}

function remoteOffer(server: RegistryServer, given: RegistryTransport): Offer {
  const { type } = given;
  if (type !== "streamable-http" && type !== "sse")
    throw new NotRunnable(`the transport '${type}' is not supported`);
  const inputs = new InputCollector();
  const written = given.url ?? "";
  const url = inputs.fixed(written, given.variables ?? {}, { of: "url", isRequired: true });
  const isFixed = url.every((part) => typeof part === "string");
  const problem = addressProblem(
    url.map((part) => (typeof part === "string" ? part : "x")).join(""),
  );
  const isOpenStart = typeof url[0] !== "string";
  if (problem !== undefined && (isFixed || !isOpenStart))
    throw new NotRunnable(`its address ${problem}`);
  const headers = inputs.named(given.headers ?? [], checkHeaderName);
  return {
    ...describe(server),
    kind: "remote",
    identifier: written,
    packageVersion: null,
    transport: type,
    connects: { url, headers },
    inputs: inputs.inputs,
  };
}

const SHA256 = /^[0-9a-f]{64}$/i;

/** Without the hash of the file there would be no telling whether it is the one that was published. */
function bundleSource(given: RegistryPackage): BundleSource {
  const { identifier, fileSha256, transport } = given;
  const problem = addressProblem(identifier);
  if (problem !== undefined) throw new NotRunnable(`the address of its bundle ${problem}`);
  const problemOfHash = fileSha256 ? "malformed" : "missing";
  if (!SHA256.test(fileSha256 ?? ""))
    throw new NotRunnable(
      `the SHA-256 of its bundle is ${problemOfHash}, so it cannot be verified`,
    );
  if (transport.type !== "stdio")
    throw new NotRunnable(`the transport '${transport.type}' is not supported for a bundle`);
  return {
    kind: "mcpb",
    url: identifier,
    sha256: (fileSha256 ?? "").toLowerCase(),
    notes: unusedParts(given),
  };
}

/** A bundle says itself what it runs and needs; what the registry says in addition has no place in it. */
function unusedParts(given: RegistryPackage): readonly string[] {
  const { runtimeArguments, packageArguments, environmentVariables } = given;
  const parts = [
    ...((runtimeArguments ?? []).length + (packageArguments ?? []).length > 0 ? ["arguments"] : []),
    ...(environmentVariables ?? []).map(({ name }) => name),
  ];
  if (parts.length === 0) return [];
  return [
    `Not used, because only its manifest counts: ${parts.join(", ")} of the registry's entry`,
  ];
}

const describe = ({ name, version, description }: RegistryServer) => ({
  name,
  version,
  description: description ?? "",
  notes: [],
});
