import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import { MAX_MEMORY_CHARACTERS, MEMORY_CATEGORIES, MEMORY_VALENCES } from "#shared/contracts/memory.ts";
import { safeCut } from "#shared/safe-cut.ts";
import { MAX_LESSONS } from "../../prompts/build-reflection-messages.ts";
import type { Lesson } from "../../state/step-rows.ts";

const Named = Type.Object({ memory_id: Type.String() }, { additionalProperties: true });
const WrittenLesson = Type.Object(
  {
    content: Type.String({ minLength: 1 }),
    category: literals(MEMORY_CATEGORIES),
    valence: literals(MEMORY_VALENCES),
  },
  { additionalProperties: true },
);

const parseReply = compileParser(
  "lessons of a model",
  Type.Object(
    {
      create: Type.Optional(Type.Array(WrittenLesson)),
      reinforce: Type.Optional(Type.Array(Named)),
      deprecate: Type.Optional(Type.Array(Named)),
    },
    { additionalProperties: true },
  ),
);

/** The lessons of a model. */
interface Lessons {
  /** At most MAX_LESSONS, cut to the longest memory. */
  readonly create: readonly Lesson[];
  /** Ids of memories. */
  readonly reinforce: readonly string[];
  readonly deprecate: readonly string[];
}

const NOTHING: Lessons = { create: [], reinforce: [], deprecate: [] };

/**
 * Reads the JSON object in a model's reply; what cannot be read is nothing learned. Only memories in `shown` can be reinforced or deprecated,
 * and one that is to be both is deprecated.
 */
export function readLessons(reply: string, shown: readonly string[]): Lessons {
  const [start, end] = [reply.indexOf("{"), reply.lastIndexOf("}")];
  if (start === -1 || end < start) return NOTHING;
  try {
    const value: unknown = JSON.parse(reply.slice(start, end + 1));
    const { create = [], reinforce = [], deprecate = [] } = parseReply(value);
    const known = (named: readonly { readonly memory_id: string }[]) =>
      shown.filter((id) => named.some(({ memory_id }) => memory_id.toLowerCase() === id));
    const deprecated = known(deprecate);
    return {
      create: create.slice(0, MAX_LESSONS).flatMap(({ content, category, valence }) => {
        const text = content.trim();
        return text === ""
          ? []
          : [{ content: text.slice(0, safeCut(text, MAX_MEMORY_CHARACTERS)), category, valence }];
      }),
      reinforce: known(reinforce).filter((id) => !deprecated.includes(id)),
      deprecate: deprecated,
    };
  } catch {
    return NOTHING;
  }
}
