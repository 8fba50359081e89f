import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { embeddingName, type ResolvedEmbedding } from "#shared/contracts/embedding.ts";
import type { ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { EmbedText } from "#shared/generated/llm/v1/llm.ts";
import { embedTexts, type Embedder } from "./embed-texts.ts";
import { mayGet } from "./rank-memories.ts";

/** The meaning of a text, and the name of the model that computed it. */
export interface QueryVector {
  readonly vector: readonly number[];
  readonly model: string;
}

/** A session that looks for memories. */
export type Asking = Embedder & { readonly db: Queryable };

/** Memories without a vector that get one with a query. The rest get theirs with later queries. */
const MAX_ADDED = 20;

const MISSING = `
WITH asking AS (SELECT session_id, owner_subject, teams FROM alert_sessions WHERE session_id = $1)
SELECT m.memory_id, m.content FROM asking, investigation_memories m
WHERE m.embedding_model IS DISTINCT FROM $2 AND ${mayGet({ includesOwn: true })}
ORDER BY m.updated_at DESC, m.memory_id LIMIT ${MAX_ADDED}`;
const parseMissing = compileParser(
  "memory without a vector",
  Type.Object({ memory_id: Type.String(), content: Type.String() }),
);

/** A memory that was changed meanwhile gets the vector of its new content later. */
const ADD = `
UPDATE investigation_memories m SET embedding = ARRAY(SELECT json_array_elements_text(r.vector)::real), embedding_model = $2
FROM json_to_recordset($1::json) AS r(memory_id uuid, content text, vector json)
WHERE m.memory_id = r.memory_id AND m.content = r.content`;

/**
 * The vector of a text with which memories are searched; in the same call memories that the session may get, and that
 * have none of this model, get theirs. Null where the session has no such model, for a text without words, and if the
 * model cannot be reached. Throws database errors and the signal's reason.
 */
export async function queryVector(
  session: Asking,
  { embedding }: Pick<NonNullable<ResolvedChain["memory"]>, "embedding">,
  text: string,
): Promise<QueryVector | null> {
  if (embedding === undefined || text.trim() === "") return null;
  const [vector] = await embedWithMissing(session, embedding, [{ text, isQuery: true }]);
  return vector === undefined ? null : { vector, model: embeddingName(embedding) };
}

/**
 * Gives memories that the session may get, its own among them, the vectors that they lack, a bounded number. Throws as
 * `queryVector`.
 */
export async function addVectors(session: Asking, embedding: ResolvedEmbedding): Promise<void> {
  await embedWithMissing(session, embedding, []);
}

/** The vectors of the texts; empty if the model cannot be reached. */
async function embedWithMissing(
  session: Asking,
  embedding: ResolvedEmbedding,
  texts: readonly EmbedText[],
): Promise<readonly (readonly number[])[]> {
  const { db, sessionId } = session;
  const model = embeddingName(embedding);
  const missing = await selectRows(db, parseMissing, MISSING, [sessionId, model]);
  const added = missing.map(({ content }) => ({ text: content, isQuery: false }));
  const vectors = await embedTexts(session, embedding, [...texts, ...added]);
  if (vectors === null) return [];
  if (missing.length > 0) {
    const rows = missing.map((memory, index) => ({ ...memory, vector: vectors[texts.length + index] }));
    await db.query(ADD, [JSON.stringify(rows), model]);
  }
  return vectors.slice(0, texts.length);
}
