import { parentPort, workerData } from "node:worker_threads";
import { queryText } from "./query-text.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";

// The time for an answer counts from here, not from the start of the thread.
parentPort?.postMessage("started");

const TextTask = Type.Object({
  text: Type.String(),
  query: Type.Union([
    Type.Object({ kind: Type.Literal("read"), fromLine: Type.Integer(), lines: Type.Integer() }),
    Type.Object({
      kind: Type.Literal("search"),
      pattern: Type.String(),
      isRegex: Type.Boolean(),
      context: Type.Integer(),
    }),
    Type.Object({ kind: Type.Literal("json"), path: Type.String() }),
  ]),
  maxChars: Type.Integer(),
});
/** The input of the thread that reads a kept text. */
export type TextTask = Static<typeof TextTask>;

const textTaskOf = compileParser("task of the text thread", TextTask);

const { text, query, maxChars } = textTaskOf(workerData);
parentPort?.postMessage(queryText(text, query, maxChars));
