import { useLocation } from "preact-iso/router";
import { api } from "../../api/client.ts";
import { useKeys } from "../../keys.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { RemoteState } from "../../parts/remote-state.tsx";
import { useRemote } from "../../parts/use-remote.ts";
import { useTitle } from "../../parts/use-title.ts";
import { TEXT } from "../../text.ts";
import { NEEDS_PERSON, type SessionItem } from "../sessions/list-filters.ts";
import { rowsOf } from "../sessions/list-rows.ts";
import { moveFocus } from "../sessions/row-focus.ts";
import { SessionPart } from "../sessions/session-part.tsx";
import { costOfShift, handoverMarkdown, partsOfHandover, spanText, type Handover } from "./handover.ts";
import { TRIAGE_TEXT } from "../triage/triage-text.ts";

const { handover: texts } = TRIAGE_TEXT;
const SHIFTS = ["8", "12", "24"] as const;
const HOUR_MS = 3_600_000;
const PAGE_SIZE = 100;
/** A longer night is read in the list. */
const MAX_PAGES = 5;

async function readHandover(hours: number, signal: AbortSignal): Promise<Handover> {
  const to = new Date();
  const from = new Date(to.getTime() - hours * HOUR_MS);
  const waiting = await api.call("GET /api/v1/sessions", {
    query: { ...NEEDS_PERSON, page_size: PAGE_SIZE },
    signal,
  });
  const created: SessionItem[] = [];
  let pages = 1;
  for (let page = 1; page <= Math.min(pages, MAX_PAGES); page += 1) {
    const query = { start_date: from.toISOString(), page, page_size: PAGE_SIZE };
    const read = await api.call("GET /api/v1/sessions", { query, signal });
    created.push(...read.sessions);
    pages = read.pagination.total_pages;
  }
  // Of a session that moves between two readings both pages have it.
  const once = [...new Map(created.map((item) => [item.id, item])).values()];
  return { from, to, waiting: waiting.sessions, created: once, isCapped: pages > MAX_PAGES };
}

/** The last shift as a summary to hand over: what waits, what still fails, what ran and what it cost. */
export function HandoverScreen() {
  useTitle(TEXT.titles.handover);
  const { query, route } = useLocation();
  const hours = SHIFTS.find((one) => one === query["hours"]) ?? "8";
  const handover = useRemote(`handover ${hours}`, async (signal) => readHandover(Number(hours), signal));
  useKeys({
    j: [TEXT.sessions.keys.next, () => moveFocus(1)],
    k: [TEXT.sessions.keys.previous, () => moveFocus(-1)],
  });
  const { value } = handover;
  return (
    <div class="sessions-screen">
      <div class="sessions-title">
        <h1>{TEXT.titles.handover}</h1>
        <div class="handover-shift" role="group" aria-label={texts.shift}>
          {SHIFTS.map((one) => (
            <button
              key={one}
              type="button"
              class="button"
              aria-pressed={one === hours}
              onClick={() => route(`/handover?hours=${one}`)}
            >
              {texts.hours(one)}
            </button>
          ))}
        </div>
        {value !== undefined && (
          <CopyButton
            class="primary"
            label={texts.copy}
            value={() => handoverMarkdown(value, location.origin)}
            shortcut={["c", texts.copy]}
          />
        )}
      </div>
      <RemoteState remote={handover} />
      {value !== undefined && (
        <>
          <p>
            {spanText(value)}: {texts.count(value.created.length, value.isCapped)}, {costOfShift(value)}
          </p>
          {partsOfHandover(value).map(({ name, sessions }) => (
            <SessionPart key={name} title={texts.parts[name]} rows={rowsOf(sessions)} />
          ))}
        </>
      )}
    </div>
  );
}
