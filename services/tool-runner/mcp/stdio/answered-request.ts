const ID = String.raw`"id"\s*:\s*(?<id>\d{1,15}|"[^"\\]{0,100}")`;
/** Members may come in any order; the id is the message's own if nothing but its version stands before it. */
const AT_START = new RegExp(String.raw`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?${ID}\s*,`, "u");
const AT_END = new RegExp(
  String.raw`[}\]]\s*,\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?${ID}(?:\s*,\s*"jsonrpc"\s*:\s*"2\.0")?\s*\}\s*$`,
  "u",
);

/** The id of the request that a message answers, by the start and the end of the message; undefined if they do not show it. */
export function answeredRequest(start: string, end: string): number | string | undefined {
  const { id } = AT_START.exec(start)?.groups ?? AT_END.exec(end)?.groups ?? {};
  if (id === undefined) return undefined;
  return id.startsWith('"') ? id.slice(1, -1) : Number(id);
}
