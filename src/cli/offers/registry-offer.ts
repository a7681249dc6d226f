import { workbenchError } from "../../errors.ts";
import { type Offer, OFFER_KINDS, type Refusal } from "../../offers/offer.ts";
import { downloadBundle } from "../../offers/registry/download-bundle.ts";
import { type RegistryAccess, RegistryClient } from "../../offers/registry/registry-client.ts";
import { type RegistryServer, statusOf } from "../../offers/registry/schema.ts";
import { type BundleSource, serverOffers } from "../../offers/registry/server-offers.ts";
import { visible } from "../../text/visible.ts";
import type { Context } from "../core/command.ts";
import { registryAccess } from "../registry/registry-access.ts";
import { type FoundOffer, offerInBundle, refusalOf } from "./find-offer.ts";
import { hasProgram } from "./has-program.ts";

type Candidate = Offer | BundleSource;

/** Where to get programs that are missing. */
const SOURCES: Readonly<Record<string, string>> = {
  npx: "It comes with Node.js",
  uvx: "It comes with uv",
  dnx: "It comes with the .NET SDK 10",
};

/** The way to run a server of a registry that the user chooses; `NAME@VERSION` names a version. */
export async function offerInRegistry(context: Context, word: string): Promise<FoundOffer> {
  const { out, signal } = context;
  const at = word.indexOf("@");
  const name = at === -1 ? word : word.slice(0, at);
  const version = at === -1 ? "latest" : word.slice(at + 1);
  if (version === "")
    throw workbenchError("USAGE", { reason: `The version after '${visible(name)}@' is missing` });
  const access = await registryAccess(context);
  const client = new RegistryClient(access, { signal });
  const entry = await client.get(name, version);
  const { status, message } = statusOf(entry);
  const said = message === undefined ? "" : `: ${visible(message)}`;
  if (status === "deleted")
    throw workbenchError("CANNOT_ADD", { name, reason: `it was deleted from the registry${said}` });
  if (status !== "active") out.warn(`${name} is ${visible(status)}${said}`);
  const { offers, refused } = serverOffers(entry.server);
  const chosen = await choose(context, name, usable(context, offers, refused));
  const found = await completed(context, entry.server, chosen, access);
  return { ...found, registry: client.url };
}

/** Downloads a bundle to see what it runs. */
async function completed(
  context: Context,
  { name, version }: RegistryServer,
  chosen: Candidate,
  access: RegistryAccess,
): Promise<Omit<FoundOffer, "registry">> {
  if (!("url" in chosen)) return { offer: chosen };
  const { out, signal } = context;
  out.say(`Downloading ${visible(chosen.url)}`);
  try {
    const { offer, bundle } = offerInBundle(
      context,
      await downloadBundle(chosen, access, { signal }),
    );
    const differs = offer.version === version ? [] : [`The registry calls it ${version}`];
    const notes = [...offer.notes, ...chosen.notes, ...differs];
    return { offer: { ...offer, name, identifier: chosen.url, notes }, bundle };
  } catch (error) {
    throw refusalOf(name, error);
  }
}

interface Usable {
  readonly candidates: readonly Candidate[];
  readonly refused: readonly Refusal[];
}

/** Without those whose program is missing on this machine. */
function usable(
  { env }: Pick<Context, "env">,
  offers: readonly Candidate[],
  refused: readonly Refusal[],
): Usable {
  const missing: Refusal[] = [];
  const candidates = offers.filter((offer) => {
    const command = "runs" in offer ? offer.runs?.command : undefined;
    if (command === undefined || hasProgram(command, env)) return true;
    const hint = SOURCES[command];
    const reason = `${command} was not found on the PATH${hint === undefined ? "" : `. ${hint}`}`;
    missing.push({ kind: offer.kind, identifier: identifierOf(offer), reason });
    return false;
  });
  return { candidates, refused: [...refused, ...missing] };
}

async function choose(context: Context, name: string, found: Usable): Promise<Candidate> {
  const { args, prompt } = context;
  const kind = args.text("package");
  if (kind !== undefined && !OFFER_KINDS.some((one) => one === kind))
    throw workbenchError("USAGE", { reason: `--package takes ${OFFER_KINDS.join(", ")}` });
  const isWanted = (one: { readonly kind: string }): boolean =>
    kind === undefined || one.kind === kind;
  const candidates = found.candidates.filter(isWanted);
  const [first, ...others] = candidates;
  if (first === undefined) {
    const reasons = found.refused
      .filter(isWanted)
      .map((one) => `${one.kind} ${one.identifier}: ${one.reason}`);
    const available = [...new Set(found.candidates.map((one) => one.kind))].join(", ");
    const hint = available === "" ? undefined : `It is available as ${available}`;
    const reason = reasons.length > 0 ? reasons.join("; ") : "it has nothing that could be run";
    throw workbenchError("CANNOT_ADD", { name, reason: visible(reason) }, hint);
  }
  if (others.length === 0 || args.flag("yes") || !prompt.available) return first;
  const labels = candidates.map((one) => visible(`${one.kind} ${identifierOf(one)}`));
  const [index = 0] = await prompt.choose("Use which one?", labels, [0]);
  return candidates[index] ?? first;
}

const identifierOf = (one: Candidate): string => ("url" in one ? one.url : one.identifier);
