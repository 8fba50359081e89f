/** Controls that change the order of the text around them, and the line breaks that terminals and viewers disagree on. */
const INVISIBLE = /[\p{Bidi_Control}\u2028\u2029]/gu;

/** What no reader sees and some models obey: marks of direction, letters without width, tags, controls. Line ends and tabs stay. */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/** Text as a reader sees it. */
export function withoutHidden(text: string): string {
  return text.toWellFormed().replaceAll(HIDDEN, "");
}

/** JSON in which hidden characters are escapes, which mean the same: what a person decides about is seen. */
export function escapeHidden(json: string): string {
  return json.replaceAll(HIDDEN, (hidden) => hidden.split("").map(unitOf).join(""));
}

/** Shows bidirectional controls and U+2028/9 by their numbers: `exe.gnp` must not pass for `png.exe`. */
export function visibleControls(text: string): string {
  return text.replaceAll(INVISIBLE, (control) => `<U+${codeOf(control)}>`);
}

/** The same inside of JSON, as an escape that means the same character. */
export function escapeControls(json: string): string {
  return json.replaceAll(INVISIBLE, (control) => `\\u${codeOf(control).toLowerCase()}`);
}

function unitOf(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** All of them have four digits. */
function codeOf(control: string): string {
  return (control.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
}
