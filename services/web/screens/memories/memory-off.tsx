import { MEMORY_TEXT } from "./memory-text.ts";

/** That memory is off, and what switches it on. */
export function MemoryOff() {
  const { off, offHint, offDocs } = MEMORY_TEXT;
  return (
    <div class="memory-off">
      <p>{off}</p>
      <p>{offHint}</p>
      <pre>{"defaults:\n  memory:\n    enabled: true"}</pre>
      <p class="soft small">{offDocs}</p>
    </div>
  );
}
