import type { SqlParameters } from "./sql-parameters.ts";

const TRIGRAM = /[\p{L}\p{N}]{3}/u;

/** What a session must have for a search, as SQL over its row `s`; each part adds the parameters that it needs. */
export class SearchCondition {
  readonly #term: string;
  readonly #parameters: SqlParameters;

  constructor(term: string, parameters: SqlParameters) {
    this.#term = term;
    this.#parameters = parameters;
  }

  /** The term is part of the alert or the final analysis, or the timeline has all its words. */
  isHit(): string {
    return `(${this.#inTexts()} OR ${this.inTimeline()})`;
  }

  /** The timeline has all the words of the term, in any form of theirs. */
  inTimeline(): string {
    return `coalesce((SELECT bool_or(w.words @@ ${this.#words()}) FROM timeline_words w WHERE w.session_id = s.session_id), false)`;
  }

  /** Selects the ids of all sessions with the term from the indexes; at most `limit` of each kind. */
  candidates(limit?: number): string {
    const end = limit === undefined ? "" : ` LIMIT ${limit}`;
    return `
      (SELECT session_id FROM session_texts WHERE content LIKE ${this.#pattern()}${end})
      UNION (SELECT session_id FROM timeline_words WHERE words @@ ${this.#words()}${end})`;
  }

  /** False for a term that the index of the texts cannot find without reading all of them. */
  get isIndexed(): boolean {
    return TRIGRAM.test(this.#term);
  }

  /** Whatever the case; the wildcards of the term mean themselves. */
  #inTexts(): string {
    // An aggregate: an EXISTS might be planned as a search of the whole table.
    return `coalesce((SELECT bool_or(x.content LIKE ${this.#pattern()}) FROM session_texts x WHERE x.session_id = s.session_id), false)`;
  }

  #pattern(): string {
    const escaped = this.#term.replaceAll(/[\\%_]/gu, String.raw`\$&`);
    return `lower(${this.#parameters.add(`%${escaped}%`)}::text)`;
  }

  #words(): string {
    return `plainto_tsquery('english', ${this.#parameters.add(this.#term)}::text)`;
  }
}
