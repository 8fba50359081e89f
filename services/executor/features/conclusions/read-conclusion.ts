import {
  CAUSE_KINDS,
  MAX_CHARS,
  MAX_CONCLUSION_BYTES,
  MAX_ENTRIES,
  STATED_STATUSES,
  type Conclusion,
  type ConclusionNames,
} from "#shared/contracts/conclusion.ts";
import { isJsonObject } from "#shared/json-object.ts";
import { cutAtWord } from "./quotes/cut-at-word.ts";
import { Corrector, shown } from "./corrector.ts";

/** A conclusion with the slips that were corrected, or a sentence for the model that says why it is none. */
export type ReadConclusion =
  | { readonly conclusion: Conclusion; readonly corrected: readonly string[] }
  | { readonly problem: string };

type Members = Readonly<Record<string, unknown>>;

/** Entries that are left out if the whole is too large, in this order. */
const LEAST_NEEDED = ["next_checks", "gaps", "ruled_out", "claims", "causes"] as const;

/** The ids that entries of `ruled_out` get. */
const OF_RULED_OUT = /^out\d+$/u;

/**
 * Reads the arguments of a call of `tarsy.conclude`. Slips are corrected, and what is beyond a limit is cut. Only a value without a
 * usable status, summary or cause is no conclusion; an inconclusive one needs no cause. A name that is none of `names` is noted.
 */
export function readConclusion(parameters: unknown, names?: ConclusionNames): ReadConclusion {
  if (!isJsonObject(parameters)) {
    return {
      problem: "The conclusion is no object; it must be one with status, summary, causes, claims and so on.",
    };
  }
  const given = isJsonObject(parameters["conclusion"]) ? parameters["conclusion"] : parameters;
  const corrector = new Corrector();
  const status = wordOf(given["status"], STATED_STATUSES);
  if (status === undefined) {
    return { problem: `status is ${shown(given["status"])}; it must be confirmed, likely or inconclusive.` };
  }
  if (status !== given["status"]) corrector.note("status", `${shown(given["status"])} read as ${status}`);
  const summary = corrector.text(given["summary"], "summary", MAX_CHARS.summary);
  if (summary === "") return { problem: "summary is empty; it must be a text of at most 600 characters." };
  const causes = readCauses(given["causes"], corrector, names);
  if (causes.length === 0 && status !== "inconclusive") {
    return {
      problem: `causes is empty; ${status} needs 1 to 3 causes with entity and statement, only inconclusive needs none.`,
    };
  }
  const conclusion = withinLimit(
    {
      status,
      summary,
      confidence: corrector.integer(given["confidence"], "confidence", {
        least: 0,
        most: 100,
        isPercent: true,
      }),
      causes,
      claims: readClaims(given["claims"], causes.length, corrector),
      ruled_out: readRuledOut(given["ruled_out"], corrector),
      gaps: readTexts(given["gaps"], "gaps", MAX_CHARS.gap, corrector),
      next_checks: readTexts(given["next_checks"], "next_checks", MAX_CHARS.next_check, corrector),
    },
    corrector,
  );
  return { conclusion, corrected: corrector.notes() };
}

/** One of the words, in whatever case and with spaces for underscores. */
function wordOf<W extends string>(value: unknown, words: readonly W[]): W | undefined {
  if (typeof value !== "string") return undefined;
  const plain = value
    .slice(0, 100)
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/gu, "_");
  return words.find((word) => word === plain);
}

function readCauses(value: unknown, corrector: Corrector, names?: ConclusionNames): Conclusion["causes"] {
  const causes = corrector.list(value, "causes", MAX_ENTRIES.causes).map((item, at) => {
    const path = `causes[${at}]`;
    const cause = corrector.members(item, path, "statement");
    const kind = wordOf(cause["kind"], CAUSE_KINDS);
    if (kind !== cause["kind"]) {
      corrector.note(`${path}.kind`, `${shown(cause["kind"])} read as ${kind ?? "unknown"}`);
    }
    const entity = corrector.text(cause["entity"], `${path}.entity`, MAX_CHARS.entity);
    const code = readCode(cause, path, corrector);
    if (names !== undefined) noteUnknown({ entity, code }, names, path, corrector);
    return {
      entity,
      kind: kind ?? "unknown",
      code,
      statement: corrector.text(cause["statement"], `${path}.statement`, MAX_CHARS.statement),
    } as const;
  });
  return causes.filter(({ entity, statement }) => entity !== "" || statement !== "");
}

