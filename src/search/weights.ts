/**
 * The weight of each word in a tool: BM25F with fixed typical lengths.
 *
 * A word counts more in the name of a tool than in its details, more in a short text than in a long
 * one, and its tenth occurrence adds little. Lengths are compared with typical ones instead of current
 * averages, so the weights of a tool do not depend on the other tools.
 */

import type { Postings, Term } from "./postings.ts";
import type { TermSums } from "./term-sums.ts";
import type { ToolText } from "./searchable-text.ts";

interface Field {
  readonly weight: number;
  /** In terms. */
  readonly typicalLength: number;
}

/** Coarse on purpose: finer values would overfit the queries they were chosen with. */
const FIELDS = {
  name: { weight: 3, typicalLength: 3 },
  purpose: { weight: 1, typicalLength: 12 },
  server: { weight: 1, typicalLength: 4 },
  parameters: { weight: 0.5, typicalLength: 4 },
  details: { weight: 0.5, typicalLength: 16 },
  about: { weight: 0.5, typicalLength: 30 },
} as const satisfies Record<string, Field>;

const SATURATION = 1.2;
const LENGTH_NORMALISATION = 0.75;

/** The terms of the texts of a tool, in order, with repetitions. */
export type ToolTerms = Readonly<Record<keyof ToolText, readonly Term[]>>;

/** The terms of what all tools of a server share. */
export interface ServerTerms {
  readonly server: readonly Term[];
  readonly about: readonly Term[];
}

/** The part that all tools of a server share: the name and description of the server. */
export interface WeighedServer {
  readonly sums: ReadonlyMap<Term, number>;
  readonly terms: ServerTerms;
}

/** Where weights are added up; a `TermSums` or what has the same method. */
interface Sums {
  add(term: Term, weight: number): void;
}

export function weighServer(server: string, about: string, postings: Postings): WeighedServer {
  const sums = new Map<Term, number>();
  const add = (term: Term, weight: number): void => {
    sums.set(term, (sums.get(term) ?? 0) + weight);
  };
  const terms = { server: postings.termsIn(server), about: postings.termsIn(about) };
  addField({ add }, terms.server, FIELDS.server);
  addField({ add }, terms.about, FIELDS.about);
  return { sums, terms };
}

/** Sets the sums to those of a tool. */
export function weighTool(
  text: ToolText,
  server: WeighedServer,
  postings: Postings,
  sums: TermSums,
): ToolTerms {
  const terms = {
    name: postings.termsIn(text.name),
    purpose: postings.termsIn(text.purpose),
    parameters: postings.termsIn(text.parameters),
    details: postings.termsIn(text.details),
  };
  sums.clear();
  for (const [term, sum] of server.sums) sums.add(term, sum);
  addField(sums, terms.name, FIELDS.name);
  addField(sums, terms.purpose, FIELDS.purpose);
  addField(sums, terms.parameters, FIELDS.parameters);
  addField(sums, terms.details, FIELDS.details);
  return terms;
}

/** From 0 to 1, however often and wherever a word occurs. */
export function saturated(sum: number): number {
  return sum / (SATURATION + sum);
}

function addField(sums: Sums, terms: readonly Term[], field: Field): void {
  const relativeLength = terms.length / field.typicalLength;
  const weight = field.weight / (1 - LENGTH_NORMALISATION + LENGTH_NORMALISATION * relativeLength);
  for (const term of terms) sums.add(term, weight);
}
