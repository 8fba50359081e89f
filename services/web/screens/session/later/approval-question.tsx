import { useEffect, useRef, useState } from "preact/hooks";
import type { ToolEffect } from "#shared/contracts/tool-list.ts";
import { signInKind, signInWanted } from "../../../api/ask-to-sign-in.ts";
import { api } from "../../../api/client.ts";
import { may } from "../../../api/me.ts";
import { now } from "../../../parts/clock.ts";
import { momentText } from "../../../parts/format.ts";
import { previewOf } from "../../../session/preview-of.ts";
import { allLanesOf, type AskedApproval, type TimelineEntry } from "../../../session/session-view.ts";
import { shownText } from "../../../session/shown-text.ts";
import { TEXT } from "../../../text.ts";
import { ResultView } from "../result-view.tsx";
import { laneName } from "../lane-column.tsx";
import type { SessionStore } from "../session-store.ts";
import { LATER_TEXT } from "./later-text.ts";
import { Problem } from "./problem.tsx";
import "./approval-question.css";

const TEXTS = LATER_TEXT.approval;

interface ApprovalQuestionProps {
  readonly entry: TimelineEntry;
  readonly approval: AskedApproval;
  readonly store: SessionStore;
}

/** The question whether a tool call may be made, with the buttons that decide it while it is open. */
export function ApprovalQuestion({ entry, approval, store }: ApprovalQuestionProps) {
  const [reason, setReason] = useState("");
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const place = useRef<HTMLDivElement>(null);
  const isAsked = signInKind.value === "approval" && signInWanted.value !== undefined;
  useEffect(() => {
    // Above the form, which asks who decides.
    if (isAsked && isSending) place.current?.closest(".entry")?.scrollIntoView({ block: "start" });
  }, [isAsked, isSending]);
  const decide = async (decision: "approve" | "deny") => {
    setSending(true);
    setProblem(undefined);
    try {
      await api.call("POST /api/v1/sessions/:id/approvals/:approval", {
        params: { id: store.id, approval: approval.id },
        body: { decision, ...(reason.trim() === "" ? {} : { reason }) },
      });
    } catch (error) {
      // The buttons stay, and the sentence says why nothing was decided.
      setProblem(error instanceof Error ? error.message : String(error));
    }
    setSending(false);
  };
  const isOpen = approval.state === "awaiting_approval" && store.at.value === undefined;
  const by = approval.decidedBy ?? TEXT.session.unknownPerson;
  return (
    <div class="approval" ref={place}>
      <p>
        <b>{TEXT.session.asks(shownText(approval.tool))}</b>
      </p>
      {isOpen && <About entry={entry} approval={approval} store={store} />}
      <ResultView text={approval.arguments} label={TEXT.session.arguments} />
      {!approval.argumentsComplete && <p class="small soft">{LATER_TEXT.session.argumentsCut}</p>}
      {!isOpen && <p>{TEXT.session.decided[approval.state](by)}</p>}
      {approval.reason !== null && <p class="plain-text soft">{shownText(approval.reason)}</p>}
      {isOpen && !may("approval.decide") && <p class="soft">{TEXTS.notAllowed}</p>}
      {isOpen && may("approval.decide") && (
        <form class="approval-form" onSubmit={(event) => event.preventDefault()}>
          <label>
            <span class="small soft">{TEXT.session.reason}</span>
            <input
              value={reason}
              maxLength={2_000}
              onInput={({ currentTarget }) => setReason(currentTarget.value)}
            />
          </label>
          <div class="approval-buttons">
            <button
              type="button"
              class="button primary approve"
              disabled={isSending}
              onClick={() => void decide("approve")}
            >
              {TEXT.session.approve}
            </button>
            <button
              type="button"
              class="button danger deny"
              disabled={isSending}
              onClick={() => void decide("deny")}
            >
              {TEXT.session.deny}
            </button>
          </div>
          <p class="small soft">
            {LATER_TEXT.session.until(momentText(Date.parse(approval.expiresAt), now.value))}
          </p>
        </form>
      )}
      <Problem text={problem} />
    </div>
  );
}

/** What must be known before the call is allowed: what it may do, where, and which agent wants it after which words. */
function About({ entry, approval, store }: ApprovalQuestionProps) {
  const { tool } = approval;
  const effect = useToolEffect(tool);
  const lane = allLanesOf(store.view.value).find(({ executionId }) => executionId === entry.executionId);
  const why = lane?.entries.findLast(
    ({ type, seq, content }) => seq < entry.seq && WORDS.has(type) && content.trim() !== "",
  );
  const server = tool.split(".", 1)[0] ?? tool;
  return (
    <dl class="approval-facts small">
      <dt>{TEXTS.effect}</dt>
      <dd class={`effect ${effect ?? ""}`}>
        {effect === null ? TEXTS.unknownEffect : effect === undefined ? "…" : TEXTS.effects[effect]}
      </dd>
      <dt>{TEXTS.server}</dt>
      <dd>{shownText(server)}</dd>
      {lane !== undefined && (
        <>
          <dt>{TEXTS.agent}</dt>
          <dd>{laneName(lane)}</dd>
        </>
      )}
      {why !== undefined && (
        <>
          <dt>{TEXTS.why}</dt>
          <dd>{previewOf(why.content)}</dd>
        </>
      )}
    </dl>
  );
}

/** What an agent writes before it calls a tool. */
const WORDS = new Set<TimelineEntry["type"]>(["llm_thinking", "llm_response"]);

/** What a tool, "server.tool", may do as its server is configured; null where that is not known, undefined until it is read. */
function useToolEffect(name: string): ToolEffect | null | undefined {
  const [effect, setEffect] = useState<ToolEffect | null>();
  useEffect(() => {
    const ending = new AbortController();
    const read = async () => {
      try {
        const { servers } = await api.call("GET /api/v1/system/mcp-servers", { signal: ending.signal });
        const server = servers.find(({ id }) => name.startsWith(`${id}.`));
        setEffect(server?.tools.find((tool) => name === `${server.id}.${tool.name}`)?.effect ?? null);
      } catch {
        if (!ending.signal.aborted) setEffect(null);
      }
    };
    void read();
    return () => ending.abort();
  }, [name]);
  return effect;
}
