/** Calls back with the text of each line; looks at every byte once. */
export function onLines(stream, onLine) {
  let parts = [];
  stream.on("data", (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      parts.push(chunk.subarray(start, end));
      const line = parts.length === 1 ? parts[0] : Buffer.concat(parts);
      parts = [];
      start = end + 1;
      onLine(line.toString());
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  });
}
