/** Letters, digits, hyphens and single underscores, so that "server.tool" and its aliases stay unambiguous. */
const SERVER_ID = /^(?!.*__)[A-Za-z0-9_-]{1,40}$/u;

/** True if an MCP server may have this id. */
export function isServerId(text: string): boolean {
  return SERVER_ID.test(text);
}
