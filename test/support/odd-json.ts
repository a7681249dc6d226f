/** JSON objects that change when they are parsed and printed, or that look like the frame around them. */
export const ODD_OBJECTS: readonly (readonly [what: string, json: string])[] = [
  ["numbers", '{"content":[],"n":[12345678901234567890,1.0,-0,1e400,0.1e-7,1E+2]}'],
  ["the order of keys", '{"2":0,"b":1,"1":2,"a":3,"content":[]}'],
  ["repeated keys", '{"content":[],"x":1,"x":2}'],
  ["escapes", String.raw`{"content":[{"type":"text","text":"\u0041\/\u00e9\u2028\n\\\""}]}`],
  ["lone surrogates", String.raw`{"content":[],"s":"\ud800 \udc00"}`],
  ["emoji and controls", String.raw`{"content":[],"s":"🎈 \ud83c\udf88 \u0000\u001f","é":"工具"}`],
  ["spaces between tokens", '{ "content" : [ ] ,\t"x" : { "a" : [ 1 , 2 ] } }'],
  ["a message in a text", String.raw`{"content":[],"s":"{\"jsonrpc\":\"2.0\",\"id\":7}"}`],
  ["a message as the last value", '{"content":[],"x":{"result":{},"jsonrpc":"2.0","id":7}}'],
  [
    "ids on every level",
    '{"id":7,"jsonrpc":"2.0","content":[{"id":8,"type":"x"}],"error":{"id":9}}',
  ],
  ["a member named error", '{"content":[],"error":null,"method":"tools/call"}'],
  ["an unknown content type", '{"content":[{"type":"hologram","voxels":[[0]]}]}'],
  ["no content at all", '{"structuredContent":[1,null,"x"]}'],
  ["__proto__", '{"content":[],"__proto__":{"x":1},"constructor":{"prototype":1}}'],
  ["an empty object", "{}"],
];
