import type { MaskContext } from "#shared/masking/mask-context.ts";

/** A run of the characters of base64 of this length may be a key. */
const MIN_RUN = 32;
const IN_RUN = new Uint8Array(128);
for (const char of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-") {
  IN_RUN[char.charCodeAt(0)] = 1;
}
const HEX = /^(?:sha\d{1,3}[-_]?)?[0-9a-f]+$/iu;
const UUIDS =
  /^(?:[a-z]{1,20}[-_]?)?[0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12}(?:[-_][a-z0-9]{1,12})*$/iu;
/** Public by their purpose: checksums of packages and images, fingerprints of keys. */
const CHECKSUM = /(?:sha\d{1,3}|md5)[-:]$/iu;
/** A part of a name or path; two of them are rare in random text. */
const WORD = /^(?:[a-z]{3,}|[A-Z]?[a-z]{2,}(?:[A-Z][a-z]{2,})+)$/u;
/** The beginning of a compiled name. */
const MANGLED = /^_?_(?:Z|R)[A-Z0-9]/u;
const MAX_DECODED = 64 * 1024;
/** The beginning of a longer run says as much. */
const MAX_SAMPLE = 4_096;
const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Masks long runs of characters that look random: with digits and both cases mixed throughout. Hexadecimal numbers (commits,
 * digests, trace ids), UUIDs, names and paths stay. Base64 of readable text is masked only if `maskInner` finds a secret in it.
 */
export function maskRandom(text: string, context: MaskContext, maskInner: (text: string) => string): string {
  const parts: string[] = [];
  let copied = 0;
  // A loop: an expression would try every character as a beginning, on every text.
  for (let start = 0, at = 0; at <= text.length; at += 1) {
    if (at < text.length && IN_RUN[text.charCodeAt(at)] === 1) continue;
    if (at - start >= MIN_RUN) {
      context.step();
      const end = text.startsWith("==", at) ? at + 2 : text[at] === "=" ? at + 1 : at;
      const run = text.slice(start, end);
      if (isSecret(run, text.slice(Math.max(0, start - 8), start), maskInner)) {
        parts.push(text.slice(copied, start), context.mask(run, "SECRET"));
        copied = end;
      }
    }
    start = at + 1;
  }
  parts.push(text.slice(copied));
  return parts.join("");
}

function isSecret(run: string, before: string, maskInner: (text: string) => string): boolean {
  if (HEX.test(run) || UUIDS.test(run) || MANGLED.test(run)) return false;
  if (CHECKSUM.test(before) || /^sha\d{3}-/u.test(run)) return false;
  const decoded = readable(run);
  return decoded === undefined ? looksRandom(run.slice(0, MAX_SAMPLE)) : maskInner(decoded) !== decoded;
}

/** The text that base64 stands for; undefined if it stands for bytes. */
function readable(run: string): string | undefined {
  if (run.length > MAX_DECODED * 1.4 || /[-_]/u.test(run)) return undefined;
  try {
    const decoded = decoder.decode(Buffer.from(run, "base64"));
    // oxlint-disable-next-line no-control-regex -- control characters tell that it was not text
    return /[\x00-\x08\x0e-\x1f\x7f-\u009f]/u.test(decoded) ? undefined : decoded;
  } catch {
    return undefined;
  }
}

/** Upper case, lower case and digits in turn: random text changes between them at six of ten characters, names at two. */
function looksRandom(run: string): boolean {
  const words = run.split(/[-_/]/u).filter((part) => WORD.test(part));
  if (words.length >= 2) return false;
  const longest = run.split(/[-_/]/u).reduce((best, part) => (part.length > best.length ? part : best), "");
  const [upper, lower, digits] = [/[A-Z]/gu, /[a-z]/gu, /\d/gu].map((set) => run.match(set)?.length ?? 0);
  if (upper === undefined || lower === undefined || digits === undefined || digits < 3) return false;
  const share = changes(run) / (run.length - 1);
  if (upper >= 3 && lower >= 3) return share >= 0.38 && entropy(run) >= 3.8;
  // One case only: without separators, and with as many digits as random text has.
  const isWhole = longest.length === run.replace(/=+$/u, "").length;
  return isWhole && upper + lower >= 10 && digits >= run.length / 10 && share >= 0.25 && entropy(run) >= 3.8;
}

function changes(run: string): number {
  let count = 0;
  let before = classOf(run.charCodeAt(0));
  for (let index = 1; index < run.length; index += 1) {
    const here = classOf(run.charCodeAt(index));
    if (here !== before) count += 1;
    before = here;
  }
  return count;
}

function classOf(code: number): number {
  if (code >= 0x61 && code <= 0x7a) return 0;
  if (code >= 0x41 && code <= 0x5a) return 1;
  return code >= 0x30 && code <= 0x39 ? 2 : 3;
}

/** Shannon's entropy in bits per character. */
function entropy(run: string): number {
  const counts = new Map<string, number>();
  for (const char of run) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / run.length) * Math.log2(count / run.length);
  return bits;
}
