/** Spaces, zero-width characters, dashes, quotation marks and dots outside of ASCII. */
const TYPOGRAPHIC =
  /[[\p{Z}\p{Cf}\p{Pd}\p{Pi}\p{Pf}\p{Variation_Selector}\u0085\u00B4\u00B5\u201A\u201E\u2026\u2032\u2033\u2212\u22EF\uFF02\uFF07]--\p{ASCII}]/gv;
const [ZERO_WIDTH, DASH] = [/[\p{Cf}\p{Variation_Selector}]/v, /[\p{Pd}\u2212]/v];
const [DOUBLE_QUOTE, SINGLE_QUOTE] = [
  /[\u201C-\u201F\u2033\u00AB\u00BB\uFF02]/v,
  /[\p{Pi}\p{Pf}\u00B4\u201A\u2032\uFF07]/v,
];
const DOTS = /[\u2026\u22EF]/v;
const BEYOND_ASCII = /\P{ASCII}/v;
/** To sort long runs of combining marks takes time with the square of their number. */
const STACKED = /\p{M}{33}/v;
/** As encoders of JSON write characters. */
const ESCAPED = /\\u([0-9A-Fa-f]{4})/g;
const ESCAPE = "\u001B";
const COLOUR = /^\[[0-9;]{0,20}m/;

/** A text is changed in chunks, because V8 keeps each match of a regular expression. They end with white space if there is some. */
const CHUNK = 65_536;
const LOOK_BACK = 2_000;

/**
 * A text in the form in which words are compared: NFC, plain quotes, dashes and spaces, without zero-width characters and colours
 * of a terminal, characters instead of their escapes. Line breaks stay, and none is added. Takes time linear in the text.
 */
export function plainText(text: string): string {
  if (!BEYOND_ASCII.test(text) && !text.includes("\\u") && !text.includes(ESCAPE)) return text;
  const chunks: string[] = [];
  for (let start = 0; start < text.length;) {
    let end = Math.min(text.length, start + CHUNK);
    if (end < text.length) {
      const last = text.slice(end - LOOK_BACK, end);
      const space = Math.max(last.lastIndexOf(" "), last.lastIndexOf("\n"));
      if (space !== -1) end -= LOOK_BACK - space - 1;
    }
    chunks.push(plainChunk(text.slice(start, end)));
    start = end;
  }
  return chunks.join("");
}

function plainChunk(text: string): string {
  let plain = text;
  if (plain.includes("\\u")) plain = plain.replace(ESCAPED, (_, code: string) => unescaped(code));
  if (plain.includes(ESCAPE)) plain = withoutColours(plain);
  if (!BEYOND_ASCII.test(plain)) return plain;
  const wellFormed = plain.toWellFormed();
  const composed = STACKED.test(wellFormed) ? wellFormed : wellFormed.normalize("NFC");
  return composed.replace(TYPOGRAPHIC, plainCharacter);
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

/** Keyed by character: there are a few hundred. */
const known = new Map<string, string>();

function plainCharacter(character: string): string {
  const before = known.get(character);
  if (before !== undefined) return before;
  const plain = withoutTypography(character);
  known.set(character, plain);
  return plain;
}

function withoutTypography(character: string): string {
  if (ZERO_WIDTH.test(character)) return "";
  if (DASH.test(character)) return "-";
  // The sign of micro has two codes.
  if (character === "\u00B5") return "\u03BC";
  if (DOUBLE_QUOTE.test(character)) return '"';
  if (SINGLE_QUOTE.test(character)) return "'";
  return DOTS.test(character) ? "..." : " ";
}
