/**
 * Text from outside with its comment delimiters escaped, so that nothing in it reads as one of our markers. It never
 * contains `<!--` or `-->`; everything else stays as it was.
 */
export function inertText(text: string): string {
  return text.replaceAll("<!--", "&lt;!--").replaceAll("-->", "--&gt;");
}
