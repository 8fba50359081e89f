/** How much of a schema is kept. */
export interface SchemaLimits {
  /** Levels of schemas inside each other, references included. */
  readonly depth: number;
  /** How often a schema may occur inside itself. */
  readonly recursion: number;
  /** Schemas in total. */
  readonly nodes: number;
  /** Properties of one object. */
  readonly properties: number;
  /** Values of an enum. */
  readonly values: number;
  /** Of the description of a property, in UTF-16 code units. */
  readonly description: number;
}

/** From nearly everything to little more than the names of the arguments; each is tried if the one before is too large. */
export const SCHEMA_LIMITS: readonly SchemaLimits[] = [
  { depth: 16, recursion: 2, nodes: 4_000, properties: 1_000, values: 500, description: 2_000 },
  { depth: 10, recursion: 1, nodes: 2_000, properties: 500, values: 100, description: 500 },
  { depth: 6, recursion: 1, nodes: 600, properties: 200, values: 40, description: 200 },
  { depth: 4, recursion: 0, nodes: 200, properties: 100, values: 20, description: 100 },
  { depth: 2, recursion: 0, nodes: 100, properties: 60, values: 10, description: 40 },
  { depth: 2, recursion: 0, nodes: 100, properties: 40, values: 0, description: 0 },
];
