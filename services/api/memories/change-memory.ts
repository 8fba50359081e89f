import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { MemoryView, type MemoryBody } from "./contract.ts";
import { MEMORY_COLUMNS } from "./read-memories.ts";

const parseId = compileParser("deleted memory", Type.Object({ memory_id: Type.String() }));
const parseMemory = compileParser("changed memory", MemoryView);

/** Only another content makes a memory new: what agents read of it depends on its age. */
const CHANGE = `
WITH m AS (
  UPDATE investigation_memories SET
    content = coalesce($2, content),
    category = coalesce($3, category),
    valence = coalesce($4, valence),
    deprecation = coalesce($5::boolean, deprecation),
    updated_at = CASE WHEN $2 IS NULL THEN updated_at ELSE now() END
  WHERE memory_id = $1 RETURNING *
)
SELECT ${MEMORY_COLUMNS} FROM m`;

const DELETE = `
WITH deleted AS (DELETE FROM investigation_memories WHERE memory_id = $1 RETURNING memory_id)
SELECT memory_id FROM deleted`;

/**
 * Changes a memory, whose content must be masked, and resolves with it as it is now; undefined if there is none of this id. Throws
 * database errors.
 */
export async function changeMemory(
  db: Queryable,
  memoryId: string,
  change: MemoryBody,
): Promise<MemoryView | undefined> {
  const { content = null, category = null, valence = null, deprecated = null } = change;
  const values = [memoryId, content, category, valence, deprecated];
  const [memory] = await selectRows(db, parseMemory, CHANGE, values);
  return memory;
}

/** Deletes a memory; which agents got it stays in their timelines. False if there is none of this id. */
export async function deleteMemory(db: Queryable, memoryId: string): Promise<boolean> {
  return (await selectRows(db, parseId, DELETE, [memoryId])).length > 0;
}
