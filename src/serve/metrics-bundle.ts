/** What serving over stdio loads for `--metrics`. */
export { parseAddress } from "./http/address.ts";
export { listenForMetrics } from "./metrics-listener.ts";
