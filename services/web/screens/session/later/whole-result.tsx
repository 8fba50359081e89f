import { useState } from "preact/hooks";
import { api } from "../../../api/client.ts";
import { RemoteState } from "../../../parts/remote-state.tsx";
import { useRemote } from "../../../parts/use-remote.ts";
import { placeOfLines } from "../../../session/place-of-lines.ts";
import { ResultView } from "../result-view.tsx";
import { CHECKED_TEXT } from "./checked-text.ts";

/** Lines that are shown before the words and behind them. */
const AROUND = 10;

interface WholeResultProps {
  readonly sessionId: string;
  /** The record of the call. */
  readonly interactionId: string;
  /** What the result has at the line with this number. */
  readonly words: string;
  readonly line: number;
}

/** Opens a result of which the timeline has a part at the words that it lacks. */
export function WholeResult(props: WholeResultProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary class="small">{CHECKED_TEXT.whole}</summary>
      {isOpen && <Lines {...props} />}
    </details>
  );
}

function Lines({ sessionId, interactionId, words, line }: WholeResultProps) {
  const from = Math.max(1, line - AROUND);
  const remote = useRemote(`${interactionId} ${from}`, async (signal) =>
    api.call("GET /api/v1/sessions/:id/trace/mcp/:interaction/result", {
      params: { id: sessionId, interaction: interactionId },
      query: { from, lines: line - from + 1 + AROUND },
      signal,
    }),
  );
  const { value } = remote;
  return (
    <>
      <RemoteState remote={remote} />
      {value !== undefined && (
        <ResultView
          text={value.text}
          label={CHECKED_TEXT.linesOf(value.from, value.total)}
          wraps
          followed={{ words, at: placeOfLines(value.text, words, line - from + 1) }}
        />
      )}
    </>
  );
}
