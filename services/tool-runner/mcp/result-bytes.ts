/** The UTF-8 bytes of all texts in a result; the same value as text and as structured content counts once. */
export function resultBytes(result: unknown): number {
  if (typeof result !== "object" || result === null) return 0;
  const content = "content" in result ? textBytes(result.content) : 0;
  const structured = "structuredContent" in result ? textBytes(result.structuredContent) : 0;
  return Math.max(content, structured);
}

function textBytes(value: unknown): number {
  let bytes = 0;
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === "string") bytes += Buffer.byteLength(next);
    if (typeof next !== "object" || next === null) continue;
    const members: readonly unknown[] = Object.values(next);
    for (const member of members) left.push(member);
  }
  return bytes;
}
