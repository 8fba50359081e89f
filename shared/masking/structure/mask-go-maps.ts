import type { MaskContext } from "#shared/masking/mask-context.ts";

const SECRET = /kind:\s?Secret(?:List)?[\s\]}]|type:\s?(?:Opaque|kubernetes\.io\/)/iu;
const DATA = /(?<![A-Za-z])(?:data|stringdata|string_data):map\[/giu;
/** Behind a map: the end of what is around it, or the next field. */
const AFTER_MAP =
  /^\](?:$|[\]}),\n"']|\s(?:kind|metadata|stringData|string_data|data|type|immutable|apiVersion|items|TypeMeta|ObjectMeta|binaryData|map|&?\{|$)|\s*$)/iu;
const KEY = /(?<=^|\s)[\w.-]{1,253}:/gu;

/** Masks the values of Secrets that a Go program has printed as `map[data:map[password:…] kind:Secret]`, or as structs. */
export function maskGoMaps(text: string, context: MaskContext): string {
  if (!text.includes("map[") || !SECRET.test(text)) return text;
  const parts: string[] = [];
  let copied = 0;
  DATA.lastIndex = 0;
  for (let found = DATA.exec(text); found !== null; found = DATA.exec(text)) {
    const start = DATA.lastIndex;
    const end = endOfMap(text, start);
    parts.push(text.slice(copied, start), maskEntries(text.slice(start, end), context));
    copied = end;
    DATA.lastIndex = end;
  }
  parts.push(text.slice(copied));
  return parts.join("");
}

/** Values may have brackets and spaces of their own: the map ends at a bracket that a field or an end follows. */
function endOfMap(text: string, start: number): number {
  for (let at = start; at < text.length; at += 1) {
    const char = text[at];
    if (char === "\n") return at;
    // Bytes, as in `key:[104 117]`.
    if (char === "[" && text[at - 1] === ":") {
      const bytes = /^\[[\d ]{0,65536}\]/u.exec(text.slice(at, at + 65_600))?.[0];
      if (bytes !== undefined) at += bytes.length - 1;
    } else if (char === "]" && AFTER_MAP.test(text.slice(at, at + 16))) return at;
  }
  return text.length;
}

/** Each value goes on to the next key. */
function maskEntries(entries: string, context: MaskContext): string {
  const keys = [...entries.matchAll(KEY)].map(({ index, 0: key }) => ({
    start: index,
    end: index + key.length,
  }));
  const [first] = keys;
  if (first === undefined) return entries;
  return keys
    .map(({ start, end }, index) => {
      const next = keys[index + 1]?.start ?? entries.length;
      const value = entries.slice(end, next).trimEnd();
      const masked = value === "" ? "" : context.mask(value, "SECRET_DATA");
      return entries.slice(start, end) + masked + entries.slice(end + value.length, next);
    })
    .join("");
}
