import type { ComponentChildren } from "preact";
import { sessionState } from "#shared/client/session-state.ts";
import { useLocation, useRoute } from "preact-iso/router";
import { useMemo } from "preact/hooks";
import { useKeys } from "../../keys.ts";
import { durationText } from "../../parts/format.ts";
import { Money, Tokens } from "../../parts/numbers.tsx";
import { withQuery } from "../../parts/query.ts";
import { RemoteState } from "../../parts/remote-state.tsx";
import { StatusDot } from "../../parts/status-dot.tsx";
import { useTitle } from "../../parts/use-title.ts";
import { shownText } from "../../session/shown-text.ts";
import { RARE_TEXT } from "../rare-text.ts";
import { numberParameter } from "../session/address.ts";
import { LATER_TEXT } from "../session/later/later-text.ts";
import { TEXT } from "../../text.ts";
import { BAR_MEASURES, barGeometry, type BarMeasure } from "./bar-geometry.ts";
import { entryOfCall } from "./entry-of-call.ts";
import { foldRows } from "./fold-rows.ts";
import { RowDetail } from "./row-detail.tsx";
import { traceRows, type TraceRow } from "./trace-rows.ts";
import { useTrace } from "./use-trace.ts";
import { useZoom } from "./use-zoom.ts";
import { Waterfall } from "./waterfall.tsx";
import { zoomOf } from "./zoom.ts";
import "./trace-screen.css";

const { keys: KEYS } = RARE_TEXT.trace;

/** The calls of a session as a waterfall; the address names the chosen row (`row`), what bars show (`bars`), `idle=full` and `zoom`. */
export function TraceScreen() {
  useTitle(TEXT.titles.trace);
  const { url, route } = useLocation();
  const { params, query } = useRoute();
  const id = params["id"] ?? "";
  const chosen = query["row"];
  const measure = BAR_MEASURES.find((name) => name === query["bars"]) ?? "time";
  const collapsesIdle = query["idle"] !== "full";
  const at = numberParameter("at");
  const remote = useTrace(id, at);
  const sessionPath = withQuery(`/s/${id}`, { at: at?.toString() });
  const { value, isRunning } = remote;
  const all = useMemo(() => (value ? traceRows(value.trace, value.session, value.readAt) : []), [value]);
  const rows = useMemo(() => foldRows(all, chosen), [all, chosen]);
  const zoomed = query["zoom"];
  const zoom = useMemo(() => (measure === "time" ? zoomOf(zoomed) : undefined), [zoomed, measure]);
  const { bars, scale } = useMemo(
    () => barGeometry(rows, { measure, collapsesIdle, zoom }),
    [rows, measure, collapsesIdle, zoom],
  );
  const change = (changes: Readonly<Record<string, string | undefined>>) =>
    route(withQuery(url, changes), true);
  const index = rows.findIndex(({ key }) => key === chosen);
  const choose = (target: number) => change({ row: rows[target]?.key });
  const close = () => change({ row: undefined });
  const setMeasure = (next: BarMeasure) => change({ bars: next === "time" ? undefined : next });
  const setIdle = (isShort: boolean) => change({ idle: isShort ? undefined : "full" });
  useRowKeys(rows, index, choose);
  useKeys({
    b: [
      KEYS.measure,
      () => setMeasure(BAR_MEASURES[(BAR_MEASURES.indexOf(measure) + 1) % BAR_MEASURES.length] ?? "time"),
    ],
    i: [KEYS.idle, () => setIdle(!collapsesIdle)],
    s: [KEYS.session, () => route(sessionPath)],
    Escape: [KEYS.close, close],
  });
  const row = rows[index];
  const entry = value && row && entryOfCall(value.session.timeline, row.key);
  const part = useZoom({ rows, chosen: row, zoom, set: (text) => change({ zoom: text }) });
  const title = value && shownText(value.session.alert_preview ?? "");
  return (
    <div class="trace-screen">
      <header class="trace-header">
        <div>
          <a href={sessionPath}>← {title || RARE_TEXT.trace.back}</a>
          <h1>{TEXT.titles.trace}</h1>
        </div>
        {value !== undefined && <SessionFigures session={value.session} rows={all} />}
        <Controls measure={measure} onMeasure={setMeasure} collapsesIdle={collapsesIdle} onIdle={setIdle} />
      </header>
      <PastNote at={at} url={url} />
      <RemoteState remote={remote} />
      {value !== undefined && rows.length === 0 && <p class="soft">{RARE_TEXT.trace.empty}</p>}
      {rows.length > 0 && (
        <div class={`trace-body ${row === undefined ? "" : "has-detail"}`}>
          <div class="trace-main">
            <Legend measure={measure} isRunning={isRunning}>
              {zoom !== undefined && <ShownPart part={part} />}
              {zoom === undefined && row === undefined && <span class="hint">{RARE_TEXT.trace.choose}</span>}
            </Legend>
            <Waterfall
              rows={rows}
              bars={bars}
              scale={scale}
              chosen={chosen}
              onChoose={choose}
              onZoom={part.setZoom}
            />
          </div>
          {row !== undefined && (
            <RowDetail key={row.key} sessionId={id} row={row} entry={entry} onClose={close} />
          )}
        </div>
      )}
    </div>
  );
}

