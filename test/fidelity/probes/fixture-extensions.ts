import { createHash } from "node:crypto";
import { expect } from "vitest";
import type { Json } from "../../support/clients/matrix-client.ts";
import { CONTENTS, PAGE_URI, SKILL } from "../servers/definitions.mjs";
import { SERVER, type Subject, textOf } from "../subject.ts";
import type { Probes } from "./probe.ts";
import { until } from "./until.ts";

/** A URI that keeps its scheme, as the client sees it. */
function keptUri({ plain, toolbox }: Subject, uri: string): string {
  return plain ? uri : uri.replace("://", `://${toolbox}.${SERVER}/`);
}

const nameOf = ({ plain, toolbox }: Subject, tool: string): string =>
  plain ? tool : `${toolbox}__${SERVER}__${tool}`;

async function listed(subject: Subject, tool: string): Promise<Json | undefined> {
  const tools = await subject.listAll("tools/list", "tools");
  return tools.find(({ name }) => name === nameOf(subject, tool));
}

async function readApps(subject: Subject): Promise<void> {
  const { client } = subject;
  const uri = keptUri(subject, PAGE_URI);
  const shown = await until(() => listed(subject, "show"), "the tool with a page");
  expect(shown["_meta"]).toMatchObject({ ui: { resourceUri: uri }, "ui/resourceUri": uri });
  const called = await client.request("tools/call", { name: shown["name"], arguments: {} });
  expect(called["_meta"]).toMatchObject({ ui: { resourceUri: uri } });
  const resources = await subject.listAll("resources/list", "resources");
  expect(resources.map((resource) => resource["uri"])).toContain(uri);
  const { contents } = await client.request("resources/read", { uri });
  expect(contents).toEqual([{ ...CONTENTS[PAGE_URI], uri }]);
  // A page uses the name that its server gave the tool. Without the workbench, clients leave it out.
  const refreshed = await client.request("tools/call", { name: "refresh", arguments: {} });
  expect(textOf(refreshed)).toBe("refreshed");
  expect((await listed(subject, "refresh")) !== undefined).toBe(subject.plain);
}

export const extensionProbes: Probes = {
  apps: async (subject) => {
    await subject.tool("change", { kind: "apps", on: true });
    await readApps(subject);
    await subject.tool("change", { kind: "apps", on: false });
    const gone = async (): Promise<true | undefined> =>
      (await listed(subject, "show")) === undefined ? true : undefined;
    await until(gone, "the tool with a page to go");
  },
  skills: async (subject) => {
    const { client } = subject;
    const uri = keptUri(subject, SKILL.uri);
    const [file] = SKILL.resources;
    const expected = { ...SKILL, uri, resources: [{ ...file, uri }] };
    const skills = await subject.listAll("skills/list", "skills");
    expect(skills.find((skill) => skill["uri"] === uri)).toEqual(expected);
    expect((await client.request("skills/get", { uri }))["skill"]).toEqual(expected);
    const { contents } = await client.request("resources/read", { uri });
    const [{ text }] = contents as [{ text: string }];
    const digest = createHash("sha256").update(text).digest("hex");
    expect(`sha256:${digest}`).toBe(file["digest"]);
  },
};
