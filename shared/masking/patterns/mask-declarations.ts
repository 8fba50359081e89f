import type { MaskContext } from "#shared/masking/mask-context.ts";
import { isHarmlessValue, secretNameKind } from "#shared/masking/secret-names.ts";

/** `ENV name value` of a Dockerfile or of an image's history, and `setenv name value` of a shell. */
const ENV =
  /(?<=^|#\(nop\)[ \t]{1,3}|[;&][ \t]{0,3})([ \t]{0,20}(?:ENV|env|setenv)[ \t]{1,8}([A-Za-z_]\w{0,120})[ \t]{1,8})(?=[^\s=])(?<value>[^\n]{1,4096})/gm;
/** A variable and its value between tabs, as tools print them for other programs. */
const TABBED = /^([ \t]{0,20}[A-Z][A-Z0-9]{0,60}(?:_[A-Z0-9]{1,60}){1,10}\t)(?<value>[^\t\n]{1,4096})$/gm;
/** `define('NAME', 'value')` in PHP. */
const DEFINE =
  /(\bdefine\(\s{0,3}(["'])([A-Za-z_]\w{0,120})\2\s{0,3},\s{0,3}(["']))(?<value>(?:(?!\4)[^\n\\]|\\[^\n]){1,4096})/g;
const REMARK = /^(?:is|was|are|must|should|has|not|and|or|for|to|in)\b/iu;
const DATE = /^(?:\d{4}-\d{2}-\d{2}(?:[T ]|$)|(?:about )?\d{1,4} \w+ ago$)/u;

/** Masks values that stand behind their name without a separator in between: those of declarations. Linear. */
export function maskDeclarations(text: string, context: MaskContext): string {
  let masked = text;
  if (/env[ \t]/iu.test(masked)) {
    masked = masked.replaceAll(ENV, (whole, before: string, name: string, value: string) => {
      // In lower case a sentence may begin with it.
      const isSentence = /^[ \t]*env/u.test(before) && /\s/u.test(value.trim());
      return isSentence ? whole : before + maskNamed(name, value, context);
    });
  }
  if (masked.includes("\t")) {
    masked = masked.replaceAll(TABBED, (_whole, before: string, value: string) =>
      DATE.test(value) ? before + value : before + maskNamed(before.trim(), value, context),
    );
  }
  if (masked.includes("define(")) {
    masked = masked.replaceAll(
      DEFINE,
      (_whole, before: string, _quote: string, name: string, _other: string, value: string) =>
        before + maskNamed(name, value, context),
    );
  }
  return masked;
}

/** The value without its quotes and the white space behind it is masked. */
function maskNamed(name: string, value: string, context: MaskContext): string {
  context.step();
  const kind = secretNameKind(name);
  const trimmed = value.trimEnd();
  if (kind === undefined || REMARK.test(trimmed)) return value;
  const quote = /^(["']).*\1$/u.exec(trimmed)?.[1] ?? "";
  const inner = trimmed.slice(quote.length, trimmed.length - quote.length);
  if (isHarmlessValue(inner, kind)) return value;
  return `${quote}${context.mask(inner, kind)}${quote}${value.slice(trimmed.length)}`;
}
