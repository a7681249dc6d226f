/** The key in `_meta` of a result under which the workbench says what a script has done. */
export const SCRIPT_META_KEY = "mcp-workbench/script";

/** A script as its author wrote it. */
export interface ScriptText {
  readonly source: string;
  /** Set if it is a saved script. */
  readonly saved?: SavedCode | undefined;
}

/** A module that is run instead of the source. */
export interface SavedCode {
  /** The name of the file, for errors. */
  readonly file: string;
  /** The source without types. */
  readonly code: string;
}
