/** The id of an entry's element, and the address of the entry within the session. */
export function anchorOf(entryId: string): string {
  return `e-${entryId}`;
}
