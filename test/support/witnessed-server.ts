/** A small legacy server with a bit of everything, whose answers depend on nothing but the request. */
import { readFileSync, existsSync } from "node:fs";
import type { Disposables } from "./disposables.ts";
import { scriptServer } from "./script-server.ts";
import type { ServerEntry } from "./servers.ts";
import type { Place } from "./workbench.ts";

/**
 * The server says `label` in everything it offers, and records every line it gets. `hello` answers,
 * `wait` never does, `ask` asks the user, `begin` starts a task, `warn` writes to the log.
 */
export function witnessedServer(disposables: Disposables, label: string): ServerEntry {
  return scriptServer(
    disposables,
    `import { appendFileSync } from "node:fs";
     const label = ${JSON.stringify(label)};
     createInterface({ input: process.stdin }).on("line", (line) =>
       appendFileSync(process.env.WITNESS, line + "\\n"));
     const names = ["hello", "wait", "ask", "begin", "warn"];
     const text = (value) => ({ content: [{ type: "text", text: value }] });
     const task = (taskId, status = "working") => ({ taskId, status, ttl: 60000,
       createdAt: "2026-01-01T00:00:00Z", lastUpdatedAt: "2026-01-01T00:00:00Z" });
     let tasks = 0;
     const aboutTask = (answer) => ({ taskId }, id) =>
       Array.from({ length: tasks }, (_, i) => label + "-task-" + (i + 1)).includes(taskId)
         ? answer(taskId) : void send({ id, error: { code: -32602, message: "No such task" } });
     const asked = new Map();
     onResponse(({ id, result }) => send({ id: asked.get(id), result: text(JSON.stringify(result)) }));
     serve({
       initialize: () => ({
         protocolVersion: "2025-11-25",
         instructions: "Instructions of " + label,
         serverInfo: { name: label, version: "1.0.0" },
         capabilities: {
           tools: { listChanged: true }, prompts: { listChanged: true }, logging: {}, completions: {},
           resources: { subscribe: true, listChanged: true },
           tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
         },
       }),
       "tools/list": () => ({ tools: names.map((name) => ({ name,
         description: "Lets " + label + " " + name, inputSchema: { type: "object" } })) }),
       "tools/call": ({ name, task: wanted }, id) => {
         if (wanted !== undefined) return { task: task(label + "-task-" + ++tasks) };
         if (name === "wait") return undefined;
         if (name === "warn") send({ method: "notifications/message", params: { level: "error", data: label } });
         if (name !== "ask") return text("Called " + name + " of " + label);
         asked.set("question-" + id, id);
         send({ id: "question-" + id, method: "elicitation/create", params: { message: "Sure?",
           requestedSchema: { type: "object", properties: { sure: { type: "boolean" } } } } });
       },
       "prompts/list": () => ({ prompts: [{ name: "greet", description: "Greets " + label }] }),
       "prompts/get": ({ name }) => ({ messages: [{ role: "user", content: { type: "text", text: name + " " + label } }] }),
       "resources/list": () => ({ resources: [{ uri: "note://" + label + "/1", name: "Note of " + label }] }),
       "resources/templates/list": () => ({ resourceTemplates: [{ uriTemplate: "note://" + label + "/{id}", name: "Notes of " + label }] }),
       "resources/read": ({ uri }) => ({ contents: [{ uri, text: "Read by " + label }] }),
       "resources/subscribe": () => ({}),
       "resources/unsubscribe": () => ({}),
       "completion/complete": () => ({ completion: { values: [label] } }),
       "logging/setLevel": () => ({}),
       "tasks/list": () => ({ tasks: Array.from({ length: tasks }, (_, i) => task(label + "-task-" + (i + 1))) }),
       "tasks/get": aboutTask((taskId) => task(taskId)),
       "tasks/result": aboutTask((taskId) => text("Result of " + taskId)),
       "tasks/cancel": aboutTask((taskId) => task(taskId, "cancelled")),
       ping: () => ({}),
     });`,
  );
}

/** The lines that the server has received; none if it was never started. */
export function receivedBy(
  place: Pick<Place, "witness">,
  toolbox: string,
  server: string,
): string[] {
  const { file } = place.witness(toolbox, server);
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
}
