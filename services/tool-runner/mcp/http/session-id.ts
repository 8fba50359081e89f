import type { ServerSettings } from "../server-settings.ts";

const SESSION_ID = /\{\{\s*\.SESSION_ID\s*\}\}/gu;

/** True if requests of a server carry the id of an execution. */
export function namesExecution(transport: ServerSettings["transport"]): boolean {
  return (
    transport.type !== "stdio" &&
    Object.values(transport.headers).some((value) => value.search(SESSION_ID) >= 0)
  );
}

/** Inserts an execution's id for `{{.SESSION_ID}}`. */
export function insertSessionId(template: string, executionId: string): string {
  return template.replaceAll(SESSION_ID, () => executionId);
}
