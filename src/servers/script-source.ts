/**
 * The key in the definition of a saved script for the digest of its source. It is pinned, so that a changed
 * script is a changed definition, and never shown to clients.
 */
export const SOURCE_KEY = "mcp-workbench/source";
