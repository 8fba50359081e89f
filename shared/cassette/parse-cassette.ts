import { Type } from "#shared/generated/typebox/typebox.mjs";
import { CASSETTE_FORMAT, CASSETTE_VERSION, Cassette } from "#shared/cassette/cassette.ts";
import { checkReferences } from "#shared/cassette/check-references.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { TerminalError, errorMessage } from "#shared/errors.ts";
import { parseJson } from "#shared/parse-json.ts";

/** A larger file is not read; the api writes none. */
export const MAX_CASSETTE_BYTES = 64 * 1024 * 1024;

/** Arguments of a call may have 200. */
const MAX_CASSETTE_LEVELS = 256;

/** Its escape in JSON, and not a backslash that is followed by these letters. */
const NUL = /(?<!\\)(?:\\\\)*\\u0000/u;

const parseHead = compileParser(
  "cassette",
  Type.Object(
    { format: Type.Optional(Type.Unknown()), version: Type.Optional(Type.Unknown()) },
    { additionalProperties: true },
  ),
);
const parseCurrent = compileParser("cassette", Cassette);

/**
 * Reads a cassette from its JSON text. Throws TerminalError `malformed` that says what is wrong, also for one of another version of the
 * format.
 */
export function parseCassette(text: string): Cassette {
  if (Buffer.byteLength(text) > MAX_CASSETTE_BYTES) {
    throw malformed(`it has more than ${MAX_CASSETTE_BYTES / 1024 / 1024} MiB`);
  }
  if (NUL.test(text)) {
    throw malformed("one of its texts has the character NUL (\\u0000), which cannot be stored");
  }
  let value: unknown;
  try {
    value = parseJson(text, MAX_CASSETTE_LEVELS);
  } catch (error) {
    const problem = error instanceof RangeError ? "it is nested too deeply" : "it is not JSON";
    throw malformed(`${problem} (${errorMessage(error)})`, error);
  }
  const { format, version } = parseHead(value);
  if (format !== CASSETTE_FORMAT) {
    throw malformed(
      `its member "format" must be "${CASSETTE_FORMAT}"; it is not a file of GET /sessions/:id/cassette`,
    );
  }
  if (typeof version !== "number" || !Number.isInteger(version)) {
    throw malformed('its member "version" must be a whole number');
  }
  if (version !== CASSETTE_VERSION) {
    throw malformed(
      `it has version ${version}, and this TARSy reads version ${CASSETTE_VERSION}: use the TARSy that wrote it`,
    );
  }
  const cassette = parseCurrent(value);
  const wrong = checkReferences(cassette);
  if (wrong !== undefined) throw malformed(wrong);
  return cassette;
}

function malformed(reason: string, cause?: unknown): TerminalError {
  return new TerminalError("malformed", `the cassette cannot be read: ${reason}`, { cause });
}
