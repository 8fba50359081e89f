import { api } from "../../api/client.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { FactList } from "../../parts/fact-list.tsx";
import { durationText, exactTimeText, moneyText } from "../../parts/format.ts";
import { RemoteState } from "../../parts/remote-state.tsx";
import { StatusDot } from "../../parts/status-dot.tsx";
import { useRemote } from "../../parts/use-remote.ts";
import { anchorOf } from "../../session/anchor-of.ts";
import { RARE_TEXT } from "../rare-text.ts";
import { LlmCallDetail } from "./llm-call-detail.tsx";
import { McpCallDetail } from "./mcp-call-detail.tsx";
import { kindText, rowName } from "./row-text.ts";
import type { TraceRow } from "./trace-rows.ts";
import "./row-detail.css";

interface RowDetailProps {
  readonly sessionId: string;
  readonly row: TraceRow;
  /** The entry of the session's lanes that shows the call. */
  readonly entry: string | undefined;
  readonly onClose: () => void;
}

/** Everything that is known of a row; a call is read whole. */
export function RowDetail({ sessionId, row, entry, onClose }: RowDetailProps) {
  return (
    <section class="row-detail" aria-label={RARE_TEXT.trace.details}>
      <header>
        <h2>{rowName(row)}</h2>
        <button type="button" class="button plain" aria-label={RARE_TEXT.trace.closeDetail} onClick={onClose}>
          ✕
        </button>
      </header>
      <Facts row={row} />
      {entry !== undefined && (
        <p>
          <a href={`/s/${sessionId}#${anchorOf(entry)}`}>{RARE_TEXT.trace.showEntry}</a>
        </p>
      )}
      {row.kind === "llm" && <LlmCall sessionId={sessionId} id={row.key} />}
      {row.kind === "mcp" && <McpCall sessionId={sessionId} id={row.key} />}
    </section>
  );
}

interface CallProps {
  readonly sessionId: string;
  readonly id: string;
}

function LlmCall({ sessionId, id }: CallProps) {
  const remote = useRemote(id, async (signal) =>
    api.call("GET /api/v1/sessions/:id/trace/llm/:interaction", {
      params: { id: sessionId, interaction: id },
      signal,
    }),
  );
  return (
    <>
      <RemoteState remote={remote} />
      {remote.value !== undefined && (
        <>
          <CopyButton
            value={() => JSON.stringify(remote.value, undefined, 2)}
            label={RARE_TEXT.trace.copyJson}
          />
          <LlmCallDetail call={remote.value} />
        </>
      )}
    </>
  );
}

function McpCall({ sessionId, id }: CallProps) {
  const remote = useRemote(id, async (signal) =>
    api.call("GET /api/v1/sessions/:id/trace/mcp/:interaction", {
      params: { id: sessionId, interaction: id },
      signal,
    }),
  );
  return (
    <>
      <RemoteState remote={remote} />
      {remote.value !== undefined && (
        <>
          <CopyButton
            value={() => JSON.stringify(remote.value, undefined, 2)}
            label={RARE_TEXT.trace.copyJson}
          />
          <McpCallDetail call={remote.value} />
        </>
      )}
    </>
  );
}

function Facts({ row }: { readonly row: TraceRow }) {
  const { facts } = RARE_TEXT.trace;
  const { figures, segments, kind } = row;
  const lengthOf = (name: string) => {
    const segment = segments.find((other) => other.kind === name);
    return segment === undefined ? undefined : durationText(segment.end - segment.start);
  };
  const isGroup = kind === "stage" || kind === "execution";
  const price = figures.unpriced > 0 ? RARE_TEXT.trace.unpriced(figures.unpriced) : undefined;
  const cost = [figures.usd > 0 ? moneyText(figures.usd) : undefined, price].filter(
    (part) => part !== undefined,
  );
  const rows: readonly (readonly [string, string | undefined])[] = [
    [facts.kind, isGroup && kind === "execution" ? undefined : kindText(row.detail) || undefined],
    [facts.start, segments.length === 0 ? undefined : exactTimeText(row.start)],
    [facts.duration, segments.length === 0 ? undefined : durationText(row.end - row.start)],
    [facts.wait, lengthOf("wait")],
    [facts.stream, lengthOf("stream")],
    [
      facts.calls,
      isGroup
        ? `${figures.calls}${figures.failures > 0 ? ` (${RARE_TEXT.trace.failures(figures.failures)})` : ""}`
        : undefined,
    ],
    [facts.tokens, figures.tokens === 0 ? undefined : figures.tokens.toLocaleString()],
    [facts.cost, cost.length === 0 ? undefined : cost.join(", ")],
  ];
  return (
    <>
      <StatusDot status={row.status} />
      <FactList rows={rows} />
    </>
  );
}
