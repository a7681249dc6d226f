import { EXIT } from "../../errors.ts";
import { RegistryClient } from "../../offers/registry/registry-client.ts";
import { type RegistryEntry, statusOf } from "../../offers/registry/schema.ts";
import { truncate } from "../../text/truncate.ts";
import { visible } from "../../text/visible.ts";
import type { Context } from "../core/command.ts";
import { ownCommand } from "../core/own-command.ts";
import { readCount } from "../core/read-count.ts";
import { columns } from "../output/layout.ts";
import { registryAccess } from "./registry-access.ts";

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 200;
const MAX_DESCRIPTION_CHARS = 200;

/** `registry WORDS` */
export async function registry(context: Context): Promise<number> {
  const { args, out, signal } = context;
  const limit = readCount(args, "limit", DEFAULT_LIMIT, MAX_LIMIT);
  const client = new RegistryClient(await registryAccess(context), { signal });
  const words = args.words.flatMap((word) => word.split(/\s+/)).filter((word) => word !== "");
  const { servers, hasMore } = await client.search(words, limit);
  out.document({ registry: client.url, words, servers: servers.map(reportOf), hasMore });
  if (servers.length === 0) {
    out.print(`${visible(client.url)} has no server with '${visible(words.join(" "))}'.`);
    return EXIT.ok;
  }
  const { bold, dim, yellow } = out.style;
  const rows = servers.map((entry) => {
    const { name, version, description } = entry.server;
    const { status } = statusOf(entry);
    const what = visible(truncate(description ?? "", MAX_DESCRIPTION_CHARS));
    return [
      bold(name),
      visible(version),
      kindsOf(entry).map(visible).join(", "),
      status === "active" ? dim(what) : `${yellow(visible(status))} ${dim(what)}`,
    ];
  });
  out.print(columns(rows, "", out.tableWidth));
  if (hasMore) out.say("There are more servers than these. Add a word.");
  out.say(`Add one: ${ownCommand(context)} add NAME`);
  return EXIT.ok;
}

const kindsOf = ({ server }: RegistryEntry): readonly string[] => [
  ...new Set([
    ...(server.packages ?? []).map(({ registryType }) => registryType),
    ...((server.remotes ?? []).length > 0 ? ["remote"] : []),
  ]),
];

function reportOf(entry: RegistryEntry): object {
  const { name, title, description, version, websiteUrl, repository, packages, remotes } =
    entry.server;
  return {
    name,
    title: title ?? null,
    description: description ?? "",
    version,
    status: statusOf(entry).status,
    website: websiteUrl ?? null,
    repository: repository?.url ?? null,
    packages: (packages ?? []).map((one) => ({
      type: one.registryType,
      identifier: one.identifier,
      version: one.version ?? null,
      transport: one.transport.type,
    })),
    remotes: (remotes ?? []).map(({ type, url }) => ({ type, url: url ?? null })),
  };
}
