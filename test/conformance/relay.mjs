/**
 * What the suite starts as its client. The driver in another process does the work (`drivers.ts`), because
 * it is loaded there once for all scenarios:
 *
 *   relay.mjs SOCKET URL
 */
import { connect } from "node:net";

const [path, url] = process.argv.slice(2);
let answer = "";
const socket = connect(path).setEncoding("utf8");
socket.on("data", (text) => (answer += text));
socket.on("end", () => {
  const { code, output } = JSON.parse(answer);
  process.stderr.write(output);
  process.exitCode = code;
});
socket.write(`${JSON.stringify({ url, env: process.env })}\n`);
