/**
 * Frames text from outside (alerts, earlier answers, tool output) between named markers. Comment delimiters inside the
 * text are escaped, so that nothing in it can close the frame or open another.
 */
export function untrustedText(name: string, text: string): string {
  const inert = text.replaceAll("<!--", "&lt;!--").replaceAll("-->", "--&gt;");
  return `<!-- ${name}_START -->\n${inert}\n<!-- ${name}_END -->`;
}
