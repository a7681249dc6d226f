export const NAME = "mcp-workbench";
/** Equal to the version in package.json; a test keeps it so. */
export const VERSION = "0.1.0";
