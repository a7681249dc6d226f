/** The socket for `status` is never created in a folder that another user could have prepared. */
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { listTools } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { dev, fixture } from "../support/servers.ts";
import { startWorkbench, temporaryFolder } from "../support/workbench.ts";

const cleanup = perTest();

/** A folder for temporary files, and one for state that is too deep to hold a socket. */
function folders(): { readonly temporary: string; readonly env: Record<string, string> } {
  const root = temporaryFolder(cleanup);
  const temporary = join(root, "tmp");
  mkdirSync(temporary);
  return { temporary, env: { TMPDIR: temporary, XDG_STATE_HOME: join(root, "s".repeat(100)) } };
}
const nameOfFolder = `mcp-workbench-${userInfo().uid}`;

// On Windows the socket is a named pipe, which is not in a folder.
describe.skipIf(process.platform === "win32")("the folder of the socket", () => {
  it("is made for this user alone", async () => {
    const { temporary, env } = folders();
    const { client } = await startWorkbench(cleanup, dev({ fx: fixture() }), { env });
    await listTools(client);
    const folder = join(temporary, nameOfFolder);
    await expect.poll(() => readdirSync(folder), { timeout: 60_000 }).toHaveLength(1);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it.each<[string, (temporary: string) => void, string]>([
    [
      "a link",
      (temporary) => {
        mkdirSync(join(temporary, "prepared"));
        symlinkSync(join(temporary, "prepared"), join(temporary, nameOfFolder));
      },
      "it is a symbolic link",
    ],
    [
      "a link that leads nowhere",
      (temporary) => symlinkSync(join(temporary, "prepared"), join(temporary, nameOfFolder)),
      "it is a symbolic link",
    ],
    [
      "a file",
      (temporary) => writeFileSync(join(temporary, nameOfFolder), ""),
      "it is not a folder",
    ],
  ])("is not used if it is %s, and serving goes on without", async (_, prepare, reason) => {
    const { temporary, env } = folders();
    prepare(temporary);
    const before = readdirSync(temporary, { recursive: true });
    const { client } = await startWorkbench(cleanup, dev({ fx: fixture() }), { env });
    const isReported = (): boolean => client.stderr.includes("status is not available");
    await client.when(isReported, "the warning about the status");
    expect(client.stderr).toContain(reason);
    expect(JSON.stringify(await listTools(client))).toContain("use_tool");
    expect(readdirSync(temporary, { recursive: true })).toEqual(before);
  });
});
