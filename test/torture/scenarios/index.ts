import type { Scenario } from "../scenario.ts";
import { dying } from "./dying.ts";
import { ending } from "./ending.ts";
import { floods } from "./floods.ts";
import { framing } from "./framing.ts";
import { hanging } from "./hanging.ts";
import { httpAttacks } from "./http-attacks.ts";
import { listing } from "./listing.ts";
import { manyClients } from "./many-clients.ts";
import { pinning } from "./pinning.ts";
import { reloading } from "./reloading.ts";
import { remote } from "./remote.ts";
import { secrecy } from "./secrecy.ts";
import { starting } from "./starting.ts";

/** The ones that take long begin first. */
export const SCENARIOS: readonly Scenario[] = [
  ...dying,
  ...httpAttacks,
  ...remote,
  ...starting,
  ...reloading,
  ...pinning,
  ...secrecy,
  ...hanging,
  ...ending,
  ...listing,
  ...framing,
  ...floods,
  ...manyClients,
];
