/** The implementations of the setup commands, bundled together and loaded on first use. */
export { overview } from "../setup/overview.ts";
export { add } from "../setup/add.ts";
export { disable, enable } from "../setup/disable.ts";
export { edit } from "../setup/edit.ts";
export { importServers } from "../setup/import.ts";
export { init } from "../setup/init.ts";
export { install } from "../setup/install.ts";
export { move } from "../setup/move.ts";
export { remove } from "../setup/remove.ts";
export { rename } from "../setup/rename.ts";
export { secret } from "../secret/secret.ts";
export { undo } from "../setup/undo.ts";
export { uninstall } from "../setup/uninstall.ts";
