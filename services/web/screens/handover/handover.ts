import { RARE_TEXT } from "../rare-text.ts";
import { timeText, zoneName } from "#shared/client/time-text.ts";
import { failingText, sessionState } from "#shared/client/session-state.ts";
import { durationText, moneyText } from "../../parts/format.ts";
import { zone } from "../../parts/zone.ts";
import { previewOf } from "../../session/preview-of.ts";
import { shownText } from "../../session/shown-text.ts";
import type { SessionItem } from "../sessions/list-filters.ts";
import { factsOf, hasEnded } from "../sessions/list-rows.ts";
import { TRIAGE_TEXT } from "../triage/triage-text.ts";

const { handover: texts } = TRIAGE_TEXT;

/** What one shift leaves to the next. */
export interface Handover {
  readonly from: Date;
  readonly to: Date;
  /** Sessions that get no further without a person, however old they are. */
  readonly waiting: readonly SessionItem[];
  /** Sessions that were created in the shift, the newest first. */
  readonly created: readonly SessionItem[];
  /** There are more of the latter. */
  readonly isCapped: boolean;
}

/** The sessions of a handover under their headings, each once; parts without any are left out. */
export function partsOfHandover({ waiting, created }: Handover): readonly {
  readonly name: keyof typeof texts.parts;
  readonly sessions: readonly SessionItem[];
}[] {
  const listed = new Set(waiting.map(({ id }) => id));
  const others = created.filter(({ id }) => !listed.has(id));
  const parts = [
    { name: "approvals", sessions: waiting.filter((item) => item.open_approvals > 0) },
    { name: "failing", sessions: waiting.filter((item) => item.open_approvals === 0) },
    { name: "running", sessions: others.filter((item) => !hasEnded(item)) },
    { name: "ended", sessions: others.filter(hasEnded) },
  ] as const;
  return parts.filter(({ sessions }) => sessions.length > 0);
}

/** What the sessions of a shift have cost together; with `≥` where the price of some calls is unknown. */
export function costOfShift({ created }: Handover): string {
  const sum = created.reduce((usd, item) => usd + (item.estimated_cost_usd ?? 0), 0);
  const isComplete = created.every(
    (item) => item.cost_completeness === "complete" || item.total_tokens === 0,
  );
  if (sum === 0 && !isComplete) return RARE_TEXT.usage.noPrice;
  return `${isComplete ? "" : "≥ "}${moneyText(sum)}`;
}

/** The times between which a shift was, in the zone of the page. */
export function spanText({ from, to }: Pick<Handover, "from" | "to">): string {
  const [since, until] = [from, to].map((one) => timeText(one.getTime(), to.getTime(), zone.value));
  return `${since} – ${until} ${zoneName(to.getTime(), zone.value)}`;
}

/** The handover as Markdown, for a chat or a ticket; `origin` is the address of the page. */
export function handoverMarkdown(handover: Handover, origin: string): string {
  const { created, isCapped, to } = handover;
  const head = [
    `# ${texts.heading(spanText(handover))}`,
    `${texts.count(created.length, isCapped)}, ${costOfShift(handover)}`,
  ];
  const parts = partsOfHandover(handover).map(({ name, sessions }) =>
    [
      `## ${texts.parts[name]}`,
      "",
      ...sessions.map((item) => lineOf(item, { origin, now: to.getTime() })),
    ].join("\n"),
  );
  return `${[...head, ...parts].join("\n\n")}\n`;
}

function lineOf(item: SessionItem, { origin, now }: { readonly origin: string; readonly now: number }) {
  const { alert_preview: alert, alert_type: type, chain_id: chain, labels, failing, duration_ms: ms } = item;
  const { kind, text } = sessionState(factsOf(item));
  const facts = [
    text,
    ...labels.map(({ value }) => value),
    ...(ms === null ? [] : [durationText(ms)]),
    ...(item.estimated_cost_usd === undefined
      ? []
      : [
          `${item.cost_completeness === "complete" || item.total_tokens === 0 ? "" : "≥ "}${moneyText(item.estimated_cost_usd)}`,
        ]),
  ];
  const found =
    kind === "failing" && failing !== undefined
      ? failingText(failing, now)
      : (item.executive_summary ?? item.error_message ?? "");
  const title = `[${plain(alert || (type ?? chain))}](${origin}/s/${item.id})`;
  return [
    `- **${title}** – ${facts.map(plain).join(", ")}`,
    ...(found === "" ? [] : [plain(previewOf(found))]),
  ].join(": ");
}

/** A text of an alert or a model, of which Markdown makes nothing. */
function plain(text: string): string {
  return shownText(text)
    .replaceAll(/\s+/gu, " ")
    .replaceAll(/[\\`*_~[\]<>#|!]/gu, String.raw`\$&`);
}