/** The keys that go from row to row. */
function useRowKeys(rows: readonly TraceRow[], index: number, choose: (target: number) => void): void {
  useKeys({
    j: [KEYS.next, () => choose(Math.min(rows.length - 1, index + 1))],
    k: [KEYS.previous, () => choose(Math.max(0, index - 1))],
    f: [KEYS.nextFailed, () => choose(nextFailed(rows, index))],
  });
}

/** That the trace is one of the past, and the way back to now. */
function PastNote({ at, url }: { readonly at: number | undefined; readonly url: string }) {
  if (at === undefined) return null;
  return (
    <p class="past-note">
      {RARE_TEXT.trace.asOf(at)}{" "}
      <a href={withQuery(url, { at: undefined })}>{LATER_TEXT.session.backToLive}</a>
    </p>
  );
}

/** Which part of the time is shown, and the way back to all of it. */
function ShownPart({ part: { shown, total, showAll } }: { readonly part: ReturnType<typeof useZoom> }) {
  return (
    <span class="hint numbers">
      {RARE_TEXT.trace.zoomed(durationText(shown.start), durationText(shown.end), durationText(total))}{" "}
      <button type="button" class="button" onClick={showAll}>
        {RARE_TEXT.trace.zoomAll}
      </button>
    </span>
  );
}

/** The next failed call after a row, from the first one again after the last; the row itself if there is none. */
function nextFailed(rows: readonly TraceRow[], index: number): number {
  const isFailedCall = ({ kind, isFailed }: TraceRow) => isFailed && (kind === "llm" || kind === "mcp");
  const after = rows.findIndex((row, other) => other > index && isFailedCall(row));
  if (after !== -1) return after;
  const first = rows.findIndex(isFailedCall);
  return first === -1 ? index : first;
}

type TracedSession = NonNullable<ReturnType<typeof useTrace>["value"]>["session"];

function SessionFigures({
  session,
  rows,
}: {
  readonly session: TracedSession;
  readonly rows: readonly TraceRow[];
}) {
  const { status, parked, failing, approvals } = session;
  const { kind: state } = sessionState({ status, parked, failing, openApprovals: approvals.length });
  const calls = rows.filter(({ kind }) => kind === "llm" || kind === "mcp");
  const failures = calls.filter(({ isFailed }) => isFailed).length;
  return (
    <p class="trace-figures">
      <StatusDot status={state} />
      {session.alert_type !== null && <span>{session.alert_type}</span>}
      {session.duration_ms !== null && <span class="numbers">{durationText(session.duration_ms)}</span>}
      <span class="numbers">
        {RARE_TEXT.trace.calls(calls.length)}
        {failures > 0 && <strong class="bad-text"> ({RARE_TEXT.trace.failures(failures)})</strong>}
      </span>
      <Tokens count={session.total_tokens} />
      {session.estimated_cost_usd !== undefined && (
        <Money usd={session.estimated_cost_usd} isComplete={session.cost_completeness !== "partial"} />
      )}
    </p>
  );
}

interface ControlsProps {
  readonly measure: BarMeasure;
  readonly onMeasure: (measure: BarMeasure) => void;
  readonly collapsesIdle: boolean;
  readonly onIdle: (isShort: boolean) => void;
}

function Controls({ measure, onMeasure, collapsesIdle, onIdle }: ControlsProps) {
  const choose = (name: string) => {
    const found = BAR_MEASURES.find((other) => other === name);
    if (found !== undefined) onMeasure(found);
  };
  return (
    <div class="trace-controls">
      <label>
        {RARE_TEXT.trace.measure}{" "}
        <select value={measure} onChange={(event) => choose(event.currentTarget.value)}>
          {BAR_MEASURES.map((name) => (
            <option key={name} value={name}>
              {RARE_TEXT.trace.measures[name]}
            </option>
          ))}
        </select>
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={collapsesIdle}
          disabled={measure !== "time"}
          onChange={(event) => onIdle(event.currentTarget.checked)}
        />
        {RARE_TEXT.trace.collapseIdle}
      </label>
    </div>
  );
}

interface LegendProps {
  readonly measure: BarMeasure;
  readonly isRunning: boolean;
  readonly children: ComponentChildren;
}

function Legend({ measure, isRunning, children }: LegendProps) {
  const kinds = measure === "time" ? (["wait", "stream", "tool", "failed"] as const) : [measure];
  return (
    <p class="trace-legend small soft">
      {kinds.map((kind) => (
        <span key={kind} class="entry">
          <span class={`bar ${kind}`} aria-hidden="true" />
          {RARE_TEXT.trace.segments[kind]}
        </span>
      ))}
      {isRunning && <span role="status">{RARE_TEXT.trace.running}</span>}
      {children}
    </p>
  );
}
