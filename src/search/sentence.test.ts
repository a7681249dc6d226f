import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { anyText } from "../../test/fixtures/any-text.ts";
import { firstSentence, onOneLine, sentenceEnd } from "./sentence.ts";

describe("firstSentence", () => {
  it.each([
    ["Read a file. Only works below the root.", "Read a file"],
    ["Reads files, e.g. logs. Then stops.", "Reads files, e.g. logs"],
    ["Uses v1.2 of example.com! Really.", "Uses v1.2 of example.com!"],
    ["Lists\n   the tables\n\nArgs:\n  name: x", "Lists the tables"],
    ["# Search\n\nFinds things.", "Finds things"],
    ["# Search", "Search"],
    ["# Search\n\n## Parameters\n- query: what to find", "Search"],
    [
      "🛡️ Guardrails:\n  1. Changes data.\n\n🎯 Purpose:\n  1. Creates a contact.",
      "Creates a contact",
    ],
    ["🛡️ Guardrails:\n  1. Changes data. Ask first.", "Changes data"],
    ["🔍 Search the web. Fast.", "🔍 Search the web"],
    ["Purpose: Creates a contact.\nReturns: its id", "Creates a contact"],
    ["# Contacts\n\n**Description:** Creates a contact.", "Creates a contact"],
    ["Tool name: create\nDescription: Creates a contact.", "Creates a contact"],
    ["Name: create Description: Creates a contact. Once.", "Creates a contact"],
    ["**Tool:** create\n```json\n{}\n```\nCreates a contact", "Creates a contact"],
    ["Tool: creates a contact", "Tool: creates a contact"],
    ["Name: create", ""],
    ["Version 2.0. Creates a contact.", "Creates a contact"],
    ["Version 2 of a contact. Really.", "Version 2 of a contact"],
    ["**Required scopes:** `deals:write`", ""],
    ["Creates a contact\nArgs:\n  description: its description", "Creates a contact"],
    ["🎯 Purpose:\n      1. Creates a contact.", "Creates a contact"],
    ["🎯 Purpose\n  1. Creates a contact.", "Creates a contact"],
    ["Summary", "Summary"],
    ["1.\nCreates a contact", "Creates a contact"],
    ["<tool>\n  <purpose>Creates a contact</purpose>\n</tool>", "Creates a contact"],
    ["---\nCreates a contact", "Creates a contact"],
    ["Notion | Retrieve a user\nError Responses:\n400: 400", "Notion | Retrieve a user"],
    ["Adds numbers\n\nArgs:\n  a: the first", "Adds numbers"],
    ["Adds numbers\nArgs:\n  a: the first", "Adds numbers"],
    ["Adds numbers\n@param a the first", "Adds numbers"],
    ["Arguments:\n", ""],
    ["Args:\n  id: its id\nReturns:\n  a user", ""],
    ["Parameters:\n- id (string): its id\n\nNames a user.", "Names a user"],
    ["Parameters:\n\n- id: its id\n\nNames a user.", "Names a user"],
    ["User import\n===========\n\nImports users from a file.", "Imports users from a file"],
    ["User import\n===========", "User import"],
    ["User import\n===========\n\n- file: a file", "User import"],
    ["Imports users.\n---\nNeeds a file.", "Imports users"],
    ["```\nsync(id)\n```\nSynchronises users.", "Synchronises users"],
    ["```json\n{}\n```", ""],
    ["---\ntitle: Users\n---\nFinds users.", "Finds users"],
    ["---\ntitle: Users\ndescription: Finds users.\n---\n# Users", "Finds users"],
    ["Required permissions: users.read. Shows a user.", "Shows a user"],
    ["⚠️ IMPORTANT: Always sign in first!\n\nDeletes a user.", "Deletes a user"],
    ["IMPORTANT: read-only.\nNote: slow\nwith many users.\nFinds users.", "Finds users"],
    ["**find_users**\n\nFinds users.", "Finds users"],
    ["Requires the `repo` scope. Launches a balloon.", "Launches a balloon"],
    ["Requires admin permissions.", "Requires admin permissions"],
    ["Requires a login. Then shows it.", "Requires a login"],
    ["=== Lamp ===\nSwitches a lamp on.", "Switches a lamp on"],
    ["<h1>Fax tool</h1><p>Sends a <b>fax</b></p>", "Sends a fax"],
    ["<h2>Fax</h2>", "Fax"],
    ["@param id its id\nShows a user.", "Shows a user"],
    ["Example: show(1)\n\nShows a user.", "Shows a user"],
    ["Note that users are shown. Always.", "Note that users are shown"],
    ["**Required scopes:** `deals:read`\n\nLists deals.", "Lists deals"],
    ["Required permissions: admin\nDeletes a user", "Deletes a user"],
    ["**Important:** use `query_db` for *all* reads.", "Important: use query_db for all reads"],
    ["See [the docs](https://example.com/a?b=c) first.", "See the docs first"],
    ["<use_case>Find the price</use_case> of x.", "Find the price of x"],
    ["- Creates one item\n- and another", "Creates one item"],
    ["keeps snake_case_names and __init__.", "keeps snake_case_names and init"],
    ["搜索文件。返回列表。", "搜索文件"],
    ["Does it work? Yes.", "Does it work?"],
    ["", ""],
    ["\u0000\u200b\n", ""],
  ])("of %j is %j", (text, expected) => {
    expect(firstSentence(text, 120)).toBe(expected);
  });

  it("is one line within the limit for any text", () => {
    fc.assert(
      fc.property(anyText(), fc.nat(60), (text, limit) => {
        const sentence = firstSentence(text, limit);
        expect(sentence.length).toBeLessThanOrEqual(limit);
        expect(sentence).not.toMatch(/[\n\r\u2028\u2029\p{Cc}]/u);
      }),
    );
  });

  it("handles any amount of hostile markup", () => {
    for (const unit of [
      "[",
      "](",
      "<a",
      "`*_",
      "\n \t",
      "e.g. ",
      "![a](",
      "# ",
      "a:",
      "\n",
      ":\n",
      "1.\n",
      "🛡️",
      "purpose",
      "Args:\n",
      "Note: a. ",
      "```\n",
      "---\n",
      "Note:\na\n",
    ]) {
      expect(firstSentence(unit.repeat(200_000), 80).length).toBeLessThanOrEqual(80);
    }
  });
});

describe("sentenceEnd", () => {
  it("is the length of a text in which no sentence ends", () => {
    expect(sentenceEnd("no end")).toBe(6);
  });
});

describe("onOneLine", () => {
  it("turns line breaks and invisible characters into spaces", () => {
    expect(onOneLine(" a\r\n\tb\u2028c\u0000d\u202ee ")).toBe("a b c d e");
  });
});
