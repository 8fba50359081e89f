import type { ToolCatalogue } from "./tool.ts";

/** True if `stub-tools.yaml` has tools of the server. */
export function hasStubs(stubs: ToolCatalogue, server: string | undefined): boolean {
  return [...stubs.values()].some(({ description }) => description.server === server);
}
