import { describe, expect, it } from "vitest";
import { isWorkbenchError } from "../errors.ts";
import { parseConfig } from "./load.ts";

/** The problems of a configuration, as people see them. */
async function problems(text: string): Promise<string[]> {
  const parsed = parseConfig(text, { file: "/c.json", env: {} });
  const error: unknown = await parsed.catch((reason: unknown) => reason);
  const [title, ...lines] = isWorkbenchError(error) ? error.message.split("\n") : [];
  expect(title).toBe("Invalid configuration /c.json");
  return lines.map((line) => line.slice(2));
}

/** The same for one server, with the text of its entry in line 2 and its path left out. */
async function serverProblems(entry: string): Promise<string[]> {
  const text = `{"toolboxes": {"dev": {"description": "d", "mcpServers": {"s":\n${entry}}}}}`;
  const found = await problems(text);
  return found.map((line) => line.replace("toolboxes.dev.mcpServers.s", "@"));
}

describe("an invalid configuration", () => {
  it("is reported with all problems at once, in the order of the file", async () => {
    const text = `{
  "toolMod": "proxy",
  "timeouts": { "callMs": "5" },
  "toolboxes": {
    "dev": {
      "mcpServers": {
        "a": { "comand": "x" },
        "b__c": { "command": "x" },
        "d": { "command": "x", "args": ["\${"], "args": [] },
        "D": { "httpUrl": "nowhere" }
      }
    }
  }
}`;
    expect(await problems(text)).toEqual([
      '2:3  toolMod: unknown key. Did you mean "toolMode"?',
      "3:27  timeouts.callMs: expected a whole number, got a string. Write it without quotes or decimals",
      "5:5  toolboxes.dev.description: is missing: expected a string. Add it",
      '7:9  toolboxes.dev.mcpServers.a: has neither "command" nor "url". Add "command" to start a program, or "url" to reach a remote server',
      '7:16  toolboxes.dev.mcpServers.a.comand: unknown key. Did you mean "command"?',
      "8:9  toolboxes.dev.mcpServers.b__c: a name cannot contain '__', which separates the parts of {toolbox}__{server}__{tool}. Rename it, for example to 'b_c'",
      "9:41  toolboxes.dev.mcpServers.d.args[0]: '${' has no closing '}'. Write ${NAME}, or $${ for a literal '${'",
      '9:48  toolboxes.dev.mcpServers.d.args: the key "args" occurs more than once. Keep one of them',
      '10:9  toolboxes.dev.mcpServers.D: "D" and "d" differ only in case. Rename one of them',
      "10:27  toolboxes.dev.mcpServers.D.httpUrl: is not a server URL. It must begin with http:// or https://; put credentials in 'headers', not in the URL",
    ]);
  });

  it.each([
    ["{}", ["1:1  toolboxes: is missing: expected an object. Add it"]],
    ["[]", ["1:1  expected an object, got a list. Write { … }"]],
    ["null", ["1:1  expected an object, got null. Write { … }"]],
    ['{"toolboxes": []}', ["1:15  toolboxes: expected an object, got a list. Write { … }"]],
    [
      '{"toolboxes": {"dev": "x"}}',
      ["1:23  toolboxes.dev: expected an object, got a string. Write { … }"],
    ],
    [
      '{"toolboxes": {}, "toolMode": "dynamic "}',
      ['1:31  toolMode: expected "proxy" or "dynamic". Did you mean "dynamic"?'],
    ],
    [
      '{"toolboxes": {}, "protocol": "2024"}',
      ['1:31  protocol: expected "auto" or "2025-11-25" or "2026-07-28". Write one of these'],
    ],
    [
      '{"toolboxes": {}, "timeouts": {"idleMs": -1, "callMs": 0, "totalMs": 1e12, "connectMs": 1.5}}',
      [
        "1:42  timeouts.idleMs: is too small. Write 0 or more",
        "1:56  timeouts.callMs: is too small. Write 1 or more",
        "1:70  timeouts.totalMs: is too large. Write 2147483647 or less",
        "1:89  timeouts.connectMs: expected a whole number, got a fraction. Write it without quotes or decimals",
      ],
    ],
    [
      '{"toolboxes": {}, "log": {"levle": "info"}}',
      ['1:27  log.levle: unknown key. Did you mean "level"?'],
    ],
    [
      '{"toolboxes": {}, "log": {"colour": true}}',
      ["1:27  log.colour: unknown key. Remove it, or use one of level, format, file"],
    ],
    [
      '{"mcpServers": {}}',
      [
        "1:1  toolboxes: is missing: expected an object. Add it",
        '1:2  mcpServers: servers belong in a toolbox. Write "toolboxes": { "main": { "description": "…", "mcpServers": { … } } }',
      ],
    ],
    [
      '{"toolboxes": {"dev": {"description": "", "servers": {}, "mcpServers": {}}}}',
      [
        "1:39  toolboxes.dev.description: cannot be empty. Enter a value",
        '1:43  toolboxes.dev.servers: unknown key. Did you mean "mcpServers"?',
      ],
    ],
    [
      '{"toolboxes": {"__proto__": {"description": "d", "mcpServers": {}}}}',
      [
        "1:16  toolboxes.__proto__: this key has a special meaning in JavaScript. Choose another name",
      ],
    ],
    [
      '{"toolboxes": {"a\\u0000/b": {"description": "d", "mcpServers": {}}}}',
      [
        "1:16  toolboxes[\"a\\u0000/b\"]: a name cannot contain control characters. Rename it, for example to 'a-b'",
      ],
    ],
  ])("%s is reported with position, problem and fix", async (text, expected) => {
    expect(await problems(text)).toEqual(expected);
  });
});

