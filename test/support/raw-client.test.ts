/** The invariants that every test relies on must be able to fail. */
import { spawn } from "node:child_process";
import { describe, expect, it } from "vitest";
import { perTest } from "./disposables.ts";
import { RawClient } from "./raw-client.ts";

const cleanup = perTest();

function clientOf(program: string): RawClient {
  const child = spawn(process.execPath, ["-e", program], { stdio: "pipe" });
  cleanup.defer(() => child.kill("SIGKILL"));
  return new RawClient(child);
}

const answering = (body: string): string =>
  `require("node:readline").createInterface({input:process.stdin}).on("line",(line)=>{const m=JSON.parse(line);const say=(x)=>console.log(JSON.stringify(x));${body}})`;

describe("the raw client", () => {
  it("notices a second answer to one id", async () => {
    const client = clientOf(
      answering('for(let i=0;i<2;i++)say({jsonrpc:"2.0",id:m.id,result:{i}});'),
    );
    expect((await client.request("any")).result).toEqual({ i: 0 });
    await client.when(() => client.lines.length === 2, "both answers");
    expect(client.duplicates.map(({ result }) => result)).toEqual([{ i: 1 }]);
  });

  it("notices an answer without a request, and keeps the ids 1 and '1' apart", async () => {
    const client = clientOf(answering('say({jsonrpc:"2.0",id:String(m.id),result:{}});'));
    const answer = client.request("any", {}, { id: 1 });
    const failure = answer.then(String, String);
    await client.when(() => client.unmatched.length > 0, "the answer without a request");
    expect(client.unmatched.map(({ id }) => id)).toEqual(["1"]);
    client.kill("SIGKILL");
    expect(await failure).toContain("program ended");
  });

  it("does not wait for an answer for longer than the limit of the request", async () => {
    const client = clientOf(answering(""));
    await expect(client.request("any", {}, { timeout: 1 })).rejects.toThrow("no answer");
  });

  it.each([
    ["text", "hello"],
    ["a number", "1"],
    ["a batch", '[{"jsonrpc":"2.0","id":1,"result":{}}]'],
    ["a message of no kind", '{"jsonrpc":"2.0","id":1}'],
    ["result and error at once", '{"jsonrpc":"2.0","id":1,"result":{},"error":{}}'],
    ["another version", '{"jsonrpc":"1.0","id":1,"result":{}}'],
    ["an empty line", ""],
  ])("notices that %s on stdout is not a JSON-RPC message", async (_what, line) => {
    const client = clientOf(`console.log(${JSON.stringify(line)})`);
    await client.ended();
    expect(client.garbage).toEqual([line]);
  });

  it("notices a last line without an end", async () => {
    const client = clientOf(`process.stdout.write('{"jsonrpc":"2.0","id":1,"result":{}}')`);
    await client.ended();
    expect(client.garbage).toHaveLength(1);
  });

  it("answers requests of the other side and keeps notifications in order", async () => {
    const client = clientOf(
      answering(
        'if(m.method)say({jsonrpc:"2.0",id:"s",method:"ask",params:{q:1}});else{say({jsonrpc:"2.0",method:"told",params:m.result});say({jsonrpc:"2.0",id:1,result:{}})}',
      ),
    );
    client.responders.set("ask", (params) => ({ got: params.q }));
    await client.request("any", {}, { id: 1 });
    expect(client.serverRequests.map(({ method }) => method)).toEqual(["ask"]);
    expect(client.notificationsOf("told")[0]?.params).toEqual({ got: 1 });
  });

  it("fails pending requests when the program ends, and quotes stderr", async () => {
    const client = clientOf(answering('console.error("last words");process.exit(3)'));
    await expect(client.request("any")).rejects.toThrow(/code 3[^]*last words/);
  });
});
