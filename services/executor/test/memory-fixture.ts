import { randomUUID } from "node:crypto";
import type { ResolvedEmbedding } from "#shared/contracts/embedding.ts";
import { storedChain } from "#shared/contracts/resolved-chain.ts";
import { changeConfig } from "../../../test/support/change-config.ts";
import type { ExecutorFixture } from "./executor-fixture.ts";
import { resolvedChain, type ChainOptions } from "./resolved-chain.ts";

interface StoredMemory {
  readonly content: string;
  readonly owner?: string | null;
  readonly teams?: readonly string[];
  readonly confidence?: number;
  readonly ageDays?: number;
  readonly rating?: string | null;
  readonly deprecation?: boolean | null;
  readonly source?: string | null;
}

/** Stores a memory; resolves with its id. */
export async function remember(executor: ExecutorFixture, memory: StoredMemory): Promise<string> {
  const id = randomUUID();
  await executor.query(
    `INSERT INTO investigation_memories (memory_id, content, category, valence, base_confidence, owner_subject, teams, updated_at,
                                         rating, deprecation, source_session_id)
     VALUES ($1, $2, 'procedural', 'positive', $3, $4, $5, now() - make_interval(days => $6), $7, $8, $9)`,
    [
      id,
      memory.content,
      memory.confidence ?? 0.7,
      memory.owner ?? null,
      memory.teams ?? [],
      memory.ageDays ?? 0,
      memory.rating ?? null,
      memory.deprecation ?? null,
      memory.source ?? null,
    ],
  );
  return id;
}

/** A pending session of a chain that remembers. */
export async function insertRemembering(
  executor: ExecutorFixture,
  {
    maxInject = 5,
    owner = null,
    teams = [],
    alert = "disk full",
    embedding,
    ...options
  }: ChainOptions & {
    readonly maxInject?: number;
    readonly owner?: string | null;
    readonly teams?: readonly string[];
    readonly alert?: string;
    readonly embedding?: ResolvedEmbedding;
  } = {},
): Promise<string> {
  const id = await executor.insert({ ...options, alert });
  const chain = {
    ...resolvedChain(options),
    memory: {
      max_inject: maxInject,
      reflector_memory_limit: 20,
      ...(embedding === undefined ? {} : { embedding }),
    },
  };
  await changeConfig(executor, id, "$2::jsonb", { values: [JSON.stringify(storedChain(chain))] });
  await executor.query("UPDATE alert_sessions SET owner_subject = $2, teams = $3 WHERE session_id = $1", [
    id,
    owner,
    teams,
  ]);
  return id;
}
