/**
 * A JSON Schema with only the keywords that occur in the one generated from the Zod schema. The check
 * at start-up rejects any other keyword instead of ignoring it.
 */
export interface Rule {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Rule>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false | Rule;
  readonly propertyNames?: Rule;
  readonly items?: Rule;
  readonly minItems?: number;
  readonly anyOf?: readonly Rule[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
}
