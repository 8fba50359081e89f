const RULE = "═".repeat(79);

/** A title between two rules, which sets the parts of a chat prompt apart. */
export function chatBanner(title: string): string {
  return `${RULE}\n${title}\n${RULE}`;
}
