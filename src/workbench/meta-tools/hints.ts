/**
 * What clients can be asked for in the `_meta` of a tool. Models do not see it.
 *
 * Claude Code writes results of more than 50,000 characters to a file, unless the tool asks for more.
 * It loads the definitions of tools only when they are searched, except for those that must always be
 * there, and finds them by a hint.
 */
export type ToolHints = Readonly<Record<string, string | number | boolean>>;

export const MAX_RESULT_CHARS = "anthropic/maxResultSizeChars";
/** The most that it accepts. */
const LARGEST_RESULT = 500_000;

const ALWAYS_LOAD: ToolHints = { "anthropic/alwaysLoad": true };
/** For tools whose results are as large as those of servers. */
export const LARGE_RESULTS: ToolHints = { ...ALWAYS_LOAD, [MAX_RESULT_CHARS]: LARGEST_RESULT };
