/** Controls that change the order of the text around them, and the line breaks that terminals and viewers disagree on. */
const INVISIBLE = /[\p{Bidi_Control}\u2028\u2029]/gu;

/** Shows bidirectional controls and U+2028/9 by their numbers: `exe.gnp` must not pass for `png.exe`. */
export function visibleControls(text: string): string {
  return text.replaceAll(INVISIBLE, (control) => `<U+${codeOf(control)}>`);
}

/** The same inside of JSON, as an escape that means the same character. */
export function escapeControls(json: string): string {
  return json.replaceAll(INVISIBLE, (control) => `\\u${codeOf(control).toLowerCase()}`);
}

/** All of them have four digits. */
function codeOf(control: string): string {
  return (control.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
}
