import { isObject } from "../text/json.ts";

/** The key of each entry in a list: its `name`, with a number if it occurs again; undefined without one. */
export function entryKeys(list: readonly unknown[]): readonly (string | undefined)[] {
  const taken = new Set<string>();
  return list.map((entry) => {
    const name = isObject(entry) ? entry["name"] : undefined;
    if (typeof name !== "string" || name === "") return undefined;
    let key = name;
    for (let count = 2; taken.has(key); count += 1) key = `${name} (${count})`;
    taken.add(key);
    return key;
  });
}

/** A list of named entries as an object by name. */
export function byName(list: readonly unknown[]): Readonly<Record<string, unknown>> {
  const keys = entryKeys(list);
  return Object.fromEntries(
    list.flatMap((entry, index) => {
      const key = keys[index];
      return key === undefined ? [] : [[key, entry]];
    }),
  );
}
