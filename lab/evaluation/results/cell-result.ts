import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { CellFacts } from "./cell-facts.ts";

/** One line of a results file: what a cell came to. */
export const CellResult = Type.Object({
  /** The hash of everything that the result depends on. */
  key: Type.String(),
  case: Type.String(),
  variant: Type.String(),
  /** From 1. */
  repetition: Type.Integer({ minimum: 1 }),
  /** The version of TARSy that ran it. */
  version: Type.String(),
  /** When it ended; ISO 8601. */
  at: Type.String(),
  facts: CellFacts,
});
export type CellResult = Static<typeof CellResult>;

/** Reads a line of a results file. Throws TerminalError `malformed`. */
export const parseCellResult = compileParser("result of a cell", CellResult);
