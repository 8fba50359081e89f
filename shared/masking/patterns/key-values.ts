import type { MaskContext } from "#shared/masking/mask-context.ts";
import { endOfValue } from "#shared/masking/patterns/end-of-value.ts";
import { looksGenerated } from "#shared/masking/patterns/looks-generated.ts";
import { maskDeclarations } from "#shared/masking/patterns/mask-declarations.ts";
import { maskMarkup } from "#shared/masking/patterns/mask-markup.ts";
import { isHarmlessValue, secretNameKind, type SecretKind } from "#shared/masking/secret-names.ts";
import { mayNameSecret } from "#shared/masking/secret-words.ts";

/** `name=`, `name: `, `"name": `, `["name"] = `, `**name:** `: the name begins where a word begins, in any language. */
const NAME =
  /(?<![\w./\u00C0-\u1FFF\u3040-\uD7FF-])([\w/\u00C0-\u1FFF\u3040-\uD7FF-][\w./\u00C0-\u1FFF\u3040-\uD7FF-]{0,120})(\\?["'`”»*]{0,3}\]?[ \t]{0,3}(?::=|=>|==?|:)(?:\*{1,2}(?=[ \t]))?[ \t]{0,3})/g;
/** The first words of a name of several words: `API key: `, `mot de passe : `. */
const WORDS_BEFORE = /(?<![\w.-])(?:[A-Za-z\u00C0-\u024F]{1,20} ){1,2}$/u;
/** Wrappers that a program puts around a text in quotes: `Some("…")`, `SecretStr('…')`. Calls of functions have arguments of any kind. */
const WRAPPER =
  /^(?:Some|Just|Secret|SecretStr|SecretString|Password|str|String|String::from|new String)\((?=["'])/u;
/** The name of a secret of AWS stands in its ARN. */
const ARN = /arn:[a-z-]{1,20}:secretsmanager:[a-z0-9-]{1,30}:\d{12}:$/u;
/** `--password value`; with `=` it is a pair. */
const FLAG = /(?<=^|[\s"'[,])--?([A-Za-z][A-Za-z0-9-]{1,60})[ \t]{1,3}(?=[^\s<>,;&|-])/g;
/** The indented line below, with one word. */
const NEXT_LINE = /^\r?\n[ \t]{2,40}(?=[^\s:=#-][^\s:=#]{3,400}[ \t]*(?:\r?\n|$))/u;
const MAX_NEXT = 460;
/** Words that follow `password:` in a sentence. */
const REMARKS =
  /^(?:is|was|are|for|and|or|not|must|should|has|expired|required|incorrect|invalid|missing|wrong|changed|reset|authentication|empty|expected|unexpected|failed|too|given|provided|the|no|on|in|at|of|to|from|by|with|error)$/iu;

/** Masks the values of pairs, options and markup whose name looks secret; names and everything else stay. */
export function maskKeyValues(text: string, context: MaskContext): string {
  if (!mayNameSecret(text)) return text;
  const pairs = maskPairs(text, context);
  return maskMarkup(maskDeclarations(maskFlags(pairs, context), context), context);
}

function maskFlags(text: string, context: MaskContext): string {
  const parts: string[] = [];
  let copied = 0;
  FLAG.lastIndex = 0;
  for (let found = FLAG.exec(text); found !== null; found = FLAG.exec(text)) {
    const start = FLAG.lastIndex;
    const kind = secretNameKind(found[1] ?? "");
    if (kind === undefined) continue;
    const end = endOfValue(text, start, "word");
    // This is the help of a command.
    if (/^(?:strings?|stringArray|text|value)(?: {2}|\s*$)/mu.test(text.slice(start, start + 20))) continue;
    parts.push(
      text.slice(copied, start),
      maskValue({ value: text.slice(start, end), kind, isProse: false }, context),
    );
    copied = end;
    FLAG.lastIndex = end;
  }
  parts.push(text.slice(copied));
  return parts.join("");
}

/** The value of a harmless name is searched, too: it may be a text with pairs of its own. */
function maskPairs(text: string, context: MaskContext): string {
  const parts: string[] = [];
  let copied = 0;
  NAME.lastIndex = 0;
  for (let found = NAME.exec(text); found !== null; found = NAME.exec(text)) {
    context.step();
    const [, written = "", separator = ""] = found;
    // Behind an escaped line break, in a string of JSON.
    const name = text[found.index - 1] === "\\" ? written.slice(1) : written;
    const kind = kindOfName(text, found.index, name);
    if (kind === undefined) continue;
    const wrapper = WRAPPER.exec(text.slice(NAME.lastIndex, NAME.lastIndex + 50))?.[0] ?? "";
    let start = NAME.lastIndex + wrapper.length;
    if (isNoPair(text, { at: found.index, separator, start })) continue;
    const below = NEXT_LINE.exec(text.slice(start, start + MAX_NEXT))?.[0].length ?? 0;
    start += below;
    const isLine = below === 0 && isLineOfVariable(text, found.index, name, separator);
    const value = text.slice(start, endOfValue(text, start, isLine ? "line" : "pair"));
    // The length of a value, as `kubectl describe` prints it.
    if (value === "" || text.startsWith(" bytes", start + value.length)) continue;
    const inProse = isProse(text, found.index, separator);
    const masked = maskValue({ value, kind, isProse: inProse }, context);
    if (masked === value) continue;
    parts.push(text.slice(copied, start), masked);
    copied = start + value.length;
    // The new value of a change, as Terraform prints it.
    const arrow = /^[ \t]{1,3}->[ \t]{1,3}(?=[^\s(])/u.exec(text.slice(copied, copied + 10))?.[0];
    if (arrow !== undefined) {
      const next = copied + arrow.length;
      const end = endOfValue(text, next, "word");
      parts.push(arrow, maskValue({ value: text.slice(next, end), kind, isProse: false }, context));
      copied = end;
    }
    NAME.lastIndex = copied;
  }
  parts.push(text.slice(copied));
  return parts.join("");
}

/** A name that is a part of a longer one, as `key` is, has the words before it. */
function kindOfName(text: string, at: number, name: string): SecretKind | undefined {
  const kind = name.startsWith("MASKED_") ? undefined : secretNameKind(name);
  if (kind !== undefined || !LAST_WORD.test(name)) return kind;
  const before = WORDS_BEFORE.exec(text.slice(Math.max(0, at - 45), at))?.[0];
  return before === undefined ? undefined : secretNameKind(before + name);
}

/** The last word of a name of several ones. */
const LAST_WORD = /^(?:keys?|passe|phrase|code|word|string|hash|acceso|accesso|api|privée?|secr[eè]te?)$/iu;

interface FoundPair {
  /** The offset at which the name begins. */
  readonly at: number;
  readonly separator: string;
  /** The offset at which the value begins. */
  readonly start: number;
}

function isNoPair(text: string, { at, separator, start }: FoundPair): boolean {
  // An object or a list of JSON: what is in it has names of its own, and without its bracket it would be no JSON.
  if (/["']/u.test(separator) && /[{[]/u.test(text.charAt(start))) return true;
  // The result of tests.
  if (
    /^pass["']?\s{0,3}[:=]\s{0,3}(?:\d{1,6}[\s,;|]{1,3}(?:fail|skip|warn|err)|Test[A-Z]|tests?\b)/iu.test(
      text.slice(at, at + 30),
    )
  ) {
    return true;
  }
  // A block, whose fields have names of their own.
  if (/^[{[][ \t]*(?:\r?\n|$)/u.test(text.slice(start, start + 20))) return true;
  // A message or a replacement of a reference: `${NAME:?not set}`, `${NAME:+set}`.
  const isInReference = separator === ":" && text[at - 1] === "{";
  if (isInReference && /^(?:[?+]|-?\})/u.test(text.slice(start, start + 2))) return true;
  return ARN.test(text.slice(Math.max(0, at - 100), at));
}

/** `DB_PASSWORD=x` at the beginning of a line: the whole line is its value. */
function isLineOfVariable(text: string, at: number, name: string, separator: string): boolean {
  if (separator !== "=" || !/^[A-Z][A-Z0-9_]*$/u.test(name)) return false;
  const before = text.slice(Math.max(0, at - 40), at);
  return /^(?:\s*(?:export|set|ENV|declare -x|-)\s+|\s*)$/u.test(before.slice(before.lastIndexOf("\n") + 1));
}

/** A sentence may follow a colon in the middle of a line: `error: invalid token: signature is invalid`. */
function isProse(text: string, at: number, separator: string): boolean {
  if (!/^:[ \t]/u.test(separator)) return false;
  const before = text.slice(Math.max(0, at - 40), at);
  return /[\w)'"]:? $/u.test(before.slice(before.lastIndexOf("\n") + 1));
}

function maskValue(
  {
    value,
    kind,
    isProse: inProse,
  }: { readonly value: string; readonly kind: SecretKind; readonly isProse: boolean },
  context: MaskContext,
): string {
  const quote = /^\\?["']/u.exec(value)?.[0] ?? "";
  const isClosed = quote !== "" && value.length > quote.length && value.endsWith(quote);
  const [inner, tail] =
    quote === ""
      ? splitTail(value)
      : [value.slice(quote.length, isClosed ? -quote.length : undefined), isClosed ? quote : ""];
  if (isHarmlessValue(inner, kind)) return value;
  if (kind !== "PASSWORD" && quote === "" && REMARKS.test(inner)) return value;
  // The name of a scheme, as in `Authorization: Basic x`: the patterns mask what follows.
  if (/^(?:Bearer|Basic|Digest|Negotiate)$/iu.test(inner)) return value;
  if (inProse && quote === "" && /^[a-z][a-z\d]{1,20}:$/u.test(inner)) return value;
  const isRemark = kind === "PASSWORD" ? REMARKS.test(inner) : !looksGenerated(inner);
  if (inProse && quote === "" && isRemark) return value;
  return `${quote}${context.mask(inner, kind)}${tail}`;
}

/** Closing brackets and full stops belong to what the pair stands in, unless the value has the opening one, too. */
function splitTail(value: string): [inner: string, tail: string] {
  let end = value.length;
  while (end > 0) {
    const char = value.charAt(end - 1);
    const opening = char === ")" ? "(" : char === "]" ? "[" : char === "}" ? "{" : undefined;
    const isOutside =
      opening === undefined ? char === "." || char === "\\" : !value.slice(0, end).includes(opening);
    if (!isOutside) break;
    end -= 1;
  }
  return [value.slice(0, end), value.slice(end)];
}
