import { existsSync } from "node:fs";
import { join } from "node:path";

import { stateDir, thisMachine } from "../../config/directories.ts";
import { reasonOf } from "../../errors.ts";
import { clusterOf } from "../core/cluster.ts";
import type { Context } from "../core/command.ts";
import { allStored, endSignIns } from "../sign-in/logout.ts";
import { withSignIns } from "../sign-in/with-sign-ins.ts";

/**
 * Signs a user who no longer exists out of the servers that each user signs in to. No other user could use these
 * sign-ins; so a problem with them is only reported.
 */
export async function endSignInsOf(context: Context, userId: string): Promise<void> {
  if (!existsSync(join(stateDir(thisMachine(context.env)), "credentials"))) return;
  try {
    const cluster = await clusterOf(context);
    await withSignIns(context, { credentials: "auto", cluster }, async (signIns) => {
      const stored = await allStored(signIns, []);
      const own = stored.filter(({ oauth }) => oauth.user?.id === userId);
      await endSignIns(context, own, signIns);
    });
  } catch (error) {
    context.out.warn(`Its sign-ins could not be deleted: ${reasonOf(error)}`);
  }
}
