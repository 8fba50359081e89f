import type { ComponentChildren } from "preact";
import type { ApiResponse } from "#shared/client/api-types.ts";
import { Moment } from "../../parts/time.tsx";
import { shownText } from "../../session/shown-text.ts";
import { MEMORY_TEXT } from "./memory-text.ts";
import "./memory-card.css";

export type Memory = ApiResponse<"GET /api/v1/memories/:memory">;

interface MemoryCardProps {
  readonly memory: Memory;
  /** Whether it says where the memory is from: not on the screen of that session. */
  readonly hasSource: boolean;
  /** What can be done with it. */
  readonly children?: ComponentChildren;
}

/** What an investigation taught: the text of a model, then how sure it is and where it comes from. */
export function MemoryCard({ memory, hasSource, children }: MemoryCardProps) {
  const {
    content,
    category,
    valence,
    confidence,
    seen_count,
    source_session_id: source,
    deprecated,
  } = memory;
  const place = [memory.alert_type, memory.chain_id].filter((name) => name !== null).map(shownText);
  return (
    <>
      <p class={`plain-text memory-content ${deprecated ? "soft" : ""}`}>{shownText(content)}</p>
      <p class="memory-facts small soft">
        <span>{MEMORY_TEXT.categories[category]}</span>
        <span class={`memory-valence ${valence}`}>{MEMORY_TEXT.valences[valence]}</span>
        {deprecated && <span class="tag">{MEMORY_TEXT.deprecated}</span>}
        <span>{MEMORY_TEXT.confidence(Math.round(confidence * 100))}</span>
        <span>{MEMORY_TEXT.seen(seen_count)}</span>
        {hasSource && place.length > 0 && <span>{place.join(" · ")}</span>}
        <Moment time={memory.created_at} />
        {hasSource && source !== null && <a href={`/s/${source}`}>{MEMORY_TEXT.source}</a>}
        {children}
      </p>
    </>
  );
}
