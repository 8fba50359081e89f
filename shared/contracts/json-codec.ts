import type { Static, TSchema } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { TerminalError, errorMessage } from "#shared/errors.ts";
import { parseExactJson } from "#shared/exact-json.ts";

/** Encodes and decodes one type of message as JSON text in UTF-8. */
export interface JsonCodec<S extends TSchema> {
  encode(value: Static<S>): Uint8Array;
  /** Throws TerminalError `malformed` for anything but a valid message. */
  decode(bytes: Uint8Array): Static<S>;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** Builds the codec of a contract. `what` names the contract in errors, e.g. "stream chunk". */
export function jsonCodec<S extends TSchema>(what: string, schema: S): JsonCodec<S> {
  const parse = compileParser(what, schema);
  return {
    encode: (value) => encoder.encode(JSON.stringify(value)),
    decode: (bytes) => {
      let value: unknown;
      try {
        value = parseExactJson(decoder.decode(bytes));
      } catch (error) {
        throw new TerminalError("malformed", `malformed ${what}: not JSON (${errorMessage(error)})`, {
          cause: error,
        });
      }
      return parse(value);
    },
  };
}
