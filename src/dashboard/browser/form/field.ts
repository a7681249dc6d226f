/** The model of a form: what a tool takes, as fields that a person can fill in. */

interface FieldBase {
  /** The name of the argument; empty for the arguments as a whole and for items of a list. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** An empty field is sent as null if it is required. */
  readonly isNullable: boolean;
  readonly initial: unknown;
}

export interface TextField extends FieldBase {
  readonly kind: "text";
  readonly minLength: number;
  readonly maxLength: number;
  /** Such as `date-time`; shown as a hint. */
  readonly format: string;
  /** Shown as a hint, never evaluated: a pattern of a server could keep the browser busy for hours. */
  readonly pattern: string;
}

export interface NumberField extends FieldBase {
  readonly kind: "number";
  readonly isInteger: boolean;
  readonly minimum: number;
  readonly maximum: number;
  readonly isAboveMinimum: boolean;
  readonly isBelowMaximum: boolean;
  readonly multipleOf: number | undefined;
}

export interface BooleanField extends FieldBase {
  readonly kind: "boolean";
}

export interface ChoiceField extends FieldBase {
  readonly kind: "choice";
  /** Any JSON values; in the draft, a choice is its index. */
  readonly choices: readonly unknown[];
  /** What they are called; by their value where there is no name. */
  readonly names: readonly string[];
}

export interface ListField extends FieldBase {
  readonly kind: "list";
  readonly item: Field;
  readonly minItems: number;
  readonly maxItems: number;
}

export interface GroupField extends FieldBase {
  readonly kind: "group";
  readonly fields: readonly Field[];
}

/** Anything that the other kinds do not cover, entered as JSON. */
export interface JsonField extends FieldBase {
  readonly kind: "json";
}

export type Field =
  | TextField
  | NumberField
  | BooleanField
  | ChoiceField
  | ListField
  | GroupField
  | JsonField;

/** What a user has entered: a text, the items of a list, or the members of a group. */
export type Draft = string | DraftList | DraftGroup;

export interface DraftList {
  /** The keys tell items apart when one is removed. */
  readonly items: readonly { readonly key: number; readonly draft: Draft }[];
}

export interface DraftGroup {
  readonly members: Readonly<Record<string, Draft>>;
}

export interface FieldProblem {
  /** A JSON pointer, such as `/filter/0/name`. */
  readonly path: string;
  readonly message: string;
}
