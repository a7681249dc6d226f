import { type AddressInfo, connect, createServer } from "node:net";
import { endianness } from "node:os";
import { describe, expect, it } from "vitest";

import { userOf } from "./peer-user.ts";

const HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n";
const line = (local: string, uid: number): string =>
  `   0: ${local} 0100007F:1C85 01 00000000:00000000 00:00000000 00000000  ${uid}        0 1\n`;

// Linux writes addresses in the byte order of the machine; these are little-endian.
describe.runIf(endianness() === "LE")("the user at the other end of a connection", () => {
  const v4 = HEAD + line("0100007F:C350", 1000) + line("0100007F:C351", 1001);
  const v6 =
    HEAD +
    line("00000000000000000000000001000000:C352", 1002) +
    line("0000000000000000FFFF00000100007F:C353", 1003);
  const read = (file: string): string => (file.endsWith("6") ? v6 : v4);

  it.each([
    ["127.0.0.1", 50_000, 1000],
    ["::ffff:127.0.0.1", 50_001, 1001],
    ["::1", 50_002, 1002],
    ["127.0.0.1", 50_003, 1003],
    ["127.0.0.1", 50_004, undefined],
    ["127.0.0.2", 50_000, undefined],
    ["::2", 50_002, undefined],
  ])("at %s:%i is %s", (address, port, uid) => {
    expect(userOf({ address, port }, read)).toBe(uid);
  });

  it("is not known on systems that do not say", () => {
    expect(userOf({ address: "127.0.0.1", port: 1 }, () => "")).toBeUndefined();
  });
});

// Only Linux has these files.
describe.runIf(process.platform === "linux")("a connection of this program", () => {
  it("belongs to its user", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const accepted = new Promise<number | undefined>((resolve) =>
      server.once("connection", (socket) => {
        const { remoteAddress: address = "", remotePort: port = 0 } = socket;
        resolve(userOf({ address, port }));
        socket.destroy();
      }),
    );
    const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
    client.on("error", () => {});
    expect(await accepted).toBe(process.getuid?.());
    client.destroy();
    server.close();
  });
});
