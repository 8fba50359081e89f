import type { MaskContext } from "#shared/masking/mask-context.ts";
import { looksGenerated } from "#shared/masking/patterns/looks-generated.ts";
import { isHarmlessValue, secretNameKind } from "#shared/masking/secret-names.ts";

/** A statement that has a value behind its name, at the end of the match. */
interface Declaration {
  readonly hint: RegExp;
  readonly expression: RegExp;
  /** The same words say something else in prose. */
  readonly isHarmless?: (before: string, value: string) => boolean;
}

const DATE = /^(?:\d{4}-\d{2}-\d{2}(?:[T ]|$)|(?:about )?\d{1,4} \w+ ago$)/u;
const DECLARATIONS: readonly Declaration[] = [
  // `ENV name value` of a Dockerfile or of an image's history, and `setenv name value` of a shell.
  {
    hint: /env[ \t]/i,
    expression:
      /(?<=^|#\(nop\)[ \t]{1,3}|[;&][ \t]{0,3})[ \t]{0,20}(?:ENV|env|setenv)[ \t]{1,8}(?<name>[A-Za-z_]\w{0,120})[ \t]{1,8}(?=[^\s=])(?<value>[^\n]{1,4096})/gm,
    isHarmless: (before, value) => /^[ \t]*env/u.test(before) && /\s/u.test(value.trim()),
  },
  // Variables and headers in the files of web servers.
  {
    hint: /(?:SetEnv|_param|_header)[ \t]/,
    expression:
      /(?<![\w-])(?:SetEnv|(?:fastcgi|uwsgi|scgi)_param|(?:proxy|grpc)_set_header|add_header)[ \t]{1,8}(?<name>[A-Za-z_][\w-]{0,120})[ \t]{1,8}["']?(?<value>[^\s"';]{1,4096})/g,
    isHarmless: (_before, value) => value.startsWith("$"),
  },
  // `:name "value"` of Clojure, `(setq name "value")`, `{name, <<"value">>}` of Erlang.
  {
    hint: /[a-z]\s{0,3},?\s{0,3}(?:<<)?\\?"/,
    expression:
      /(?:(?<=[{([\s]):|\((?:setq|defvar|def)[ \t]{1,3}|\{\s{0,3}(?=\w{1,61}\s{0,3},))(?<name>[a-z][\w-]{0,60})(?:\s{0,3},\s{0,3}(?:<<)?|[ \t]{1,3})\\?"(?<value>(?:[^"\\\n]|\\[^"n]){1,4096})(?=\\?")/g,
  },
  // A variable and its value between tabs, as tools print them for other programs.
  {
    hint: /\t/,
    expression:
      /^[ \t]{0,20}(?<name>[A-Z][A-Z0-9]{0,60}(?:_[A-Z0-9]{1,60}){1,10})\t(?<value>[^\t\n]{1,4096})$/gm,
    isHarmless: (_before, value) => DATE.test(value),
  },
  // `define('name', 'value')`, `setProperty("name", "value")`, `header("name", "value")`.
  {
    hint: /["']\s{0,3},/,
    expression:
      /\b(?:define|set|put|add|append|header|with|env|export|property|param)\w{0,40}\(\s{0,3}\\?["'](?<name>[A-Za-z_][\w.-]{0,120})\\?["']\s{0,3},\s{0,3}\\?(?<quote>["'])(?<value>(?:(?!\k<quote>)[^\n\\]|\\[^\n"']){1,4096})/gi,
  },
  // `setPassword("x")`, `.password("x")`, `withToken('x')`.
  {
    hint: /\w\(\\?["']/,
    expression:
      /(?:\b(?:set|with|add)_?|\.(?:set|with|add)?_?)(?<name>[A-Za-z]\w{0,60})\(\s{0,3}\\?(?<quote>["'])(?<value>(?:(?!\k<quote>)[^\n\\]|\\[^\n"']){1,4096})(?=\\?["']\s{0,3}\))/gi,
  },
  // `variable "db_password" { default = "x" }` and `db_password = { value = "x" }` of Terraform.
  {
    hint: /(?:default|value)\s{0,20}=/,
    expression:
      /(?<![\w.-])(?<name>[\w.-]{1,120})\\?"?\s{0,3}(?:=\s{0,3})?\{[^{}]{0,2000}?\b(?:default|value)\s{0,20}=\s{0,3}\\?"(?<value>(?:[^"\\\n]|\\[^"n]){1,4096})/g,
  },
  // `aws configure set name value`, `CONFIG SET name value`, `git config name value`.
  {
    hint: /config/i,
    expression:
      /\bconfig(?:ure)?[ \t]{1,3}(?:set[ \t]{1,3}|--\w{1,20}[ \t]{1,3}){0,3}["']?(?<name>[\w./:@-]{1,200})["']?[ \t]{1,3}\\?["']?(?<value>[^\s"'\\,;|=]{1,4096})/gi,
  },
  // `SET path:name value`, `kv put path/name value`.
  {
    hint: /(?:set|put|add|store)\s/i,
    expression:
      /(?<![\w.-])(?:h?set|put|add|store)[ \t]{1,3}\\?["']?(?<name>[\w./:@-]{1,200})\\?["']?[ \t]{1,3}\\?["']?(?<value>[^\s"'\\,;|=]{1,4096})/gi,
    isHarmless: (_before, value) => !looksGenerated(value),
  },
];
const REMARK = /^(?:is|was|are|must|should|has|not|and|or|for|to|in|failed|required)\b/iu;

/** Masks values that stand behind their name without a separator in between: those of declarations. Linear. */
export function maskDeclarations(text: string, context: MaskContext): string {
  return DECLARATIONS.reduce((left, { hint, expression, isHarmless }) => {
    context.progress();
    if (!hint.test(left)) return left;
    return left.replaceAll(expression, (whole: string, ...rest: unknown[]) => {
      const groups = rest.at(-1);
      const [name, value] = ["name", "value"].map((group): unknown =>
        typeof groups === "object" && groups !== null ? Reflect.get(groups, group) : undefined,
      );
      if (typeof name !== "string" || typeof value !== "string") return whole;
      const before = whole.slice(0, whole.length - value.length);
      return isHarmless?.(before, value) === true ? whole : before + maskNamed(name, value, context);
    });
  }, text);
}

/** The value without its quotes and the white space behind it is masked. */
function maskNamed(name: string, value: string, context: MaskContext): string {
  context.step();
  const kind = secretNameKind(name);
  const trimmed = value.trimEnd();
  if (kind === undefined || REMARK.test(trimmed) || trimmed.includes("[MASKED_")) return value;
  const quote = /^(["']).*\1$/u.exec(trimmed)?.[1] ?? "";
  const inner = trimmed.slice(quote.length, trimmed.length - quote.length);
  if (isHarmlessValue(inner, kind)) return value;
  return `${quote}${context.mask(inner, kind)}${quote}${value.slice(trimmed.length)}`;
}
