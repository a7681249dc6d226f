import { VERSION } from "../../version.ts";
import type { Findings } from "./check.ts";

/** The oldest version of Node.js that we support; the same as in package.json. */
export const MIN_NODE = [20, 19] as const;

export function checkRuntime(findings: Findings, node: string = process.versions.node): void {
  const [major = 0, minor = 0] = node.split(".").map(Number);
  const [oldestMajor, oldestMinor] = MIN_NODE;
  const isOld = major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
  findings.add({
    area: "runtime",
    subject: "Node.js",
    status: isOld ? "error" : "ok",
    message: `mcp-workbench ${VERSION} on Node.js ${node}`,
    ...(isOld && { fix: `Install Node.js ${MIN_NODE.join(".")} or newer` }),
  });
}
