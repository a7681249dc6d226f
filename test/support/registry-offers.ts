/** Offers of a registry's packages, as commands would show them. */
import { filledEntry, type InputValues } from "../../src/offers/fill.ts";
import type { Offer } from "../../src/offers/offer.ts";
import { serverResponse } from "../../src/offers/registry/schema.ts";
import { serverOffers } from "../../src/offers/registry/server-offers.ts";
import { registryEntry } from "./registry.ts";

/** A package of npm without arguments. */
export const BARE = {
  registryType: "npm",
  identifier: "@example/x",
  version: "1.0.0",
  transport: { type: "stdio" },
};

export const offersOf = (server: object) =>
  serverOffers(serverResponse.parse(registryEntry({ name: "a/b", ...server })).server);

/** The offer of a package; throws if it is refused. */
export const offerOf = (changes: object): Offer => {
  const { offers, refused } = offersOf({ packages: [{ ...BARE, ...changes }] });
  if (offers[0] === undefined) throw new Error(refused[0]?.reason);
  return offers[0] as Offer;
};

/** What an offer runs or contacts with values of the user. */
export const lineOf = (offer: Offer, values: Readonly<Record<string, string[]>> = {}): string => {
  const entry = filledEntry(offer, valuesFrom(values));
  return "command" in entry ? [entry.command, ...(entry.args ?? [])].join(" ") : entry.url;
};

export const valuesFrom = (values: Readonly<Record<string, string[]>>): InputValues =>
  new Map(
    Object.entries(values).map(([name, texts]) => [
      name,
      texts.map((text) => ({ text, from: "user" as const })),
    ]),
  );

export const named = (name: string, value?: string) => ({ type: "named", name, value });
export const positional = (value: string) => ({ type: "positional", value });
