import { uuidFrom } from "#shared/uuid-from.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { MAX_MEMORY_CHARACTERS, type MemoryOrigin } from "#shared/contracts/memory.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { rulesOfServer } from "#shared/masking/masking-rules.ts";
import { errorMessage } from "#shared/errors.ts";
import { safeCut } from "#shared/safe-cut.ts";
import type { OwnedSession } from "../../core/owned-session.ts";
import type { StepRecord } from "../../persist/step-record.ts";
import type { StageState } from "../../state/session-state.ts";
import type { Lesson } from "../../state/step-rows.ts";
import { readLessons } from "./read-lessons.ts";

/** How sure a new memory is: a person's words count more than a model's own judgement. */
const CONFIDENCE: Readonly<Record<MemoryOrigin, number>> = { investigation: 0.7, feedback: 0.9 };

const parseShown = compileParser("shown memory", Type.Object({ memory_id: Type.String() }));

const SHOWN = `
SELECT s.memory_id FROM session_memories s JOIN agent_executions e USING (execution_id)
WHERE e.session_id = (SELECT session_id FROM stages WHERE stage_id = $1) AND e.stage_id = $1 ORDER BY s.position`;

/** The reply of a model about what is to be remembered, and its source. */
interface LearnedReply {
  readonly origin: MemoryOrigin;
  readonly reply: string;
}

/**
 * The step that stores what the model of this stage has learned, by its reply. The texts are masked; one whose masking fails is left
 * out. Throws database errors.
 */
export async function loadLessons(
  session: Pick<OwnedSession, "db" | "memory" | "commitMutex" | "masking" | "log">,
  { stage_id }: Pick<StageState, "stage_id">,
  { origin, reply }: LearnedReply,
): Promise<StepRecord> {
  const { db } = session;
  const shown = await selectRows(db, parseShown, SHOWN, [stage_id]);
  const lessons = readLessons(
    reply,
    shown.map(({ memory_id }) => memory_id),
  );
  const created = await maskLessons(session, lessons.create);
  return {
    rows: {
      newMemories: created.map((lesson, index) => ({
        // A repeated step names the same row.
        memory_id: uuidFrom(`memory:${index + 1}`, stage_id),
        ...lesson,
        base_confidence: CONFIDENCE[origin],
        origin,
      })),
      memoryChanges: [
        ...lessons.reinforce.map((memory_id) => ({ memory_id, change: "reinforce" as const })),
        ...lessons.deprecate.map((memory_id) => ({ memory_id, change: "deprecate" as const })),
      ],
    },
    events: [],
  };
}

async function maskLessons(
  {
    memory,
    commitMutex,
    masking: { masker },
    log,
  }: Pick<OwnedSession, "memory" | "commitMutex" | "masking" | "log">,
  lessons: readonly Lesson[],
): Promise<Lesson[]> {
  if (lessons.length === 0) return [];
  const { maskKey: key } = (await commitMutex(() => memory.state())).alert;
  const masked: Lesson[] = [];
  for (const lesson of lessons) {
    try {
      const { text } = await masker.mask(lesson.content, { rules: rulesOfServer(), key });
      masked.push({ ...lesson, content: text.slice(0, safeCut(text, MAX_MEMORY_CHARACTERS)) });
    } catch (error) {
      log.error({ error: errorMessage(error) }, "memory left out: masking it failed");
    }
  }
  return masked;
}
