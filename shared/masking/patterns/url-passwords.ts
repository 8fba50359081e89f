/** A scheme, the name of a user, which may be an address of mail, and the colon before the password. */
const BEGINNING =
  /(?<![A-Za-z0-9+.-])([A-Za-z][A-Za-z0-9+.-]{0,30}):\/\/[^\s:/?#@"'<>]{0,200}(?:@[^\s:/?#@"'<>]{1,200})?:(?!\d{1,5}(?:[/?#\s]|$))(?=[^\s"'<>@]{0,400}@)/gi;
/** Up to where the address, or the next one of a list, ends. */
const REST = /(?:(?!,\w{1,30}:\/\/)[^\s"'<>`]){1,600}/y;
const HOST =
  /^@(?:(?<name>[A-Za-z0-9._%-]{1,253})|\[[0-9a-f:.]{2,45}\])(?:(?<port>:\d)|[:/?#,\s"'<>)\]}\\`;]|$)|^@(?:\$?[{(<]|\$[A-Z_]|\/[\w?])/i;
/** The beginnings of the parameters of an address. */
const PARAMETERS = /[?&][\w.]{1,60}=/u;

/** The place of a password in an address. */
interface UrlPassword {
  readonly start: number;
  readonly end: number;
}

/**
 * The passwords of the addresses in a text, from the first to the last. A password may have any character, also those that
 * should be encoded: of the `@` behind it, the last one before the parameters counts if what follows the first is hardly a
 * host. Takes time proportional to the text.
 */
export function* urlPasswords(text: string): Generator<UrlPassword> {
  BEGINNING.lastIndex = 0;
  for (let found = BEGINNING.exec(text); found !== null; found = BEGINNING.exec(text)) {
    const start = BEGINNING.lastIndex;
    REST.lastIndex = start;
    const rest = REST.exec(text)?.[0] ?? "";
    const length = passwordLength(rest, /^https?$/iu.test(found[1] ?? ""));
    if (length === 0) continue;
    yield { start, end: start + length };
    BEGINNING.lastIndex = start + length;
  }
}

function passwordLength(rest: string, isWeb: boolean): number {
  let length = 0;
  for (let at = rest.indexOf("@", 1); at !== -1; at = rest.indexOf("@", at + 1)) {
    const host = HOST.exec(rest.slice(at, at + 260));
    if (host === null) continue;
    if (length > 0 && PARAMETERS.test(rest.slice(length, at))) break;
    length = at;
    const { name = "", port } = host.groups ?? {};
    // A page may have an `@` in its path, and a name with a dot or a port is a host.
    if (isWeb && (port !== undefined || name.includes(".") || name === "localhost")) break;
  }
  return length;
}
