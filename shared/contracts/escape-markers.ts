/** Escapes comment delimiters, so that the text contains neither `<!--` nor `-->`; the rest is unchanged. */
export function escapeMarkers(text: string): string {
  return text.replaceAll("<!--", "&lt;!--").replaceAll("-->", "--&gt;");
}
