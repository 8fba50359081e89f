const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00A0",
  hellip: "…",
  mdash: "—",
  ndash: "–",
  bull: "•",
  middot: "·",
  laquo: "«",
  raquo: "»",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
  larr: "←",
  uarr: "↑",
  rarr: "→",
  darr: "↓",
  rArr: "⇒",
  times: "×",
  plusmn: "±",
  le: "≤",
  ge: "≥",
  ne: "≠",
  asymp: "≈",
  infin: "∞",
  deg: "°",
  micro: "µ",
  copy: "©",
  reg: "®",
  trade: "™",
  sect: "§",
  euro: "€",
  check: "✓",
};

const REFERENCE = /&(?:#(?<decimal>\d{1,7})|#[xX](?<hex>[\da-fA-F]{1,6})|(?<name>[a-zA-Z]{2,8}));/gu;
const LAST_CODE_POINT = 0x10_ffff;

/**
 * Text with its character references, such as `&lt;` and `&#8594;`, as what they stand for. Of the two thousand names those
 * that texts about systems use are known; others stay as they were written.
 */
export function withoutReferences(text: string): string {
  return text.replaceAll(REFERENCE, (written, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED[name] ?? written;
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    const isCharacter = code > 0 && code <= LAST_CODE_POINT && (code < 0xd800 || code > 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : "\uFFFD";
  });
}
