/** The kind of a memory: how things are, what happened once, or how something is done. */
export const MEMORY_CATEGORIES = ["semantic", "episodic", "procedural"] as const;
export type MemoryCategory = (typeof MEMORY_CATEGORIES)[number];

/** The advice of a memory: something to do again, something to avoid, or neither. */
export const MEMORY_VALENCES = ["positive", "negative", "neutral"] as const;
export type MemoryValence = (typeof MEMORY_VALENCES)[number];

/** The built-in tools that look at earlier sessions, without the server. */
export const MEMORY_TOOL_NAMES = ["recall_past_investigations", "search_past_sessions"] as const;
export type MemoryToolName = (typeof MEMORY_TOOL_NAMES)[number];

/** The source of a memory: an investigation and its score, or a reviewer's feedback. */
export type MemoryOrigin = "investigation" | "feedback";

/** The longest memory, in UTF-16 code units. */
export const MAX_MEMORY_CHARACTERS = 2_000;
