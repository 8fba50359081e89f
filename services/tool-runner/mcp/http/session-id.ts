const SESSION_ID = /\{\{\s*\.SESSION_ID\s*\}\}/gu;

/** Inserts an execution's id for `{{.SESSION_ID}}`. */
export function insertSessionId(template: string, executionId: string): string {
  return template.replaceAll(SESSION_ID, () => executionId);
}
