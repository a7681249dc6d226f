import type { VNode } from "preact";
import type { ServerDetail, ServerUser } from "../../../contract.ts";
import { safeLine } from "../../../../text/safe-text.ts";
import { formatCount } from "../../format.ts";
import { Badge } from "../../parts/badge.tsx";
import { Empty } from "../../parts/empty.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { AUTH_STATES, shownState } from "./server-state.ts";

const COLUMNS: readonly Column<ServerUser>[] = [
  { title: "User", kind: "head", cell: ({ user }) => safeLine(user) },
  {
    title: "State",
    cell: ({ state, auth }) => (
      <span class="bar">
        <Badge {...shownState(state)} />
        {auth !== null && <Badge {...AUTH_STATES[auth.state]} />}
      </span>
    ),
  },
  { title: "Calls", kind: "number", cell: ({ calls }) => formatCount(calls) },
  { title: "Failed", kind: "number", cell: ({ errors }) => formatCount(errors) },
];

/** The users of a server that each user signs in to. Their sign-ins are managed with commands. */
export function ServerUsers({ users = [], userCount = 0 }: ServerDetail): VNode {
  return (
    <section class="stack" aria-label="Users">
      <h2>Users</h2>
      <p class="muted">
        Each user signs in to this server. What is above is about you; this is about others with
        clients at present.
      </p>
      {users.length === 0 ? (
        <Empty title="No other users">Users of this server appear here.</Empty>
      ) : (
        <Table caption="Users" columns={COLUMNS} rows={users} keyOf={({ user }) => user} />
      )}
      {userCount > users.length && (
        <p class="muted">and {formatCount(userCount - users.length)} more</p>
      )}
    </section>
  );
}
