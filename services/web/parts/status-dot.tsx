import { TEXT } from "../text.ts";
import "./status-dot.css";

const STATUS_TEXTS: Readonly<Record<string, string>> = TEXT.statuses;
/** Shapes differ, so that no status is known by its colour alone. */
const MARKS: Readonly<Record<string, string>> = {
  completed: "✓",
  failed: "✕",
  timed_out: "◔",
  cancelled: "⊘",
  cancelling: "⊘",
  pending: "…",
  parked: "‖",
  parking: "‖",
  needs_approval: "!",
  failing: "!",
};

interface StatusDotProps {
  /** Of a session, stage, execution or timeline event. */
  readonly status: string;
  /** Shows the mark without its word, which only screen readers get. */
  readonly compact?: boolean;
}

/** A status as a mark with its word. */
export function StatusDot({ status, compact = false }: StatusDotProps) {
  const text = STATUS_TEXTS[status] ?? status;
  return (
    <span class={`status-dot ${status}`} title={compact ? text : undefined}>
      <span class="mark" aria-hidden="true">
        {MARKS[status] ?? ""}
      </span>
      <span class={compact ? "hidden-text" : "word"}>{text}</span>
    </span>
  );
}
