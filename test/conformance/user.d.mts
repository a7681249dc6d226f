/** One value for each property of a schema. */
export function argumentsFor(schema: object): Record<string, unknown>;
