import type { MaskContext } from "#shared/masking/mask-context.ts";
import { ALWAYS, BY_NAME, type MaskingPattern } from "#shared/masking/patterns/built-in-patterns.ts";
import { IN_FILES } from "#shared/masking/patterns/file-patterns.ts";
import { maskCommands } from "#shared/masking/patterns/mask-commands.ts";
import { maskSqlRows } from "#shared/masking/patterns/mask-sql.ts";
import { TOKEN_FORMS } from "#shared/masking/patterns/token-forms.ts";
import { urlPasswords } from "#shared/masking/patterns/url-passwords.ts";

/** Begins a block of a private key or a certificate, for its end to be searched. */
const PEM_BEGIN = /----(?:-| )BEGIN ([A-Z0-9 ]{1,60}?) ?-----?/g;
/** Labels of blocks with a secret, of any program. */
const SECRET_LABEL =
  /PRIVATE|SECRET|SEED|CREDENTIAL|TOKEN|PASSW|JWT|(?<!PUBLIC )KEY(?! BLOCK| PARAM)|ENCRYPTED KEY/;

const STANDARD = [...TOKEN_FORMS, ...ALWAYS, ...IN_FILES];

/** Masks what is a secret by its form: tokens of known services, headers, commands, SQL, credentials in URLs, keys in PEM. */
export function maskForms(text: string, names: ReadonlySet<MaskingPattern>, context: MaskContext): string {
  const chosen = Object.entries(BY_NAME).flatMap(([name, form]) => (isChosen(name, names) ? [form] : []));
  let masked = maskPem(text, names, context);
  for (const mask of [maskSqlRows, maskCommands, maskUrls]) {
    context.progress();
    masked = mask(masked, context);
  }
  for (const { kind, hint, expression } of chosen.length === 0 ? STANDARD : [...STANDARD, ...chosen]) {
    context.progress();
    if (!hint.test(masked)) continue;
    masked = masked.replaceAll(expression, (whole: string, ...rest: unknown[]) => {
      context.step();
      const groups = rest.at(-1);
      const secret: unknown =
        typeof groups === "object" && groups !== null ? Reflect.get(groups, "secret") : undefined;
      if (typeof secret !== "string" || secret.includes("[MASKED_")) return whole;
      // The last occurrence: what precedes the secret may repeat it.
      const at = whole.lastIndexOf(secret);
      return `${whole.slice(0, at)}${context.mask(secret, kind)}${whole.slice(at + secret.length)}`;
    });
  }
  return masked;
}

function maskUrls(text: string, context: MaskContext): string {
  if (!text.includes("://")) return text;
  const parts: string[] = [];
  let copied = 0;
  for (const { start, end } of urlPasswords(text)) {
    context.step();
    const password = text.slice(start, end);
    parts.push(
      text.slice(copied, start),
      password.includes("[MASKED_") ? password : context.mask(password, "PASSWORD"),
    );
    copied = end;
  }
  parts.push(text.slice(copied));
  return parts.join("");
}

function isChosen(name: string, names: ReadonlySet<string>): boolean {
  return names.has(name);
}

/** Masks what stands between the lines of a PEM block; one that is cut off is masked to the end of its characters. */
function maskPem(text: string, names: ReadonlySet<MaskingPattern>, context: MaskContext): string {
  if (!/----[- ]BEGIN /u.test(text)) return text;
  const parts: string[] = [];
  let at = 0;
  let nextEnd = 0;
  PEM_BEGIN.lastIndex = 0;
  for (let begin = PEM_BEGIN.exec(text); begin !== null; begin = PEM_BEGIN.exec(text)) {
    const label = begin[1] ?? "";
    const kind = SECRET_LABEL.test(label)
      ? "PRIVATE_KEY"
      : label.includes("CERTIFICATE")
        ? "CERTIFICATE"
        : undefined;
    if (kind === undefined || (kind === "CERTIFICATE" && !names.has("certificate"))) continue;
    const start = begin.index + begin[0].length;
    // The search goes on from where the last one ended, so that many beginnings without an end cost one search.
    if (nextEnd !== -1 && nextEnd < start) nextEnd = text.indexOf(PEM_END, start);
    const end = endOfPem(text, start, nextEnd);
    const body = text.slice(start, end);
    const before = BEFORE_KEY.exec(body)?.[0] ?? "";
    const after = trailing(body, before.length);
    const secret = body.slice(before.length, body.length - after);
    if (!/^[\s>|#]*$/u.test(secret)) {
      parts.push(text.slice(at, start), before, context.mask(secret, kind), body.slice(body.length - after));
      at = end;
    }
    PEM_BEGIN.lastIndex = Math.max(end, start);
  }
  parts.push(text.slice(at));
  return parts.join("");
}

const PEM_END = "-----END ";
/** Longer than any key or chain of certificates. */
const MAX_PEM = 64 * 1024;
/** White space, the border of a string in a list of JSON, and what a log or a quotation puts before each line. */
const BEFORE_KEY = /^(?:\\[nr]|[\s"',>|#+])*/u;
const FOREIGN = /[^A-Za-z0-9+/=\s\\:,-]/g;

/**
 * The end at `-----END`, if it is near; or the end of a cut-off block: at a character that base64, headers and escaped line breaks do
 * not have.
 */
function endOfPem(text: string, start: number, nextEnd: number): number {
  if (nextEnd !== -1 && nextEnd - start <= MAX_PEM) {
    const begin = text.slice(start, nextEnd).indexOf("-----BEGIN ");
    if (begin === -1) return nextEnd;
  }
  FOREIGN.lastIndex = start;
  for (let found = FOREIGN.exec(text); found !== null; found = FOREIGN.exec(text)) {
    const lineBefore = text.lastIndexOf("\n", found.index);
    // A prefix of each line.
    const isPrefix = found.index - lineBefore <= 3 && /[>|#]/u.test(found[0]) && lineBefore > start - 2;
    if (!isPrefix) return found.index;
  }
  return text.length;
}

/** The number of characters at the end of the body are none of the key. */
function trailing(body: string, from: number): number {
  let end = body.length;
  while (end > from) {
    if (/[\s"',>|#+-]/u.test(body.charAt(end - 1))) end -= 1;
    else if (/^\\[nr]$/u.test(body.slice(end - 2, end)) && end - 2 >= from) end -= 2;
    else break;
  }
  return body.length - end;
}