/** The code of a cause, behind that of its category where that is a member of its own. */
function readCode(cause: Members, path: string, corrector: Corrector): string {
  const category = corrector.text(cause["category"], `${path}.category`, MAX_CHARS.code / 2);
  const code = corrector.text(cause["code"], `${path}.code`, MAX_CHARS.code / (category === "" ? 1 : 2) - 1);
  return category === "" || code.includes("/") ? code : `${category}/${code}`;
}

function noteUnknown(
  { entity, code }: { readonly entity: string; readonly code: string },
  { codes, categories, entities }: ConclusionNames,
  path: string,
  corrector: Corrector,
): void {
  const check = (name: string, value: string, known: readonly string[]) => {
    if (value !== "" && known.length > 0 && !known.includes(value)) {
      corrector.note(`${path}.${name}`, `${shown(value)} is no name that the task lists`);
    }
  };
  check("entity", entity, entities);
  if (categories.length === 0) return check("code", code, codes);
  const [category = "", cause = ""] = code.split("/", 2);
  check("category", category, categories);
  check("code", cause, codes);
}

function readCitation(members: Members, path: string, corrector: Corrector) {
  return {
    source: corrector.text(members["source"], `${path}.source`, MAX_CHARS.source),
    lines: corrector.text(members["lines"], `${path}.lines`, MAX_CHARS.lines),
    quote: corrector.text(members["quote"], `${path}.quote`, MAX_CHARS.quote, cutAtWord),
  };
}

function readClaims(value: unknown, causes: number, corrector: Corrector): Conclusion["claims"] {
  const claims = corrector.list(value, "claims", MAX_ENTRIES.claims).map((item, at) => {
    const path = `claims[${at}]`;
    const claim = corrector.members(item, path, "text");
    const cause = corrector.integer(claim["cause"], `${path}.cause`, {
      least: 0,
      most: MAX_ENTRIES.causes,
      isPercent: false,
    });
    if (cause > causes) corrector.note(`${path}.cause`, `there is no cause ${cause}, read as 0`);
    return {
      id: corrector.text(claim["id"], `${path}.id`, MAX_CHARS.id),
      cause: cause > causes ? 0 : cause,
      text: corrector.text(claim["text"], `${path}.text`, MAX_CHARS.text),
      ...readCitation(claim, path, corrector),
    };
  });
  return withIds(
    claims.filter(({ text, quote }) => text !== "" || quote !== ""),
    corrector,
  );
}

/** Gives claims without an id, or with that of another one, the next free one of c1, c2 and so on. */
function withIds(claims: Conclusion["claims"], corrector: Corrector): Conclusion["claims"] {
  const given = new Set(claims.map(({ id }) => id));
  const taken = new Set<string>();
  let next = 1;
  return claims.map((claim) => {
    let { id } = claim;
    if (id === "" || taken.has(id) || OF_RULED_OUT.test(id)) {
      while (given.has(`c${next}`) || taken.has(`c${next}`)) next += 1;
      corrector.note("claims", `${id === "" ? "no id" : `a second ${id}`}, now c${next}`);
      id = `c${next}`;
    }
    taken.add(id);
    return { ...claim, id };
  });
}

function readRuledOut(value: unknown, corrector: Corrector): Conclusion["ruled_out"] {
  const ruledOut = corrector.list(value, "ruled_out", MAX_ENTRIES.ruled_out).map((item, at) => {
    const path = `ruled_out[${at}]`;
    const entry = corrector.members(item, path, "theory");
    return {
      theory: corrector.text(entry["theory"], `${path}.theory`, MAX_CHARS.theory),
      because: corrector.text(entry["because"], `${path}.because`, MAX_CHARS.because),
      ...readCitation(entry, path, corrector),
    };
  });
  return ruledOut.filter(({ theory, because }) => theory !== "" || because !== "");
}

function readTexts(value: unknown, path: string, limit: number, corrector: Corrector): string[] {
  const items = corrector.list(value, path, MAX_ENTRIES.gaps);
  return items.map((item, at) => corrector.text(item, `${path}[${at}]`, limit)).filter((text) => text !== "");
}

/** Leaves out entries from the end of the lists until the whole is small enough. */
function withinLimit(conclusion: Conclusion, corrector: Corrector): Conclusion {
  for (const name of LEAST_NEEDED) {
    let leftOut = 0;
    const list: unknown[] = conclusion[name];
    while (list.length > 0 && Buffer.byteLength(JSON.stringify(conclusion)) > MAX_CONCLUSION_BYTES) {
      list.pop();
      leftOut += 1;
    }
    if (leftOut > 0) corrector.note(name, `${leftOut} left out, because the whole has more than 32 KiB`);
  }
  return conclusion;
}
