/** Text outside of ASCII in front of NFC, zero-width characters, typographic quotes, dashes, spaces and dots. */
const TYPOGRAPHIC =
  /[\u00A0\u00AD\u00B4\u0085\u061C\u1680\u180E\u2000-\u201F\u2026\u2028-\u202F\u2032\u2033\u2035\u2036\u2039\u203A\u205F-\u2064\u2066-\u2069\u2212\u22EF\u00AB\u00BB\u3000\uFE00-\uFE0F\uFEFF\uFF02\uFF07\uFF0D]/g;
const ZERO_WIDTH =
  /[\u00AD\u061C\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFE00-\uFE0F\uFEFF]/;
const DASH = /[\u2010-\u2015\u2212\uFF0D]/;
const DOUBLE_QUOTE = /[\u201C-\u201F\u2033\u2036\u00AB\u00BB\uFF02]/;
const SINGLE_QUOTE = /[\u00B4\u2018-\u201B\u2032\u2035\u2039\u203A\uFF07]/;
const DOTS = /[\u2026\u22EF]/;
const BEYOND_ASCII = /[^\0-\u007F]/;
/** As Go's and Python's encoders write characters in JSON. */
const ESCAPED = /\\u([0-9A-Fa-f]{4})/g;
const COLOURS = /\u001B\[[0-9;]{0,20}m/g;

/**
 * A text in the form in which words are compared: NFC, plain quotes, dashes and spaces, without zero-width characters and colours
 * of a terminal, characters instead of their escapes. Line breaks stay, and none is added. Takes time linear in the text.
 */
export function plainText(text: string): string {
  let plain = text;
  if (plain.includes("\\u")) plain = plain.replace(ESCAPED, (_, code: string) => unescaped(code));
  if (plain.includes("\u001B")) plain = plain.replace(COLOURS, "");
  if (!BEYOND_ASCII.test(plain)) return plain;
  return plain.toWellFormed().normalize("NFC").replace(TYPOGRAPHIC, plainCharacter);
}

/** A control character would be a line break that the text does not have. */
function unescaped(code: string): string {
  const character = String.fromCharCode(Number.parseInt(code, 16));
  return character < " " ? " " : character;
}

function plainCharacter(character: string): string {
  if (ZERO_WIDTH.test(character)) return "";
  if (DASH.test(character)) return "-";
  if (DOUBLE_QUOTE.test(character)) return '"';
  if (SINGLE_QUOTE.test(character)) return "'";
  return DOTS.test(character) ? "..." : " ";
}
