import { parentPort, workerData } from "node:worker_threads";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { CITED_LISTS } from "#shared/contracts/conclusion.ts";
import { literals } from "#shared/contracts/literals.ts";
import { SOURCE_KINDS, verifyQuotes } from "../../features/conclusions/verify-quotes.ts";
import { queryText } from "./query-text.ts";

// The time for an answer counts from here, not from the start of the thread.
parentPort?.postMessage("started");

const QueryTask = Type.Object({
  kind: Type.Literal("query"),
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

const VerifyTask = Type.Object({
  kind: Type.Literal("verify"),
  citations: Type.Array(
    Type.Object({
      claim_id: Type.String(),
      list: literals(CITED_LISTS),
      source: Type.String(),
      lines: Type.String(),
      quote: Type.String(),
    }),
  ),
  sources: Type.Array(
    Type.Object({
      id: Type.String(),
      text: Type.String(),
      kind: literals(SOURCE_KINDS),
      also: Type.Optional(Type.Array(Type.String())),
    }),
  ),
});

const TextTask = Type.Union([QueryTask, VerifyTask]);
/** The input of the thread that reads large texts. */
export type TextTask = Static<typeof TextTask>;

const textTaskOf = compileParser("task of the text thread", TextTask);

function answer(task: TextTask): unknown {
  if (task.kind === "verify") return verifyQuotes(task.citations, task.sources);
  return queryText(task.text, task.query, task.maxChars);
}

parentPort?.postMessage({ answer: answer(textTaskOf(workerData)) });
