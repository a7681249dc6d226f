import { GENEROUS_MS } from "../../support/clients/json-rpc.ts";
import { waitFor } from "../../support/proc.ts";

/** Tries repeatedly until there is a value, which may be false. */
export async function until<T>(attempt: () => Promise<T | undefined>, what: string): Promise<T> {
  const find = async (): Promise<{ value: T } | undefined> => {
    const value = await attempt();
    return value === undefined ? undefined : { value };
  };
  return (await waitFor(find, GENEROUS_MS, what)).value;
}
