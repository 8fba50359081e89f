import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { literals } from "#shared/contracts/literals.ts";

/** The name of this contract in configurations. */
export const CONCLUSION_CONTRACT = "rca.v1";
/** The version of the rules by which quotes are compared, stored with each conclusion. */
export const CONCLUSION_RULES = 2;

/** What a model can state about its conclusion. */
export const STATED_STATUSES = ["confirmed", "likely", "inconclusive"] as const;
export type StatedStatus = (typeof STATED_STATUSES)[number];
/** What code makes of it, strongest first. `unchecked`: no conclusion could be read. */
export const CONCLUSION_STATUSES = [...STATED_STATUSES, "unchecked"] as const;
export type ConclusionStatus = (typeof CONCLUSION_STATUSES)[number];

/** `none`: nothing is wrong. */
export const CAUSE_KINDS = [
  "change",
  "configuration",
  "resource_exhaustion",
  "code_defect",
  "dependency",
  "network",
  "infrastructure",
  "access",
  "load",
  "none",
  "unknown",
] as const;

/** Most entries of each list. */
export const MAX_ENTRIES = { causes: 3, claims: 20, ruled_out: 10, gaps: 10, next_checks: 10 } as const;
/** Most UTF-16 code units of each text. */
export const MAX_CHARS = {
  summary: 600,
  entity: 200,
  code: 200,
  statement: 600,
  id: 40,
  text: 400,
  theory: 400,
  because: 400,
  source: 200,
  lines: 40,
  quote: 600,
  gap: 300,
  next_check: 300,
} as const;
/** Most bytes of a whole conclusion as JSON. */
export const MAX_CONCLUSION_BYTES = 32 * 1_024;

/** A possible cause. */
const Cause = Type.Object({
  /** "kind/name" of what is at fault. */
  entity: Type.String(),
  kind: literals(CAUSE_KINDS),
  /** Of the task's vocabulary, else "". */
  code: Type.String(),
  statement: Type.String(),
});

/** The names that a task has for causes. With categories, `code` in a conclusion is `category/code`. */
export const ConclusionNames = Type.Object({
  codes: Type.Array(Type.String()),
  categories: Type.Array(Type.String()),
  entities: Type.Array(Type.String()),
});
export type ConclusionNames = Static<typeof ConclusionNames>;

/** The words of one result that show something. "" for nothing. */
const CITATION = {
  /** The handle of a result, such as `r7` or `db-agent#2/r3`, `alert`, `runbook`, or a UUID. */
  source: Type.String(),
  /** "", "12" or "12-14". */
  lines: Type.String(),
  quote: Type.String(),
};

const Claim = Type.Object({
  id: Type.String(),
  /** The place of its cause in `causes`, from 1; 0 for a claim about none. */
  cause: Type.Integer(),
  text: Type.String(),
  ...CITATION,
});

const RuledOut = Type.Object({ theory: Type.String(), because: Type.String(), ...CITATION });

/** What an agent concluded, as it stated it; slips are corrected and limits are kept. */
export const Conclusion = Type.Object({
  status: literals(STATED_STATUSES),
  summary: Type.String(),
  /** 0 to 100. */
  confidence: Type.Integer(),
  /** Best first. */
  causes: Type.Array(Cause),
  claims: Type.Array(Claim),
  ruled_out: Type.Array(RuledOut),
  gaps: Type.Array(Type.String()),
  next_checks: Type.Array(Type.String()),
});
export type Conclusion = Static<typeof Conclusion>;

/**
 * `verified`: the source has the quote. `altered`: it has other words in its place, or a rule refuses it. `absent`: it has no such
 * words. `error_result`: the source is an error and has the quote. `unchecked`: beyond the limit of work. `other_session`: the
 * source is a result of another session.
 */
export const CLAIM_OUTCOMES = [
  "verified",
  "altered",
  "absent",
  "error_result",
  "unchecked",
  "other_session",
] as const;
export type ClaimOutcome = (typeof CLAIM_OUTCOMES)[number];

/** The lists of a conclusion whose entries have quotes; `dropped`: a claim that was not verified and that the correction left out. */
export const CITED_LISTS = ["claim", "ruled_out", "dropped"] as const;

const TextOrNull = Type.Union([Type.String(), Type.Null()]);
const LineOrNull = Type.Union([Type.Integer(), Type.Null()]);

/** What became of one quote. */
export const CheckedClaim = Type.Object({
  /** The claim's id, or `out1`, `out2` and so on for the entries of `ruled_out`. */
  claim_id: Type.String(),
  list: literals(CITED_LISTS),
  outcome: literals(CLAIM_OUTCOMES),
  /** How the quote differs although it is verified, or why it is not; several are joined by ", ". */
  note: TextOrNull,
  /** The source in its normal form; null if there is no such source. */
  source: TextOrNull,
  /** The lines of the source as `tarsy.result_read` counts them, from 1. */
  line_from: LineOrNull,
  line_to: LineOrNull,
  /** The words of the source at this place, at most 600 code units. */
  at_text: TextOrNull,
  /** Another source that has the quote. */
  found_in: TextOrNull,
});
export type CheckedClaim = Static<typeof CheckedClaim>;
