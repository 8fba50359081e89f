import { RequestError, abbreviate } from "./request-error.ts";

/** The bytes of a body and what its headers say of them. */
export interface Body {
  /** After decompression. */
  readonly bytes: Buffer;
  /** The media type in lower case; empty if there is none. */
  readonly type: string;
  /** As the content type names it; empty if it does not. */
  readonly charset: string;
}

const MARKS: readonly (readonly [mark: readonly number[], charset: string])[] = [
  [[0xef, 0xbb, 0xbf], "utf-8"],
  [[0xff, 0xfe], "utf-16le"],
  [[0xfe, 0xff], "utf-16be"],
];

/** Splits a content type into its media type and its charset. */
export function readContentType(header: string | undefined): Pick<Body, "type" | "charset"> {
  const charset = /;\s*charset\s*=\s*(?:"(?<quoted>[^"]*)"|(?<plain>[^\s;]+))/iu.exec(header ?? "")?.groups;
  return {
    type: header?.split(";", 1)[0]?.trim().toLowerCase() ?? "",
    charset: (charset?.["quoted"] ?? charset?.["plain"] ?? "")
      .replaceAll(/^[\s']+|[\s']+$/gu, "")
      .toLowerCase()
      .replace("utf_", "utf-"),
  };
}

/**
 * The text of a body, without a byte order mark. The mark goes before the charset of the content type, and both before UTF-8. Invalid
 * bytes become U+FFFD, because an alert with a broken byte is better than no alert. Throws RequestError 415 for an unknown charset.
 */
export function bodyText({ bytes, charset }: Body): string {
  const marked = MARKS.find(([mark]) => mark.every((byte, index) => bytes[index] === byte))?.[1];
  return decoderOf(marked ?? unmarked(bytes, charset)).decode(bytes);
}

/** JSON in UTF-16 begins with an ASCII character, so one of its first two bytes is zero (RFC 4627, 3). */
function unmarked(bytes: Buffer, charset: string): string {
  const isUtf16 = charset === "" || charset.startsWith("utf-16");
  if (isUtf16 && bytes.length > 1 && (bytes[0] === 0) !== (bytes[1] === 0)) {
    return bytes[0] === 0 ? "utf-16be" : "utf-16le";
  }
  // Said of a text that is none: half of the bytes of ASCII in UTF-16 are zero.
  return charset === "" || (charset.startsWith("utf-16") && !bytes.includes(0)) ? "utf-8" : charset;
}

/** One for each charset of the Encoding Standard that was used: to make one costs more than to decode a body. */
const decoders = new Map<string, InstanceType<typeof TextDecoder>>();

function decoderOf(charset: string) {
  try {
    const decoder = decoders.get(charset) ?? new TextDecoder(charset);
    decoders.set(charset, decoder);
    return decoder;
  } catch {
    throw new RequestError(
      415,
      `charset '${abbreviate(charset)}' is not known: send UTF-8, or one of the Encoding Standard such as utf-16 or iso-8859-1`,
    );
  }
}
