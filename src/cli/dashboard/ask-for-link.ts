import { connect } from "node:net";

import { workbenchError } from "../../errors.ts";
import { isObject, parseJson } from "../../text/json.ts";
import type { FoundDashboard } from "./find-dashboard.ts";

const ANSWER_MS = 10_000;

/** Gets a link that works once from a running workbench. */
export function askForLink({ pid, channel }: FoundDashboard): Promise<string> {
  const failed = (reason: string): Error =>
    workbenchError("INTERNAL", { reason: `the workbench with pid ${pid} gave no link: ${reason}` });
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(channel.socket, () => socket.write(`${channel.secret}\n`));
    socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error("no answer")));
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("error", (error) => reject(failed(error.message)));
    socket.on("end", () => {
      const answer = parseJson(Buffer.concat(chunks).toString("utf8"));
      const { link, error } = isObject(answer) ? answer : {};
      if (typeof link === "string") resolve(link);
      else reject(failed(typeof error === "string" ? error : "it is ending"));
    });
  });
}
