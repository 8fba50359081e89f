import { v5 as uuidFrom } from "uuid";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import { MAX_MEMORY_CHARACTERS } from "#shared/contracts/memory.ts";
import { MESSAGE_ROLES } from "#shared/contracts/statuses.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { rulesOfServer } from "#shared/masking/masking-rules.ts";
import { errorMessage } from "#shared/errors.ts";
import { safeCut } from "#shared/safe-cut.ts";
import type { OwnedSession } from "../owned-session.ts";
import type { StepRecord } from "../persist/step-record.ts";
import { loadAlert } from "../state/load-alert.ts";
import type { StageState } from "../state/session-state.ts";
import { readLessons, type Lesson } from "./read-lessons.ts";

/** How sure what a person said about an investigation is. */
const CONFIDENCE_OF_FEEDBACK = 0.9;

const parseReply = compileParser(
  "message of a model that learns",
  Type.Object({ role: literals(MESSAGE_ROLES), content: Type.String() }),
);
const parseShown = compileParser("shown memory", Type.Object({ memory_id: Type.String() }));

const REPLIES = "SELECT role, content FROM messages WHERE stage_id = $1 ORDER BY sequence_number";
const SHOWN = `
SELECT s.memory_id FROM session_memories s JOIN agent_executions e USING (execution_id)
WHERE e.stage_id = $1 ORDER BY s.position`;

/**
 * The step that stores what the model of this stage has learned from feedback, by its reply, which may be in the last steps that are not
 * committed yet. The texts are masked; one whose masking fails is left out. Throws database errors.
 */
export async function loadLessons(
  session: Pick<OwnedSession, "db" | "sessionId" | "masker" | "log">,
  { stage_id }: Pick<StageState, "stage_id">,
  last: readonly StepRecord[],
): Promise<StepRecord> {
  const { db } = session;
  const stored = await selectRows(db, parseReply, REPLIES, [stage_id]);
  const added = last.flatMap(({ rows: { messages = [] } }) => messages);
  const reply = [...stored, ...added].findLast(({ role }) => role === "assistant")?.content ?? "";
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
        base_confidence: CONFIDENCE_OF_FEEDBACK,
        origin: "feedback" as const,
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
  { db, sessionId, masker, log }: Pick<OwnedSession, "db" | "sessionId" | "masker" | "log">,
  lessons: readonly Lesson[],
): Promise<Lesson[]> {
  if (lessons.length === 0) return [];
  const { maskKey: key } = await loadAlert(db, sessionId);
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
