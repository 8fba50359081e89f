import { visibleControls } from "#shared/visible-controls.ts";

// Terminals colour text with these sequences, and make links of it; a page shows the text. Other sequences hold text that a
// reader would not see, so their controls are shown.
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const TERMINAL_SEQUENCE = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\]8;[^\u0007\u001B]*(?:\u0007|\u001B\\))/gu;
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u{E0000}-\u{E0FFF}]/gu;
const DELETE = 0x7f;
const CONTROL_PICTURES = 0x2400;
const DELETE_PICTURE = "\u2421";

/** Text of a model or a tool as a page may show it: nothing in it is invisible or changes the order of what is around it. */
export function shownText(text: string): string {
  return visiblePart(text.replaceAll("\r\n", "\n").replaceAll(TERMINAL_SEQUENCE, ""));
}

/** The same for a part of a text that is still being written, in which a sequence may have been cut. */
export function visiblePart(text: string): string {
  return visibleControls(text).replaceAll(CONTROL, (control) => {
    const code = control.codePointAt(0) ?? 0;
    // Those that only some terminals know, and characters without a picture that spell text for a model only.
    if (code > DELETE) return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
    return code === DELETE ? DELETE_PICTURE : String.fromCharCode(CONTROL_PICTURES + code);
  });
}