describe("an invalid server entry", () => {
  it.each([
    ["5", ['1:59  @: expected an object, got a number. Write { "command": … } or { "url": … }']],
    [
      '["npx"]',
      ['1:59  @: expected an object, got a list. Write { "command": … } or { "url": … }'],
    ],
    [
      "{}",
      [
        '1:59  @: has neither "command" nor "url". Add "command" to start a program, or "url" to reach a remote server',
      ],
    ],
    [
      '{"command": "x", "url": "https://x"}',
      [
        '1:59  @: has both "command" and "url". Keep "command" to start a program, or "url" to reach a remote server',
      ],
    ],
    ['{"command": ""}', ["2:13  @.command: cannot be empty. Enter a value"]],
    [
      '{"command": {"path": "x"}}',
      ["2:13  @.command: expected a string, got an object. Write a string in double quotes"],
    ],
    [
      '{"command": "x", "args": "-y"}',
      ["2:26  @.args: expected a list, got a string. Write [ … ]"],
    ],
    [
      '{"command": ["x", "a", null]}',
      ["2:24  @.command[2]: expected a string, got null. Write a string in double quotes"],
    ],
    [
      '{"command": "x", "environment": {"A": ["b"], "C=D": "e"}}',
      [
        "2:39  @.environment.A: expected a string, got a list. Write a string in double quotes",
        "2:46  @.environment[\"C=D\"]: is not the name of a variable. Remove the '='",
      ],
    ],
    ['{"command": "a\\u0000b"}', ["2:13  @.command: cannot contain a NUL character. Remove it"]],
    [
      '{"command": "x", "headers": {}}',
      ['2:18  @.headers: only a server with "url" has this key. Remove it'],
    ],
    [
      '{"url": "https://x", "env": {}}',
      ['2:22  @.env: only a server with "command" has this key. Remove it'],
    ],
    [
      '{"scripts": "./scripts", "env": {}}',
      ['2:26  @.env: an entry with "scripts" does not have this key. Remove it'],
    ],
    [
      '{"command": "x", "scripts": "./scripts"}',
      ['2:18  @.scripts: cannot be combined with "command". Remove it'],
    ],
    [
      '{"scripts": 5}',
      ["2:13  @.scripts: expected a string, got a number. Put it in double quotes"],
    ],
    [
      '{"command": "x", "transport": "sse"}',
      [
        '2:31  @.transport: does not match "command", which starts a program. Write "stdio", or leave it out',
      ],
    ],
    [
      '{"url": "https://x", "type": "websocket"}',
      ['2:30  @.type: does not match "url". Write "http" or "sse", or leave it out'],
    ],
    [
      '{"url": "https://a", "serverUrl": "https://b"}',
      ['2:22  @.serverUrl: means the same as "url", which is also given. Keep one of them'],
    ],
    [
      '{"url": "https://me:pw@example.com"}',
      [
        "2:9  @.url: is not a server URL. It must begin with http:// or https://; put credentials in 'headers', not in the URL",
      ],
    ],
    [
      '{"url": "https://x", "headers": {"A b": "c", "D": "e\\nf"}}',
      [
        '2:34  @.headers["A b"]: is not a valid header name. Correct it',
        "2:51  @.headers.D: contains a character that is not allowed in headers. Remove line breaks and characters outside Latin-1",
      ],
    ],
    ['{"command": "x", "timeout": -5}', ["2:29  @.timeout: is too small. Write 1 or more"]],
    [
      '{"command": "x", "enabled": "no"}',
      ["2:29  @.enabled: expected true or false, got a string. Write it without quotes"],
    ],
    [
      '{"command": "x", "excludeTools": [1]}',
      ["2:35  @.excludeTools[0]: expected a string, got a number. Put it in double quotes"],
    ],
    [
      '{"command": "x", "envFile": true}',
      ["2:29  @.envFile: expected a string, got a boolean. Put it in double quotes"],
    ],
    [
      '{"command": "x", "overrides": {"rm": {"hiden": true, "name": "a b"}}}',
      [
        '2:39  @.overrides.rm.hiden: unknown key. Did you mean "hidden"?',
        "2:62  @.overrides.rm.name: is not a valid tool name. Use 1 to 128 letters (A-Z, a-z), digits, '_', '.' and '-'",
      ],
    ],
  ])("%s is reported with position, problem and fix", async (entry, expected) => {
    expect(await serverProblems(entry)).toEqual(expected);
  });

  it("does not prevent the other servers from being checked", async () => {
    const text =
      '{"toolboxes": {"dev": {"description": "d", "mcpServers": {"constructor": {"command": 1}, "x": {"url": 2}}}}}';
    expect(await problems(text)).toHaveLength(3);
  });
});
