import type { FilledEntry } from "../../offers/fill.ts";
import type { NamedTemplate, OfferInput, Template, WordGroup } from "../../offers/offer.ts";
import { inputsIn } from "../../offers/fill.ts";
import { shellWords } from "../../text/shell-words.ts";
import { truncate } from "../../text/truncate.ts";
import { lettersOutsideAscii, visible } from "../../text/visible.ts";
import type { Context } from "../core/command.ts";
import { hostInfo, shortPath } from "../core/host-info.ts";
import { columns } from "../output/layout.ts";
import type { FoundOffer } from "./find-offer.ts";

const MAX_DESCRIPTION_CHARS = 300;

/** Shows what would run or be contacted, and what it needs. All texts are the publisher's. */
export function showOffer(context: Pick<Context, "out" | "env">, found: FoundOffer): void {
  const { out } = context;
  const { bold, dim, yellow } = out.noteStyle;
  const width = out.isInteractive ? out.noteWidth : Infinity;
  const { offer, bundle, registry } = found;
  const { name, version, description, inputs, runs, connects, notes } = offer;
  out.say(`${bold(visible(name))} ${visible(version)}`);
  if (description !== "") out.say(visible(truncate(description, MAX_DESCRIPTION_CHARS)));
  const rows = [
    ["From", registry === null ? "a file" : visible(registry)],
    [
      "Package",
      `${offer.kind} ${visible(offer.identifier)} ${visible(offer.packageVersion ?? "")}`,
    ],
    ["Transport", offer.transport],
    ...(runs === undefined
      ? []
      : [
          ["Runs", commandPreview(runs.command, runs.args)],
          ...runs.env.map((one) => ["Variable", pairPreview(one, "=")]),
        ]),
    ...(connects === undefined
      ? []
      : [
          ["Connects to", templatePreview(connects.url)],
          ...connects.headers.map((one) => ["Header", pairPreview(one, ": ")]),
        ]),
    ...(bundle === undefined
      ? []
      : [
          ["SHA-256", bundle.content.digest],
          ["Folder", visible(shortPath(bundle.folder, hostInfo(context)))],
        ]),
    ...notes.map((note) => ["Note", visible(note)]),
  ];
  out.say(columns(rows, "  ", width));
  const letters = lettersOutsideAscii(rows.flat().join(" "));
  if (letters.length > 0)
    out.warn(`This has letters outside ASCII, which may look like others: ${letters.join(" ")}`);
  if (inputs.length === 0) return;
  out.say("It needs:");
  const needs = inputs.map((input) => [
    bold(visible(input.name)),
    input.isRequired ? yellow("required") : dim("optional"),
    visible(detailsOf(input)),
  ]);
  out.say(columns(needs, "  ", width));
}

/** Shows the entry with the values that the user gave; secrets are references in it. */
export function showEntry({ out }: Pick<Context, "out">, entry: FilledEntry): void {
  const what =
    "command" in entry
      ? `Runs ${shellWords([entry.command, ...(entry.args ?? [])].map(withoutEscapes))}`
      : `Connects to ${entry.url}`;
  out.say(visible(what));
}

/** The configuration writes `$${` for the characters `${` of a publisher; they are not a reference. */
function withoutEscapes(word: string): string {
  return word.replaceAll("$${", () => "${");
}

function detailsOf(input: OfferInput): string {
  const { isSecret, choices, isRepeated, description } = input;
  return [
    ...(isSecret ? ["secret"] : []),
    ...(input.default === undefined ? [] : [`default ${input.default.join(", ")}`]),
    ...(choices.length > 0 ? [`one of ${choices.join(", ")}`] : []),
    ...(isRepeated ? ["may be given several times"] : []),
    ...(description === "" ? [] : [truncate(description, MAX_DESCRIPTION_CHARS)]),
  ].join("; ");
}

function commandPreview(command: string, groups: readonly WordGroup[]): string {
  const words = groups.map(({ words: group, needs = [], flag }) => {
    const text = group.map(templatePreview).join(" ");
    return flag !== undefined || inputsIn(group).length + needs.length > 0 ? `[${text}]` : text;
  });
  return [visible(shellWords([command])), ...words].join(" ");
}

const pairPreview = ({ name, value }: NamedTemplate, between: string): string =>
  `${visible(name)}${between}${templatePreview(value)}`;

function templatePreview(template: Template): string {
  const text = template
    .map((part) => (typeof part === "string" ? part : `<${part.input}>`))
    .join("");
  const isFixed = template.every((part) => typeof part === "string");
  return visible(isFixed ? shellWords([text]) : text);
}

/** The offer for `--json`. */
export function offerReport({ offer, registry, bundle }: FoundOffer): object {
  const { kind, name, version, identifier, packageVersion, transport, inputs } = offer;
  return {
    name,
    version,
    registry,
    kind,
    identifier,
    packageVersion,
    transport,
    folder: bundle?.folder ?? null,
    sha256: bundle?.content.digest ?? null,
    needs: inputs.map((input) => ({
      name: input.name,
      description: input.description,
      required: input.isRequired,
      secret: input.isSecret,
      default: input.default ?? null,
      choices: input.choices,
      repeated: input.isRepeated,
    })),
  };
}
