import type { InstallRecord } from "./journal.ts";
import type { ClientRow } from "./types.ts";

/** A planned removal from one client file. */
export interface UndoPlan {
  readonly row: ClientRow;
  readonly file: string;
  readonly before: string | undefined;
  /** Undefined when the file is deleted, because the installation created it. */
  readonly after: string | undefined;
  readonly diff: string;
  /** True when the file is restored byte for byte. */
  readonly exact: boolean;
  readonly record: InstallRecord | undefined;
  /** Other installations stay in the file, and this record of them replaces the old one. */
  readonly remaining?: { readonly record: InstallRecord | undefined };
}
