import { useEffect, useRef, useState } from "preact/hooks";
import { MAX_MEMORY_CHARACTERS, MEMORY_CATEGORIES, MEMORY_VALENCES } from "#shared/contracts/memory.ts";
import { api } from "../../api/client.ts";
import { Problem } from "../session/later/problem.tsx";
import { useSending } from "../session/later/use-sending.ts";
import { MEMORY_TEXT } from "./memory-text.ts";
import type { Memory } from "./memory-card.tsx";

interface MemoryFormProps {
  readonly memory: Memory;
  /** It was corrected. */
  readonly onSaved: () => void;
  readonly onCancel: () => void;
}

/** Corrects a memory: only what was changed is sent, because another text makes it new. */
export function MemoryForm({ memory, onSaved, onCancel }: MemoryFormProps) {
  const [wanted, setWanted] = useState(memory);
  const { isSending, problem, send } = useSending();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const { content, category, valence, deprecated } = wanted;
  const body = {
    ...(content === memory.content ? {} : { content }),
    ...(category === memory.category ? {} : { category }),
    ...(valence === memory.valence ? {} : { valence }),
    ...(deprecated === memory.deprecated ? {} : { deprecated }),
  };
  const isChanged = Object.keys(body).length > 0;
  const save = async () => {
    const request = { params: { memory: memory.memory_id }, body };
    if (await send(async () => api.call("PATCH /api/v1/memories/:memory", request))) onSaved();
  };
  return (
    <form
      class="memory-form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
      onKeyDown={(event) => event.key === "Escape" && onCancel()}
    >
      <textarea
        ref={field}
        aria-label={MEMORY_TEXT.content}
        rows={4}
        maxLength={MAX_MEMORY_CHARACTERS}
        value={content}
        onInput={({ currentTarget }) => setWanted({ ...wanted, content: currentTarget.value })}
      />
      <Choice
        label={MEMORY_TEXT.category}
        value={category}
        choices={MEMORY_CATEGORIES}
        texts={MEMORY_TEXT.categories}
        onChange={(value) => setWanted({ ...wanted, category: value })}
      />
      <Choice
        label={MEMORY_TEXT.valence}
        value={valence}
        choices={MEMORY_VALENCES}
        texts={MEMORY_TEXT.valences}
        onChange={(value) => setWanted({ ...wanted, valence: value })}
      />
      <label class="small">
        <input
          type="checkbox"
          checked={deprecated}
          onChange={({ currentTarget }) => setWanted({ ...wanted, deprecated: currentTarget.checked })}
        />{" "}
        {MEMORY_TEXT.deprecatedLong}
      </label>
      <button
        type="submit"
        class="button primary"
        disabled={!isChanged || content.trim() === "" || isSending}
      >
        {MEMORY_TEXT.save}
      </button>
      <button type="button" class="button" onClick={onCancel}>
        {MEMORY_TEXT.discard}
      </button>
      <Problem text={problem} />
    </form>
  );
}

interface MemoryChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly choices: readonly T[];
  readonly texts: Readonly<Record<T, string>>;
  readonly onChange: (value: T) => void;
}

function Choice<T extends string>({ label, value, choices, texts, onChange }: MemoryChoiceProps<T>) {
  return (
    <label class="small">
      {label}{" "}
      <select
        value={value}
        onChange={({ currentTarget }) =>
          onChange(choices.find((choice) => choice === currentTarget.value) ?? value)
        }
      >
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {texts[choice]}
          </option>
        ))}
      </select>
    </label>
  );
}
