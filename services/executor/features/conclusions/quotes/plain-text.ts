/** Spaces, zero-width characters, dashes, quotation marks and dots outside of ASCII. */
const TYPOGRAPHIC =
  /[[\p{Z}\p{Cf}\p{Pd}\p{Pi}\p{Pf}\p{Variation_Selector}\u0085\u00B4\u201A\u201E\u2026\u2032\u2033\u2212\u22EF\uFF02\uFF07]--\p{ASCII}]/gv;
const [ZERO_WIDTH, DASH] = [/[\p{Cf}\p{Variation_Selector}]/v, /[\p{Pd}\u2212]/v];
const [DOUBLE_QUOTE, SINGLE_QUOTE] = [
  /[\u201C-\u201F\u2033\u00AB\u00BB\uFF02]/v,
  /[\p{Pi}\p{Pf}\u00B4\u201A\u2032\uFF07]/v,
];
const DOTS = /[\u2026\u22EF]/v;
const BEYOND_ASCII = /\P{ASCII}/v;
/** As encoders of JSON write characters. */
const ESCAPED = /\\u([0-9A-Fa-f]{4})/g;
const ESCAPE = "\u001B";
const COLOUR = /^\[[0-9;]{0,20}m/;

/**
 * A text in the form in which words are compared: NFC, plain quotes, dashes and spaces, without zero-width characters and colours
 * of a terminal, characters instead of their escapes. Line breaks stay, and none is added. Takes time linear in the text.
 */
export function plainText(text: string): string {
  let plain = text;
  if (plain.includes("\\u")) plain = plain.replace(ESCAPED, (_, code: string) => unescaped(code));
  if (plain.includes(ESCAPE)) plain = withoutColours(plain);
  if (!BEYOND_ASCII.test(plain)) return plain;
  return plain.toWellFormed().normalize("NFC").replace(TYPOGRAPHIC, plainCharacter);
}

/** A control character would be a line break that the text does not have. */
function unescaped(code: string): string {
  const character = String.fromCharCode(Number.parseInt(code, 16));
  return character < " " ? " " : character;
}

function withoutColours(text: string): string {
  const pieces = text.split(ESCAPE);
  return pieces.map((piece) => piece.replace(COLOUR, "")).join("");
}

function plainCharacter(character: string): string {
  if (ZERO_WIDTH.test(character)) return "";
  if (DASH.test(character)) return "-";
  if (DOUBLE_QUOTE.test(character)) return '"';
  if (SINGLE_QUOTE.test(character)) return "'";
  return DOTS.test(character) ? "..." : " ";
}
