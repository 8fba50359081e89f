/** The text of a message's row; empty for any other. */
export function contentOf(row: unknown): string {
  return typeof row === "object" && row !== null && "content" in row ? String(row.content) : "";
}
