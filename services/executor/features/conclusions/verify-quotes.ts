import type { CheckedClaim } from "#shared/contracts/conclusion.ts";
import { findClosest, findQuote } from "./quotes/find-quote.ts";
import { isTooShort, quoteForms, type QuoteForm } from "./quotes/prepared-quote.ts";
import { PreparedText } from "./quotes/prepared-text.ts";
import type { QuoteMatch } from "./quotes/quote-match.ts";
import { SourceNames } from "./quotes/source-names.ts";
import type { LineRange } from "./quotes/source-lines.ts";
import { OutOfWork, WorkLimit } from "./quotes/work-limit.ts";

/** A quote as the model wrote it. */
export interface Citation {
  readonly claim_id: string;
  readonly list: CheckedClaim["list"];
  readonly source: string;
  readonly lines: string;
  readonly quote: string;
}

/**
 * `error`: of a refused, failed or missing call, too. `other_session`: also a result that shows other sessions. `unread`: beyond the
 * bytes that are read for one conclusion.
 */
export const SOURCE_KINDS = ["result", "error", "alert", "runbook", "other_session", "unread"] as const;

/** A text that a quote can be of. */
export interface Source {
  /** Its handle in normal form: `r7`, `db-agent#2/r3`, `alert`, `alert#2` of one that joined later, `runbook`. */
  readonly id: string;
  readonly text: string;
  readonly kind: (typeof SOURCE_KINDS)[number];
  /** Its other names, such as the call's UUID. */
  readonly also?: readonly string[];
}

/** In comparisons, to divide it. */
const COST_OF_QUOTE = 30_000;

interface Prepared extends Source {
  readonly prepared: PreparedText;
}

/** A citation with what was found of it. */
interface Checked {
  readonly forms: readonly QuoteForm[];
  readonly claim: CheckedClaim;
}

/**
 * Compares each quote with its source. The same input gives the same outcomes: the work is limited by its amount, and quotes beyond
 * the limit are `unchecked`.
 */
export function verifyQuotes(citations: readonly Citation[], sources: readonly Source[]): CheckedClaim[] {
  const work = new WorkLimit();
  const prepared = sources.map((source) => ({ ...source, prepared: new PreparedText(source.text) }));
  const names = new SourceNames(prepared);
  const alerts = prepared.filter(({ kind }) => kind === "alert");
  const checked = citations.map((citation) => {
    const named = names.find(citation.source);
    return check(citation, named?.id === "alert" ? alerts : [named], work);
  });
  // Only then, so that it takes no work from the other quotes.
  return checked.map((one) => ({ ...one.claim, found_in: findElsewhere(one, prepared, work) }));
}

/** Several sources share a name where alerts have joined: then the first that has the quote is meant. */
function check(citation: Citation, named: readonly (Prepared | null)[], work: WorkLimit): Checked {
  const { claim_id, list } = citation;
  let [source = null] = named;
  const claim: CheckedClaim = {
    claim_id,
    list,
    outcome: "absent",
    note: null,
    source: source?.id ?? null,
    line_from: null,
    line_to: null,
    at_text: null,
    found_in: null,
  };
  let forms: readonly QuoteForm[] = [];
  try {
    work.spend(COST_OF_QUOTE);
    forms = quoteForms(citation.quote);
    if (source === null) return { forms, claim: { ...claim, note: "unknown_source" } };
    if (source.kind === "unread") return { forms, claim: { ...claim, outcome: "unchecked" } };
    if (named.length > 1) source = named.find((one) => one && hasQuote(forms, one, work)) ?? source;
    return { forms, claim: { ...claim, source: source.id, ...compare(citation, forms, source, work) } };
  } catch (error) {
    if (!(error instanceof OutOfWork)) throw error;
    return { forms, claim: { ...claim, outcome: "unchecked" } };
  }
}

function compare(
  citation: Citation,
  forms: readonly QuoteForm[],
  { kind, prepared }: Prepared,
  work: WorkLimit,
): Partial<CheckedClaim> {
  const lines = linesIn(citation.lines);
  const match = findQuote(forms, prepared, lines, work) ?? findClosest(forms, prepared, work);
  const isOther = kind === "other_session";
  if (match === null) return { outcome: isOther ? kind : "absent", note: whyAbsent(forms, lines) };
  const source = prepared.lines(work);
  const at = source.linesOf(match);
  return {
    outcome: isOther
      ? kind
      : match.refused !== null
        ? "altered"
        : kind === "error"
          ? "error_result"
          : "verified",
    note: noteOf(match, kind, lines, at),
    line_from: at.from,
    line_to: at.to,
    at_text: source.textOf(match),
  };
}

function whyAbsent([form]: readonly QuoteForm[], lines: LineRange | null): string | null {
  if (form === undefined) return "no_quote";
  return isTooShort(form, lines) ? "too_short" : null;
}

function noteOf(
  { notes, refused }: QuoteMatch,
  kind: Source["kind"],
  lines: LineRange | null,
  at: LineRange,
): string | null {
  if (refused !== null) return refused;
  const isElsewhere = lines !== null && (at.to < lines.from || at.from > lines.to);
  const all = [
    ...(kind === "alert" || kind === "runbook" ? [kind] : []),
    ...notes,
    ...(isElsewhere ? ["lines"] : []),
  ];
  return all.length === 0 ? null : all.join(", ");
}

/** The first two numbers that the model wrote. */
function linesIn(text: string): LineRange | null {
  const [first, second] = (text.slice(0, 100).match(/\d{1,9}/gu) ?? []).map(Number);
  if (first === undefined || first === 0) return null;
  return { from: first, to: Math.max(first, second ?? first) };
}

function hasQuote(forms: readonly QuoteForm[], { prepared }: Prepared, work: WorkLimit): boolean {
  return findQuote(forms, prepared, null, work)?.refused === null;
}

/** Another source that has the words of a quote that its own has not; a result first. */
function findElsewhere(
  { forms, claim }: Checked,
  sources: readonly Prepared[],
  work: WorkLimit,
): string | null {
  if (claim.outcome !== "absent" && claim.outcome !== "altered") return null;
  const byKind = (["result", "alert", "runbook"] as const).flatMap((kind) =>
    sources.filter((source) => source.kind === kind),
  );
  try {
    const found = byKind.find((source) => source.id !== claim.source && hasQuote(forms, source, work));
    return found?.id ?? null;
  } catch (error) {
    if (!(error instanceof OutOfWork)) throw error;
    return null;
  }
}
