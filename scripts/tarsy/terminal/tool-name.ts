import { printable } from "./terminal-style.ts";

/** `server.tool` from the metadata of a timeline entry; empty if it has none. */
export function toolName(metadata: unknown): string {
  if (typeof metadata !== "object" || metadata === null) return "";
  const server =
    "server_name" in metadata && typeof metadata.server_name === "string" ? metadata.server_name : "";
  const tool = "tool_name" in metadata && typeof metadata.tool_name === "string" ? metadata.tool_name : "";
  return printable([server, tool].filter((part) => part !== "").join("."));
}
