import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { ConfirmQuestion } from "../../parts/confirm-question.tsx";
import { Problem } from "../session/later/problem.tsx";
import { useSending } from "../session/later/use-sending.ts";
import { MEMORY_TEXT } from "./memory-text.ts";
import { MemoryCard, type Memory } from "./memory-card.tsx";
import { MemoryForm } from "./memory-form.tsx";

interface MemoryItemProps {
  readonly memory: Memory;
  readonly mayChange: boolean;
  /** It was corrected or deleted, as the text says. */
  readonly onDone: (said: string) => void;
}

/** A memory of the list, with what the reader may do with it. */
export function MemoryItem({ memory, mayChange, onDone }: MemoryItemProps) {
  const [mode, setMode] = useState<"show" | "edit" | "delete">("show");
  const before = useRef(mode);
  const edit = useRef<HTMLButtonElement>(null);
  const { isSending, problem, send } = useSending();
  useEffect(() => {
    // The form had the focus and is gone.
    if (before.current === "edit" && mode === "show") edit.current?.focus();
    before.current = mode;
  }, [mode]);
  const remove = async () => {
    const request = { params: { memory: memory.memory_id }, accepts: [404] };
    const isDone = await send(async () => api.call("DELETE /api/v1/memories/:memory", request));
    if (isDone) onDone(MEMORY_TEXT.deleted);
  };
  if (mode === "edit") {
    return (
      <MemoryForm
        memory={memory}
        onCancel={() => setMode("show")}
        onSaved={() => {
          setMode("show");
          onDone(MEMORY_TEXT.saved);
        }}
      />
    );
  }
  return (
    <>
      <MemoryCard memory={memory} hasSource>
        {mayChange && (
          <span class="memory-actions">
            <button ref={edit} type="button" class="button plain small" onClick={() => setMode("edit")}>
              {MEMORY_TEXT.edit}
            </button>
            <button
              type="button"
              class="button plain small danger"
              disabled={isSending}
              onClick={() => setMode("delete")}
            >
              {MEMORY_TEXT.delete}
            </button>
          </span>
        )}
      </MemoryCard>
      <Problem text={problem} />
      {mode === "delete" && (
        <ConfirmQuestion
          texts={MEMORY_TEXT.confirm}
          onAnswer={(isYes) => {
            setMode("show");
            if (isYes) void remove();
          }}
        />
      )}
    </>
  );
}
