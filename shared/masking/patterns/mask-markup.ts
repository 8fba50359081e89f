import type { MaskContext } from "#shared/masking/mask-context.ts";
import { isHarmlessValue, secretNameKind } from "#shared/masking/secret-names.ts";

const ELEMENT =
  /<([A-Za-z\u00C0-\u1FFF\u3040-\uD7FF][\w.:\u00C0-\u1FFF\u3040-\uD7FF-]{0,60})(?:\s[^<>\n]{0,200})?>([^<>]+)(?=<\/)/g;
/** An element whose attribute names its text: `<entry key="…">…</entry>`. What people see on a page is a caption. */
const NAMED_ELEMENT =
  /<(?!(?:a|button|label|option|input|select|h\d)\b)[A-Za-z][\w.:-]{0,60}\s(?:[^<>\n]{0,200}?\s)?(?:name|key)\s{0,3}=\s{0,3}(["'])([^"'<>]{1,200})\1[^<>\n]{0,200}>([^<>\s]{1,4096})(?=<\/)/gi;
const CDATA =
  /<([A-Za-z\u00C0-\u1FFF\u3040-\uD7FF][\w.:\u00C0-\u1FFF\u3040-\uD7FF-]{0,60})(?:\s[^<>\n]{0,200})?>\s{0,100}<!\[CDATA\[/g;
/** A name and its value side by side, in a table or a list of HTML. */
const CELLS =
  /<(?:td|th|dt|label|b|strong|span|key)\b[^<>]{0,200}>\s{0,20}([^<>\n:]{1,60}?)\s{0,5}:?\s{0,20}<\/\w{1,10}>\s{0,100}(?:<(?:td|dd|span|code|string|pre|b|strong)\b[^<>]{0,200}>\s{0,20}){1,3}([^<>]{1,4096}?)(?=\s{0,20}<\/)/gi;
/** Attributes with a name and its value, as in `<add key="…" value="…"/>`. */
const TAG = /<[A-Za-z][\w.:-]{0,60}\s[^<>]{1,4096}>/g;
const NAME_ATTRIBUTE = /\s(?:name|key|id)\s{0,3}=\s{0,3}(["'])([^"']{1,200})\1/iu;
const VALUE_ATTRIBUTE = /(\svalue\s{0,3}=\s{0,3})("[^"]{0,4096}"|'[^']{0,4096}')/iu;
const NESTED_VALUE = /^\s{0,100}<value>([^<>]+)(?=<\/)/u;
const QUOTE = String.raw`&(?:quot|apos|#34|#39|#x22|#x27);`;
const ENTITIES = new RegExp(
  String.raw`([A-Za-z_][\w.-]{0,120})((?:${QUOTE})?\s{0,3}[:=]\s{0,3}${QUOTE})((?:[^&\n]|&(?!(?:quot|apos|#34|#39|#x22|#x27);)){1,4096})`,
  "giu",
);
const ENCODED =
  /(?<![A-Za-z0-9_.-])(?:(?<=%)[0-9A-F]{2})?([A-Za-z_][\w.-]{0,120})((?:%22)?%3[AD](?:%20|\+)?(?:%22)?)((?:[\w.~!*'()+-]|%(?!26|22|7D|2C|0A|0D|3B|20)[0-9A-F]{2}){1,4096})/giu;

/**
 * Masks values whose name looks secret in XML (elements, CDATA, attributes with a name and a value), in text with the entities
 * of HTML, and in text that is percent-encoded. Takes time proportional to the text.
 */
export function maskMarkup(text: string, context: MaskContext): string {
  let masked = text;
  if (masked.includes("</")) {
    const elements = masked.replaceAll(ELEMENT, (whole, name: string, value: string) =>
      maskEnd(whole, name, value, context),
    );
    const named = elements.replaceAll(NAMED_ELEMENT, (whole, _quote, name: string, value: string) =>
      secretNameKind(value) === undefined ? maskEnd(whole, name, value, context) : whole,
    );
    const cells = named.replaceAll(CELLS, (whole, name: string, value: string) =>
      maskEnd(whole, name, value, context),
    );
    masked = maskNestedValues(maskCdata(cells, context), context);
  }
  if (/\svalue\s{0,3}=/iu.test(masked)) {
    masked = masked.replaceAll(TAG, (tag: string) => maskTag(tag, context));
  }
  const pair = (whole: string, name: string, _between: string, value: string) =>
    maskEnd(whole, name, value, context);
  if (/&(?:quot|apos|#)/u.test(masked)) masked = masked.replaceAll(ENTITIES, pair);
  if (/%3[AD]/iu.test(masked)) masked = masked.replaceAll(ENCODED, pair);
  return masked;
}

/** The text with its last part masked, if its name looks secret. */
function maskEnd(whole: string, name: string, value: string, context: MaskContext): string {
  context.step();
  const kind = secretNameKind(name);
  if (kind === undefined || isHarmlessValue(value, kind)) return whole;
  return `${whole.slice(0, whole.length - value.length)}${context.mask(value, kind)}`;
}

function maskCdata(text: string, context: MaskContext): string {
  if (!text.includes("<![CDATA[")) return text;
  const parts: string[] = [];
  let copied = 0;
  CDATA.lastIndex = 0;
  for (let found = CDATA.exec(text); found !== null; found = CDATA.exec(text)) {
    const start = CDATA.lastIndex;
    const kind = secretNameKind(found[1] ?? "");
    const end = text.indexOf("]]>", start);
    if (end === -1 && kind === undefined) break;
    const to = end === -1 ? text.length : end;
    if (kind !== undefined) {
      parts.push(text.slice(copied, start), context.mask(text.slice(start, to), kind));
      copied = to;
    }
    CDATA.lastIndex = to;
  }
  parts.push(text.slice(copied));
  return parts.join("");
}

function maskTag(tag: string, context: MaskContext): string {
  const kind = secretNameKind(NAME_ATTRIBUTE.exec(tag)?.[2] ?? "");
  if (kind === undefined) return tag;
  return tag.replace(VALUE_ATTRIBUTE, (whole, before: string, quoted: string) => {
    const value = quoted.slice(1, -1);
    const quote = quoted.charAt(0);
    return isHarmlessValue(value, kind) ? whole : `${before}${quote}${context.mask(value, kind)}${quote}`;
  });
}

/** `<property name="password"><value>…</value>` */
function maskNestedValues(text: string, context: MaskContext): string {
  if (!text.includes("<value>")) return text;
  const parts: string[] = [];
  let copied = 0;
  TAG.lastIndex = 0;
  for (let found = TAG.exec(text); found !== null; found = TAG.exec(text)) {
    const at = TAG.lastIndex;
    const kind = secretNameKind(NAME_ATTRIBUTE.exec(found[0])?.[2] ?? "");
    if (kind === undefined) continue;
    const nested = NESTED_VALUE.exec(text.slice(at, at + MAX_NESTED));
    const value = nested?.[1];
    if (nested === null || value === undefined || isHarmlessValue(value, kind)) continue;
    const end = at + nested[0].length;
    parts.push(text.slice(copied, end - value.length), context.mask(value, kind));
    copied = end;
    TAG.lastIndex = end;
  }
  parts.push(text.slice(copied));
  return parts.join("");
}

const MAX_NESTED = 64 * 1024;
