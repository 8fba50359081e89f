import type { MigrationInterface, QueryRunner } from "typeorm";

/** Stores what memories mean as vectors. Only adds: the version before finds them by their words. */
export class MemoryVectors0000000000043 implements MigrationInterface {
  readonly name = "MemoryVectors0000000000043";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

/**
 * A vector has length 1, so that a product of two is the cosine. `embedding_model` says which vectors can be compared. The trigger drops
 * the vector of another content, whichever version changes that.
 */
const UP = `
ALTER TABLE investigation_memories ADD COLUMN embedding real[], ADD COLUMN embedding_model text,
  ADD CONSTRAINT investigation_memories_embedding CHECK ((embedding IS NULL) = (embedding_model IS NULL));
CREATE FUNCTION tarsy_drop_embedding() RETURNS trigger LANGUAGE plpgsql AS $drop_embedding$
BEGIN
  IF NEW.content IS DISTINCT FROM OLD.content THEN
    NEW.embedding := NULL;
    NEW.embedding_model := NULL;
  END IF;
  RETURN NEW;
END
$drop_embedding$;
CREATE TRIGGER investigation_memories_drop_embedding BEFORE UPDATE OF content ON investigation_memories FOR EACH ROW
  EXECUTE FUNCTION tarsy_drop_embedding()`;

const DOWN = `
DROP TRIGGER investigation_memories_drop_embedding ON investigation_memories;
DROP FUNCTION tarsy_drop_embedding();
ALTER TABLE investigation_memories DROP COLUMN embedding, DROP COLUMN embedding_model`;
