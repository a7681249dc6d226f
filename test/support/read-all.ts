import type { Socket } from "node:net";

/** Everything received on a connection until it is closed. */
export async function readAll(socket: Socket): Promise<string> {
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  socket.on("error", () => {});
  if (!socket.closed) await new Promise((resolve) => void socket.once("close", resolve));
  return text;
}
