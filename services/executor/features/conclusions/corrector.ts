import { isJsonObject } from "#shared/json-object.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { safeCut } from "#shared/safe-cut.ts";

/** More slips are counted only. */
const MAX_NOTES = 40;
const MAX_SHOWN = 40;

/** Reads the members of a value that a model wrote, corrects slips and notes each. */
export class Corrector {
  readonly #notes: string[] = [];
  #others = 0;

  note(path: string, slip: string): void {
    if (this.#notes.length < MAX_NOTES) this.#notes.push(`${path}: ${slip}`);
    else this.#others += 1;
  }

  notes(): string[] {
    return this.#others === 0 ? [...this.#notes] : [...this.#notes, `${this.#others} more`];
  }

  /** A text of at most `limit` code units, which Postgres takes; "" for nothing. `cut` shortens it. */
  text(
    value: unknown,
    path: string,
    limit: number,
    cut: (text: string, limit: number) => string = shortened,
  ): string {
    if (value === undefined || value === null) return "";
    if (typeof value !== "string") this.note(path, "no text");
    // What is far beyond the limit is not looked at.
    const given = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
    const safe = postgresSafeText(given.slice(0, safeCut(given, limit * 8)));
    if (safe.changed) this.note(path, "characters replaced that cannot be stored");
    const text = safe.text.trim();
    if (text.length <= limit && given.length <= limit * 8) return text;
    this.note(path, `cut to ${limit} characters`);
    return cut(text, limit);
  }

  /** A list of at most `limit` items; a single value counts as a list of it. */
  list(value: unknown, path: string, limit: number): readonly unknown[] {
    if (value === undefined || value === null || value === "") return [];
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (!Array.isArray(value)) this.note(path, "no list");
    if (items.length > limit) this.note(path, `${items.length - limit} beyond ${limit} left out`);
    return items.slice(0, limit);
  }

  /** The members of an object; a text counts as its member `name`. */
  members(value: unknown, path: string, name: string): Readonly<Record<string, unknown>> {
    if (isJsonObject(value)) return value;
    this.note(path, "no object");
    return { [name]: value };
  }

  /** An integer from `least` to `most`, `otherwise` for anything that is no number. A fraction of 1 counts as percent if `isPercent`. */
  integer(
    value: unknown,
    path: string,
    {
      least,
      most,
      isPercent,
    }: { readonly least: number; readonly most: number; readonly isPercent: boolean },
  ): number {
    const found = typeof value === "string" ? /-?\d{1,9}(?:\.\d{1,9})?/u.exec(value.slice(0, 100)) : null;
    const number = typeof value === "number" ? value : found === null ? Number.NaN : Number(found[0]);
    const scaled = isPercent && number > 0 && number < 1 ? number * 100 : number;
    const whole = Number.isFinite(scaled) ? Math.round(scaled) : least;
    const read = Math.min(most, Math.max(least, whole));
    if (read !== value) this.note(path, `${shown(value)} read as ${read}`);
    return read;
  }
}

/** A value in a note. */
export function shown(value: unknown): string {
  const text = value === undefined ? "nothing" : (JSON.stringify(value) ?? typeof value);
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, safeCut(text, MAX_SHOWN))}…`;
}

function shortened(text: string, limit: number): string {
  return `${text.slice(0, safeCut(text, limit - 1))}…`;
}
