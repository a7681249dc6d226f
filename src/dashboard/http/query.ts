import type { Page } from "../contract.ts";
import { invalid } from "./body.ts";

/** The parameters of a request that reads; a missing one is empty. */
export class Query {
  readonly #parameters: URLSearchParams;

  constructor(target: string) {
    const at = target.indexOf("?");
    this.#parameters = new URLSearchParams(at < 0 ? "" : target.slice(at + 1));
  }

  text(name: string): string {
    return this.#parameters.get(name) ?? "";
  }

  /** Throws if the parameter is missing. */
  required(name: string): string {
    const value = this.#parameters.get(name);
    if (value === null || value === "") throw invalid(`The parameter '${name}' is missing`);
    return value;
  }

  /** One of these texts; undefined if it is missing. */
  choice<T extends string>(name: string, choices: readonly T[]): T | undefined {
    const value = this.text(name);
    if (value === "") return undefined;
    const found = choices.find((one) => one === value);
    if (found === undefined) throw invalid(`'${name}' must be one of: ${choices.join(", ")}`);
    return found;
  }

  /** A number up to a limit. */
  count(name: string, fallback: number, max: number): number {
    const value = this.text(name);
    if (value === "") return fallback;
    if (!/^\d{1,9}$/.test(value)) throw invalid(`'${name}' must be a number`);
    return Math.min(Number(value), max);
  }
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
const MAX_OFFSET = 1_000_000;

/** Which part of a list is asked for. */
export function rangeOf(query: Query): { readonly offset: number; readonly limit: number } {
  return {
    offset: query.count("offset", 0, MAX_OFFSET),
    limit: query.count("limit", DEFAULT_LIMIT, MAX_LIMIT),
  };
}

/** The part of a list that is asked for. Only its items are turned into what is shown. */
export function pageOf<T, S>(all: readonly T[], query: Query, show: (item: T) => S): Page<S> {
  const { offset, limit } = rangeOf(query);
  return { items: all.slice(offset, offset + limit).map(show), total: all.length, offset };
}

/** Whether one of the texts contains the words that are looked for. */
export function matches(wanted: string, ...texts: readonly string[]): boolean {
  const word = wanted.trim().toLowerCase();
  return word === "" || texts.some((text) => text.toLowerCase().includes(word));
}
